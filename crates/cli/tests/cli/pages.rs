//! Completion scripts, man pages and the generated reference.

use crate::program::Program;
use std::path::Path;

#[test]
fn every_shell_gets_a_completion_script_that_knows_the_commands() {
    let program = Program::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        program
            .run(&["completions", shell])
            .ended(0)
            .says("sessions");
    }
    program
        .run(&["completions", "cobol"])
        .ended(2)
        .complains("cobol");
}

#[test]
fn the_script_for_bash_is_bash() {
    let program = Program::new();
    let script = program.run(&["completions", "bash"]).ended(0).out;
    let path = program.project().join("tenon.bash");
    std::fs::write(&path, script).unwrap();
    let checked = std::process::Command::new("bash")
        .arg("-n")
        .arg(&path)
        .status()
        .unwrap();
    assert!(checked.success());
}

#[test]
fn man_pages_go_to_standard_output_or_into_a_folder() {
    let program = Program::new();
    program.run(&["man"]).ended(0).says(".TH tenon 1");
    program.run(&["man", "--dir", "pages/man1"]).ended(0);
    for page in ["tenon.1", "tenon-sessions-list.1", "tenon-apply-patch.1"] {
        assert!(
            program.project().join("pages/man1").join(page).is_file(),
            "{page}"
        );
    }
    program.file("taken", "");
    program
        .run(&["man", "--dir", "taken/x"])
        .ended(1)
        .complains("can't write");
}

/// When this fails: `cargo run -q -- __reference --write docs/reference`.
#[test]
fn the_reference_says_what_the_code_says() {
    let program = Program::new();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    program
        .run(&["__reference", "--check", docs.to_str().unwrap()])
        .ended(0);
}

#[test]
fn a_page_that_drifted_is_named_with_the_way_to_mend_it() {
    let program = Program::new();
    program
        .run(&["__reference"])
        .ended(2)
        .complains("--write DIR");
    program.run(&["__reference", "--write", "ref"]).ended(0);
    program.run(&["__reference", "--check", "ref"]).ended(0);
    program.file("ref/events.md", "# Something else\n");
    std::fs::remove_file(program.project().join("ref/flags.md")).unwrap();
    let ran = program.run(&["__reference", "--check", "ref"]).ended(1);
    let ran = ran
        .complains("ref/events.md")
        .complains("ref/flags.md")
        .complains("--write docs/reference");
    assert!(!ran.err.contains("tools.md"), "{}", ran.err);
}
