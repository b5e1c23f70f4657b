//! The commands that people write: `commands/NAME.md` in the user's folder and
//! in a trusted project, and those that stand there for other agents, in
//! `.claude/commands`. A file is a prompt with places for arguments; what stands
//! before it between `---` says what it is for, and never what it may do.

use crate::Snapshot;
use crate::frontmatter;
use crate::snapshot::OTHERS_COMMANDS;
use std::collections::BTreeMap;
use std::path::Path;
use tenon_vocab::frontmatter::split;
use tenon_vocab::profile::{CommandInfo, Whose};

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
    pub home: Option<&'a Path>,
    /// What the project has, when it is trusted.
    pub project: Option<&'a Snapshot>,
    /// Names that are taken.
    pub reserved: &'a [&'a str],
}

/// Finds all commands, those for Tenon before those for other agents. A project
/// cannot change what a command of the user's means: of two with one name the
/// user's stays.
#[must_use]
pub fn commands(places: &CommandPlaces<'_>) -> Commands {
    let mut search = Search {
        found: Commands::default(),
        named: BTreeMap::new(),
        reserved: places.reserved,
        with_tools: Vec::new(),
    };
    search.of_user(&places.config.join("commands"));
    // Whoever keeps them elsewhere has put a link there.
    let others = places.home.map(|home| home.join(".claude/commands"));
    if let Some(folder) = others.and_then(|folder| folder.canonicalize().ok()) {
        search.of_user(&folder);
    }
    if let Some(snapshot) = places.project {
        search.take(snapshot, "commands/", Whose::Project);
        search.take(snapshot, OTHERS_COMMANDS, Whose::Project);
    }
    search.finish()
}

struct Search<'a> {
    found: Commands,
    named: BTreeMap<String, CommandInfo>,
    reserved: &'a [&'a str],
    /// The names of those that would give themselves tools.
    with_tools: Vec<String>,
}

impl Search<'_> {
    fn of_user(&mut self, folder: &Path) {
        match Snapshot::read(folder) {
            Ok(Some(snapshot)) => self.take(&snapshot, "", Whose::User),
            Ok(None) => {}
            Err(error) => self
                .found
                .remarks
                .push(format!("{} is ignored: {error}", folder.display())),
        }
    }

    fn take(&mut self, snapshot: &Snapshot, prefix: &str, whose: Whose) {
        for (path, file) in snapshot.below(prefix) {
            let Some(stem) = path.strip_suffix(".md") else {
                continue;
            };
            let file_path = snapshot.path_of(&format!("{prefix}{path}"));
            let shown = file_path.display().to_string();
            let read = name(stem).and_then(|name| {
                if self.reserved.contains(&name.as_str()) {
                    return Err(format!("/{name} is one of Tenon's own commands"));
                }
                if let Some(other) = self.named.get(&name) {
                    return Err(format!("/{name} is already {}", other.file.display()));
                }
                info(name, &file.bytes, &file_path, whose)
            });
            match read {
                Ok((info, tools)) => {
                    if tools == Tools::Named {
                        self.with_tools.push(format!("/{}", info.name));
                    }
                    self.named.insert(info.name.clone(), info);
                }
                Err(why) => self
                    .found
                    .remarks
                    .push(format!("{shown} is ignored: {why}")),
            }
        }
    }

    fn finish(mut self) -> Commands {
        if let Some((first, more)) = self.with_tools.split_first() {
            let more = match more.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.found.remarks.push(format!(
                "`allowed-tools` in {first}{more} is ignored: your own rules (`permission`) decide what may run"
            ));
        }
        self.found.commands = self.named.into_values().collect();
        self.found
    }
}

/// Whether a file names the tools that may run without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tools {
    Named,
    Unnamed,
}

/// `git/commit` is `/git:commit`.
fn name(stem: &str) -> Result<String, String> {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if stem.is_empty() || !stem.chars().all(allowed) || stem.chars().count() > 64 {
        return Err(String::from(
            "its name can have up to 64 letters, digits, `-`, `_` and `.`",
        ));
    }
    Ok(stem.replace('/', ":"))
}

fn info(
    name: String,
    bytes: &[u8],
    file: &Path,
    whose: Whose,
) -> Result<(CommandInfo, Tools), String> {
    if bytes.len() > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| String::from("it isn't UTF-8"))?;
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
    let tools = match fields.as_ref() {
        Some(fields) if fields.get("allowed-tools").is_some() => Tools::Named,
        _ => Tools::Unnamed,
    };
    let info = CommandInfo {
        argument_hint: field(["argument-hint", "argument_hint"]).unwrap_or_default(),
        description,
        template: template.to_owned(),
        file: file.to_owned(),
        source: whose,
        name,
    };
    Ok((info, tools))
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
    use crate::snapshot::Others;
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
            home: None,
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
            home: None,
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

    #[test]
    fn commands_for_other_agents_are_read_after_those_for_tenon() {
        let world = tempfile::tempdir().unwrap();
        let (config, home, root) = (
            world.path().join("config"),
            world.path().join("home"),
            world.path().join("project"),
        );
        write(&config, "commands/ship.md", "mine");
        write(&home, ".claude/commands/ship.md", "mine, for another");
        write(
            &home,
            ".claude/commands/fix.md",
            "---\ndescription: Fix it\nargument-hint: NUMBER\nallowed-tools: Bash(git:*)\n---\nFix $1",
        );
        write(&root, ".tenon/commands/test.md", "ours");
        write(&root, ".claude/commands/test.md", "ours, for another");
        write(&root, ".claude/commands/fix.md", "theirs");
        write(&root, ".claude/commands/git/log.md", "the log");
        write(&root, ".claude/commands/helper.sh", "echo");
        write(&root, ".claude/settings.json", "{}");
        let snapshot = Snapshot::of_project(&root, Others::Too).unwrap().unwrap();
        let found = commands(&CommandPlaces {
            config: &config,
            home: Some(&home),
            project: Some(&snapshot),
            reserved: &[],
        });
        let got: Vec<(&str, &str, Whose)> = found
            .commands
            .iter()
            .map(|c| (c.name.as_str(), c.template.as_str(), c.source))
            .collect();
        assert_eq!(
            got,
            [
                ("fix", "Fix $1", Whose::User),
                ("git:log", "the log", Whose::Project),
                ("ship", "mine", Whose::User),
                ("test", "ours", Whose::Project),
            ]
        );
        assert_eq!(found.commands[0].argument_hint, "NUMBER");
        assert_eq!(
            found.commands[1].file,
            root.join(".claude/commands/git/log.md")
        );
        let said = found.remarks.join("\n");
        assert_eq!(found.remarks.len(), 4, "{said}");
        assert!(
            said.contains("`allowed-tools` in /fix is ignored"),
            "{said}"
        );
        assert!(!said.contains(".tenon/.."), "{said}");
    }

    #[test]
    fn a_projects_commands_for_others_are_part_of_what_is_trusted() {
        let root = tempfile::tempdir().unwrap();
        let of = |others| Snapshot::of_project(root.path(), others).unwrap();
        assert_eq!(of(Others::Too), None);
        write(root.path(), ".claude/commands/a.md", "one");
        assert_eq!(of(Others::No), None);
        let one = of(Others::Too).unwrap().hash().unwrap().to_owned();
        write(root.path(), ".claude/commands/a.md", "two");
        let two = of(Others::Too).unwrap().hash().unwrap().to_owned();
        assert_ne!(one, two);
        // What is no command changes nothing.
        write(root.path(), ".claude/commands/a.sh", "echo");
        assert_eq!(of(Others::Too).unwrap().hash(), Some(two.as_str()));
        // A link may lead anywhere.
        fs::remove_dir_all(root.path().join(".claude")).unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join(".claude")).unwrap();
        let linked = of(Others::Too).unwrap();
        assert!(linked.is_empty());
        assert_eq!(linked.left_out().len(), 1);
    }

    #[test]
    fn so_many_commands_for_others_that_they_cannot_be_read_harm_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), ".tenon/commands/a.md", "one");
        for n in 0..1_001 {
            write(root.path(), &format!(".claude/commands/{n}.md"), "x");
        }
        let whole = Snapshot::of_project(root.path(), Others::Too)
            .unwrap()
            .unwrap();
        assert!(whole.hash().is_some());
        assert_eq!(whole.below(OTHERS_COMMANDS).count(), 0);
        assert!(whole.left_out()[0].contains("more than 1000 files"));
    }
}
