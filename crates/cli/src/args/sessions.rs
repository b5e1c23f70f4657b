//! The flags of `tenon sessions`.

use super::{Format, ModeChoice, RunArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    Md,
    Json,
    /// One page that needs nothing else.
    Html,
}

#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions of this directory, the newest first.
    List {
        /// Those of every directory.
        #[arg(long)]
        all: bool,
        /// One JSON array.
        #[arg(long)]
        json: bool,
        /// Only those in which this text occurs.
        #[arg(value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show what was said and done.
    Show {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// The events as they stand in the log.
        #[arg(long)]
        events: bool,
        /// Every decision about a call: what was asked, by which rule, who answered.
        #[arg(long, conflicts_with = "events")]
        decisions: bool,
        /// The decisions as one JSON array.
        #[arg(long, requires = "decisions")]
        json: bool,
    },
    /// Go on with a session.
    Resume(ResumeCommand),
    /// Check that a log is whole, or all of them.
    Verify {
        /// Id or its beginning; all sessions without it.
        id: Option<String>,
    },
    /// Give a session a title.
    Rename {
        /// Id or its beginning.
        id: String,
        /// The title, one line.
        title: String,
    },
    /// Make a copy of a session, whole or up to a message.
    Fork {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// The number of the last message to keep, as `sessions show` counts them.
        #[arg(long, value_name = "N")]
        at: Option<u32>,
    },
    /// Take conversation and files back to before a message.
    Revert {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// The number of the message, as `sessions show` counts them; the last prompt without it.
        #[arg(long, value_name = "N")]
        to: Option<u32>,
        /// Only say what would be done.
        #[arg(long)]
        dry_run: bool,
        /// Do not ask.
        #[arg(short, long)]
        yes: bool,
    },
    /// Find a text in all sessions.
    Search {
        /// Words that occur; `"…"` for words in a row.
        #[arg(required = true, value_name = "TEXT")]
        words: Vec<String>,
        /// Only sessions of this directory.
        #[arg(long)]
        here: bool,
        /// One JSON array.
        #[arg(long)]
        json: bool,
        /// Read all sessions again first.
        #[arg(long)]
        rebuild: bool,
    },
    /// Show what a session changed in files, as a diff.
    Diff {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Only the names, with what happened to each.
        #[arg(long)]
        stat: bool,
    },
    /// Print a summary of a session.
    Summarize {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// From the log alone, without asking a model.
        #[arg(long)]
        deterministic: bool,
        /// Record it in the session as a compaction.
        #[arg(long)]
        append: bool,
    },
    /// Take in a session that was exported as JSON, as a new session of this directory.
    Import {
        /// The file; `-` reads standard input.
        file: PathBuf,
    },
    /// Keep a session when old ones are removed.
    Pin {
        /// Id or its beginning.
        id: String,
        /// Let it be removed again.
        #[arg(long)]
        off: bool,
    },
    /// Delete a session and all that belongs to it.
    Delete {
        /// Id or its beginning.
        id: String,
        /// Do not ask.
        #[arg(short, long)]
        yes: bool,
    },
    /// Get back files that a session kept before it changed or destroyed them.
    Restore {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Only these files, or those in these folders; all without it.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// As they were before this call; before the last one that changed them without it.
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
        /// Only list what was kept.
        #[arg(long)]
        list: bool,
        /// Overwrite files that are there and differ, without asking.
        #[arg(short, long)]
        yes: bool,
    },
    /// Write a session in another form.
    Export {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Markdown or a page for people, JSON for programs and for `import`.
        /// Without it the ending of FILE says which, else it is Markdown.
        #[arg(long, value_enum, value_name = "FORMAT")]
        format: Option<ExportFormat>,
        /// Where to; standard output without it. A file that is there is left as it is.
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Write over a file that is there.
        #[arg(long, requires = "out")]
        force: bool,
    },
}

/// Which session, and how to go on with it.
#[derive(Debug, Clone, Default, Args)]
pub struct ResumeCommand {
    /// Id, its beginning, or nothing for the last of this directory.
    pub id: Option<String>,
    /// Take the last of any directory.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub run: ResumeArgs,
}

/// The run flags that make sense when a session is already chosen.
#[derive(Debug, Clone, Default, Args)]
pub struct ResumeArgs {
    /// The prompt; without one the interactive session starts.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    /// What standard output carries.
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    pub format: Format,
    /// The provider.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model.
    #[arg(short, long, value_name = "ID")]
    pub model: Option<String>,
    /// How hard the model is to think.
    #[arg(long, value_name = "LEVEL")]
    pub effort: Option<String>,
    /// An image that goes with the prompt: a file or an https address. Can be given several times.
    #[arg(long, value_name = "PATH|URL")]
    pub image: Vec<String>,
    /// Talk line by line instead of with the terminal interface.
    #[arg(long)]
    pub plain: bool,
    /// Answer every question of the policy with yes.
    #[arg(short, long)]
    pub yes: bool,
    /// What may run without a question.
    #[arg(long, value_enum, value_name = "MODE")]
    pub permission_mode: Option<ModeChoice>,
    /// A folder outside the project to read and change as if it were in it. Can be given several times.
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,
}

impl RunArgs {
    /// `--resume ID` without `=`: the first word is the session if it looks like
    /// an id. A value that may be left out would take the first word of a prompt,
    /// or a subcommand.
    pub fn name_session(&mut self) {
        let unnamed = self.resume == Some(None);
        if unnamed && self.words.first().is_some_and(|word| is_id(word)) {
            self.resume = Some(Some(self.words.remove(0)));
        }
    }
}

/// Ids begin with the time, so with a digit. A number alone may be a word of a
/// prompt.
fn is_id(word: &str) -> bool {
    const SHORTEST: usize = 4;
    word.len() >= SHORTEST
        && word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::Parser;

    #[test]
    fn a_session_can_be_named_behind_resume_and_a_prompt_stays_one() {
        for (line, session, words) in [
            (&["--resume"][..], Some(None), &[][..]),
            (&["--resume", "01a1f652"], Some(Some("01a1f652")), &[]),
            (&["--resume=01a1"], Some(Some("01a1")), &[]),
            (
                &["--resume", "01a1-f6", "go on"],
                Some(Some("01a1-f6")),
                &["go on"],
            ),
            (&["--resume", "fix", "it"], Some(None), &["fix", "it"]),
            (&["--resume", "2", "more"], Some(None), &["2", "more"]),
            (&["-c", "01a1f652"], None, &["01a1f652"]),
        ] {
            let line = ["tenon"].iter().chain(line);
            let mut run = Cli::try_parse_from(line).unwrap().run;
            run.name_session();
            let named = run.resume.as_ref().map(Option::as_deref);
            assert_eq!(
                (named, run.words.as_slice()),
                (
                    session,
                    &*words
                        .iter()
                        .map(|word| (*word).to_owned())
                        .collect::<Vec<_>>()
                )
            );
        }
        assert!(
            Cli::try_parse_from(["tenon", "resume", "01a1f652"])
                .unwrap()
                .command
                .is_some()
        );
    }
}
