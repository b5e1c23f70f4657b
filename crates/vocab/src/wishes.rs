//! How a user wants a terminal interface: the words of the configuration, which
//! the interface goes by.

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keys {
    #[default]
    Emacs,
    Vim,
}

/// When the terminal is asked for attention.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Notify {
    /// When the window is not looked at.
    #[default]
    Unfocused,
    Always,
    Never,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    Full,
    /// Nothing moves by itself but the seconds.
    Reduced,
}

/// What is shown of the model's thoughts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// As they stream, then one line.
    #[default]
    Brief,
    Whole,
    Hidden,
}
