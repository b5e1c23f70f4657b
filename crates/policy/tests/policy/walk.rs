//! What holds for every command line that the permissive walk sees.

use crate::scenarios::{all, call};
use crate::support::default_class;
use proptest::prelude::*;
use std::collections::HashMap;
use std::time::Instant;
use tenon_policy::{Script, Simple, analyse};
use tenon_vocab::Class;

fn rank(class: Class) -> u8 {
    match class {
        Class::Allow => 0,
        Class::Ask => 1,
        Class::Confirm => 2,
        Class::Deny => 3,
        Class::HardDeny => 4,
    }
}

/// The class that the text alone has.
fn text_rank(script: &Script) -> u8 {
    script
        .dangers
        .first()
        .map_or(0, |danger| rank(danger.class))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

type Wrap = fn(&str) -> String;

/// Ways to put a command into another that still run it.
const WRAPPERS: &[(&str, Wrap)] = &[
    ("sh -c", |c| format!("sh -c {}", quoted(c))),
    ("bash -lc", |c| format!("bash -lc {}", quoted(c))),
    ("eval", |c| format!("eval {}", quoted(c))),
    ("env bash", |c| format!("env A=1 bash -c {}", quoted(c))),
    ("sudo", |c| format!("sudo -n sh -c {}", quoted(c))),
    ("timeout", |c| format!("timeout 5 sh -c {}", quoted(c))),
    ("xargs", |c| format!("true | xargs sh -c {}", quoted(c))),
    ("find", |c| format!("find . -exec sh -c {} \\;", quoted(c))),
    ("echo", |c| format!("echo {} | sh", quoted(c))),
    ("here-string", |c| format!("bash <<< {}", quoted(c))),
    ("here-document", |c| {
        format!("bash <<'TENON_END'\n{c}\nTENON_END")
    }),
    ("subshell", |c| format!("( {c}\n)")),
    ("group", |c| format!("{{ {c}\n}}")),
    ("if", |c| format!("if true; then {c}\nfi")),
    ("while", |c| format!("while true; do {c}\ndone")),
    ("function", |c| format!("tenon_f() {{ {c}\n}}; tenon_f")),
    ("substitution", |c| format!("echo $({c}\n)")),
    ("process substitution", |c| format!("cat <({c}\n)")),
    ("before", |c| format!("true && {c}")),
    ("before, line", |c| format!("true\n{c}")),
    ("behind", |c| format!("{c}\ntrue")),
    ("trap", |c| format!("trap {} EXIT", quoted(c))),
    ("su", |c| format!("su -c {}", quoted(c))),
    ("nice", |c| format!("nice -n 5 bash -c {}", quoted(c))),
];

/// Scenario commands that can be put into another as they are: an open quote
/// would take the wrapper with it, a here-document must end on its own line. Of
/// the file of wrapped commands only some: what they wrap is in the others.
fn wrappable() -> Vec<String> {
    all()
        .into_iter()
        .enumerate()
        .filter(|(at, (place, _, _))| !place.starts_with("wrapped") || at % 5 == 0)
        .map(|(_, (_, _, command))| command)
        .filter(|command| {
            !command.contains('#') && !command.contains("<<") && !command.contains("unclosed")
        })
        .collect()
}

/// Those of them that need at least a yes each time, with their rank.
fn dangerous() -> Vec<(String, u8)> {
    wrappable()
        .into_iter()
        .map(|command| {
            let before = rank(default_class(&call(&command)));
            (command, before)
        })
        .filter(|(_, before)| *before >= rank(Class::Confirm))
        .collect()
}

/// What became less dangerous of these lines, said at once.
fn assert_none_lowered(lines: impl Iterator<Item = (String, u8)>) {
    let lowered: Vec<String> = lines
        .filter_map(|(line, before)| {
            let after = rank(default_class(&call(&line)));
            (after < before).then(|| format!("{before} became {after}: {line:?}"))
        })
        .collect();
    assert!(
        lowered.is_empty(),
        "{}\n{}",
        lowered.len(),
        lowered.join("\n")
    );
}

#[test]
fn wrapping_never_lowers_the_class() {
    let commands = dangerous();
    assert_none_lowered(commands.iter().flat_map(|(command, before)| {
        WRAPPERS
            .iter()
            .map(move |(_, wrap)| (wrap(command), *before))
    }));
}

#[test]
fn wrapping_twice_never_lowers_the_class() {
    const PAIRS: usize = 6;
    let mut random = Random(0x7e40_0000_0002);
    let commands = dangerous();
    assert_none_lowered(commands.iter().flat_map(|(command, before)| {
        let twice: Vec<(String, u8)> = (0..PAIRS)
            .map(|_| {
                let (_, inner) = WRAPPERS[random.next(WRAPPERS.len())];
                let (_, outer) = WRAPPERS[random.next(WRAPPERS.len())];
                (outer(&inner(command)), *before)
            })
            // A here-document inside of a here-document would end with it.
            .filter(|(line, _)| line.matches("<<'TENON_END'").count() < 2)
            .collect();
        twice
    }));
}

#[test]
fn joining_never_lowers_the_class() {
    const PARTNERS: usize = 3;
    const OPERATORS: &[&str] = &["; ", " && ", " || ", " | ", " & ", "\n"];
    let mut random = Random(0x7e40_0000_0003);
    let commands = dangerous();
    // Behind `cd` a relative path is another one, and may be new.
    let partners: Vec<String> = wrappable()
        .into_iter()
        .filter(|other| !other.contains("cd ") && !other.contains("pushd "))
        .collect();
    assert_none_lowered(commands.iter().flat_map(|(command, before)| {
        let mut joined = Vec::new();
        for operator in OPERATORS {
            for _ in 0..PARTNERS {
                let other = &partners[random.next(partners.len())];
                // In a pipe, or where it may not run, `cd` takes nobody along.
                if !command.contains("cd ") && !command.contains("pushd ") {
                    joined.push((format!("{other}{operator}{command}"), *before));
                }
                joined.push((format!("{command}{operator}{other}"), *before));
            }
        }
        joined
    }));
}

#[test]
fn as_data_a_command_is_harmless() {
    for (_, _, command) in all() {
        let data = format!("printf %s {}", quoted(&command));
        if !command.contains('\n') {
            assert_eq!(default_class(&call(&data)), Class::Allow, "{data}");
        }
    }
}

/// A command found, as a line of its own.
fn alone(command: &Simple) -> Option<String> {
    let plain = command.words.iter().all(|word| !word.expands);
    let words: Vec<String> = command
        .words
        .iter()
        .map(|word| quoted(&word.text))
        .collect();
    (plain && !words.is_empty()).then(|| words.join(" "))
}

const TOKENS: &[&str] = &[
    "rm",
    "rm -rf",
    "/",
    "a.txt",
    "~",
    "git",
    "reset",
    "--hard",
    "push",
    "--force",
    "mv",
    "sh",
    "-c",
    "bash",
    "curl",
    "x",
    "echo",
    "eval",
    "sudo",
    "env",
    "A=1",
    "xargs",
    "find",
    ".",
    "-exec",
    ";",
    "\\;",
    "-delete",
    "|",
    "||",
    "&&",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "<(",
    ">",
    ">>",
    "<",
    "2>&1",
    "<<EOF",
    "\nEOF\n",
    "\n",
    "'",
    "\"",
    "\\",
    "$",
    "$x",
    "x=rm",
    "$'\\x72m'",
    "${",
    "{rm,x}",
    "if",
    "then",
    "fi",
    "for",
    "do",
    "done",
    "case",
    "in",
    "esac",
    "f()",
    "function",
    "time",
    "!",
    "[[",
    "]]",
    "[",
    "]",
    "cd",
    "..",
    "dd",
    "of=/dev/sda",
    "tee",
    "chmod",
    "-R",
    "7",
    "python3",
    "-e",
    "os.system('rm x')",
    "#",
    "*",
    "?",
    "timeout 5",
    "kill",
    "-1",
    "trap",
    "EXIT",
    "ssh",
    "host",
    "\t",
    "\u{0}",
    "é",
    "…",
    "🦀",
    "base64",
    "-d",
    "<<<",
    "|&",
    ">|",
    "&>",
    ",",
];

/// A small generator with a seed: the same texts on every run.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    fn text(&mut self) -> String {
        let length = 1 + self.next(12);
        let mut text = String::new();
        for _ in 0..length {
            text.push_str(TOKENS[self.next(TOKENS.len())]);
            if self.next(4) > 0 {
                text.push(' ');
            }
        }
        text
    }
}

/// The same property as the target in `fuzz/`.
#[test]
fn no_text_is_less_dangerous_than_a_command_found_in_it() {
    let mut random = Random(0x7e40_0000_0001);
    let mut known: HashMap<String, u8> = HashMap::new();
    for _ in 0..20_000 {
        let text = random.text();
        let script = analyse(&text);
        assert_eq!(script.text, text);
        let whole = text_rank(&script);
        let highest = script.dangers.iter().map(|danger| rank(danger.class)).max();
        assert_eq!(highest.unwrap_or(0), whole, "worst first: {text:?}");
        for line in script.found.iter().filter_map(alone) {
            let piece = *known
                .entry(line.clone())
                .or_insert_with(|| text_rank(&analyse(&line)));
            assert!(
                piece <= whole,
                "{text:?} is {whole}, its part {line:?} {piece}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_text_at_all_makes_the_walk_fail(text in "\\PC{0,200}") {
        let script = analyse(&text);
        let _ = script.verdicts();
        prop_assert_eq!(script.text, text);
    }
}

#[test]
fn hostile_texts_are_read_in_bounded_time_and_depth() {
    const SIZE: usize = 60_000;
    let repeated = |piece: &str| piece.repeat(SIZE / piece.len());
    let texts = [
        repeated("("),
        repeated("$("),
        repeated("{ "),
        repeated("`"),
        repeated("a|"),
        repeated("a&&"),
        repeated("rm x;"),
        repeated("x=1 "),
        repeated("x=1;"),
        repeated("a=$a;b=$b;"),
        repeated("{a,b}"),
        repeated("{"),
        repeated("<<E "),
        repeated("sh -c '"),
        repeated("eval "),
        repeated("env "),
        repeated("if "),
        repeated("[[ "),
        repeated("\\"),
        repeated("\""),
        repeated("$x "),
        repeated("> f "),
        repeated("echo `a` "),
        repeated("case x in a) "),
        format!("x=$(curl {}); {}", "a".repeat(30_000), "$x;".repeat(9_000)),
        format!("echo {} | sh", "rm x;".repeat(10_000)),
    ];
    for text in texts {
        let script = analyse(&text);
        assert!(script.exact().is_none_or(|commands| commands.len() < SIZE));
        assert!(script.found.len() <= 2_000);
        assert!(script.targets.len() <= 501);
    }
}

/// `cargo nextest run -p tenon-policy --run-ignored only measures` prints it; the
/// bound of 200 µs is for an optimised build and lies with the bench.
#[test]
#[ignore = "measures, proves nothing"]
fn measures_the_analysis_of_200_bytes() {
    let text = "cd crates/policy && cargo nextest run -p tenon-policy --no-fail-fast 2>&1 | grep -E 'FAIL|panicked' | head -40 && git diff --stat HEAD~1 -- src tests | tail -5; echo finished with everything now";
    let rounds = 1_000;
    let start = Instant::now();
    for _ in 0..rounds {
        std::hint::black_box(analyse(std::hint::black_box(text)));
    }
    println!("{} bytes: {:?} each", text.len(), start.elapsed() / rounds);
}

/// The grammar makes one command of these lines.
#[test]
fn sees_the_command_on_a_line_that_begins_with_a_backslash() {
    for text in [
        "ls\n\\rm -rf /",
        "echo $(ls\n\\rm -rf /)",
        "cat <(ls\n\\rm -rf /)",
        "(ls\n\\rm -rf /)",
        "sh -c 'ls\n\\rm -rf /'",
        "if true; then ls\n\\rm -rf /\nfi",
        "echo `ls\n\\\\rm -rf /`",
    ] {
        assert_eq!(text_rank(&analyse(text)), 4, "{text:?}");
    }
}
