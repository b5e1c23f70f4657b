//! A working day of forty prompts, and each question that it costs: none about
//! what only reads or cannot succeed, in no mode; one for each command that
//! destroys, in every mode.

mod errands;
mod ground;
mod person;

use person::{Day, work};

#[test]
fn a_day_of_asking_asks_about_changes_and_programs_and_never_about_a_look() {
    let Some(day) = work("ask") else { return };
    let expected = [
        "ReadsUnnamed ask 2",
        "Edits ask 3",
        "Runs ask 13",
        "Leaves ask 3",
        "Destroys confirm 2",
        "Secret ask 1",
    ];
    assert_eq!(day.tally(), expected, "{}", day.questions());
    is_done(&day);
}

#[test]
fn a_day_of_accepted_edits_asks_about_no_edit() {
    let Some(day) = work("accept-edits") else {
        return;
    };
    let expected = [
        "ReadsUnnamed ask 2",
        "Runs ask 13",
        "Leaves ask 3",
        "Destroys confirm 2",
        "Secret ask 1",
    ];
    assert_eq!(day.tally(), expected, "{}", day.questions());
    is_done(&day);
}

#[test]
fn a_day_in_auto_asks_what_destroys_what_is_secret_and_what_needs_the_network() {
    let Some(day) = work("auto") else { return };
    let expected = ["Leaves offer 3", "Destroys confirm 2", "Secret ask 1"];
    assert_eq!(day.tally(), expected, "{}", day.questions());
    is_done(&day);
}

/// All that was asked for is there, and what was refused is not.
fn is_done(day: &Day) {
    let ground = &day.ground;
    assert_eq!(day.prompts, 40);
    let unasked = day.destroyed_unasked();
    assert!(unasked.is_empty(), "{unasked:?}");
    assert!(day.failed().is_empty(), "{:#?}", day.failed());
    let log = ground.git(&["log", "--format=%s", "main"]);
    let newest: Vec<&str> = log.lines().take(2).collect();
    assert_eq!(
        newest,
        [
            "Describe the rate",
            "Round to cents, and use the right rate"
        ]
    );
    assert!(ground.content("src/price.rs").contains("100.0).round()"));
    assert!(ground.exists("web/test/cart.test.js"), "it was to be moved");
    assert!(!ground.exists("build"), "it was to be deleted");
    assert!(ground.exists("node_modules/left-pad"));
    assert_eq!(ground.installs(), 2, "the package and the site");
    assert!(
        day.bodies.iter().any(|body| body.contains("not today")),
        "the model hears why nothing was pushed"
    );
}
