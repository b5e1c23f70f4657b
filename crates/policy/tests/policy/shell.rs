//! The analysis held against real shells.

use crate::walk::Random;
use proptest::prelude::*;
use std::process::Command;
use tenon_policy::{Simple, analyse};
use tenon_vocab::Class;

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

/// Every command that bash starts for a text: none of them exists, and what bash
/// does not find it hands to a function of ours.
fn commands_by_bash(text: &str) -> Vec<Vec<String>> {
    let script = format!(
        "exec 9>&1; command_not_found_handle() {{ printf '%s\\0' \"$@\" @end@ >&9; return 1; }}\n\
         export -f command_not_found_handle; FUNCNEST=3; set -f\n{text}\n"
    );
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("/bin/bash")
        .args(["--norc", "--noprofile", "-c", &script])
        .env_clear()
        .env("PATH", "/nowhere")
        // `~` stays what it is in the analysis: a word that means the home, whose
        // place whoever judges it knows. Without this the user database says it.
        .env("HOME", "~")
        .current_dir(folder.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut commands = Vec::new();
    let mut words = Vec::new();
    for word in text.split('\0') {
        // No piece of a text holds it, so that no command is named like it.
        if word == "@end@" {
            commands.push(std::mem::take(&mut words));
        } else {
            words.push(word.to_owned());
        }
    }
    commands
}

#[test]
fn bash_expands_no_home_behind_our_back() {
    let wanted = ["aa", "~", "~/b", "c=~"].map(String::from).to_vec();
    assert_eq!(commands_by_bash("aa ~ ~/b c=~"), [wanted]);
}

fn single(text: &str) -> Option<Vec<String>> {
    let script = analyse(text);
    let argv = script.single().map(Simple::argv)?;
    Some(argv.into_iter().map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // Of the letters only `a` and `b`: whatever slips through names no program.
    #[test]
    fn what_is_certain_is_what_the_shell_sees(text in "[ab \t'\"\\\\$`#=!*?{};|&>()\n-]{1,14}") {
        if let Some(argv) = single(&text) {
            prop_assert_eq!(words_by_shell(text.trim_start_matches([' ', '\t', '\n'])), argv);
        }
    }

    #[test]
    fn quoting_is_read_as_the_shell_reads_it(text in "[ab '\"\\\\]{1,16}") {
        if let Some(argv) = single(&text) {
            prop_assert_eq!(words_by_shell(&text), argv);
        }
    }

    #[test]
    fn bash_runs_nothing_that_is_not_among_the_certain_commands(
        pieces in proptest::collection::vec(prop::sample::select(vec![
            "aa", "bb", "-c", "x", " ", " ", " ", "&&", "||", ";", "|", "\n", "'", "\"", "\\", "*",
            "2>&1", ">/dev/null", "LANG=C", "time", "#", "=", "[", "]", "(", ")", "{", "}", "!", "&",
            "<", ">", "$x", "`", "~",
        ]), 1..14)
    ) {
        let text: String = pieces.concat();
        let script = analyse(&text);
        if let Some(commands) = script.exact() {
            let commands: Vec<Vec<&str>> = commands.iter().map(Simple::argv).collect();
            for ran in commands_by_bash(&text) {
                prop_assert!(commands.iter().any(|one| *one == ran), "{:?} of {:?}, not in {:?}", ran, text, commands);
            }
        }
    }
}

/// Texts that run `rm` in all ways that bash has without other programs.
struct Lines(Random);

impl Lines {
    fn pick(&mut self, from: &[&str]) -> String {
        from[self.0.next(from.len())].to_owned()
    }

    fn simple(&mut self) -> String {
        self.pick(&[
            "rm x",
            "rm -rf x",
            "aa",
            "aa bb",
            "true",
            "\\rm x",
            "\"rm\" x",
            "r''m x",
            "r\\m x",
            "$'\\x72m' x",
            "$\"rm\" x",
            "{rm,x}",
            "x=rm; $x y",
            "x='rm y'; $x",
            "x=r; ${x}m y",
            "${nothing:-rm} x",
            "rm$IFS-x",
            "command rm x",
            "A=1 rm x",
            ">f rm x",
            "rm>f x",
            "<<<y rm x",
            "aa <<E\nrm x\nE\n",
            "rm <<'E' x\ny\nE\n",
            "\nrm x",
            "echo rm x",
            "echo 'rm x'",
            "time rm x",
            "! rm x",
            "[[ a == a ]] && rm x",
            "rm\\\n x",
            "r\\\nm x",
            "printf 'rm x'",
            "aa # rm x",
            "# it's\nrm x",
            "aa 'b\nc'\nrm x",
        ])
    }

    fn line(&mut self, depth: usize) -> String {
        if depth == 0 || self.0.next(5) == 0 {
            return self.simple();
        }
        let a = self.line(depth - 1);
        let b = self.line(depth - 1);
        let quoted = format!("'{}'", a.replace('\'', "'\\''"));
        match self.0.next(32) {
            0 => format!("{a}; {b}"),
            1 => format!("{a} && {b}"),
            2 => format!("{a} || {b}"),
            3 => format!("{a} | {b}"),
            4 => format!("{a}\n{b}"),
            5 => format!("({a}\n)"),
            6 => format!("{{ {a}\n}}"),
            7 => format!("if {a}\nthen {b}\nfi"),
            8 => format!("for i in 1; do {a}\ndone"),
            9 => format!("case x in x) {a}\n;; esac"),
            10 => format!("f() {{ {a}\n}}; f"),
            11 => format!("echo $({a}\n)"),
            12 => format!("echo \"$({a}\n)\" z"),
            13 => format!("echo `{}`", a.replace('\\', "\\\\").replace('`', "\\`")),
            14 => format!("aa <({a}\n)"),
            15 => format!("eval {quoted}"),
            16 => format!("trap {quoted} EXIT"),
            17 => format!("/bin/bash <<< {quoted}"),
            18 => format!("/bin/bash -c {quoted}"),
            19 => format!("echo {quoted} | /bin/bash"),
            20 => format!("/bin/bash <<'TENON'\n{a}\nTENON\n{b}"),
            21 => format!("echo <<'TENON' | /bin/bash; {b}\n{a}\nTENON\n"),
            22 => format!("{a} > out"),
            23 => format!("{a} &\n{b}"),
            24 => format!("aa <<E; {b}\nz\nE\n"),
            25 => format!("aa <<E <<F; {b}\nz\nE\ny\nF\n"),
            26 => format!("! {a}"),
            27 => format!("if aa <<E\nz\nE\nthen aa; else {a}\nfi"),
            28 => format!("x={quoted}; eval \"$x\""),
            29 => format!("x=$(echo {quoted}); eval \"$x\""),
            30 => format!("aa > >({a}\n); {b}"),
            _ => format!("f() {{ aa; }}; f; {a}"),
        }
    }
}

/// The permissive walk must not miss what a shell really runs.
#[test]
fn whenever_bash_would_run_rm_a_yes_is_needed() {
    let mut lines = Lines(Random(0x5eed_0000_0007));
    let mut ran = 0;
    for _ in 0..600 {
        let text = lines.line(3);
        let runs = commands_by_bash(&text)
            .iter()
            .any(|argv| argv.first().is_some_and(|program| program == "rm"));
        if !runs {
            continue;
        }
        ran += 1;
        let worst = analyse(&text).dangers.first().map(|danger| danger.class);
        assert!(
            matches!(worst, Some(Class::Confirm | Class::HardDeny)),
            "bash runs rm, and it was not seen: {text:?}"
        );
    }
    assert!(ran > 100, "only {ran} of the lines ran it");
}
