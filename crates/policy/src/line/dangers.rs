//! The dangers of a line as one reason: all of them, each with the part of the
//! line that it stands in, and short enough to be read.

use crate::script::Danger;
use tenon_vocab::Class;

/// How many are named; of the rest there is a count.
const MOST: usize = 4;
/// How many parts are quoted for the same danger.
const MOST_PARTS: usize = 2;
/// Characters of a part and of what is said of it. The whole line stands above
/// the reason.
const PART: usize = 60;
const WHAT: usize = 120;
/// Dangers that are compared with each other; a line may have thousands.
const COMPARED: usize = 200;

/// What a danger says, and the parts of the line that it says it of.
struct Named<'a> {
    what: &'a str,
    parts: Vec<&'a str>,
}

/// Why a line is of this class; `None` where nothing in it is.
pub(super) fn named(dangers: &[Danger], class: Class) -> Option<String> {
    let of_class = || dangers.iter().filter(|danger| danger.class == class);
    let all = grouped(of_class().take(COMPARED));
    match all.as_slice() {
        [] => None,
        [one] if one.parts.len() == 1 => Some(one.what.to_owned()),
        _ => {
            let shown: Vec<String> = all.iter().take(MOST).map(sentence).collect();
            let left = all.len().saturating_sub(MOST) + of_class().skip(COMPARED).count();
            Some(format!("{}{}", shown.join("; "), more(left, "; ")))
        }
    }
}

fn grouped<'a>(dangers: impl Iterator<Item = &'a Danger>) -> Vec<Named<'a>> {
    let mut all: Vec<Named<'a>> = Vec::new();
    for danger in dangers {
        if is_said(&all, danger) {
            continue;
        }
        match all.iter_mut().find(|named| named.what == danger.what) {
            Some(named) if named.parts.contains(&danger.piece.as_str()) => {}
            Some(named) => named.parts.push(&danger.piece),
            None => all.push(Named {
                what: &danger.what,
                parts: vec![&danger.piece],
            }),
        }
    }
    all
}

/// That a file would be deleted follows from the command that deletes it.
fn is_said(all: &[Named<'_>], danger: &Danger) -> bool {
    let names_file = |part: &&str| part.split_whitespace().any(|word| word == danger.piece);
    danger.what == format!("`{}` would be deleted", danger.piece)
        && all.iter().any(|named| named.parts.iter().any(names_file))
}

fn sentence(named: &Named<'_>) -> String {
    let what = short(named.what, WHAT);
    // A danger of a file names it already.
    if let [part] = named.parts.as_slice()
        && named.what.contains(&format!("`{part}`"))
    {
        return what;
    }
    let quoted = |part: &&str| format!("`{}`", short(part, PART));
    let parts: Vec<String> = named.parts.iter().take(MOST_PARTS).map(quoted).collect();
    let more = more(named.parts.len().saturating_sub(MOST_PARTS), " ");
    format!("{what} ({}{more})", parts.join(", "))
}

fn short(text: &str, most: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(most).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown}{cut}")
}

fn more(left: usize, before: &str) -> String {
    match left {
        0 => String::new(),
        left => format!("{before}and {left} more"),
    }
}
