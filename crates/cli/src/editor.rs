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

    /// What to start, by the shell as git does it. Before a plain command the
    /// shell makes room for the editor, so that a signal reaches that.
    pub fn command(&self, file: &Path) -> std::process::Command {
        let exec = if self.is_plain() { "exec " } else { "" };
        let mut command = std::process::Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{exec}{} \"$1\"", self.0))
            .arg("sh")
            .arg(file);
        command
    }

    /// A program and its arguments, and nothing that only a shell understands: of
    /// several commands the first would be all that runs.
    fn is_plain(&self) -> bool {
        let first = self.0.split_whitespace().next().unwrap_or_default();
        // No programs, or not everywhere.
        let is_own = |word| ["!", ".", "exec", "eval", "command", "time"].contains(&word);
        !first.contains('=') && !is_own(first) && !self.0.contains(|c| ";&|<>(){}\n".contains(c))
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

    #[test]
    fn every_command_of_a_longer_line_is_run_and_the_file_belongs_to_the_last() {
        let folder = tempfile::tempdir().unwrap();
        for (at, line) in [
            "touch",
            "cd /; touch",
            "test -n x && touch",
            "A=b touch",
            "exec touch",
            "touch -c x | touch",
        ]
        .into_iter()
        .enumerate()
        {
            let file = folder.path().join(format!("a file {at}"));
            let status = Editor(line.to_owned()).command(&file).status().unwrap();
            assert!(status.success() && file.exists(), "{line}");
        }
        let line = "test -z x && touch";
        let file = folder.path().join("none");
        let status = Editor(line.to_owned()).command(&file).status().unwrap();
        assert!(!status.success() && !file.exists(), "a failure is told");
    }

    #[test]
    fn a_plain_editor_takes_the_place_of_the_shell() {
        let folder = tempfile::tempdir().unwrap();
        let (script, file) = (folder.path().join("who"), folder.path().join("file"));
        std::fs::write(&script, "echo $$ > \"$1\"").unwrap();
        let editor = Editor(format!("sh '{}'", script.display()));
        let mut child = editor.command(&file).spawn().unwrap();
        assert!(child.wait().unwrap().success());
        let who = std::fs::read_to_string(&file).unwrap();
        assert_eq!(who.trim(), child.id().to_string());
    }
}
