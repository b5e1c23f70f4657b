//! A skill that was loaded still holds after the conversation was made shorter:
//! its text goes from one summary to the next.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::support::{outcome, prompt, say};
use std::fs;
use tenon_engine::Engine;
use tenon_tools::{Workspace, WorkspaceOptions};
use tenon_vocab::profile::{SkillInfo, Whose};
use tenon_vocab::{Command, EventKind, Outcome, SessionId};

const BODY: &str = "Tag the release with a blue ribbon, then announce it.";

fn busy(step: usize, _: &str) -> Turn {
    if step.is_multiple_of(2) {
        Turn::call(
            &format!("c{step}"),
            "read",
            r#"{"path":"a.rs","bytes":3000}"#,
        )
    } else {
        Turn::text("Fine, and on we go.")
    }
}

#[tokio::test(start_paused = true)]
async fn the_text_of_a_skill_is_in_the_request_after_many_compactions() {
    let (world, id) = (world(), SessionId::generate());
    let folder = world.dir.path().canonicalize().unwrap().join("release");
    fs::create_dir_all(&folder).unwrap();
    let text = format!("---\nname: release\ndescription: releases\n---\n{BODY}\n");
    fs::write(folder.join("SKILL.md"), text).unwrap();
    let server = Server::new(Setup::chat(16_384), busy, vague);
    let mut parts = parts(&world, id, &server);
    let options = WorkspaceOptions {
        extra_read: vec![folder.clone()],
        ..WorkspaceOptions::default()
    };
    parts.workspace = Workspace::open(&world.root(), options).unwrap();
    parts.context.skills = vec![SkillInfo {
        name: "release".into(),
        description: "releases".into(),
        file: folder.join("SKILL.md"),
        folder,
        source: Whose::User,
        user_only: false,
    }];
    let mut handle = Engine::start(id, parts);
    let skill = Command::Skill {
        name: "release".into(),
        text: "for 2.1".into(),
    };
    let is_end = |kind: &EventKind| matches!(kind, EventKind::RunFinished(_));
    let events = say(&mut handle, skill, is_end).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let mut done = 0;
    for n in 0..30 {
        let events = prompt(&mut handle, &format!("Prompt {n}")).await;
        assert_eq!(outcome(&events), Outcome::Completed, "{n}");
        done += compactions(&events).len();
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert!(done >= 2, "{done}");
    let last = server.last();
    assert!(last.contains(BODY), "{last}");
    assert_eq!(last.matches(BODY).count(), 1, "once is enough: {last}");
    world.verify(id);
}
