//! What `find` goes through, and what it deletes or writes on its way.

use super::{Sweep, Touched};
use crate::script::Deed;
use crate::shell::argv::Argv;
use crate::shell::word::Term;

/// The folders that `find` goes through. With a test in between, what is deleted
/// is not the folder as a whole.
pub(super) fn searched(argv: Argv<'_>) -> Vec<Touched> {
    let mut folders: Vec<Term> = argv
        .arguments()
        .iter()
        .skip_while(|term| matches!(term.text.as_str(), "-H" | "-L" | "-P"))
        .take_while(|term| !term.text.starts_with(['-', '(', '!']))
        .cloned()
        .collect();
    if folders.is_empty() {
        folders.push(Term::literal("."));
    }
    let mut found = Vec::new();
    let deletes = argv.texts().any(|text| text == "-delete") || executes_removal(argv);
    let texts: Vec<&str> = argv.texts().collect();
    // `-name '*'` picks everything.
    let all = |at: usize| texts.get(at + 1) == Some(&"*") && texts[at].ends_with("name");
    let picks = texts.iter().enumerate().any(|(at, text)| {
        !all(at)
            && matches!(
                *text,
                "-name"
                    | "-iname"
                    | "-path"
                    | "-ipath"
                    | "-wholename"
                    | "-regex"
                    | "-iregex"
                    | "-newer"
                    | "-mtime"
                    | "-mmin"
                    | "-atime"
                    | "-ctime"
                    | "-size"
                    | "-empty"
                    | "-user"
                    | "-maxdepth"
                    | "-links"
                    | "-perm"
                    | "-inum"
            )
    });
    for folder in folders {
        if deletes {
            let term = if picks {
                Term {
                    text: format!("{}/**/*", folder.text.trim_end_matches('/')),
                    expands: true,
                    ..folder.clone()
                }
            } else {
                folder.clone()
            };
            let sweep = if picks { Sweep::One } else { Sweep::Tree };
            found.push((term, Deed::Delete, sweep));
        }
        found.push((folder, Deed::Read, Sweep::Tree));
    }
    let arguments = argv.arguments();
    for (at, term) in arguments.iter().enumerate() {
        if matches!(
            term.text.as_str(),
            "-fprint" | "-fprint0" | "-fprintf" | "-fls"
        ) && let Some(file) = arguments.get(at + 1)
        {
            found.push((file.clone(), Deed::Overwrite, Sweep::One));
        }
    }
    found
}

fn executes_removal(argv: Argv<'_>) -> bool {
    let texts: Vec<&str> = argv.texts().collect();
    texts.windows(2).any(|pair| {
        pair[0].starts_with("-exec")
            && matches!(pair[1].rsplit('/').next(), Some("rm" | "unlink" | "shred"))
    })
}
