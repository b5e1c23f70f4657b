//! Readers whose first word is a small program: find, sed, awk, jq. What is not
//! known of it to only pick, change and print is a doubt.

use super::row::{Row, Words, lists, row};
use super::{Reading, Role, Shown};

/// Tests and actions of `find` without a value.
const FIND_ALONE: &str = "-print -print0 -ls -prune -quit -true -false -empty -daystart -depth \
    -mount -xdev -noleaf -readable -writable -executable -nouser -nogroup ! -not -a -and -o -or \
    ( ) , -ignore_readdir_race -noignore_readdir_race -warn -nowarn";
/// Those whose next word is no path.
const FIND_VALUED: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex \
    -regextype -type -xtype -size -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid \
    -gid -links -inum -maxdepth -mindepth -fstype -used -printf -lname -ilname -newermt -newerct \
    -newerat -context";
/// Those whose next word is a file that is looked at.
const FIND_PATHS: &str = "-newer -anewer -cnewer -samefile";

pub(super) fn find<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    let mut roles = Vec::with_capacity(words.len());
    let mut rest = words.iter().copied().peekable();
    while rest
        .next_if(|word| matches!(*word, "-P" | "-O1" | "-O2" | "-O3"))
        .is_some()
    {
        roles.push(Role::Other);
    }
    while rest
        .next_if(|word| !word.starts_with(['-', '(', ')', ',', '!']))
        .is_some()
    {
        roles.push(Role::Path);
    }
    let looks_here = !roles.contains(&Role::Path);
    while let Some(word) = rest.next() {
        roles.push(Role::Other);
        if lists(FIND_ALONE, word) {
            continue;
        }
        let role = match word {
            _ if lists(FIND_VALUED, word) => Role::Other,
            _ if lists(FIND_PATHS, word) => Role::Path,
            _ => return Err(word),
        };
        rest.next().ok_or(word)?;
        roles.push(role);
    }
    Ok(Reading {
        roles,
        shown: Shown::Names,
        looks_here,
    })
}

/// Cuts the words of `sed` and `awk`; what stands where a pattern does for others
/// is the script.
const SED: Row = Row {
    flags: "nErsuz",
    valued: "e",
    long: "quiet silent regexp-extended separate unbuffered null-data posix debug sandbox \
           follow-symlinks",
    long_valued: "expression line-length",
    ..row("sed", Words::PatternThenPaths, Shown::Files)
};

pub(super) fn sed<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    let found = SED.read(words)?;
    let mut scripts: Vec<&str> = Vec::new();
    let mut by_option = words.iter().enumerate();
    while let Some((at, word)) = by_option.next() {
        let next = words.get(at + 1).copied();
        let given = match *word {
            "--" => break,
            "--expression" => next,
            _ if found.roles.get(at) != Some(&Role::Other) => None,
            _ => word.strip_prefix("--expression=").or_else(|| {
                let letters = word.strip_prefix('-').filter(|l| !l.starts_with('-'))?;
                match letters.split_once('e')? {
                    (_, "") => next,
                    (_, text) => Some(text),
                }
            }),
        };
        if let Some(text) = given {
            scripts.push(text);
            // The script itself may look like an option.
            if next == Some(text) {
                by_option.next();
            }
        }
    }
    if scripts.is_empty() {
        let first = words.iter().zip(&found.roles).find(|(word, role)| {
            **role == Role::Other && (!word.starts_with('-') || word.len() == 1)
        });
        scripts.extend(first.map(|(word, _)| *word));
    }
    match scripts.iter().find(|script| !only_edits(script)) {
        None if scripts.is_empty() => Err("sed"),
        None => Ok(found),
        Some(script) => Err(script),
    }
}

/// Whether a script of sed is made of commands that pick, change and print lines.
fn only_edits(script: &str) -> bool {
    let mut chars = script.chars().peekable();
    loop {
        while chars
            .next_if(|c| c.is_whitespace() || ";{}".contains(*c))
            .is_some()
        {}
        if chars.peek().is_none() {
            return true;
        }
        if !addresses(&mut chars) {
            return false;
        }
        let is_known = match chars.next() {
            Some('{') => continue,
            Some('s') => substitutes(&mut chars),
            Some('y') => match chars.next() {
                Some(mark) if is_mark(mark) => {
                    delimited(&mut chars, mark) && delimited(&mut chars, mark)
                }
                _ => false,
            },
            Some('q' | 'Q' | 'l') => {
                while chars.next_if(char::is_ascii_digit).is_some() {}
                true
            }
            Some(c) => "pPdDgGhHxnN=z".contains(c),
            None => false,
        };
        while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let ends = matches!(chars.peek(), None | Some(';' | '\n' | '}'));
        if !is_known || !ends {
            return false;
        }
    }
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn addresses(chars: &mut Chars<'_>) -> bool {
    loop {
        match chars.peek().copied() {
            Some('/') => {
                chars.next();
                if !delimited(chars, '/') {
                    return false;
                }
                while chars.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
            }
            Some(c) if c.is_ascii_digit() || "$,~+! \t".contains(c) => {
                chars.next();
            }
            Some('\\') => return false,
            _ => return true,
        }
    }
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric() && !c.is_whitespace() && c != '\\'
}

fn substitutes(chars: &mut Chars<'_>) -> bool {
    let Some(mark) = chars.next().filter(|mark| is_mark(*mark)) else {
        return false;
    };
    if !(delimited(chars, mark) && delimited(chars, mark)) {
        return false;
    }
    // `w` writes, `e` runs.
    while chars
        .next_if(|c| c.is_ascii_digit() || "gpiIm".contains(*c))
        .is_some()
    {}
    true
}

/// Up to the mark. Brackets may hold one to sed and are a doubt where they do.
fn delimited(chars: &mut Chars<'_>, mark: char) -> bool {
    let mut in_brackets = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            c if c == mark => return !in_brackets,
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            _ => {}
        }
    }
    false
}

const AWK: Row = Row {
    valued: "Fv",
    ..row("awk", Words::PatternThenPaths, Shown::Files)
};

pub(super) fn awk<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    let found = AWK.read(words)?;
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += match *word {
            "--" => {
                at += 1;
                break;
            }
            "-F" | "-v" => 2,
            _ => 1,
        };
    }
    let program = words.get(at).copied().ok_or("awk")?;
    if only_computes(program) {
        Ok(found)
    } else {
        Err(program)
    }
}

/// Whether an awk program starts nothing, and opens no file of its own.
fn only_computes(program: &str) -> bool {
    const OPENS: &[&str] = &["system", "getline", "ARGV", "ARGC", "PROCINFO", "@"];
    let pipes = program.replace("||", "").contains('|');
    let printed = program.find("print").and_then(|at| program.get(at..));
    let redirects = printed.is_some_and(|rest| rest.contains('>'));
    !pipes && !redirects && !OPENS.iter().any(|word| program.contains(word))
}

/// Options of `jq` alone.
const JQ_ALONE: &str = "-n --null-input -r --raw-output -j --join-output -a --ascii-output -c \
    --compact-output -C --color-output -M --monochrome-output -S --sort-keys -s --slurp -R \
    --raw-input -e --exit-status --tab --stream --seq --unbuffered --raw-output0 -h --help \
    --version -V --args --jsonargs";
const JQ_LETTERS: &str = "nrjacCMSsRe";

pub(super) fn jq<'a>(words: &[&'a str]) -> Result<Reading, &'a str> {
    let mut roles = Vec::with_capacity(words.len());
    let mut filter = None;
    let mut ended = false;
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        if ended || word.len() < 2 || !word.starts_with('-') {
            let is_path = filter.is_some() && word != "-";
            roles.push(if is_path { Role::Path } else { Role::Other });
            filter = filter.or(Some(word));
            continue;
        }
        roles.push(Role::Other);
        let values: &[Role] = match word {
            "--" => {
                ended = true;
                &[]
            }
            "--arg" | "--argjson" => &[Role::Other, Role::Other],
            "--slurpfile" | "--rawfile" => &[Role::Other, Role::Path],
            "--indent" => &[Role::Other],
            _ if lists(JQ_ALONE, word) => &[],
            _ => {
                let letters = word.strip_prefix('-').unwrap_or_default();
                let known = letters.chars().all(|letter| JQ_LETTERS.contains(letter));
                if !known {
                    return Err(word);
                }
                &[]
            }
        };
        for role in values {
            rest.next().ok_or(word)?;
            roles.push(*role);
        }
    }
    // Modules and their data lie wherever the program says.
    let loads = |filter: &str| {
        ["import", "include"]
            .iter()
            .any(|word| filter.contains(word))
    };
    match filter {
        Some(filter) if loads(filter) => Err(filter),
        Some(_) => Ok(Reading {
            roles,
            shown: Shown::Files,
            looks_here: false,
        }),
        None => Err("jq"),
    }
}
