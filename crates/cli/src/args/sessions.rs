//! The flags of `tenon sessions`.

use super::Format;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    #[default]
    Md,
    Json,
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
    Resume {
        /// Id, its beginning, or nothing for the last of this directory.
        id: Option<String>,
        /// Take the last of any directory.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        run: ResumeArgs,
    },
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
        /// Markdown for people, JSON for programs.
        #[arg(long, value_enum, default_value_t = ExportFormat::Md, value_name = "FORMAT")]
        format: ExportFormat,
        /// Where to; standard output without it.
        #[arg(short, long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
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
    /// Answer every question of the policy with yes.
    #[arg(short, long)]
    pub yes: bool,
}
