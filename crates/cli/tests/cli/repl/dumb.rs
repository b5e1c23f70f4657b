//! A terminal that can do nothing but append.

use super::terminal::{Model, Setup, tenon};
use std::process::{Command, Stdio};
use tenon_testing::TestHome;

#[test]
fn a_dumb_terminal_gets_lines_and_no_escape_sequence() {
    let (home, model) = (TestHome::new(), Model::says("plain answer"));
    let setup = Setup {
        env: &[("TERM", "dumb")],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("one\\")
        .see_last(".")
        .line("two")
        .see("plain answer")
        .see_prompt();
    assert_eq!(model.last_prompt(), "one\ntwo");
    terminal
        .key("C-c")
        .see("Ctrl+C again leaves")
        .see_prompt()
        .key("C-d")
        .see("Resume with:")
        .left(0);
    let shown = Command::new("script")
        .args([
            "-qec",
            &format!("{} --plain", tenon().display()),
            "/dev/null",
        ])
        .env_clear()
        .envs([("TERM", "dumb"), ("PATH", "/usr/bin:/bin")])
        .env("HOME", home.home())
        .env("TENON_HOME", home.tenon())
        .env("TENON_BASE_URL", &model.url)
        .env("TENON_MODEL", "mock-model")
        .current_dir(home.project())
        .stdin(Stdio::null())
        .output();
    if let Ok(output) = shown {
        assert!(
            !output.stdout.contains(&0x1b),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    }
}
