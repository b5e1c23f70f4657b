//! What the program around says on the screen: it is a part of the conversation
//! wherever standard error goes, and what was asked once is not asked again.

use super::asking::answer;
use super::stage::{Prompt, Stage, USUAL};
use std::path::Path;
use tenon_testing::screen::{ENTER, Screen};

const QUESTION: &str = "Trust it?";

/// With standard error in a file, which is given too.
fn redirected(stage: &Stage) -> (Screen, std::path::PathBuf) {
    let known = stage.model.command(&stage.home);
    let mut command = stage.home.command(Path::new("/bin/sh"));
    command
        .args(["-c", "exec \"$0\" 2>../err.log"])
        .arg(known.get_program())
        .envs(
            known
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("TERM", "xterm-256color")
        .env("XTERM_VERSION", "XTerm(390)");
    let log = stage.home.project().join("../err.log");
    (Screen::start(command, USUAL), log)
}

fn hook(stage: &Stage, command: &str) {
    let text = format!(r#"{{"hooks": {{"UserPromptSubmit": [{{"command": "{command}"}}]}}}}"#);
    stage.file(".tenon/tenon.jsonc", &text);
}

/// How many rows of all that was shown hold this.
fn times(screen: &Screen, text: &str) -> usize {
    let all = screen.all();
    all.iter().filter(|row| row.contains(text)).count()
}

fn opened(screen: &Screen, sessions: usize) {
    let came = tenon_testing::wait_until(std::time::Duration::from_secs(30), || {
        times(screen, "tenon 0.") == sessions
    });
    assert!(came, "{}", screen.all().join("\n"));
    screen.ready();
}

#[test]
fn what_was_put_off_before_the_screen_is_not_asked_again_by_the_next_session() {
    let stage = Stage::says("the answer");
    hook(&stage, "touch by-hook");
    let screen = stage.open();
    screen.see(QUESTION).see("not now").key(ENTER);
    screen.saw("Not now: what it would enable is ignored");
    opened(&screen, 1);
    screen.line("/new");
    opened(&screen, 2);
    assert_eq!(times(&screen, QUESTION), 1, "{:#?}", screen.all());
    // Another byte is another question.
    hook(&stage, "touch another");
    screen.line("/new").see("touch another");
    answer(&screen, "n");
    screen.saw("Not trusted: what it would enable is ignored.");
    opened(&screen, 3);
}

#[test]
fn what_the_program_says_is_on_the_screen_and_not_in_a_file() {
    let stage = Stage::says("the answer");
    let (screen, log) = redirected(&stage);
    let secret = format!("sk-ant-{}", "a1B2c3D4".repeat(6));
    screen.ready().line(&format!("my key is {secret}"));
    screen.done().ready();
    screen.line("/export e2.md").see("/e2.md.");
    screen.see("seems to contain secrets").ready();
    assert!(stage.content("e2.md").contains("the answer"));
    screen
        .line("/handoff ship it")
        .see("Starter prompt")
        .key("q");
    screen.see("--goal 'ship it'").ready();
    hook(&stage, "touch by-hook");
    screen.line("/new").see("touch by-hook");
    answer(&screen, "n");
    screen.saw("Not trusted: what it would enable is ignored.");
    opened(&screen, 2);
    assert_eq!(std::fs::read_to_string(log).unwrap(), "");
}
