//! The subcommands of git that only tell, with the options that keep them at it.
//! Every other word is taken for a path, also where it is a revision or the value
//! of an option: that asks once too often, and never once too seldom.
//!
//! What a setting of the repository would run (a pager, a file system monitor, a
//! converter of text) runs where nothing can be written, if it runs at all.

use super::Shown::{Names, Tree};
use super::row::Words::{Listed, None as NoWords, OnePath, Paths, PatternThenPaths};
use super::row::{Row, lists, row};
use super::{Reading, Role};

/// Options before the subcommand that change nothing but the look.
const BEFORE: &str = "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs \
                      --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch";

/// Letters of `log`, `diff` and their kin; those with a value have it in the same
/// word, or the next word is judged as a path.
const LETTERS: &str = "puszRaWbwmctriEFPgqv0123456789";
const OWN: &str = "SGLnlUMCBX";
const LONG: &str = "oneline decorate graph all branches tags remotes stat shortstat numstat \
    name-only name-status patch no-patch patch-with-stat raw summary dirstat follow first-parent \
    merges no-merges reverse cached staged no-color color abbrev-commit no-abbrev-commit \
    relative-date pretty format date since after until before author committer grep all-match \
    invert-grep regexp-ignore-case extended-regexp fixed-strings perl-regexp basic-regexp skip \
    max-count no-walk do-walk topo-order date-order author-date-order simplify-by-decoration \
    simplify-merges full-history dense sparse ancestry-path cherry cherry-pick cherry-mark \
    left-right left-only right-only boundary unified function-context ignore-all-space \
    ignore-space-change ignore-blank-lines ignore-space-at-eol ignore-cr-at-eol word-diff \
    color-words word-diff-regex minimal patience histogram diff-algorithm diff-filter anchored \
    find-renames find-copies find-copies-harder break-rewrites no-renames full-index binary abbrev \
    no-abbrev no-ext-diff no-textconv text exit-code quiet check relative no-relative merge-base \
    pickaxe-all pickaxe-regex inter-hunk-context submodule ignore-submodules src-prefix dst-prefix \
    no-prefix default-prefix no-decorate decorate-refs decorate-refs-exclude clear-decorations \
    source parents children no-expand-tabs expand-tabs notes no-notes show-notes count cc \
    combined-all-paths diff-merges no-diff-merges remerge-diff compact-summary color-moved \
    color-moved-ws no-color-moved show-pulls cumulative line-prefix stat-width stat-name-width \
    stat-count stat-graph-width indent-heuristic no-indent-heuristic reflog walk-reflogs no-mailmap \
    mailmap use-mailmap min-parents max-parents no-min-parents no-max-parents since-as-filter \
    encoding show-linear-break not exclude glob objects timestamp header numbered email \
    group creation-factor ita-invisible-in-index root no-commit-id stdin-packs ours theirs base \
    log-size ws-error-highlight";

const HISTORY: Row = Row {
    flags: LETTERS,
    own: OWN,
    long: LONG,
    ..row(
        "log show diff whatchanged rev-list range-diff diff-tree diff-index diff-files cherry",
        Paths,
        Tree,
    )
};

const ROWS: &[Row] = &[
    HISTORY,
    Row {
        flags: "nsecw0123456789",
        long: LONG,
        ..row("shortlog", Paths, Tree)
    },
    Row {
        flags: "sbvz",
        own: "u",
        long: "short branch show-stash porcelain long verbose untracked-files ignore-submodules \
               ignored column no-column ahead-behind no-ahead-behind renames no-renames \
               find-renames null",
        ..row("status", Paths, Names)
    },
    Row {
        flags: "arvliq",
        long: "all remotes list verbose quiet show-current merged no-merged contains no-contains \
               points-at sort format column no-column color no-color abbrev no-abbrev ignore-case \
               omit-empty",
        lists: "-l --list --merged --no-merged --contains --no-contains --points-at",
        ..row("branch", Listed, Names)
    },
    Row {
        flags: "li",
        own: "n",
        long: "list merged no-merged contains no-contains points-at sort format column no-column \
               color no-color ignore-case omit-empty",
        lists: "-l --list --merged --no-merged --contains --no-contains --points-at",
        ..row("tag", Listed, Names)
    },
    Row {
        flags: "q",
        long: "show-toplevel abbrev-ref short verify quiet git-dir absolute-git-dir \
               git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository \
               is-shallow-repository show-prefix show-cdup show-superproject-working-tree \
               symbolic-full-name symbolic all branches tags remotes revs-only no-revs flags \
               no-flags not default sq show-object-format show-ref-format exclude glob \
               disambiguate local-env-vars",
        ..row("rev-parse", Paths, Names)
    },
    Row {
        flags: "cdmoiskuztvf",
        valued: "x",
        long: "cached deleted modified others ignored stage directory no-empty-directory unmerged \
               killed exclude-standard full-name error-unmatch deduplicate recurse-submodules eol \
               exclude with-tree abbrev format debug sparse",
        ..row("ls-files", Paths, Names)
    },
    Row {
        flags: "drtlz",
        long: "long name-only name-status object-only full-name full-tree abbrev format",
        ..row("ls-tree", Paths, Names)
    },
    Row {
        long: "all tags contains abbrev candidates exact-match debug long match exclude always \
               first-parent dirty broken",
        ..row("describe", Paths, Names)
    },
    Row {
        flags: "lftnsewbcp",
        own: "LMC",
        long: "porcelain line-porcelain show-stats date show-email show-name show-number root \
               reverse first-parent ignore-rev minimal abbrev color-lines color-by-age since \
               incremental score-debug",
        ..row("blame annotate", Paths, Tree)
    },
    Row {
        flags: "aiIwvhHEGFPnlLzocpWqr0123456789",
        valued: "eABCm",
        long: "cached untracked no-exclude-standard exclude-standard \
               recurse-submodules text ignore-case no-textconv word-regexp invert-match full-name \
               extended-regexp basic-regexp perl-regexp fixed-strings line-number column \
               files-with-matches name-only files-without-match null only-matching count color \
               no-color break heading show-function function-context quiet and or not all-match \
               max-depth recursive no-recursive",
        long_valued: "context after-context before-context max-count threads",
        ..row("grep", PatternThenPaths, Tree)
    },
    Row {
        flags: "ptse",
        long: "allow-unknown-type",
        ..row("cat-file", Paths, Tree)
    },
    Row {
        flags: "a",
        long: "all octopus is-ancestor fork-point independent",
        ..row("merge-base", Paths, Names)
    },
    Row {
        long: "count sort format points-at merged no-merged contains no-contains ignore-case \
               omit-empty exclude color",
        ..row("for-each-ref", Paths, Names)
    },
    Row {
        flags: "dsq",
        long: "head heads branches tags verify hash abbrev dereference quiet exists",
        ..row("show-ref", Paths, Names)
    },
    Row {
        flags: "q",
        long: "short quiet recurse no-recurse",
        ..row("symbolic-ref", OnePath, Names)
    },
    Row {
        flags: "vH",
        long: "verbose human-readable",
        ..row("count-objects", NoWords, Names)
    },
    Row {
        flags: "vqzn",
        long: "verbose quiet non-matching no-index",
        ..row("check-ignore", Paths, Names)
    },
    Row {
        flags: "az",
        long: "all cached",
        ..row("check-attr", Paths, Names)
    },
    Row {
        long: "tags name-only refs exclude all always no-undefined",
        ..row("name-rev", Paths, Names)
    },
    Row {
        long: "build-options",
        ..row("version", NoWords, Names)
    },
    Row {
        flags: "v",
        long: "verbose",
        ..row("remote", NoWords, Names)
    },
    Row {
        names: "reflog",
        words: NoWords,
        ..HISTORY
    },
];

/// Subcommands whose second word says what they do.
const DEEP: &[(&str, Row)] = &[
    (
        "stash",
        Row {
            names: "list",
            ..HISTORY
        },
    ),
    (
        "stash",
        Row {
            names: "show",
            ..HISTORY
        },
    ),
    (
        "reflog",
        Row {
            names: "show",
            ..HISTORY
        },
    ),
    (
        "worktree",
        Row {
            flags: "vz",
            long: "porcelain verbose",
            ..row("list", NoWords, Names)
        },
    ),
    (
        "remote",
        Row {
            long: "all push",
            ..row("get-url", Paths, Names)
        },
    ),
    ("notes", row("list", Paths, Names)),
];

/// The words behind `git`.
pub(super) fn read<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    let mut roles = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(&word) = words.get(at).filter(|word| word.starts_with('-')) {
        match word {
            "--version" if words.len() == 1 => {
                return Ok(Reading::told(1));
            }
            // A second one counts from where the first one led.
            "-C" if roles.contains(&Role::Path) => return Err(word),
            "-C" => {
                words.get(at + 1).ok_or(word)?;
                roles.extend([Role::Other, Role::Path]);
                at += 2;
            }
            _ if lists(BEFORE, word) => {
                roles.push(Role::Other);
                at += 1;
            }
            _ => return Err(word),
        }
    }
    let mut rest = words.get(at..).unwrap_or_default();
    let verb = *rest.first().ok_or("git")?;
    let (row, own) = row_of(verb, rest).ok_or(verb)?;
    roles.extend(std::iter::repeat_n(Role::Other, own));
    rest = rest.get(own..).unwrap_or_default();
    let mut found = row.read(rest)?;
    roles.append(&mut found.roles);
    Ok(Reading { roles, ..found })
}

/// The row of a subcommand, and how many words name it.
fn row_of(verb: &str, words: &[&str]) -> Option<(&'static Row, usize)> {
    let second = words.get(1).copied().unwrap_or_default();
    let deep = DEEP
        .iter()
        .find(|(first, row)| *first == verb && row.names == second);
    if let Some((_, row)) = deep {
        return Some((row, 2));
    }
    let row = ROWS.iter().find(|row| lists(row.names, verb))?;
    Some((row, 1))
}
