//! The commands that people write: `commands/NAME.md` in the user's folder and
//! in a trusted project. A file is a prompt with places for arguments; what
//! stands before it between `---` says what it is for.

use crate::Snapshot;
use crate::frontmatter;
use std::collections::BTreeMap;
use std::path::Path;
use tenon_vocab::frontmatter::split;
use tenon_vocab::profile::CommandInfo;

/// Bytes of one command, at most.
const LONGEST: usize = 64 * 1024;
/// Characters that a list shows of what one is for.
const SHOWN: usize = 200;

/// What was found, and what the user should know of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    /// By name.
    pub commands: Vec<CommandInfo>,
    pub remarks: Vec<String>,
}

/// Where to look.
#[derive(Debug, Clone, Copy)]
pub struct CommandPlaces<'a> {
    /// The user's folder of configuration.
    pub config: &'a Path,
    /// The project's `.tenon`, when it is trusted.
    pub project: Option<&'a Snapshot>,
    /// Names that are taken.
    pub reserved: &'a [&'a str],
}

/// Finds all commands. A project cannot change what a command of the user's
/// means: of two with one name the user's stays.
#[must_use]
pub fn commands(places: &CommandPlaces<'_>) -> Commands {
    let mut found = Commands::default();
    let mut named: BTreeMap<String, CommandInfo> = BTreeMap::new();
    let folder = places.config.join("commands");
    match Snapshot::read(&folder) {
        Ok(Some(snapshot)) => take(&mut found, &mut named, &snapshot, places, Whose::User),
        Ok(None) => {}
        Err(error) => found
            .remarks
            .push(format!("{} is not used: {error}", folder.display())),
    }
    if let Some(snapshot) = places.project {
        take(&mut found, &mut named, snapshot, places, Whose::Project);
    }
    found.commands = named.into_values().collect();
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    User,
    Project,
}

impl Whose {
    fn prefix(self) -> &'static str {
        match self {
            Self::User => "",
            Self::Project => "commands/",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

fn take(
    found: &mut Commands,
    named: &mut BTreeMap<String, CommandInfo>,
    snapshot: &Snapshot,
    places: &CommandPlaces<'_>,
    whose: Whose,
) {
    for (path, file) in snapshot.below(whose.prefix()) {
        let Some(stem) = path.strip_suffix(".md") else {
            continue;
        };
        let file_path = snapshot.folder().join(whose.prefix()).join(path);
        let shown = file_path.display().to_string();
        let read = name(stem).and_then(|name| {
            if places.reserved.contains(&name.as_str()) {
                return Err(format!("/{name} is a command of Tenon's own"));
            }
            if let Some(other) = named.get(&name) {
                return Err(format!("/{name} is {}", other.file.display()));
            }
            info(name, &file.bytes, &file_path, whose)
        });
        match read {
            Ok(info) => {
                named.insert(info.name.clone(), info);
            }
            Err(why) => found.remarks.push(format!("{shown} is not used: {why}")),
        }
    }
}

/// `git/commit` is `/git:commit`.
fn name(stem: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if stem.is_empty() || !stem.chars().all(allowed) || stem.chars().count() > 64 {
        return Err(String::from(
            "its name may have letters, digits, `-`, `_` and `.`, and be 64 long",
        ));
    }
    Ok(stem.replace('/', ":"))
}

fn info(name: String, bytes: &[u8], file: &Path, whose: Whose) -> Result<CommandInfo, String> {
    if bytes.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| String::from("it is not UTF-8"))?;
    let parts = split(text);
    let template = parts.body.trim();
    if template.is_empty() {
        return Err(String::from("it is empty"));
    }
    let fields = parts.front.map(frontmatter::lenient);
    let field = |names: [&str; 2]| {
        let fields = fields.as_ref()?;
        names
            .iter()
            .find_map(|name| fields.text(name))
            .map(one_line)
    };
    let description = field(["description", "summary"]).unwrap_or_else(|| {
        let line = template.lines().find(|line| !line.trim().is_empty());
        one_line(line.unwrap_or_default().trim_start_matches('#').trim())
    });
    Ok(CommandInfo {
        argument_hint: field(["argument-hint", "argument_hint"]).unwrap_or_default(),
        description,
        template: template.to_owned(),
        file: file.to_owned(),
        source: whose.name().to_owned(),
        name,
    })
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SHOWN {
        return line;
    }
    let mut cut: String = line.chars().take(SHOWN).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn a_file_is_a_command_and_its_folder_a_part_of_the_name() {
        let home = tempfile::tempdir().unwrap();
        let commands_in = home.path().join("commands");
        write(
            &commands_in,
            "git/fix.md",
            "---\ndescription: Fix an issue\nargument-hint: NUMBER\n---\nFix issue $1.\n",
        );
        write(&commands_in, "plain.md", "\n# Say hello\n\nto everybody\n");
        write(&commands_in, "notes.txt", "no command");
        let found = commands(&CommandPlaces {
            config: home.path(),
            project: None,
            reserved: &["help"],
        });
        let names: Vec<&str> = found.commands.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["git:fix", "plain"]);
        assert_eq!(found.commands[0].template, "Fix issue $1.");
        assert_eq!(found.commands[0].description, "Fix an issue");
        assert_eq!(found.commands[0].argument_hint, "NUMBER");
        assert_eq!(found.commands[1].description, "Say hello");
        assert_eq!(found.remarks, Vec::<String>::new());
    }

    #[test]
    fn the_users_command_stays_what_it_is_and_ours_cannot_be_replaced() {
        let home = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir().unwrap();
        write(home.path(), "commands/ship.md", "mine");
        write(home.path(), "commands/help.md", "not help");
        write(home.path(), "commands/bad name.md", "x");
        write(home.path(), "commands/empty.md", "---\na: b\n---\n");
        write(project.path(), "commands/ship.md", "theirs");
        write(project.path(), "commands/test.md", "theirs");
        let snapshot = Snapshot::read(project.path()).unwrap().unwrap();
        let found = commands(&CommandPlaces {
            config: home.path(),
            project: Some(&snapshot),
            reserved: &["help"],
        });
        let got: Vec<(&str, &str)> = found
            .commands
            .iter()
            .map(|c| (c.name.as_str(), c.template.as_str()))
            .collect();
        assert_eq!(got, [("ship", "mine"), ("test", "theirs")]);
        assert_eq!(found.remarks.len(), 4, "{:?}", found.remarks);
    }
}
