//! A terminal with the program in it, and the model server that it talks to.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tenon_testing::{TestHome, wait_until};

/// Long, because it only costs time in a test that fails.
const DEADLINE: Duration = Duration::from_secs(30);

pub use crate::model::{Model, tenon};

/// One call, then an answer.
pub fn calls(trigger: &str, name: &str, arguments: Value, answer: &str) -> Value {
    json!({
        "scenarios": [{"name": "one", "trigger": trigger, "scope": "turn", "steps": [
            {"response": {"content": "I will.", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}},
            {"response": {"content": answer}},
        ]}],
        "default_response": {"content": "nothing"},
    })
}

/// What runs in the terminal, and in which one.
pub struct Setup<'a> {
    pub home: &'a TestHome,
    pub model: Option<&'a Model>,
    pub args: &'a [&'a str],
    pub env: &'a [(&'a str, &'a str)],
}

impl<'a> Setup<'a> {
    pub fn new(home: &'a TestHome, model: &'a Model) -> Self {
        Self {
            home,
            model: Some(model),
            args: &[],
            env: &[],
        }
    }

    /// A terminal as able as this one would get the terminal interface; these
    /// are the tests of the lines. Subcommands know no such choice.
    fn words(&self) -> Vec<&str> {
        let plain = match self.args.first() {
            Some(word) if !word.starts_with('-') => None,
            _ => Some("--plain"),
        };
        plain.into_iter().chain(self.args.iter().copied()).collect()
    }

    /// `None` where there is no tmux, except in CI, which has it.
    pub fn start(&self) -> Option<Terminal> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "CI must have tmux");
            eprintln!("skipped: there is no tmux");
            return None;
        }
        let socket = self.home.path().join(format!("tmux-{}", unique()));
        let mut command = self.home.command(Path::new("tmux"));
        if let Some(model) = self.model {
            command
                .env("TENON_BASE_URL", &model.url)
                .env("TENON_MODEL", "mock-model");
        }
        // The modes of the terminal are read where the program has left it.
        let line = format!(
            "trap : INT; {} {}; echo \"exit=$? $(stty -a | grep -o -w -e '-\\?icanon' -e '-\\?echo')\"; exec sleep 1000",
            tenon().display(),
            self.words().join(" ")
        );
        let status = command
            .arg("-u")
            .arg("-S")
            .arg(&socket)
            .args([
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-x",
                "100",
                "-y",
                "40",
            ])
            .args(["env"])
            .args(
                self.env
                    .iter()
                    .map(|(name, value)| format!("{name}={value}")),
            )
            .args(["sh", "-c", &line])
            .status()
            .unwrap();
        assert!(status.success(), "tmux did not start");
        Some(Terminal { socket })
    }
}

fn unique() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

pub struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    fn tmux(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .arg("-u")
            .arg("-S")
            .arg(&self.socket)
            .args(args)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// All that was shown, scrolled away or not; wrapped lines are joined.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// Waits until a text is shown.
    pub fn see(&self, text: &str) -> &Self {
        self.see_times(text, 1)
    }

    pub fn see_times(&self, text: &str, times: usize) -> &Self {
        let seen = wait_until(DEADLINE, || self.screen().matches(text).count() >= times);
        assert!(
            seen,
            "{times} x {text:?} did not appear:\n{}",
            self.screen()
        );
        self
    }

    /// Waits until the last line that has anything on it is this.
    pub fn see_last(&self, line: &str) -> &Self {
        self.see_last_that(line, |last| last == line)
    }

    fn see_last_that(&self, what: &str, is_it: impl Fn(&str) -> bool) -> &Self {
        let last = || {
            let screen = self.screen();
            let last = screen.trim_end().lines().last();
            last.is_some_and(|last| is_it(last.trim_end()))
        };
        let seen = wait_until(DEADLINE, last);
        assert!(seen, "{what:?} is not the last line:\n{}", self.screen());
        self
    }

    /// Waits for the empty prompt, which says the mode and the flags that change
    /// what is asked.
    pub fn ready(&self) -> &Self {
        self.see("tenon 0").see_prompt()
    }

    /// Waits for a question and for the place of its answer. What is typed before
    /// that is no answer: it is thrown away, and an Enter behind it is "not now".
    pub fn asked(&self, text: &str) -> &Self {
        self.see(text).see_last(">")
    }

    /// Waits until the last line is a prompt with nothing behind it.
    pub fn see_prompt(&self) -> &Self {
        self.see_last_that("a prompt", |line| line == ">" || line.ends_with(" >"))
    }

    /// Presses a key; Enter no sooner after what was seen than a hand could: a
    /// line that comes at once behind another counts as pasted.
    pub fn key(&self, name: &str) -> &Self {
        if name == "Enter" {
            as_long_as_a_hand();
        }
        self.tmux(&["send-keys", name]);
        self
    }

    pub fn text(&self, text: &str) -> &Self {
        self.tmux(&["send-keys", "-l", text]);
        self
    }

    /// Types a line and sends it. What is typed while a question is still being
    /// written counts as begun before it.
    pub fn line(&self, text: &str) -> &Self {
        as_long_as_a_hand();
        self.text(text).key("Enter")
    }

    /// A paste, as a terminal brackets it for a program that wants it so.
    pub fn paste(&self, text: &str) -> &Self {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p", "-r"]);
        self
    }

    /// A person presses the next key later than what still counts as the paste.
    pub fn rested(&self) -> &Self {
        std::thread::sleep(std::time::Duration::from_millis(300));
        self
    }

    /// A paste into a terminal that does not bracket it.
    pub fn paste_unmarked(&self, text: &str) -> &Self {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer"]);
        self
    }

    /// Waits until the program has ended; the terminal must be as it was.
    pub fn left(&self, code: u8) -> &Self {
        self.see(&format!("exit={code} "));
        let screen = self.screen();
        assert!(
            screen.contains("icanon") && !screen.contains("-icanon"),
            "{screen}"
        );
        self
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Sends a signal to the program in the terminal with this home.
pub fn signal(home: &TestHome, name: &str) {
    let own = format!("TENON_HOME={}", home.tenon().display());
    let exe = std::fs::canonicalize(tenon()).unwrap();
    let found = tenon_testing::descendants_with_marker(&own)
        .into_iter()
        .filter(|pid| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|path| path == exe))
        .min();
    let pid = found.expect("the program does not run").to_string();
    let sent = Command::new("kill").args([name, &pid]).status().unwrap();
    assert!(sent.success());
}

/// What a person needs between what they see and what they type, and the program
/// to tell both from a paste.
fn as_long_as_a_hand() {
    std::thread::sleep(std::time::Duration::from_millis(60));
}
