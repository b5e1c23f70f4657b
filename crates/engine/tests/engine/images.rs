//! Pictures (P13): of prompts and of tools, for models that look at them and for
//! models that do not.

use crate::formats::Format;
use crate::models::{Scripted, Shelf, Turn};
use crate::support::{World, notices, outcome, prompt, results, say, switch};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_model::{Identity, Vision};
use tenon_vocab::{Command, EventKind, ImageSource, Outcome, Part, SessionId};

const PICTURE: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==";

fn model(format: Format, vision: Vision, turns: Vec<Turn>) -> Arc<Scripted> {
    let identity = Identity {
        vision,
        ..Identity::new("test", "eyes")
    };
    Arc::new(Scripted::with(format, identity, turns))
}

fn attached(text: &str) -> Command {
    let image = Part::Image {
        source: ImageSource::Url(PICTURE.into()),
        media_type: "image/png".into(),
    };
    Command::Prompt {
        text: text.into(),
        attachments: vec![image],
    }
}

fn is_over(kind: &EventKind) -> bool {
    matches!(kind, EventKind::RunFinished(_))
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_a_prompt_is_kept_beside_the_log_and_sent_in_every_format() {
    for format in Format::ALL {
        let (world, id) = (World::new(), SessionId::generate());
        let model = model(format, Vision::Unknown, Vec::new());
        let mut handle = world.start(id, &model);
        let events = say(&mut handle, attached("look"), is_over).await;
        assert_eq!(outcome(&events), Outcome::Completed);
        let kept = events.iter().find_map(|event| match &event.kind {
            EventKind::Message(message) => message.parts.get(1).cloned(),
            _ => None,
        });
        assert!(
            matches!(
                kept,
                Some(Part::Image {
                    source: ImageSource::Blob(_),
                    ..
                })
            ),
            "{kept:?}"
        );
        let body = &model.texts()[0];
        assert!(body.contains("iVBORw0KGgoAAAANSUhEUg=="), "{body}");
        say(&mut handle, Command::Shutdown, |_| false).await;
        world.verify(id);
    }
}

#[tokio::test(start_paused = true)]
async fn a_picture_for_a_model_without_eyes_ends_the_run_before_a_request() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = model(Format::Chat, Vision::No, Vec::new());
    let mut handle = world.start(id, &model);
    let events = say(&mut handle, attached("what is it"), is_over).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    let said = &notices(&events, "stopped")[0].message;
    assert!(said.contains("`eyes` doesn't accept images"), "{said}");
    assert!(said.contains("/models NAME"), "{said}");
    assert!(model.bodies().is_empty());
    let events = prompt(&mut handle, "then without").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert!(
        !model.texts()[0].contains("what is it"),
        "{:?}",
        model.texts()
    );
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_picture_of_a_tool_is_shown_to_who_can_see_and_named_to_who_cannot() {
    for format in Format::ALL {
        for (vision, shown) in [
            (Vision::Yes, true),
            (Vision::Unknown, true),
            (Vision::No, false),
        ] {
            let (world, id) = (World::new(), SessionId::generate());
            let turns = vec![Turn::call("a", "picture", "{}"), Turn::text("done")];
            let model = model(format, vision, turns);
            let events = world.run(id, &model, "go").await;
            assert_eq!(outcome(&events), Outcome::Completed);
            assert_eq!(results(&events)[0].1, "a picture");
            let body = &model.texts()[1];
            assert_eq!(body.contains("iVBORw0KGgo"), shown, "{format:?}: {body}");
            assert_eq!(body.contains("doesn't accept images"), !shown, "{body}");
            world.verify(id);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn pictures_of_the_history_come_back_with_a_model_that_sees() {
    let (world, id) = (World::new(), SessionId::generate());
    let seeing = model(
        Format::Chat,
        Vision::Yes,
        vec![Turn::call("a", "picture", "{}")],
    );
    let blind = model(Format::Messages, Vision::No, Vec::new());
    let mut parts = world.parts(id, Arc::clone(&seeing));
    parts.models = Some(Arc::new(Shelf {
        models: vec![
            ("blind".into(), Arc::clone(&blind)),
            ("seeing".into(), Arc::clone(&seeing)),
        ],
        ..Shelf::default()
    }));
    let mut handle = Engine::start(id, parts);
    say(&mut handle, attached("one"), is_over).await;
    switch(&mut handle, "blind").await;
    prompt(&mut handle, "two").await;
    switch(&mut handle, "seeing").await;
    prompt(&mut handle, "three").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    let body = &blind.texts()[0];
    assert!(!body.contains("iVBORw0KGgo"), "{body}");
    assert_eq!(body.matches("doesn't accept images").count(), 2, "{body}");
    let body = seeing.texts().pop().unwrap();
    assert_eq!(body.matches("iVBORw0KGgo").count(), 2, "{body}");
    world.verify(id);
}
