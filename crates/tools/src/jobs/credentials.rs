//! Whether a command failed because the sandbox keeps a credential from it. It
//! takes all of four: a program of the line that uses such a credential, one that
//! is there and hidden or withheld, a failure, and words by which that program
//! says that it is missing. Any program can print those words: what follows from
//! them is a question to a person, and nothing else.

mod table;

use std::path::{Path, PathBuf};
use table::{CREDENTIALS, Credential};
use tenon_policy::analyse;
use tenon_sandbox::{Network, SandboxPolicy};

/// What a command would have needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// `git push failed because the sandbox hides your SSH keys (~/.ssh)`
    pub what: String,
    /// What would permit it for good, as it is written in the configuration.
    pub switch: String,
    /// Withheld variables that it uses.
    pub variables: Vec<String>,
}

/// Words by which a program says that it did not reach anybody: then nothing is
/// known of credentials.
const UNREACHED: &[&str] = &[
    "could not resolve",
    "name or service not known",
    "temporary failure in name resolution",
    "network is unreachable",
    "connection timed out",
    "no route to host",
    "connection refused",
];

/// What stands between a command and the credentials of the user.
pub(super) struct Kept<'a> {
    pub(super) policy: &'a SandboxPolicy,
    pub(super) home: Option<&'a Path>,
    /// Variables that commands do not get.
    pub(super) withheld: &'a [(String, String)],
}

impl Kept<'_> {
    /// Of a command that failed, with what it printed.
    pub(super) fn missed_by(&self, command: &str, printed: &str) -> Option<Missing> {
        let printed = printed.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| printed.contains(word));
        if says(UNREACHED) && (self.policy.network == Network::Deny || !says(&["localhost:8080"])) {
            return None;
        }
        let used = programs(command);
        CREDENTIALS.iter().find_map(|credential| {
            let by = |used: &&Used| credential.programs.contains(&used.program());
            let used = used.iter().find(by).filter(|_| says(credential.sayings))?;
            self.missing(credential, used)
        })
    }

    /// `None` where nothing of it is there that could be used.
    fn missing(&self, credential: &Credential, used: &Used) -> Option<Missing> {
        let files: Vec<String> = credential
            .files
            .iter()
            .filter_map(|file| self.hides(file))
            .collect();
        let mut sockets: Vec<String> = self.sockets(credential.sockets);
        let is_used = |name: &str| {
            credential
                .variables
                .iter()
                .any(|pattern| fits(pattern, name))
        };
        let withheld = self.withheld.iter().filter(|(name, _)| is_used(name));
        let (variables, values): (Vec<String>, Vec<String>) = withheld.cloned().unzip();
        let places = [&files[..], &sockets[..], &variables[..]].concat();
        if places.is_empty() {
            return None;
        }
        // An agent is asked through its socket.
        let agent = variables.iter().position(|name| name == "SSH_AUTH_SOCK");
        sockets.extend(agent.and_then(|at| values.get(at).cloned()));
        // Keys of GPG are used through files that its programs make beside them.
        let gpg: Vec<String> = files
            .iter()
            .filter(|file| *file == "~/.gnupg")
            .cloned()
            .collect();
        let list = |names: &[String]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            quoted.join(", ")
        };
        let switches = [
            ("sandbox.show", &files),
            ("sandbox.writable", &gpg),
            ("sandbox.sockets", &sockets),
            ("sandbox.environment.keep", &variables),
        ];
        let switch: Vec<String> = (switches.into_iter())
            .filter(|(_, names)| !names.is_empty())
            .map(|(key, names)| format!("{key}: [{}]", list(names)))
            .collect();
        let what = format!(
            "{} failed because the sandbox hides {} ({})",
            used.words(),
            credential.name,
            places.join(", ")
        );
        Some(Missing {
            what,
            switch: switch.join(", "),
            variables,
        })
    }

    /// A file or folder below the home that is hidden, where it holds something.
    fn hides(&self, file: &str) -> Option<String> {
        let whole = self.home?.join(file);
        let hidden = &self.policy.hidden;
        let is_hidden = |path: &&PathBuf| whole.starts_with(path) || path.starts_with(&whole);
        let path = hidden.iter().find(is_hidden)?;
        let holds = match std::fs::metadata(path).ok()? {
            facts if facts.is_dir() => std::fs::read_dir(path).ok()?.next().is_some(),
            facts => facts.len() > 0,
        };
        holds.then(|| format!("~/{file}"))
    }

    fn sockets(&self, names: &[&str]) -> Vec<String> {
        let of_the_system = |path: &&PathBuf| {
            let last = path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let known = last.is_some_and(|last| names.iter().any(|name| *name == last));
            known && self.home.is_none_or(|home| !path.starts_with(home)) && path.exists()
        };
        let hidden = self.policy.hidden.iter().filter(of_the_system);
        hidden.map(|path| path.display().to_string()).collect()
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// A command of a line.
struct Used {
    argv: Vec<String>,
}

impl Used {
    /// Behind a wrapper, the command that it runs.
    fn of(argv: Vec<String>) -> Self {
        const WRAPPERS: &[&str] = &[
            "timeout", "env", "nice", "nohup", "time", "command", "exec", "stdbuf", "xargs", "if",
            "then", "do", "else", "!",
        ];
        let whole = Self { argv };
        if !WRAPPERS.contains(&whole.program()) {
            return whole;
        }
        let own = |word: &&String| {
            word.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || word.contains('=')
        };
        let rest: Vec<String> = whole.argv.iter().skip(1).skip_while(own).cloned().collect();
        match rest.is_empty() {
            true => whole,
            false => Self::of(rest),
        }
    }

    fn program(&self) -> &str {
        let program = self.argv.first().map_or("", String::as_str);
        program.rsplit('/').next().unwrap_or(program)
    }

    /// `git push`, `ssh`
    fn words(&self) -> String {
        const VERBLESS: &[&str] = &[
            "ssh", "scp", "sftp", "rsync", "psql", "mysql", "gpg", "gpg2", "python", "python3",
        ];
        let program = self.program();
        let is_verb = |word: &&String| {
            word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-')
        };
        let verb = self.argv.iter().skip(1).find(is_verb);
        match verb.filter(|_| !VERBLESS.contains(&program)) {
            Some(verb) => format!("{program} {verb}"),
            None => program.to_owned(),
        }
    }
}

/// The commands of a line. Of one that cannot be read with certainty, whatever
/// could be a program begins one.
fn programs(command: &str) -> Vec<Used> {
    let script = analyse(command);
    if let Some(commands) = script.exact() {
        let all = commands.iter().map(|command| {
            let argv = command.argv().into_iter().map(str::to_owned);
            Used::of(argv.collect())
        });
        return all.collect();
    }
    let breaks = |c: char| "|&;()`$\n{}\"'".contains(c);
    let pieces = command.split(breaks);
    pieces
        .filter_map(|piece| {
            let words = piece.split_whitespace().map(str::to_owned);
            let argv: Vec<String> = words.skip_while(|word| word.contains('=')).collect();
            (!argv.is_empty()).then(|| Used::of(argv))
        })
        .collect()
}

#[cfg(test)]
mod tests;
