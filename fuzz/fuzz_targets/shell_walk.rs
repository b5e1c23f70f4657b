//! Any text as a command line: the walk does not fail, and no line is less
//! dangerous than a command that was found in it. `cargo +nightly fuzz run
//! shell_walk`. The test `no_text_is_less_dangerous_than_a_command_found_in_it`
//! of the policy crate holds the same over a seeded generator, without nightly.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tenon_policy::{Script, Simple, analyse};
use tenon_vocab::Class;

fn rank(script: &Script) -> u8 {
    let class = script.dangers.first().map(|danger| danger.class);
    match class {
        Some(Class::HardDeny) => 3,
        Some(Class::Deny | Class::Confirm) => 2,
        Some(Class::Ask) => 1,
        Some(Class::Allow) | None => 0,
    }
}

/// The command as a line of its own, where every word of it is literal.
fn alone(command: &Simple) -> Option<String> {
    let plain = command.words.iter().all(|word| !word.expands);
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let words: Vec<String> = command.words.iter().map(|word| quoted(&word.text)).collect();
    (plain && !words.is_empty()).then(|| words.join(" "))
}

fuzz_target!(|text: &str| {
    let script = analyse(text);
    assert_eq!(script.text, text);
    let _ = script.verdicts();
    let whole = rank(&script);
    for line in script.found.iter().take(32).filter_map(alone) {
        assert!(rank(&analyse(&line)) <= whole, "{text:?} hides {line:?}");
    }
});
