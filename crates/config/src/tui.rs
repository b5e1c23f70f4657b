//! The section `tui`: how the user wants the terminal interface. A project decides none of it.

use crate::load::{Loaded, Origin};
use serde_json::Value;
use tenon_policy::Layer;
use tenon_vocab::wishes::{Keys, Motion, Notify, Thinking};

/// What an interactive session is drawn with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TuiInterface {
    #[default]
    Screen,
    Lines,
}

/// A theme by its name, and whose word it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TuiTheme {
    /// Written by the user or the administrator: above what was chosen by hand
    /// in an earlier session.
    Written(String),
    /// The default, or what a trusted project would like: below it.
    Suggested(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuiSettings {
    pub interface: TuiInterface,
    pub theme: TuiTheme,
    pub keys: Keys,
    /// Parts of the status line, in their order; empty for all of them.
    pub status: Vec<String>,
    pub notify: Notify,
    pub motion: Motion,
    pub thinking: Thinking,
}

pub(crate) fn settings(loaded: &Loaded) -> TuiSettings {
    TuiSettings {
        interface: interface(loaded),
        theme: theme(loaded),
        keys: match loaded.text("tui.keys") {
            Some("vim") => Keys::Vim,
            _ => Keys::Emacs,
        },
        status: match loaded.get("tui.status") {
            Some((Value::Array(parts), _)) => parts
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        },
        notify: match loaded.text("tui.notify") {
            Some("always") => Notify::Always,
            Some("never") => Notify::Never,
            _ => Notify::Unfocused,
        },
        motion: match loaded.text("tui.motion") {
            Some("reduced") => Motion::Reduced,
            _ => Motion::Full,
        },
        thinking: match loaded.text("tui.thinking") {
            Some("whole") => Thinking::Whole,
            Some("hidden") => Thinking::Hidden,
            _ => Thinking::Brief,
        },
    }
}

/// Needed before all else is resolved: the set-up and its errors are drawn with it.
impl Loaded {
    #[must_use]
    pub fn tui_interface(&self) -> TuiInterface {
        interface(self)
    }
}

fn interface(loaded: &Loaded) -> TuiInterface {
    match loaded.text("tui.interface") {
        Some("lines") => TuiInterface::Lines,
        _ => TuiInterface::Screen,
    }
}

fn theme(loaded: &Loaded) -> TuiTheme {
    let Some((value, origin)) = loaded.get("tui.theme") else {
        return TuiTheme::Suggested(String::new());
    };
    let name = value.as_str().unwrap_or_default().to_owned();
    match origin {
        Origin::BuiltIn
        | Origin::Saved
        | Origin::File {
            layer: Layer::BuiltIn | Layer::Project | Layer::Agent,
            ..
        } => TuiTheme::Suggested(name),
        Origin::File {
            layer: Layer::User | Layer::Extra | Layer::Managed,
            ..
        }
        | Origin::Environment(_)
        | Origin::Flag(_) => TuiTheme::Written(name),
    }
}
