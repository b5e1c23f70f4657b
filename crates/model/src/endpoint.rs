//! What a server wants and how patient to be with it: words that the
//! configuration writes and the transport obeys.

use std::time::Duration;

/// Where the credential goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    None,
    /// `Authorization: Bearer KEY`
    Bearer,
    /// The key as it is, in a header of this name: `api-key`.
    Header(String),
}

/// Whether the server's certificate is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    #[default]
    Full,
    Insecure,
}

/// How long a server may take before its first content arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstToken {
    /// No limit on private addresses, where a long prompt is read slowly and a
    /// request that is given up is begun again from nothing; 300 s elsewhere.
    #[default]
    Auto,
    Never,
    After(Duration),
}

/// The limits of P17. There is none on a whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub first_token: FirstToken,
    /// How long a stream that has begun may bring no content. Keep-alives are
    /// no content.
    pub silence: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: FirstToken::Auto,
            silence: Some(Duration::from_secs(120)),
        }
    }
}
