//! The size of the window changes while text streams. Nothing is lost, nothing
//! is shown twice, nothing of the user's scrollback is erased.

use super::stage::{Prompt, Stage, USUAL};
use super::talking::numbered;
use crate::model::{Model, tenon};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tenon_testing::screen::Cells;
use tenon_testing::wait_until;

const LINES: usize = 500;
/// Paragraphs that are wider than the window.
const WIDE: usize = 120;
const DEADLINE: Duration = Duration::from_secs(60);
const STILL: Duration = Duration::from_millis(200);
const SIZES: [(u16, u16); 10] = [
    (40, 10),
    (120, 50),
    (80, 24),
    (41, 50),
    (100, 12),
    (60, 30),
    (120, 10),
    (50, 40),
    (99, 20),
    (80, 24),
];

fn streaming(delay: Duration) -> Stage {
    Stage::with(Model::scripted(
        json!({"scenarios": [], "default_response": {"content": numbered(LINES)}}),
        delay,
    ))
}

#[track_caller]
fn every_line_once(shown: &[String]) {
    let found: Vec<&str> = shown
        .iter()
        .filter_map(|line| line.trim().strip_prefix("numbered "))
        .collect();
    let expected: Vec<String> = (1..=LINES).map(|number| format!("{number:04}")).collect();
    assert_eq!(found, expected, "{}", shown.join("\n"));
}

/// A real tmux with a server of its own.
struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// `None` where there is no tmux, except in CI, which has it.
    fn start(stage: &Stage) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "CI must have tmux");
            eprintln!("skipped: there is no tmux");
            return None;
        }
        let tmux = Self {
            socket: stage.home.path().join("tmux"),
        };
        let mut command = stage.home.command(Path::new("tmux"));
        command
            .env("TENON_BASE_URL", &stage.model.url)
            .env("TENON_MODEL", "mock-model");
        let started = command
            .arg("-u")
            .arg("-S")
            .arg(&tmux.socket)
            .args([
                "-f",
                "/dev/null",
                // A pane keeps the limit that it was born with.
                "set-option",
                "-g",
                "history-limit",
                "100000",
                ";",
                "new-session",
                "-d",
                "-x",
                "80",
                "-y",
                "24",
            ])
            .args([
                "sh",
                "-c",
                &format!("{}; exec sleep 1000", tenon().display()),
            ])
            .status()
            .unwrap();
        assert!(started.success());
        tmux.run(&["set-option", "-g", "window-size", "manual"]);
        Some(tmux)
    }

    fn run(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-S"])
            .arg(&self.socket)
            .args(args)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn all(&self) -> Vec<String> {
        let shown = self.run(&["capture-pane", "-p", "-J", "-S", "-"]);
        shown
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect()
    }

    #[track_caller]
    fn see(&self, text: &str) -> &Self {
        let seen = wait_until(DEADLINE, || {
            self.all().iter().any(|line| line.contains(text))
        });
        assert!(seen, "{text:?} did not come:\n{}", self.all().join("\n"));
        self
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// Resizes ten times while an answer streams, as soon as a mark of it is seen, and
/// gives all that is left.
fn resized_ten_times(answer: &str, mark: impl Fn(usize) -> String) -> Option<Vec<String>> {
    resized(answer, &SIZES, mark)
}

fn resized(
    answer: &str,
    sizes: &[(u16, u16)],
    mark: impl Fn(usize) -> String,
) -> Option<Vec<String>> {
    let stage = Stage::with(Model::scripted(
        json!({"scenarios": [], "default_response": {"content": answer}}),
        Duration::from_millis(3),
    ));
    let tmux = Tmux::start(&stage)?;
    tmux.see("mock-model");
    tmux.run(&["send-keys", "-l", "count"]);
    tmux.see("> count").run(&["send-keys", "Enter"]);
    for (at, (columns, rows)) in sizes.iter().enumerate() {
        tmux.see(&mark(at));
        let (columns, rows) = (columns.to_string(), rows.to_string());
        tmux.run(&["resize-window", "-x", &columns, "-y", &rows]);
    }
    tmux.see("Done.");
    let all = tmux.all();
    let composers = all.iter().filter(|line| line.trim_end() == ">").count();
    assert_eq!(composers, 1, "{}", all.join("\n"));
    Some(all)
}

/// Spread over the answer.
fn numbers(at: usize) -> String {
    format!("numbered {:04}", 10 + at * 45)
}

fn words_of(number: usize) -> usize {
    number * 7 % 23
}

/// In the middle of ten of them, at another place of the row each time.
fn middles(at: usize) -> String {
    let long = (5 + at * 11..).find(|number| words_of(*number) > 15);
    format!("{}.{}", long.unwrap(), 3 + at)
}

/// Paragraphs that are wider than the window, most of them. Each word is told
/// from all others.
fn wide_paragraphs(word: &str) -> String {
    let paragraph = |number: usize| {
        let words = (0..words_of(number)).map(|at| format!("{word}{number}.{at}"));
        let words: Vec<String> = words.collect();
        format!("numbered {number:04} {} e{number}.", words.join(" "))
    };
    let paragraphs: Vec<String> = (1..=WIDE).map(paragraph).collect();
    paragraphs.join("\n\n")
}

/// Letter for letter what was said, and nothing else in between: no half line, no
/// remains of a live area. Where lines are broken is not looked at.
#[track_caller]
fn nothing_but(answer: &str, all: &[String]) {
    let unbroken = |text: &str| text.split_whitespace().collect::<String>();
    let (shown, said) = (unbroken(&all.join("\n")), unbroken(answer));
    let first = shown.find("numbered0001").unwrap();
    let last = format!("e{WIDE}.");
    let end = shown.rfind(&last).unwrap() + last.len();
    let found = &shown[first..end];
    let same = found.chars().zip(said.chars()).take_while(|(a, b)| a == b);
    let at = same.count();
    let near = |text: &str| {
        let letters = text.chars().skip(at.saturating_sub(30)).take(200);
        letters.collect::<String>()
    };
    assert!(
        found == said,
        "seen: {}\n\nsaid: {}",
        near(found),
        near(&said)
    );
}

#[test]
fn ten_resizes_during_lines_wider_than_the_window_leave_no_half_line() {
    let answer = wide_paragraphs("word");
    if let Some(all) = resized_ten_times(&answer, middles) {
        nothing_but(&answer, &all);
    }
}

/// Models write a paragraph in one line. A window that gets lower and narrower at
/// once has no room for many open rows of it.
#[test]
fn a_lower_and_narrower_window_during_one_long_line_leaves_nothing_behind() {
    let words: Vec<String> = (0..1500).map(|at| format!("word{at:04}")).collect();
    let answer = format!("numbered 0001 {} e{WIDE}.", words.join(" "));
    let sizes = [(40, 12), (100, 30), (50, 10), (120, 40), (40, 10)];
    let marks = |at| format!("word{:04}", 100 + at * 250);
    if let Some(all) = resized(&answer, &sizes, marks) {
        nothing_but(&answer, &all);
    }
}

#[test]
fn ten_resizes_during_wide_lines_of_emoji_and_chinese_leave_no_half_line() {
    let answer = wide_paragraphs("漢字👍");
    if let Some(all) = resized_ten_times(&answer, middles) {
        nothing_but(&answer, &all);
    }
}

#[test]
fn ten_resizes_while_it_streams_leave_every_line_in_the_scrollback_once() {
    if let Some(all) = resized_ten_times(&numbered(LINES), numbers) {
        every_line_once(&all);
    }
}

#[test]
fn ten_resizes_during_a_long_block_of_code_leave_every_line_of_it_once() {
    let code = numbered(LINES).replace("\n\n", "\n");
    if let Some(all) = resized_ten_times(&format!("```\n{code}```\n"), numbers) {
        every_line_once(&all);
    }
}

#[test]
fn ten_resizes_during_one_long_paragraph_leave_every_line_of_it_once() {
    let answer = numbered(LINES).replace("\n\n", "\n");
    if let Some(all) = resized_ten_times(&answer, numbers) {
        every_line_once(&all);
    }
}

#[test]
fn other_widths_while_it_streams_erase_nothing_that_was_said() {
    let stage = streaming(Duration::from_millis(3));
    let screen = stage.open();
    screen.ready().line("count");
    for (at, (columns, _)) in SIZES.into_iter().enumerate() {
        screen.saw(&format!("numbered {:04}", 10 + at * 45));
        let rows = USUAL.rows;
        screen.resize(Cells { columns, rows });
    }
    screen.done().ready();
    every_line_once(&screen.all());
    let raw = screen.raw();
    let has = |bytes: &[u8]| raw.windows(bytes.len()).any(|window| window == bytes);
    assert!(!has(b"\x1b[2J") && !has(b"\x1b[3J") && !has(b"\x1bc"));
}

#[test]
fn a_stream_costs_at_most_three_times_its_text() {
    let stage = streaming(Duration::ZERO);
    let screen = stage.open();
    screen.ready();
    let before = screen.raw().len();
    screen.line("count").done().ready();
    every_line_once(&screen.all());
    let (written, text) = (screen.raw().len() - before, numbered(LINES).len());
    assert!(written <= 3 * text, "{written} bytes for {text}");
}

#[test]
fn a_size_that_changes_at_rest_keeps_what_is_written() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    screen.text("漢字 and words that go on for a while, until they wrap");
    for columns in [40, 23, 100, 60] {
        // What was drawn just before may be under way still, and then the
        // screen is careful. A person is slower.
        std::thread::sleep(STILL);
        let before = screen.raw().len();
        screen.resize(Cells { columns, rows: 30 });
        screen.until("a composer that fits", |view| {
            screen.raw().len() > before
                && view.cursor_shown
                && view.rows.iter().any(|row| row.starts_with("> 漢字"))
                && view.at_cursor().ends_with("wrap")
        });
    }
    let all = screen.all();
    let composers = all.iter().filter(|line| line.starts_with("> 漢字")).count();
    assert_eq!(composers, 1, "{}", all.join("\n"));
}
