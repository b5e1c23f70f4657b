//! Settings of git as git reads them, and which of them a plain `git init`,
//! `clone` or `submodule` writes. All others may make git run a program, read
//! other settings, or reach another place, and count as doing so.

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Setting {
    /// In small letters.
    section: String,
    subsection: Option<String>,
    key: String,
    /// `None`: the key stands alone, which means yes.
    value: Option<String>,
}

/// Of these sections no key does any harm.
const SECTIONS: &[&str] = &["advice", "author", "color", "column", "committer"];

/// Other keys that say nothing about programs and places.
const KEYS: &[&str] = &[
    "branch.autosetupmerge",
    "branch.autosetuprebase",
    "branch.*.description",
    "branch.*.merge",
    "branch.*.pushremote",
    "branch.*.rebase",
    "branch.*.remote",
    "checkout.defaultremote",
    "checkout.guess",
    "checkout.workers",
    "commit.gpgsign",
    "commit.verbose",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.bigfilethreshold",
    "core.checkstat",
    "core.commitgraph",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.multipackindex",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.protecthfs",
    "core.protectntfs",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.sparsecheckout",
    "core.sparsecheckoutcone",
    "core.splitindex",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedcache",
    "diff.algorithm",
    "diff.colormoved",
    "diff.renames",
    "extensions.compatobjectformat",
    "extensions.noop",
    "extensions.objectformat",
    "extensions.partialclone",
    "extensions.preciousobjects",
    "extensions.refstorage",
    "extensions.relativeworktrees",
    "extensions.worktreeconfig",
    "feature.manyfiles",
    "fetch.parallel",
    "fetch.prune",
    "fetch.prunetags",
    "fetch.recursesubmodules",
    "gc.auto",
    "gc.autodetach",
    "index.skiphash",
    "index.sparse",
    "index.threads",
    "index.version",
    "init.defaultbranch",
    "lfs.repositoryformatversion",
    "log.date",
    "log.decorate",
    "maintenance.auto",
    "maintenance.strategy",
    "merge.conflictstyle",
    "merge.ff",
    "pack.threads",
    "protocol.version",
    "pull.ff",
    "pull.rebase",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "rebase.autosquash",
    "rebase.autostash",
    "receive.denycurrentbranch",
    "receive.denynonfastforwards",
    "remote.*.fetch",
    "remote.*.followremotehead",
    "remote.*.mirror",
    "remote.*.partialclonefilter",
    "remote.*.promisor",
    "remote.*.prune",
    "remote.*.push",
    "remote.*.skipdefaultupdate",
    "remote.*.skipfetchall",
    "remote.*.tagopt",
    "rerere.autoupdate",
    "rerere.enabled",
    "status.showuntrackedfiles",
    "status.submodulesummary",
    "submodule.active",
    "submodule.alternateerrorstrategy",
    "submodule.alternatelocation",
    "submodule.fetchjobs",
    "submodule.propagatebranches",
    "submodule.recurse",
    "submodule.*.active",
    "submodule.*.branch",
    "submodule.*.fetchrecursesubmodules",
    "submodule.*.ignore",
    "submodule.*.path",
    "submodule.*.shallow",
    "tag.gpgsign",
    "user.email",
    "user.name",
    "user.useconfigonly",
];

/// The same, where the value is an address.
const ADDRESSES: &[&str] = &["remote.*.url", "remote.*.pushurl", "submodule.*.url"];

impl Setting {
    /// `core.fsmonitor`, with `*` for a name in the middle.
    pub(super) fn kind(&self) -> String {
        match self.subsection {
            Some(_) => format!("{}.*.{}", self.section, self.key),
            None => format!("{}.{}", self.section, self.key),
        }
    }

    pub(super) fn value(&self) -> &str {
        self.value.as_deref().unwrap_or_default()
    }

    /// Whether a plain `git init`, `clone` or `submodule` could have written it.
    /// Where a working tree lies is judged by who knows the place.
    pub(super) fn is_harmless(&self) -> bool {
        let kind = self.kind();
        if ADDRESSES.contains(&kind.as_str()) {
            return is_plain_address(self.value());
        }
        if kind == "submodule.*.update" {
            return matches!(self.value(), "checkout" | "rebase" | "merge" | "none");
        }
        SECTIONS.contains(&self.section.as_str()) || KEYS.contains(&kind.as_str())
    }

    fn line(&self) -> String {
        let Some(value) = &self.value else {
            return format!("\t{}\n", self.key);
        };
        if is_plain(value) {
            return format!("\t{} = {value}\n", self.key);
        }
        let mut line = format!("\t{} = \"", self.key);
        for each in value.chars() {
            match each {
                '\n' => line.push_str("\\n"),
                '\t' => line.push_str("\\t"),
                '\u{8}' => line.push_str("\\b"),
                '"' | '\\' => line.extend(['\\', each]),
                each => line.push(each),
            }
        }
        line.push_str("\"\n");
        line
    }

    fn head(&self) -> String {
        match &self.subsection {
            None => format!("[{}]\n", self.section),
            Some(name) => {
                let name = name.replace('\\', "\\\\").replace('"', "\\\"");
                format!("[{} \"{name}\"]\n", self.section)
            }
        }
    }
}

/// Whether git writes a value without quotes.
fn is_plain(value: &str) -> bool {
    let is_plain = |each: char| each.is_ascii_graphic() && !matches!(each, '"' | '\\' | '#' | ';');
    !value.is_empty() && value.chars().all(is_plain)
}

/// Neither `ext::…`, which is a command, nor what would be an option.
fn is_plain_address(address: &str) -> bool {
    !address.contains("::") && !address.starts_with('-')
}

/// What a command changed in settings.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    added: Vec<Setting>,
    removed: Vec<Setting>,
    /// What is not done, by kind: with it git may run programs or go elsewhere.
    pub(super) refused: Vec<String>,
}

impl Changes {
    pub(super) fn between(before: &[Setting], after: &[Setting]) -> Self {
        let mut changes = Self::default();
        for (setting, others, side) in (after.iter().map(|each| (each, before, Side::Added)))
            .chain(before.iter().map(|each| (each, after, Side::Removed)))
        {
            if others.contains(setting) {
                continue;
            }
            match side {
                _ if !setting.is_harmless() => changes.refused.push(setting.kind()),
                Side::Added => changes.added.push(setting.clone()),
                Side::Removed => changes.removed.push(setting.clone()),
            }
        }
        changes.refused.sort();
        changes.refused.dedup();
        changes
    }

    /// Addresses of known remotes that are other ones now, by kind and name.
    pub(super) fn redirected(&self) -> Vec<String> {
        let is_address = |setting: &&Setting| {
            matches!(
                setting.kind().as_str(),
                "remote.*.url" | "remote.*.pushurl" | "remote.*.push"
            )
        };
        let is_known = |setting: &&Setting| {
            let gone = |other: &Setting| other.subsection == setting.subsection;
            self.removed.iter().any(gone) || setting.key != "url"
        };
        let changed = self.added.iter().filter(is_address).filter(is_known);
        changed
            .map(|setting| {
                let name = setting.subsection.as_deref().unwrap_or_default();
                format!("{}.{name}.{}", setting.section, setting.key)
            })
            .collect()
    }

    /// The settings with these changes.
    pub(super) fn applied(&self, to: Vec<Setting>) -> Vec<Setting> {
        let kept = to.into_iter().filter(|each| !self.removed.contains(each));
        kept.chain(self.added.iter().cloned()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Added,
    Removed,
}

/// What would make git run something out of a `.gitmodules`.
pub(super) fn is_harmful_module(setting: &Setting) -> bool {
    match setting.kind().as_str() {
        "submodule.*.update" => setting.value().starts_with('!'),
        "submodule.*.url" => !is_plain_address(setting.value()),
        "submodule.*.path" => setting.value().starts_with('-'),
        _ => false,
    }
}

/// The settings as a file that git reads the same way.
pub(super) fn written<'a>(settings: impl Iterator<Item = &'a Setting>) -> String {
    let mut text = String::new();
    let mut head = String::new();
    for setting in settings {
        let own = setting.head();
        if own != head {
            text.push_str(&own);
            head = own;
        }
        text.push_str(&setting.line());
    }
    text
}

/// All settings of a file, or `None` where git would stumble or might read
/// something else.
pub(super) fn parse(bytes: &[u8]) -> Option<Vec<Setting>> {
    let text = std::str::from_utf8(bytes).ok()?;
    if text.contains('\0') {
        return None;
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A line end is a line end, also with what another system puts before it.
    let text = text.replace("\r\n", "\n");
    let mut rest = text.chars().peekable();
    let mut settings = Vec::new();
    let mut section: Option<(String, Option<String>)> = None;
    while let Some(next) = rest.next() {
        match next {
            ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' => {}
            '#' | ';' => while rest.next_if(|each| *each != '\n').is_some() {},
            '[' => section = Some(header(&mut rest)?),
            first if first.is_ascii_alphabetic() => {
                let mut key = String::from(first);
                while let Some(each) =
                    rest.next_if(|each| each.is_ascii_alphanumeric() || *each == '-')
                {
                    key.push(each);
                }
                let (section, subsection) = section.clone()?;
                settings.push(Setting {
                    section,
                    subsection,
                    key: key.to_ascii_lowercase(),
                    value: value(&mut rest)?,
                });
            }
            _ => return None,
        }
    }
    Some(settings)
}

type Rest<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn header(rest: &mut Rest<'_>) -> Option<(String, Option<String>)> {
    let mut name = String::new();
    while let Some(each) =
        rest.next_if(|each| each.is_ascii_alphanumeric() || matches!(each, '-' | '.'))
    {
        name.push(each.to_ascii_lowercase());
    }
    let mut quoted = None;
    if rest.peek().is_some_and(|each| matches!(each, ' ' | '\t')) {
        while rest.next_if(|each| matches!(each, ' ' | '\t')).is_some() {}
        rest.next_if_eq(&'"')?;
        let mut inner = String::new();
        loop {
            match rest.next()? {
                '"' => break,
                '\n' => return None,
                '\\' => match rest.next()? {
                    '\n' => return None,
                    each => inner.push(each),
                },
                each => inner.push(each),
            }
        }
        quoted = Some(inner);
    }
    rest.next_if_eq(&']')?;
    match (name.split_once('.'), quoted) {
        (None, quoted) => Some((name, quoted)),
        (Some((section, inner)), None) => Some((section.to_owned(), Some(inner.to_owned()))),
        (Some(_), Some(_)) => None,
    }
}

/// What follows a key: nothing, or `=` and a value.
fn value(rest: &mut Rest<'_>) -> Option<Option<String>> {
    while rest.next_if(|each| matches!(each, ' ' | '\t')).is_some() {}
    match rest.next() {
        None | Some('\n') => return Some(None),
        Some('#' | ';') => {
            while rest.next_if(|each| *each != '\n').is_some() {}
            return Some(None);
        }
        Some('=') => {}
        Some(_) => return None,
    }
    let mut value = String::new();
    // What stands before this is not trimmed.
    let mut kept = 0;
    let mut quoted = false;
    loop {
        match rest.next() {
            None | Some('\n') if quoted => return None,
            None | Some('\n') => break,
            Some('#' | ';') if !quoted => while rest.next_if(|each| *each != '\n').is_some() {},
            Some('"') => {
                quoted = !quoted;
                kept = value.len();
            }
            Some('\\') => {
                match rest.next()? {
                    '\n' => continue,
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    'b' => value.push('\u{8}'),
                    each @ ('"' | '\\') => value.push(each),
                    _ => return None,
                }
                kept = value.len();
            }
            Some(each) if each.is_whitespace() && !quoted && value.is_empty() && kept == 0 => {}
            Some(each) => {
                value.push(each);
                if quoted {
                    kept = value.len();
                }
            }
        }
    }
    let end = kept.max(value.trim_end().len());
    value.truncate(end);
    Some(Some(value))
}

#[cfg(test)]
mod tests {
    use super::{parse, written};

    fn harmful(text: &str) -> Vec<String> {
        let settings = parse(text.as_bytes()).unwrap();
        let harmful = settings.iter().filter(|setting| !setting.is_harmless());
        harmful.map(super::Setting::kind).collect()
    }

    #[test]
    fn settings_that_run_something_are_found_however_they_are_written() {
        for text in [
            "[core]\n\tfsmonitor = x\n",
            "[CORE]FsMonitor=x",
            "[core]bare=false\n[core] # c\n fsmonitor \t= \"x\"",
            "\u{feff}[core]\r\n\tfsmonitor=x\r\n",
            "[core]\n\tabbrev = 7 ; c\n\tfsmonitor = a\\\n b\n",
        ] {
            assert_eq!(harmful(text), ["core.fsmonitor"], "{text:?}");
        }
        assert_eq!(harmful("[include]path=x"), ["include.path"]);
        assert_eq!(harmful("[filter.a]clean=x"), ["filter.*.clean"]);
        assert_eq!(
            harmful("[remote \"o\"]url=ext::sh -c x\n uploadpack=x"),
            ["remote.*.url", "remote.*.uploadpack"]
        );
        assert_eq!(
            harmful("[submodule \"a\"] update = !x"),
            ["submodule.*.update"]
        );
        assert_eq!(harmful("[alias] st = !x"), ["alias.st"]);
    }

    #[test]
    fn what_git_itself_writes_is_harmless() {
        let text = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[remote \"origin\"]\n\turl = https://example.com/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[submodule \"lib\"]\n\tactive = true\n\turl = ../lib\n";
        assert_eq!(harmful(text), Vec::<String>::new());
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let plain = "[core]\n\tbare = false\n\tmore = a=b:c\n";
        assert_eq!(written(parse(plain.as_bytes()).unwrap().iter()), plain);
        let text = "[a \"b\\\"c\"]\n\tkey = \" x # y \\\\ \\n\"\n\talone\n[a]\n\tkey =\n";
        let settings = parse(text.as_bytes()).unwrap();
        let again = written(settings.iter());
        assert_eq!(parse(again.as_bytes()).unwrap(), settings, "{again}");
    }

    #[test]
    fn what_git_would_stumble_over_is_not_guessed_at() {
        for text in [
            "key = x",
            "[core",
            "[core]\n\t1 = x",
            "[core]\nkey = \"x\n",
            "[core]\nkey = \\q",
            "[core]\nkey \0",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
