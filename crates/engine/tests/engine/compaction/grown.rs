//! A server that holds more than it did, or than is believed: it is noticed before
//! anything is given up for the smaller window.

use super::server::{Server, Setup, vague};
use super::{compactions, start, world};
use crate::formats::Format;
use crate::models::{Scripted, Turn};
use crate::support::{World, outcome, prompt, say, table};
use std::sync::Arc;
use tenon_model::{Identity, Window, WindowSource};
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, Outcome, Query, SessionId};

fn wordy(_: usize, _: &str) -> Turn {
    Turn::text(&"Fine, and on we go. ".repeat(100))
}

async fn limit(handle: &Handle) -> (u64, String) {
    let shown = table(handle, Query::Context).await;
    let limit = shown.rows.last().unwrap();
    assert_eq!(limit[0], "limit");
    (limit[1].parse().unwrap(), limit[2].clone())
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_started_with_more_is_asked_before_anything_is_given_up() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 8_192,
        said: Some(WindowSource::Server("/props".into())),
    };
    let server = Server::new(setup, wordy, vague);
    let mut handle = start(&world, id, &server);
    prompt(&mut handle, "Prompt").await;
    server.holds(100_000);
    for n in 0..30 {
        let events = prompt(&mut handle, &format!("Prompt {n}")).await;
        assert_eq!(outcome(&events), Outcome::Completed, "{n}");
        assert!(compactions(&events).is_empty(), "{n}");
    }
    assert!(server.most() > 8_192, "{}", server.most());
    assert_eq!(limit(&handle).await.0, 100_000);
    say(&mut handle, Command::Shutdown, |_| false).await;
}

#[tokio::test(start_paused = true)]
async fn a_window_is_no_smaller_than_what_the_server_has_read_unless_the_user_says_so() {
    for (source, raised) in [(WindowSource::Catalogue, true), (WindowSource::User, false)] {
        let identity = Identity {
            window: Some(Window {
                tokens: 4_096,
                source,
            }),
            ..Identity::new("test", "scripted")
        };
        let turns = [Turn::text("one").using(6_000, 5)];
        let model = Arc::new(Scripted::with(Format::Chat, identity, turns));
        let (world, id) = (World::new(), SessionId::generate());
        let mut handle = world.start(id, &model);
        prompt(&mut handle, "one").await;
        let (tokens, by) = limit(&handle).await;
        if raised {
            assert_eq!(tokens, 6_000);
            assert!(by.contains("has read a request of that length"), "{by}");
        } else {
            assert_eq!(tokens, 4_096);
        }
        say(&mut handle, Command::Shutdown, |_| false).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_refused_once_says_nothing_when_as_much_was_read_since() {
    let (world, id) = (world(), SessionId::generate());
    let setup = Setup {
        format: Format::Chat,
        window: 8_192,
        said: None,
    };
    let server = Server::new(setup, wordy, vague);
    let mut handle = start(&world, id, &server);
    for n in 0..30 {
        prompt(&mut handle, &format!("Prompt {n}")).await;
        if server.refused() > 0 {
            break;
        }
    }
    assert_eq!(server.refused(), 1);
    let (learned, by) = limit(&handle).await;
    assert!(learned < 10_000 && by.contains("refused"), "{learned} {by}");
    server.holds(100_000);
    // Nothing of one long prompt can be made shorter, so it is sent.
    let long = "the quick brown fox ".repeat(2_500);
    let events = prompt(&mut handle, &long).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    let (now, by) = limit(&handle).await;
    assert!(now > learned && !by.contains("refused"), "{now} {by}");
    say(&mut handle, Command::Shutdown, |_| false).await;
}
