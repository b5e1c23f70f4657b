//! The user's editor: the same one wherever a text is written.

use std::path::Path;
use tenon_config::Env;

/// What every system has.
const FALLBACK: &str = "vi";

/// As the user wrote it; it may hold arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor(String);

impl Editor {
    /// The one that the environment names.
    pub fn named(env: &Env) -> Option<Self> {
        let value = |name| env.get(name).map(|value| value.trim().to_owned());
        ["VISUAL", "EDITOR"]
            .into_iter()
            .filter_map(value)
            .find(|value| !value.is_empty())
            .map(Self)
    }

    /// The same, or the one that every system has: where somebody sits at a
    /// terminal.
    pub fn of(env: &Env) -> Self {
        Self::named(env).unwrap_or_else(|| Self(FALLBACK.to_owned()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// What to start, by the shell as git does it. The shell makes room for the
    /// editor, so that a signal reaches that; not before an assignment.
    pub fn command(&self, file: &Path) -> std::process::Command {
        let first = self.0.split_whitespace().next().unwrap_or_default();
        let exec = if first.contains('=') { "" } else { "exec " };
        let mut command = std::process::Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{exec}{} \"$1\"", self.0))
            .arg("sh")
            .arg(file);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visual_is_above_editor_a_blank_is_none_and_vi_is_everywhere() {
        let env = Env::default().with("EDITOR", "nano -w");
        assert_eq!(Editor::of(&env).name(), "nano -w");
        let both = env.clone().with("VISUAL", "code --wait");
        assert_eq!(Editor::of(&both).name(), "code --wait");
        assert_eq!(Editor::of(&env.with("VISUAL", " ")).name(), "nano -w");
        assert_eq!(Editor::named(&Env::default()), None);
        assert_eq!(Editor::of(&Env::default()).name(), "vi");
    }
}
