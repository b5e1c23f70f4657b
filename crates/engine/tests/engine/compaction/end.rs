//! Two compactions in a row that hardly help are the end of a run (C5): a third one
//! would not help either, and each of them costs a request.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::support::{notices, outcome, prompt, say};
use tenon_engine::Engine;
use tenon_vocab::{Command, Outcome, SessionId};

#[tokio::test(start_paused = true)]
async fn where_each_compaction_helps_only_a_little_the_second_is_the_last() {
    let (world, id) = (world(), SessionId::generate());
    // What the model said last stays as it is, and alone it fills the share.
    let server = Server::new(
        Setup::chat(32_768),
        |step, _| {
            let text = "word ".repeat(8_800);
            let input = format!(r#"{{"text":"{step} {text}","bytes":10}}"#);
            Turn::call(&format!("c{step}"), "print", &input)
        },
        vague,
    );
    let mut parts = parts(&world, id, &server);
    parts.context.compaction.at_percent = 30;
    let mut handle = Engine::start(id, parts);
    let events = prompt(&mut handle, "Print all of it.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Failed);
    assert_eq!(compactions(&events).len(), 2);
    let said = notices(&events, "context_overflow");
    assert!(
        said[0].message.contains("2 times in a row"),
        "{}",
        said[0].message
    );
    assert_eq!(server.refused(), 0);
    world.verify(id);
}
