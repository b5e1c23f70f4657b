//! The flags of `tenon cost`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub struct CostArgs {
    /// Of the last so many days, today included; 0 means all.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub days: u32,
    /// What one line stands for.
    #[arg(long, value_enum, default_value_t = CostBy::Day, value_name = "WHAT")]
    pub by: CostBy,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CostBy {
    /// A day, in UTC.
    #[default]
    Day,
    /// A model of a provider.
    Model,
    /// A session.
    Session,
    /// A directory in which sessions were held.
    Project,
}
