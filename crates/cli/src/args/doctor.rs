//! The flags of `tenon doctor`.

use clap::Args;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also ask the configured server, with a few small requests, what it can do.
    #[arg(long)]
    pub network: bool,
    /// With --network: also send a tiny image.
    #[arg(long, requires = "network")]
    pub images: bool,
    /// The provider, by its name in the configuration or the name of a preset.
    #[arg(long, value_name = "NAME")]
    pub provider: Option<String>,
    /// The model.
    #[arg(short, long, value_name = "ID")]
    pub model: Option<String>,
    /// Name every path in a list, instead of how many there are.
    #[arg(long)]
    pub verbose: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}
