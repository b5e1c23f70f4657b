//! The analysis held against a real shell.

use proptest::prelude::*;
use std::process::Command;
use tenon_policy::analyse;

/// The words that `sh` makes of a text, without running it as a command.
fn words_by_shell(text: &str) -> Vec<String> {
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("set -f; printf '%s\\0' {text}"))
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{text:?}: {output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut words: Vec<String> = text.split('\0').map(str::to_owned).collect();
    words.pop();
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // Of the letters only `a` and `b`: whatever slips through names no program.
    #[test]
    fn what_is_certain_is_what_the_shell_sees(text in "[ab \t'\"\\\\$`#=!*?{};|&<>()\n-]{1,14}") {
        if let Some(argv) = analyse(&text).argv() {
            prop_assert_eq!(words_by_shell(text.trim_matches([' ', '\t', '\n'])), argv);
        }
    }

    #[test]
    fn quoting_is_read_as_the_shell_reads_it(text in "[ab '\"\\\\]{1,16}") {
        if let Some(argv) = analyse(&text).argv() {
            prop_assert_eq!(words_by_shell(text.trim_matches(' ')), argv);
        }
    }
}
