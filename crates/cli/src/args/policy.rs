//! The flags of `tenon policy`, `tenon trust` and `tenon hooks`: who may do what,
//! and who is asked.

use super::Format;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use tenon_vocab::PermissionMode;
use tenon_vocab::names::tool;

/// What may run without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeChoice {
    /// Nothing: a change of a file and a command are asked about.
    Ask,
    /// Changes of files in the project.
    AcceptEdits,
    /// Commands in the sandbox, too.
    Auto,
    /// The agent plan works, which only reads.
    Plan,
}

impl ModeChoice {
    pub fn mode(self) -> PermissionMode {
        match self {
            Self::Ask => PermissionMode::Ask,
            Self::AcceptEdits => PermissionMode::AcceptEdits,
            Self::Auto => PermissionMode::Auto,
            Self::Plan => PermissionMode::Plan,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum PolicyCommand {
    /// Print every rule that was tried for a call, and the decision.
    Explain {
        /// The name of the tool.
        tool: String,
        /// A command for bash, a path for file tools, a name for others.
        argument: String,
        /// On whose behalf; the configured agent without it.
        #[arg(long, value_name = "NAME")]
        agent: Option<String>,
        /// The permission mode; the configured one without it.
        #[arg(long, value_enum, value_name = "MODE")]
        permission_mode: Option<ModeChoice>,
        /// A folder outside the project to judge as if it were in it. Can be given several times.
        #[arg(long, value_name = "DIR")]
        add_dir: Vec<PathBuf>,
        /// A table for people, or one JSON object.
        #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
        format: Format,
    },
    /// List what you allowed for this project, and the rules that hold.
    List {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Take back what you allowed for this project.
    Remove {
        /// Its number or its rule, as `policy list` shows them.
        #[arg(value_name = "N|RULE", required_unless_present = "all")]
        which: Option<String>,
        /// All of them.
        #[arg(long, conflicts_with = "which")]
        all: bool,
    },
}

#[derive(Debug, Args)]
pub struct TrustArgs {
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

#[derive(Debug, Subcommand)]
pub enum TrustCommand {
    /// Show what trust enables, and what you said.
    Status {
        /// One JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Trust the content as it is now.
    Accept {
        /// Your own tools instead of the project.
        #[arg(long)]
        user_tools: bool,
    },
    /// Forget what you said.
    Revoke {
        /// Your own tools instead of the project.
        #[arg(long)]
        user_tools: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum HooksCommand {
    /// List the hooks in the order in which they run, with those that come along.
    List {
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Run the hooks of an event with a made-up input, and say what their answers mean.
    Test {
        /// The event, such as PreToolUse.
        event: String,
        /// The tool of the call that the event is about.
        #[arg(long, value_name = "NAME", default_value = tool::BASH)]
        tool: String,
        /// The input of that call as JSON; for other events, fields to set.
        #[arg(long, value_name = "JSON")]
        input: Option<String>,
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
}
