//! The table of dangerous commands (G8, G10). One row, one reason. What depends
//! on where a file lies is in `place` and `verdict`; git has a file of its own.

use super::argv::Argv;
use super::place::{Device, Vital, device, vital};
use super::{git, place, replacing, unfold};
use crate::command::follows;
use std::collections::HashSet;
use std::sync::LazyLock;
use tenon_vocab::Class;

/// Programs that need a yes each time, whatever their words are.
pub(super) const BY_NAME: &[(&str, &str)] = &[
    ("rm rmdir unlink", "deletes files"),
    ("shred srm wipe", "destroys files beyond recovery"),
    ("mv", "moves files and replaces what is in their way"),
    (
        "chmod chown chgrp chattr setfacl",
        "changes who can use files",
    ),
    ("dd", "writes raw data"),
    (
        "mke2fs mkswap wipefs fdisk sfdisk gdisk sgdisk cfdisk parted blkdiscard",
        "changes disks",
    ),
    ("lvremove vgremove pvremove badblocks", "changes disks"),
    ("shutdown reboot halt poweroff", "stops the machine"),
    ("truncate", "truncates files"),
    (
        "killall killall5 pkill skill",
        "ends every matching process",
    ),
    ("userdel groupdel deluser delgroup", "removes accounts"),
    ("dropdb dropuser", "removes a database or its users"),
    (
        "rename prename perl-rename mmv",
        "moves files and replaces what is in their way",
    ),
    (
        "rimraf trash trash-put del-cli tmpreaper tmpwatch",
        "deletes files",
    ),
];

/// A program with the words that make it dangerous; options may stand between.
pub(super) const BY_WORDS: &[(&str, &str, &str)] = &[
    ("init telinit", "0|6", "stops the machine"),
    (
        "systemctl",
        "poweroff|reboot|halt|kexec|suspend|hibernate|stop|disable|mask|isolate|kill|emergency|rescue",
        "stops the machine or its services",
    ),
    ("service", "* stop", "stops a service"),
    (
        "loginctl",
        "terminate-user|terminate-session|kill-user|poweroff|reboot",
        "ends sessions",
    ),
    ("zpool zfs", "destroy", "destroys stored data"),
    ("nvme", "format|sanitize|write-zeroes", "changes disks"),
    ("cryptsetup", "luksFormat|erase|luksErase", "changes disks"),
    (
        "diskutil",
        "eraseDisk|eraseVolume|partitionDisk|zeroDisk|secureErase",
        "changes disks",
    ),
    (
        "npm pnpm bun",
        "publish|unpublish|deprecate",
        "publishes a package",
    ),
    ("yarn", "publish|npm publish", "publishes a package"),
    ("cargo", "publish|yank|owner", "publishes a package"),
    ("twine", "upload", "publishes a package"),
    ("gem", "push|yank", "publishes a package"),
    (
        "poetry uv flit hatch pdm vsce ovsx",
        "publish",
        "publishes a package",
    ),
    (
        "mvn gradle gradlew",
        "deploy|publish|publishToMavenCentral",
        "publishes a package",
    ),
    ("dotnet", "nuget push", "publishes a package"),
    ("nuget", "push", "publishes a package"),
    (
        "docker podman nerdctl helm",
        "push|image push|manifest push",
        "publishes an image or chart",
    ),
    (
        "docker podman nerdctl",
        "rm|rmi|system prune|volume rm|volume prune|image rm|image prune|container rm|container prune|network rm|compose rm|compose down",
        "removes containers, images or volumes",
    ),
    (
        "docker-compose podman-compose",
        "rm|down",
        "removes containers",
    ),
    (
        "gh",
        "release delete|repo delete|repo archive|release create|secret delete|issue delete|cache delete",
        "changes what others see on the server",
    ),
    (
        "terraform tofu terragrunt",
        "destroy",
        "destroys infrastructure",
    ),
    ("pulumi cdk", "destroy", "destroys infrastructure"),
    (
        "kubectl oc",
        "delete|drain|replace",
        "removes objects from a cluster",
    ),
    ("helm", "uninstall|delete|rollback", "removes a release"),
    ("aws", "s3 rm|s3 rb", "removes stored data"),
    ("gsutil", "rm|rb", "removes stored data"),
    (
        "rclone",
        "delete|purge|sync|deletefile|rmdirs",
        "removes stored data",
    ),
    (
        "heroku",
        "apps:destroy|pg:reset|addons:destroy",
        "destroys an app or its data",
    ),
    ("fly flyctl", "destroy|apps destroy", "destroys an app"),
    (
        "redis-cli",
        "flushall|flushdb|FLUSHALL|FLUSHDB",
        "empties a database",
    ),
    ("mysqladmin", "drop", "drops a database"),
    ("hg", "revert|strip|purge", "discards work"),
    (
        "cmake",
        "-E rm|-E remove|-E remove_directory|-E rename|-E copy|-E copy_directory|-E copy_if_different",
        "deletes, moves or replaces files",
    ),
    ("gio", "trash|remove|move", "deletes or moves files"),
    ("svn", "revert", "discards work"),
    ("iptables ip6tables", "-F|--flush", "drops network rules"),
    ("nft", "flush", "drops network rules"),
];

/// A program with an option, and the words before it where that matters.
pub(super) const BY_OPTION: &[(&str, &str, &[&str], &str)] = &[
    ("crontab", "r", &[], "deletes all scheduled jobs"),
    ("hg", "C", &["clean"], "discards work"),
    (
        "hdparm",
        "",
        &[
            "security-erase",
            "security-erase-enhanced",
            "trim-sector-ranges",
        ],
        "changes disks",
    ),
    (
        "tar bsdtar gtar",
        "",
        &["remove-files"],
        "deletes the files it packs",
    ),
    ("zip", "m", &["move"], "deletes the files it packs"),
    (
        "rsync",
        "",
        &[
            "delete",
            "delete-after",
            "delete-before",
            "delete-during",
            "delete-excluded",
            "remove-source-files",
        ],
        "deletes files that the other side doesn't have",
    ),
    (
        "nc ncat netcat",
        "ec",
        &["exec", "sh-exec", "lua-exec"],
        "hands a connection to a program",
    ),
    (
        "fallocate",
        "pcz",
        &["punch-hole", "collapse-range", "zero-range"],
        "truncates files",
    ),
    ("fdupes jdupes", "d", &["delete"], "deletes files"),
    (
        "terraform tofu terragrunt",
        "",
        &["auto-approve"],
        "changes infrastructure without asking",
    ),
];

/// Programs that take SQL as text.
const DATABASES: &str = "psql mysql mariadb sqlite3 sqlcmd cockroach clickhouse-client duckdb \
     mongosh mongo cqlsh usql pgcli mycli";

pub(super) fn lists(list: &str, name: &str) -> bool {
    !name.is_empty() && list.split_ascii_whitespace().any(|entry| entry == name)
}

/// The names of the first table, and those of all: most commands are in none, and
/// need not be held against each row.
static ALWAYS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| names(BY_NAME.iter().map(|(names, _)| *names)));
static LISTED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let by_words = BY_WORDS.iter().map(|(names, _, _)| *names);
    let by_option = BY_OPTION.iter().map(|(names, _, _, _)| *names);
    let mut all = names(by_words.chain(by_option));
    all.extend(ALWAYS.iter().copied());
    all
});

/// Each name of these lists.
pub(super) fn names(lists: impl Iterator<Item = &'static str>) -> HashSet<&'static str> {
    lists.flat_map(str::split_ascii_whitespace).collect()
}

/// Whether a word is the name of a program that always needs a yes.
pub(super) fn is_dangerous_name(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name);
    is_maker_of_file_systems(name) || ALWAYS.contains(name)
}

fn is_maker_of_file_systems(name: &str) -> bool {
    name.starts_with("mkfs") || name.starts_with("newfs")
}

/// What is dangerous about this one command, by its words alone.
pub(super) fn of(argv: Argv<'_>) -> Vec<(Class, String)> {
    let name = argv.name();
    if argv.only_informs() {
        return Vec::new();
    }
    let mut found = Vec::new();
    if LISTED.contains(name.as_ref()) || is_maker_of_file_systems(&name) {
        found.extend(by_tables(argv, &name));
    }
    found.extend(more(argv, &name));
    found
}

fn by_tables(argv: Argv<'_>, name: &str) -> Vec<(Class, String)> {
    let mut found = Vec::new();
    let mut confirm = |what: &str| found.push((Class::Confirm, format!("`{name}` {what}")));
    if is_maker_of_file_systems(name) {
        confirm("changes disks");
    }
    for (names, what) in BY_NAME {
        if lists(names, name) {
            confirm(what);
        }
    }
    for (names, words, what) in BY_WORDS {
        if lists(names, name) && has_words(argv, words) {
            confirm(what);
        }
    }
    for (names, short, long, what) in BY_OPTION {
        let given = (!short.is_empty() && argv.has_short(short)) || argv.has_long(long);
        // Terraform writes long options with one dash.
        let single = argv
            .texts()
            .any(|text| long.iter().any(|name| text.strip_prefix('-') == Some(name)));
        if lists(names, name) && (given || single) {
            confirm(what);
        }
    }
    found
}

/// What no table can say.
fn more(argv: Argv<'_>, name: &str) -> Vec<(Class, String)> {
    let mut found = Vec::new();
    match name {
        "git" => found.extend(git::danger(argv)),
        "kill" if argv.texts().any(|text| text == "-1") && kills_all(argv) => found.push((
            Class::Confirm,
            "`kill` with `-1` ends every process".to_owned(),
        )),
        "aws" | "gcloud" | "az" | "doctl" => {
            if let Some(word) = argv.texts().find(|text| removes_by_word(text)) {
                found.push((Class::Confirm, format!("`{name} {word}` removes something")));
            }
        }
        "rm" | "chmod" | "chown" | "chgrp" => found.extend(sweeping(argv, name)),
        "socat"
            if argv
                .texts()
                .any(|text| unfold::socat_program(text).is_some()) =>
        {
            found.push((
                Class::Confirm,
                "`socat` hands a connection to a program".to_owned(),
            ))
        }
        _ => found.extend(replacing::danger(argv, name)),
    }
    let to_device = |path: &str| matches!(device(path), Some(Device::Block));
    let makes_disk = is_maker_of_file_systems(name)
        || lists("mke2fs mkswap wipefs blkdiscard shred sfdisk sgdisk", name);
    if makes_disk && argv.texts().any(to_device) {
        found.push((
            Class::HardDeny,
            format!("`{name}` destroys the contents of a disk"),
        ));
    }
    if lists(DATABASES, name)
        && let Some(word) = argv.texts().find_map(destroys_data)
    {
        found.push((Class::Confirm, format!("`{word}` destroys data")));
    }
    found
}

fn kills_all(argv: Argv<'_>) -> bool {
    let texts: Vec<&str> = argv.texts().collect();
    let last = texts.iter().rposition(|text| *text == "-1");
    // `kill -1 123` sends a signal to one process.
    last.is_some_and(|at| at + 1 == texts.len() && (at > 0 || texts.len() == 1))
}

fn removes_by_word(text: &str) -> bool {
    ["delete", "terminate", "purge", "destroy", "deregister"]
        .iter()
        .any(|word| {
            text == *word
                || text
                    .strip_prefix(word)
                    .is_some_and(|rest| rest.starts_with('-'))
        })
}

/// The statement in a text of SQL that destroys data.
pub(super) fn destroys_data(text: &str) -> Option<&'static str> {
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let drops = words.windows(2).any(|pair| {
        pair[0] == "DROP"
            && matches!(
                pair[1],
                "TABLE"
                    | "DATABASE"
                    | "SCHEMA"
                    | "INDEX"
                    | "VIEW"
                    | "COLUMN"
                    | "USER"
                    | "ROLE"
                    | "OWNED"
            )
    });
    if drops || upper.contains("DROPDATABASE") {
        return Some("DROP");
    }
    if words.contains(&"TRUNCATE") {
        return Some("TRUNCATE");
    }
    words
        .windows(2)
        .any(|pair| pair == ["DELETE", "FROM"])
        .then_some("DELETE FROM")
}

/// The same for what a database program is given as input.
pub(super) fn database_input(name: &str, given: &str) -> Option<&'static str> {
    lists(DATABASES, name).then(|| destroys_data(given))?
}

/// `rm -rf /` and its kin, where the text alone tells.
fn sweeping(argv: Argv<'_>, name: &str) -> Vec<(Class, String)> {
    let mut found = Vec::new();
    if argv.has_long(&["no-preserve-root"]) {
        found.push((
            Class::HardDeny,
            format!("`{name} --no-preserve-root` goes for the whole file system"),
        ));
    }
    let deep = argv.has_short("rR") || argv.has_long(&["recursive"]);
    for term in argv.operands("") {
        let everything = place::is_glob(term);
        let class = match (name, vital(&term.text)) {
            (_, None) => continue,
            ("rm", _) if deep || everything => Class::HardDeny,
            (_, Some(Vital::Root)) if deep || everything => Class::HardDeny,
            _ => continue,
        };
        let deed = if name == "rm" { "delete" } else { "change" };
        found.push((
            class,
            format!("`{name}` would {deed} all of `{}`", term.text),
        ));
    }
    found
}

/// Whether the arguments begin with one of the alternatives: words, with options
/// between them.
fn has_words(argv: Argv<'_>, alternatives: &str) -> bool {
    // `cargo +nightly publish`.
    let words: Vec<&str> = argv.texts().filter(|text| !text.starts_with('+')).collect();
    alternatives.split('|').any(|alternative| {
        let tokens: Vec<String> = alternative.split(' ').map(str::to_owned).collect();
        follows(&tokens, &words)
    })
}
