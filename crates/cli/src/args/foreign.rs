//! Flags and values that other agents have: what is called differently here is
//! said by its name, because the nearest spelling is often something else.

use super::Cli;
use crate::error::CliError;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

const RULES: &str = "rules under `permission` in the configuration";

/// Flags of other agents, and what does the same here.
const FLAGS: &[(&str, &str)] = &[
    ("--allow-tools", RULES),
    ("--allowed-tools", RULES),
    ("--allowedTools", RULES),
    ("--approval-mode", "`--permission-mode`"),
    ("--ask-for-approval", "`--permission-mode`"),
    ("--auto-approve", "`--yes`"),
    ("--cd", "`--root DIR`"),
    (
        "--dangerously-bypass-approvals-and-sandbox",
        "`--yolo --sandbox off`",
    ),
    ("--dangerously-skip-permissions", "`--yolo`"),
    ("--debug", "`--log-level debug`"),
    ("--disallowed-tools", RULES),
    ("--disallowedTools", RULES),
    ("--full-auto", "`--permission-mode auto`"),
    ("--headless", "`tenon exec`"),
    ("--json", "`--format json`"),
    ("--last", "`--continue`"),
    ("--max-steps", "`--max-turns N`"),
    ("--message", "`--prompt TEXT`"),
    ("--model-provider", "`--provider NAME`"),
    ("--no-color", "`--color never`"),
    ("--non-interactive", "`tenon exec`"),
    ("--output-format", "`--format json`"),
    ("--print", "`--prompt TEXT`, or `tenon exec`"),
    ("--reasoning-effort", "`--effort LEVEL`"),
    ("--sandbox-mode", "`--sandbox MODE`"),
    ("--session-id", "`--session UUID`"),
    ("--skip-permissions", "`--yolo`"),
    ("--thinking", "`--effort LEVEL`"),
    ("--yes-always", "`--yes`"),
];

/// Values of flags that both have.
const VALUES: &[(&str, &str, &str)] = &[
    ("--format", "stream-json", "`--format json`"),
    ("--input-format", "stream-json", "`--input-format json`"),
    (
        "--permission-mode",
        "acceptEdits",
        "`--permission-mode accept-edits`",
    ),
    (
        "--permission-mode",
        "auto_edit",
        "`--permission-mode accept-edits`",
    ),
    ("--permission-mode", "bypassPermissions", "`--yolo`"),
    ("--permission-mode", "default", "`--permission-mode ask`"),
    ("--permission-mode", "dontAsk", "`--yes`"),
    ("--permission-mode", "yolo", "`--yolo`"),
    ("--sandbox", "danger-full-access", "`--sandbox off`"),
];

/// What a command line that was not understood asks for in the words of another
/// agent.
pub fn meant(error: &clap::Error) -> Option<CliError> {
    let said = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let arg = said(ContextKind::InvalidArg)?;
    let flag = arg.split([' ', '=']).next().unwrap_or(arg);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let (_, ours) = FLAGS.iter().find(|(name, _)| *name == near(flag))?;
            Some(elsewhere(flag, ours))
        }
        ErrorKind::InvalidValue => {
            let given = said(ContextKind::InvalidValue)?;
            let (_, _, ours) = VALUES
                .iter()
                .find(|(of, value, _)| *of == flag && *value == given)?;
            Some(elsewhere(&format!("{flag} {given}"), ours))
        }
        _ => None,
    }
}

fn elsewhere(given: &str, ours: &str) -> CliError {
    CliError::usage(format!("there is no `{given}`; Tenon calls it {ours}"))
        .with_hint("`tenon --help` lists all flags.")
}

/// The flag of another agent that this one is a slip of, unless one of ours is
/// as near.
fn near(flag: &str) -> String {
    if FLAGS.iter().any(|(name, _)| *name == flag) {
        return flag.to_owned();
    }
    let program = Cli::command();
    let own = program.get_arguments().filter_map(clap::Arg::get_long);
    let foreign = FLAGS.iter().filter_map(|(name, _)| name.strip_prefix("--"));
    let all: Vec<&str> = own.chain(foreign).collect();
    tenon_tools::input::suggest_name(flag.trim_start_matches('-'), &all)
        .map_or_else(String::new, |name| format!("--{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn told(line: &str) -> Option<String> {
        let words = std::iter::once("tenon").chain(line.split(' '));
        let error = Cli::try_parse_from(words).unwrap_err();
        meant(&error).map(|error| error.message)
    }

    #[test]
    fn a_flag_of_another_agent_is_answered_with_ours() {
        for (line, ours) in [
            ("--dangerously-skip-permissions", "`--yolo`"),
            ("--ful-auto", "`--permission-mode auto`"),
            ("--full-auto", "`--permission-mode auto`"),
            ("--output-format json", "`--format json`"),
            ("exec --output-format=json", "`--format json`"),
            ("--permission-mode bypassPermissions", "`--yolo`"),
            ("--print hello", "`tenon exec`"),
            ("--allowedTools bash", "`permission`"),
            ("--sandbox-mode read-only", "`--sandbox MODE`"),
            ("--model-provider x", "`--provider NAME`"),
        ] {
            let told = told(line).unwrap_or_default();
            assert!(told.contains(ours), "{line}: {told}");
        }
    }

    #[test]
    fn a_slip_of_our_own_flag_is_left_to_the_parser() {
        for line in ["--modle x", "--promt x", "--permission-mode nosuch"] {
            assert_eq!(told(line), None, "{line}");
        }
    }

    #[test]
    fn no_flag_of_ours_is_called_foreign() {
        let program = Cli::command();
        for (name, _) in FLAGS {
            let name = name.trim_start_matches("--");
            let ours = program.get_arguments().any(|arg| {
                let aliases = arg.get_all_aliases().unwrap_or_default();
                arg.get_long() == Some(name) || aliases.contains(&name)
            });
            assert!(!ours, "{name}");
        }
    }
}
