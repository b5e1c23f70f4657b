//! What this machine can do for a command, told honestly. It only looks.

/// Whether the kernel offers something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Present,
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Without it, a process that detaches itself twice leaves its tree.
    pub subreaper: Support,
    /// The wall around commands; `none` until there is one.
    pub adapter: &'static str,
    /// How much of that wall stands: `none`, `partial`, `full`.
    pub level: &'static str,
}

impl Probe {
    #[must_use]
    pub fn look() -> Self {
        let subreaper = match rustix::process::child_subreaper() {
            Ok(_) => Support::Present,
            Err(_) => Support::Absent,
        };
        Self {
            subreaper,
            adapter: "none",
            level: "none",
        }
    }
}
