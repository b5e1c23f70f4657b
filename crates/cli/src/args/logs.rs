//! `tenon logs`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct LogsArgs {
    #[command(subcommand)]
    pub command: Option<LogsCommand>,
}

#[derive(Debug, Subcommand)]
pub enum LogsCommand {
    /// Print the last lines.
    Show {
        /// How many.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 200)]
        lines: usize,
        /// Go on with what is written from now on, until Ctrl+C.
        #[arg(short, long)]
        follow: bool,
    },
    /// Print where the log is.
    Path,
}
