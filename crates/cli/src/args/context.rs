//! The flags of `tenon context`, `tenon skills` and `tenon handoff`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// List every part with its tokens and the file it comes from.
    Show {
        /// The session whose history is counted, too: its id or the beginning of it.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// The agent.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// Also print the texts.
        #[arg(long)]
        full: bool,
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum SkillsCommand {
    /// List the skills of this place.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Print a skill as the model would read it.
    Show {
        /// Its name.
        name: String,
    },
    /// Check folders of skills against the Agent Skills specification.
    Validate {
        /// Folders with a SKILL.md, or folders of such folders.
        #[arg(required = true, value_name = "DIR")]
        folders: Vec<PathBuf>,
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Args)]
pub struct HandoffArgs {
    /// What is to be reached.
    #[arg(long, value_name = "TEXT")]
    pub goal: Option<String>,
    /// The session: its id or the beginning of it; the last of this directory without it.
    #[arg(long, value_name = "ID")]
    pub from_session: Option<String>,
    /// Take the last session of any directory.
    #[arg(long)]
    pub all: bool,
    /// Where to; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// From the log alone, without asking a model.
    #[arg(long)]
    pub deterministic: bool,
}
