//! A model that goes round in circles is told, then stopped.

use crate::models::{Scripted, Turn};
use crate::support::{World, outcome, results};
use tenon_vocab::{Outcome, SessionId};

#[tokio::test(start_paused = true)]
async fn the_same_call_is_reported_at_three_and_stopped_at_five() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..9).map(|n| Turn::call(&format!("c{n}"), "look", r#"{"ms":1}"#));
    let events = world.run(id, &Scripted::new(turns), "go").await;
    let texts = results(&events);
    assert_eq!(texts.len(), 5);
    assert!(!texts[1].1.contains("times in a row"));
    assert!(texts[2].1.contains("3 times in a row"), "{texts:?}");
    assert_eq!(outcome(&events), Outcome::Loop);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_same_tool_with_other_arguments_is_never_stopped() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..50).map(|n| Turn::call(&format!("c{n}"), "look", &format!(r#"{{"ms":{n}}}"#)));
    let events = world.run(id, &Scripted::new(turns), "go").await;
    assert_eq!(results(&events).len(), 50);
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_again_and_again_is_a_circle_too() {
    for arguments in [r#"{"command":"touch x"}"#, r#"{"nonsense":1}"#] {
        let (world, id) = (World::new(), SessionId::generate());
        let turns = (0..20).map(|n| Turn::call(&format!("c{n}"), "bash", arguments));
        let events = world.run(id, &Scripted::new(turns), "go").await;
        let texts = results(&events);
        assert_eq!(texts.len(), 5, "{arguments}: {texts:?}");
        assert!(texts[2].1.contains("3 times in a row"), "{texts:?}");
        assert_eq!(outcome(&events), Outcome::Loop, "{arguments}");
        world.verify(id);
    }
}
