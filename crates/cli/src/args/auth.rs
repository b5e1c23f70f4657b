//! The flags of `tenon auth`. A key is never an argument: the command line of a
//! process can be read by all others, and stays in the shell's history.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum AuthCommand {
    /// Save the key of a provider: in the desktop's credential store where there is one, else in a file of your own.
    Login {
        /// The provider, by its name in the configuration or the name of a preset; the configured one without it.
        #[arg(value_name = "PROVIDER")]
        provider: Option<String>,
        /// Read the key from standard input instead of asking for it.
        #[arg(long)]
        with_key_stdin: bool,
        /// Where to keep it.
        #[arg(long, value_enum, default_value_t = StoreChoice::Auto, value_name = "WHERE")]
        store: StoreChoice,
    },
    /// List the providers and where the key of each comes from; never the key.
    Status {
        /// Only this provider.
        #[arg(value_name = "PROVIDER")]
        provider: Option<String>,
        /// Also ask each server that has a key for its models, once.
        #[arg(long)]
        check: bool,
        /// One JSON array.
        #[arg(long)]
        json: bool,
    },
    /// Remove the key that was saved for a provider.
    Logout {
        /// The provider; the configured one without it.
        #[arg(value_name = "PROVIDER")]
        provider: Option<String>,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StoreChoice {
    /// The desktop's credential store if it works, else a file.
    #[default]
    Auto,
    /// The desktop's credential store or nothing.
    Desktop,
    /// A file in the state folder that only you can read.
    File,
}
