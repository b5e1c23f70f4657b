//! A line that begins with plain git commands and goes on with others is run in
//! two parts, each behind walls of its own: what git brings is on the disk before
//! anything else of the line runs, so nobody has to guess who wrote what.
//!
//! The parts together mean what the line means: the second begins with the
//! status of the first, in the folder to which that went. Where this is not
//! certain, the line stays whole.

use super::line::{Line, is_plain_git, tree_moves};
use tenon_policy::{Script, analyse};

/// Places where a line may be cut that are looked at.
const MOST: usize = 16;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Certainly nothing but git.
    pub(crate) first: String,
    /// The folder that the first part goes to, as a word for the shell.
    folder: Option<String>,
    joint: Joint,
    pub(crate) rest: String,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    And,
    Then,
}

impl Joint {
    fn text(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Then => ";",
        }
    }
}

impl Parts {
    /// `None` where the line is to run as a whole.
    pub(crate) fn of(line: &str) -> Option<Self> {
        if Line::of(&analyse(line)) != Line::Mixed {
            return None;
        }
        // Of a group or a `!` its end says something else than its last command.
        if line.trim_start().starts_with(['(', '{', '!']) {
            return None;
        }
        let mut found = None;
        let mut moves = 0;
        for (at, joint, length) in joints(line).take(MOST) {
            let (first, rest) = (line.get(..at)?, line.get(at + length..)?);
            let script = analyse(first);
            if script.exact().is_none() {
                // Within quotes, maybe.
                continue;
            }
            if !is_plain_git(&script) {
                break;
            }
            // What only reads behind git may as well belong to the rest.
            let here = tree_moves(&script);
            if here > moves && !rest.trim().is_empty() {
                let Some(folder) = folder(first, &script) else {
                    break;
                };
                moves = here;
                found = Some(Self {
                    first: first.to_owned(),
                    folder,
                    joint,
                    rest: rest.to_owned(),
                });
            }
        }
        found
    }

    /// The second part, when the first has ended with this status.
    pub(crate) fn second(&self, status: i32) -> String {
        let go = match &self.folder {
            // It was there; git may have taken it away.
            Some(folder) if status == 0 => format!("cd {folder} || exit; "),
            Some(folder) => format!("cd {folder} 2>/dev/null; "),
            None => String::new(),
        };
        format!("{go}(exit {status}) {} {}", self.joint.text(), self.rest)
    }
}

/// Everything that looks like the end of a command.
fn joints(line: &str) -> impl Iterator<Item = (usize, Joint, usize)> + '_ {
    let bytes = line.as_bytes();
    (0..bytes.len()).filter_map(|at| match bytes.get(at..)? {
        [b'&', b'&', ..] => Some((at, Joint::And, 2)),
        [b';' | b'\n', ..] => Some((at, Joint::Then, 1)),
        _ => None,
    })
}

/// Where the commands of a first part go, if they go anywhere: only as their
/// very first step, and only where nothing follows that step unless it worked.
/// `None` where that is not certain.
fn folder(first: &str, script: &Script) -> Option<Option<String>> {
    let is_cd = |program: Option<&&str>| program == Some(&"cd");
    let commands = script.exact()?;
    if !commands.iter().any(|each| is_cd(each.argv().first())) {
        return Some(None);
    }
    let (step, others) = commands.split_first()?;
    let (text, behind) = first.split_once("&&")?;
    let is_alone = analyse(text).exact().is_some_and(|own| own.len() == 1);
    let is_certain = is_cd(step.argv().first())
        && !others.iter().any(|each| is_cd(each.argv().first()))
        && is_alone
        && !behind.contains("||")
        && !behind.contains([';', '\n']);
    let word = text.trim_start().strip_prefix("cd")?.trim();
    is_certain.then(|| Some(word.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Parts;

    fn cut(line: &str) -> Option<(String, String)> {
        let parts = Parts::of(line)?;
        Some((parts.first.trim().to_owned(), parts.second(0)))
    }

    #[test]
    fn a_line_is_cut_behind_the_last_of_its_first_git_commands() {
        for (line, first, second) in [
            ("git pull && make", "git pull", "(exit 0) &&  make"),
            ("git pull; make", "git pull", "(exit 0) ;  make"),
            (
                "git stash && git rebase up 2>&1 | tail -2 && git log && make || false",
                "git stash && git rebase up 2>&1 | tail -2",
                "(exit 0) &&  git log && make || false",
            ),
            (
                "cd 'a b' && git switch x && make -j2 | cat",
                "cd 'a b' && git switch x",
                "cd 'a b' || exit; (exit 0) &&  make -j2 | cat",
            ),
            (
                "git clone u d && cd d && make",
                "git clone u d",
                "(exit 0) &&  cd d && make",
            ),
        ] {
            let wanted = Some((first.to_owned(), second.to_owned()));
            assert_eq!(cut(line), wanted, "{line}");
        }
    }

    #[test]
    fn a_line_stays_whole_where_its_parts_might_mean_something_else() {
        for line in [
            "git pull",
            "make && git pull",
            "make; ls",
            "git pull & make",
            "git pull # it && make",
            "if git pull; then make; fi",
            "(git pull && make)",
            "! git pull && make",
            "git commit -F - <<X && git pull && make\nX",
            "X=1 git pull && make",
            "git -c core.pager=x pull && make",
            "echo 'git pull && make'",
            "cd a; git pull && make",
            "cd a | git pull && make",
        ] {
            assert_eq!(cut(line), None, "{line}");
        }
    }

    #[test]
    fn the_second_part_knows_how_the_first_ended() {
        let parts = Parts::of("cd a && git merge x && make").unwrap();
        assert_eq!(parts.second(3), "cd a 2>/dev/null; (exit 3) &&  make");
    }
}
