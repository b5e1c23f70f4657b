//! `exit-codes.md`, from the one table of codes and the one mapping of outcomes.

use crate::commands::tools::word;
use crate::error::code;
use std::fmt::Write as _;
use tenon_vocab::Outcome;

const CODES: &[(u8, &str)] = &[
    (0, "Done."),
    (
        code::RUNTIME,
        "Something failed: the server, the disk, the session, a tool.",
    ),
    (
        code::USAGE,
        "The command line or the configuration is wrong; nothing was started.",
    ),
    (
        code::DENIED,
        "Something was not allowed, or there was no one to allow it.",
    ),
    (
        code::LIMIT,
        "A limit was reached, or the same call was repeated too often.",
    ),
    (code::SCHEMA, "The answer does not match `--output-schema`."),
    (code::INTERRUPTED, "Interrupted."),
];

const OUTCOMES: &[Outcome] = &[
    Outcome::Completed,
    Outcome::Interrupted,
    Outcome::Failed,
    Outcome::Filtered,
    Outcome::Limit,
    Outcome::Loop,
    Outcome::Denied,
];

pub fn page() -> String {
    let mut page =
        String::from("# Exit codes\n\nGenerated from the code.\n\n| code | meaning |\n|---|---|\n");
    // Writing to a String cannot fail, here and below.
    for (code, meaning) in CODES {
        let _ = writeln!(page, "| {code} | {meaning} |");
    }
    page.push_str(
        "\n## Of a run\n\nThe outcome is that of the `run_finished` event.\n\n\
         | outcome | code |\n|---|---|\n",
    );
    for outcome in OUTCOMES {
        let code = code_of(*outcome);
        let _ = writeln!(page, "| `{}` | {code} |", word(outcome));
    }
    page.push_str(
        "\n`tenon tools run` and `tenon apply-patch` end with 0 when the call succeeded (or was a \
         dry run), 5 when it was denied, else 1.\n",
    );
    page
}

/// An `ExitCode` does not tell its number, so this repeats what
/// [`crate::error::exit_code`] says, and a test compares the two.
fn code_of(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Completed => 0,
        Outcome::Interrupted => code::INTERRUPTED,
        Outcome::Failed | Outcome::Filtered => code::RUNTIME,
        Outcome::Limit | Outcome::Loop => code::LIMIT,
        Outcome::Denied => code::DENIED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::exit_code;
    use std::process::ExitCode;

    #[test]
    fn the_page_says_what_the_program_does() {
        for outcome in OUTCOMES {
            let said = ExitCode::from(code_of(*outcome));
            assert_eq!(format!("{said:?}"), format!("{:?}", exit_code(*outcome)));
        }
    }
}
