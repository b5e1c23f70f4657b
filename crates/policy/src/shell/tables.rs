//! Every entry of the tables, held against the walk: a row that does not do what
//! it is there for is a hole.

use super::danger::{BY_NAME, BY_OPTION, BY_WORDS};
use super::unfold::Where;
use super::wrappers::{CODE_OPTIONS, CODE_VARIABLES, RUNNERS, WRAPPERS};
use super::{analyse, danger};
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

fn worst(line: &str) -> u8 {
    let dangers = analyse(line).dangers;
    let ranks = dangers.iter().map(|danger| rank(danger.class));
    ranks.max().unwrap_or(0)
}

/// All lines that are less dangerous than they should be.
#[derive(Default)]
struct Lower(Vec<String>);

impl Lower {
    fn hold(&mut self, line: &str, least: Class) {
        let found = worst(line);
        if found < rank(least) {
            self.0.push(format!("{found}: {line}"));
        }
    }
}

impl Drop for Lower {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.0.is_empty(), "{}", self.0.join("\n"));
        }
    }
}

fn each(names: &'static str) -> impl Iterator<Item = &'static str> {
    names.split_ascii_whitespace()
}

#[test]
fn each_dangerous_program_needs_a_yes() {
    let mut lower = Lower::default();
    for name in BY_NAME.iter().flat_map(|(names, _)| each(names)) {
        lower.hold(name, Class::Confirm);
        lower.hold(&format!("/usr/bin/{name} x"), Class::Confirm);
        assert!(danger::is_dangerous_name(name), "{name}");
        assert!(!crate::programs::may_be_granted(&[name, "x"]), "{name}");
    }
}

#[test]
fn each_dangerous_use_of_a_program_needs_a_yes() {
    let mut lower = Lower::default();
    for (names, alternatives, _) in BY_WORDS {
        for name in each(names) {
            for words in alternatives.split('|') {
                let words = words.replace('*', "x");
                lower.hold(&format!("{name} {words}"), Class::Confirm);
                lower.hold(&format!("{name} --opt {words} x"), Class::Confirm);
            }
        }
    }
    for (names, letters, longs, _) in BY_OPTION {
        for name in each(names) {
            for letter in letters.chars() {
                lower.hold(&format!("{name} -{letter} x"), Class::Confirm);
            }
            for long in *longs {
                lower.hold(&format!("{name} x --{long}"), Class::Confirm);
            }
        }
    }
}

#[test]
fn no_wrapper_hides_what_it_runs() {
    let mut lower = Lower::default();
    for wrapper in WRAPPERS {
        for name in each(wrapper.names) {
            let own = " 1".repeat(wrapper.skip);
            for between in ["", " -Z", " --unknown"] {
                let front = format!("{name}{between}{own}");
                lower.hold(&format!("{front} rm x"), Class::Confirm);
                lower.hold(&format!("{front} rm -rf /"), Class::HardDeny);
                lower.hold(&format!("{front} sh -c 'rm -rf /'"), Class::HardDeny);
            }
            for option in wrapper.valued.chars() {
                let line = format!("{name} -{option} 1{own} rm -rf /");
                lower.hold(&line, Class::HardDeny);
            }
            for option in wrapper.long {
                let line = format!("{name} --{option} 1{own} rm -rf /");
                lower.hold(&line, Class::HardDeny);
            }
        }
    }
}

#[test]
fn no_subcommand_hides_what_it_runs() {
    let mut lower = Lower::default();
    for (names, subcommands, place) in RUNNERS {
        let class = match place {
            Where::Here => Class::HardDeny,
            Where::Elsewhere => Class::Confirm,
        };
        for name in each(names) {
            for subcommand in each(subcommands) {
                for front in [
                    format!("{name} {subcommand}"),
                    format!("{name} {subcommand} --"),
                    format!("{name} {subcommand} box"),
                    format!("{name} {subcommand} -o v box --"),
                ] {
                    lower.hold(&format!("{front} rm x"), Class::Confirm);
                    lower.hold(&format!("{front} rm -rf /"), class);
                }
            }
        }
    }
}

#[test]
fn no_option_and_no_variable_hides_its_code() {
    let mut lower = Lower::default();
    for (names, short, long) in CODE_OPTIONS {
        for name in each(names) {
            let short = short.map(|letter| format!("-{letter} "));
            let long = (!long.is_empty()).then(|| format!("--{long}="));
            for option in short.into_iter().chain(long) {
                lower.hold(&format!("{name} {option}'rm x'"), Class::Confirm);
                lower.hold(&format!("{name} {option}'rm -rf /'"), Class::HardDeny);
            }
        }
    }
    for name in each(CODE_VARIABLES) {
        for line in [
            format!("{name}='rm -rf /' git log"),
            format!("{name}='rm -rf /'; git log"),
            format!("export {name}='rm -rf /'"),
            format!("export '{name}=rm -rf /'"),
            format!("declare -x {name}=\"rm -rf /\""),
            format!("env {name}='rm -rf /' git log"),
            format!("sudo -n {name}='rm -rf /' git log"),
            format!("sh -c \"{name}='rm -rf /' git log\""),
            format!("if true; then {name}='rm -rf /' git log; fi"),
        ] {
            lower.hold(&line, Class::HardDeny);
        }
    }
}

#[test]
fn what_a_variable_holds_is_no_danger_by_itself() {
    for line in [
        "GIT_PAGER=cat git log",
        "EDITOR=true git commit",
        "export PAGER=less",
        "ENV=production make-it",
        "NAME='rm x' make-it",
    ] {
        assert!(worst(line) <= rank(Class::Ask), "{line}");
    }
}

#[test]
fn the_folder_of_a_wrapper_counts() {
    let mut lower = Lower::default();
    for line in [
        "env -C / rm -rf .",
        "env --chdir=/ rm -rf .",
        "env -C/ rm -rf *",
        "sudo -D / rm -rf .",
        "sudo --chdir / sh -c 'rm -rf .'",
        "env -C ~ rm -rf .",
        "git -C / clean -fdx",
        "git -C ~ clean -fd",
        "git -C / submodule foreach 'rm -rf .'",
        "unshare -w / rm -rf .",
    ] {
        lower.hold(line, Class::HardDeny);
    }
    for line in ["env -C src rm -rf x", "git -C src clean -fd"] {
        assert_eq!(worst(line), rank(Class::Confirm), "{line}");
    }
}
