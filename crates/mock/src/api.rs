//! Which wire format a path speaks. Paths only; methods and bodies are
//! `route`'s.

/// A wire format in which a model can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Chat,
    Messages,
    Responses,
}

/// What kind of request came in, and so which validator looks at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// `POST /chat/completions`
    Chat,
    /// `POST /messages`
    Messages,
    /// `POST /messages/count_tokens`
    CountTokens,
    /// `POST /responses`
    Responses,
    /// Everything else, and bodies that could not be read.
    Other,
}

impl RequestKind {
    /// With and without `/v1`, and below the path of the Codex backend.
    pub(crate) fn of_path(path: &str) -> Self {
        match below_the_base(path) {
            "/chat/completions" => Self::Chat,
            "/messages" => Self::Messages,
            "/messages/count_tokens" => Self::CountTokens,
            "/responses" => Self::Responses,
            _ => Self::Other,
        }
    }

    pub(crate) fn api(self) -> Option<Api> {
        match self {
            Self::Chat => Some(Api::Chat),
            Self::Messages | Self::CountTokens => Some(Api::Messages),
            Self::Responses => Some(Api::Responses),
            Self::Other => None,
        }
    }
}

/// The path without what a base URL ends in.
pub(crate) fn below_the_base(path: &str) -> &str {
    ["/v1", "/backend-api/codex"]
        .iter()
        .find_map(|base| path.strip_prefix(base))
        .filter(|rest| rest.starts_with('/'))
        .unwrap_or(path)
}
