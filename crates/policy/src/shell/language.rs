//! What can be seen in a program of another language: calls that delete, replace
//! or run something. It is a net for the usual ways, not a proof: in doubt a yes
//! is needed.

use super::danger::lists;
use super::place::vital;
use tenon_vocab::Class;

/// One family of languages: their names, words that stand for a deed wherever
/// they stand as a name of their own, and words that do so where they are called.
struct Family {
    names: &'static str,
    words: &'static str,
    called: &'static str,
}

const FAMILIES: &[Family] = &[
    Family {
        names: "python pypy ipython",
        words: "rmtree unlink rmdir removedirs write_text write_bytes popen subprocess pty ctypes \
            marshal pickle __import__ importlib __builtins__ __dict__ os.remove os.replace \
            os.rename os.renames os.truncate os.system os.execv os.execve os.execvp os.execl \
            os.execlp os.spawnv os.spawnl os.posix_spawn os.chmod os.chown os.kill os.killpg \
            shutil.move shutil.copy shutil.copy2 shutil.copyfile shutil.copytree symlink_to \
            hardlink_to getattr(os getattr(shutil getattr(pathlib vars(os",
        called: "exec eval execfile ftruncate",
    },
    Family {
        names: "perl",
        words: "rmtree remove_tree qx",
        called: "unlink rename truncate system exec rmdir chmod chown eval syscall kill",
    },
    Family {
        names: "ruby irb",
        words: "unlink rm_rf rm_r rm_f rmtree rmdir FileUtils File.delete File.rename File.write \
            File.truncate File.binwrite IO.write IO.popen Open3 Dir.delete Dir.rmdir popen %x",
        called: "system exec spawn eval instance_eval class_eval syscall",
    },
    Family {
        names: "node nodejs deno bun tsx ts-node",
        words: "rmSync rmdirSync unlinkSync unlink rmdir renameSync truncateSync writeFileSync \
            writeFile copyFileSync cpSync createWriteStream child_process execSync spawnSync \
            execFileSync fs.rm promises.rm promises.rename fs.rename fs.cp fs.truncate \
            Deno.remove Deno.removeSync Deno.rename Deno.renameSync Deno.writeFile \
            Deno.writeFileSync Deno.writeTextFile Deno.writeTextFileSync Deno.truncate Deno.run \
            Deno.Command Bun.write Bun.spawn Bun.spawnSync Bun.$ process.binding process.kill",
        called: "eval Function",
    },
    Family {
        names: "php",
        words: "unlink rmdir file_put_contents shell_exec passthru popen proc_open pcntl_exec \
            ftruncate",
        called: "rename system exec eval assert copy",
    },
    Family {
        names: "lua luajit",
        words: "os.remove os.rename os.execute io.popen",
        called: "load loadstring dofile",
    },
];

/// For all other languages.
const OTHERS: Family = Family {
    names: "",
    words: "unlink file.remove file.rename Remove-Item Invoke-Expression Start-Process File.rm \
        File.rm_rf System.cmd",
    called: "rm delete remove system exec run shell eval spawn unlink rename",
};

/// Calls that take a folder away with all that it holds.
const SWEEPING: &str = "rmtree remove_tree rm_rf rm_r rmSync fs.rm promises.rm rmdirSync \
     Deno.remove Deno.removeSync unlink File.rm_rf Remove-Item rm removeSync remove_dir";

/// How a program speaks of the home.
const HOMES: &[&str] = &[
    "expanduser",
    "Path.home",
    "homedir",
    "Dir.home",
    "environ",
    "getenv",
    "ENV",
    "process.env.HOME",
];

/// How far behind a call its arguments are looked for.
const ARGUMENTS: usize = 160;

/// What a program text does that must not happen unseen.
pub(super) fn danger(language: &str, text: &str) -> Option<(Class, String)> {
    if let Some(path) = SWEEPING
        .split_ascii_whitespace()
        .find_map(|call| sweeps(text, call))
    {
        let what = format!("the program would delete all of `{path}`");
        return Some((Class::HardDeny, what));
    }
    let bare = language.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let known = |family: &&Family| lists(family.names, bare) || lists(family.names, language);
    let family = FAMILIES.iter().find(known).unwrap_or(&OTHERS);
    let word = family
        .words
        .split_ascii_whitespace()
        .find(|word| places(text, word).next().is_some())
        .or_else(|| {
            let mut called = family.called.split_ascii_whitespace();
            called.find(|word| places(text, word).any(|at| is_called(text, at, word)))
        });
    let quotes_run = matches!(bare, "perl" | "ruby" | "php") && text.contains('`');
    let what = match word {
        Some(word) => format!("the program calls `{word}`, which can delete or run anything"),
        None if quotes_run => String::from("the program runs a command"),
        None if opens_to_write(bare, text) => String::from("the program overwrites a file"),
        None if bare == "tclsh" && text.contains("file ") && deletes_in_tcl(text) => {
            String::from("the program deletes or moves files")
        }
        None => return None,
    };
    Some((Class::Confirm, what))
}

fn deletes_in_tcl(text: &str) -> bool {
    text.contains("file delete") || text.contains("file rename") || text.contains("file copy")
}

/// Where a word stands as a name of its own.
fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = text[..*at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let ends = !(word.ends_with(is_name) && after.is_some_and(is_name));
            ends && !before.is_some_and(is_name)
        })
}

/// Whether the word is called there: no method of something else, no part of a
/// pattern, and an argument follows.
fn is_called(text: &str, at: usize, word: &str) -> bool {
    let before = text[..at].chars().next_back();
    let rest = &text[at + word.len()..];
    let after = rest.trim_start().chars().next();
    let follows = match after {
        Some(c) if rest.starts_with(char::is_whitespace) => {
            c.is_alphanumeric() || "\"'$@(<%\\[_".contains(c)
        }
        Some(c) => "(\"'$@[".contains(c),
        None => false,
    };
    !before.is_some_and(|c| "./$@%-|".contains(c)) && follows
}

/// Whether a file is opened so that its content goes.
fn opens_to_write(language: &str, text: &str) -> bool {
    const MODES: &[&str] = &[
        "w", "wb", "w+", "wb+", "w+b", "wt", "r+", "rb+", "r+b", "x", "+<",
    ];
    if !text.contains("open") {
        return false;
    }
    literals(text).iter().any(|literal| {
        MODES.contains(&literal.as_str())
            || (language == "perl"
                && literal.starts_with(['>', '|', '+'])
                && !literal.starts_with(">>"))
            || (language == "perl" && literal.ends_with('|'))
    })
}

/// The root, the home or a folder of the system that a call sweeps away.
fn sweeps(text: &str, call: &str) -> Option<String> {
    places(text, call).find_map(|at| {
        let rest = &text[at + call.len()..];
        let rest = &rest[..rest.floor_char_boundary(ARGUMENTS)];
        let arguments = rest.split([';', '\n']).next().unwrap_or_default();
        let literals = literals(arguments);
        let all_vital = literals
            .iter()
            .all(|literal| literal == "HOME" || vital(literal).is_some());
        if !all_vital {
            return None;
        }
        let named = literals.iter().find(|literal| *literal != "HOME");
        let at_home = || HOMES.iter().any(|home| arguments.contains(home));
        match named {
            Some(path) => Some(path.clone()),
            None => at_home().then(|| String::from("~")),
        }
    })
}

/// What stands in quotes.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if !matches!(c, '"' | '\'') {
            continue;
        }
        let mut literal = String::new();
        let mut closed = false;
        while let Some(inner) = chars.next() {
            if inner == c {
                closed = true;
                break;
            }
            if inner == '\\' {
                literal.extend(chars.next());
            } else {
                literal.push(inner);
            }
        }
        if closed {
            found.push(literal);
        }
    }
    found
}
