//! What is known of a call before it runs. Tools gather it, the policy only reads it.

use tenon_vocab::Effect;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// One file or folder that a call would touch, as it was found just now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathFact {
    /// Normalised: relative to the root with `/` where it is inside (`.` is the
    /// root itself), else absolute, also in a folder that the user added.
    pub path: String,
    pub access: Access,
    /// What cannot be observed counts as existing.
    pub exists: bool,
    /// In the project, or in a folder that the user added to it.
    pub inside: bool,
    /// Whether a symbolic link stands anywhere on the way.
    pub symlink: bool,
    pub place: Place,
}

/// What a path is beside its name: what makes losing it worse than losing a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Place {
    #[default]
    Ordinary,
    FileSystemRoot,
    /// The user's home.
    Home,
    /// The root of the workspace.
    Root,
    /// A folder that the root lies in.
    AboveRoot,
    /// A block device.
    Device,
    /// In a folder that the user added to the project.
    Added,
    /// Such a folder itself.
    AddedRoot,
}

impl PathFact {
    /// Whether it lies outside the project, and is open all the same because the
    /// user added its folder.
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.inside && matches!(self.place, Place::Added | Place::AddedRoot)
    }
}

/// What a call is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    Nothing,
    Paths(Vec<PathFact>),
    /// A command line for the shell, analysed by [`crate::analyse`].
    Command(crate::Script),
    /// Something with a name: a skill, an agent, an MCP tool.
    Name(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Canonical name of the tool.
    pub tool: String,
    pub effect: Effect,
    pub subject: Subject,
    /// The input as canonical JSON: the grant key of tools without a better one.
    pub input: String,
}
