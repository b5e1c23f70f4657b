//! The three wire formats with their real codecs, each with the validator that
//! knows nothing of the codec.

use std::sync::Arc;
use tenon_model::{Chat, Codec, Messages, Quirks, Responses, ResponsesOptions};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Chat,
    Messages,
    Responses,
}

impl Format {
    pub const ALL: [Self; 3] = [Self::Chat, Self::Messages, Self::Responses];

    /// `owner` is whose signatures are returned.
    pub fn codec(self, owner: &str) -> Arc<dyn Codec> {
        let quirks = Quirks::default();
        match self {
            Self::Chat => Arc::new(Chat::new(quirks)),
            Self::Messages => Arc::new(Messages::new(quirks, owner)),
            Self::Responses => Arc::new(Responses::new(quirks, owner, ResponsesOptions::default())),
        }
    }

    /// What the strictest server would refuse.
    pub fn refuses(self, body: &[u8]) -> Vec<String> {
        match self {
            Self::Chat => tenon_mock::wire::chat::validate(body),
            Self::Messages => tenon_mock::wire::messages::validate(body),
            Self::Responses => tenon_mock::wire::responses::validate(body),
        }
    }

    /// Whether the second request begins with the first.
    pub fn continues(self, before: &[u8], body: &[u8]) -> Result<(), String> {
        match self {
            Self::Chat => tenon_mock::wire::chat::validate_prefix(before, body),
            Self::Messages => tenon_mock::wire::messages::validate_prefix(before, body),
            Self::Responses => tenon_mock::wire::responses::validate_prefix(before, body),
        }
    }
}
