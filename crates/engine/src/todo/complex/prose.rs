//! Requests in English prose: clauses that begin with a verb of work, as in "add a
//! page, then write tests and update the docs". It knows words and no grammar, so
//! it counts only what is said to the model and not what is told of something.

/// What somebody asks a program to do to a project.
const VERBS: &[&str] = &[
    "adapt",
    "add",
    "adjust",
    "allow",
    "apply",
    "bump",
    "change",
    "check",
    "clean",
    "combine",
    "commit",
    "configure",
    "convert",
    "copy",
    "correct",
    "cover",
    "create",
    "define",
    "delete",
    "deploy",
    "disable",
    "document",
    "drop",
    "enable",
    "ensure",
    "export",
    "expose",
    "extend",
    "extract",
    "fix",
    "format",
    "generate",
    "handle",
    "implement",
    "import",
    "improve",
    "include",
    "initialize",
    "inline",
    "install",
    "integrate",
    "introduce",
    "log",
    "make",
    "merge",
    "migrate",
    "modify",
    "move",
    "optimize",
    "polish",
    "port",
    "prepare",
    "provide",
    "publish",
    "push",
    "put",
    "refactor",
    "reformat",
    "regenerate",
    "register",
    "remove",
    "rename",
    "reorganize",
    "repair",
    "replace",
    "restructure",
    "rewrite",
    "run",
    "save",
    "send",
    "separate",
    "set",
    "ship",
    "simplify",
    "sort",
    "split",
    "store",
    "support",
    "swap",
    "switch",
    "tag",
    "test",
    "translate",
    "turn",
    "tweak",
    "update",
    "upgrade",
    "use",
    "validate",
    "verify",
    "wire",
    "wrap",
    "write",
];

/// What may stand before the verb of a request.
const BEFORE: &[&str] = &[
    "a",
    "afterwards",
    "all",
    "also",
    "always",
    "and",
    "as",
    "be",
    "but",
    "can",
    "could",
    "do",
    "don't",
    "finally",
    "first",
    "firstly",
    "forget",
    "go",
    "have",
    "i",
    "i'd",
    "it",
    "just",
    "kindly",
    "last",
    "lastly",
    "let's",
    "like",
    "make",
    "must",
    "need",
    "next",
    "now",
    "of",
    "once",
    "please",
    "plus",
    "remember",
    "second",
    "secondly",
    "should",
    "so",
    "sure",
    "that",
    "then",
    "third",
    "thirdly",
    "to",
    "want",
    "we",
    "well",
    "will",
    "would",
    "you",
    "you'll",
];

/// Of these one alone makes a question what follows, unless it is put politely.
const ASKING: &[&str] = &[
    "are", "did", "do", "does", "how", "is", "may", "might", "shall", "should", "was", "were",
    "what", "when", "where", "which", "who", "why",
];

/// A thing that was named before.
const PRONOUNS: &[&str] = &[
    "all",
    "everything",
    "it",
    "that",
    "them",
    "these",
    "this",
    "those",
];

/// Sentences that were read line by line.
#[derive(Debug, Default)]
pub(super) struct Sentences {
    text: String,
}

impl Sentences {
    pub(super) fn add(&mut self, line: &str) {
        self.text.push_str(line.trim());
        // A line that ends without a full stop may go on in the next one.
        self.text
            .push(if line.trim().is_empty() { '\n' } else { ' ' });
    }

    /// How many things are asked for.
    pub(super) fn requests(&self) -> usize {
        let mut things = 0;
        let mut pronouns = 0;
        for sentence in self.sentences() {
            for clause in requests(sentence) {
                match clause {
                    Request::Thing => things += 1,
                    Request::Pronoun => pronouns += 1,
                }
            }
        }
        // "Fix it, test it and ship it" is about one thing.
        if things >= 2 {
            things + pronouns
        } else {
            things
        }
    }

    pub(super) fn ends_with_a_question(&self) -> bool {
        self.sentences().last().is_some_and(is_question)
    }

    fn sentences(&self) -> impl Iterator<Item = &str> {
        split(&self.text).filter(|sentence| !sentence.trim().is_empty())
    }
}

/// At the end of a sentence: a mark and a blank, so that `a.rs` and `1.5` stay.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().find(|(at, c)| {
            let next = rest[at + c.len_utf8()..].chars().next();
            let is_over = next.is_none_or(char::is_whitespace);
            *c == '\n' || (matches!(c, '.' | '!' | '?' | ';' | ':') && is_over)
        });
        let (sentence, after) = match ends {
            Some((at, c)) => rest.split_at(at + c.len_utf8()),
            None => (rest, ""),
        };
        rest = after;
        Some(sentence)
    })
}

/// Whether it asks for words and not for work.
pub(super) fn is_question(text: &str) -> bool {
    let text = text.trim();
    if text.ends_with(['？', '؟']) {
        return true;
    }
    text.ends_with('?') && requests(text).next().is_none()
}

/// Whether an item of a list says what to do.
pub(super) fn opens_with_a_verb(item: &str) -> bool {
    let first = split(item).next().unwrap_or_default();
    requests(first).next().is_some()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    Thing,
    /// Something with a thing that was named before.
    Pronoun,
}

/// What one sentence asks for. One that does not begin as a request tells of
/// something, whatever verbs it has.
fn requests(sentence: &str) -> impl Iterator<Item = Request> {
    let all = clauses(sentence);
    let opens = all.first().is_some_and(|clause| opening(clause).is_some());
    let mut found = Vec::new();
    for clause in all.iter().filter(|_| opens) {
        found.extend(opening(clause).or_else(|| left_out(clause).filter(|_| !found.is_empty())));
    }
    found.into_iter()
}

/// The parts between commas, "and" and "then", in small letters.
fn clauses(sentence: &str) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = vec![Vec::new()];
    for word in sentence.split_whitespace() {
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = plain.replace('\u{2019}', "'").to_lowercase();
        if matches!(plain.as_str(), "and" | "then" | "plus")
            && all.last().is_some_and(|it| !it.is_empty())
        {
            all.push(Vec::new());
        }
        if let Some(last) = all.last_mut().filter(|_| !plain.is_empty()) {
            last.push(plain);
        }
        // "Finally, document it" is one clause.
        let says_nothing =
            |clause: &Vec<String>| clause.iter().all(|word| BEFORE.contains(&word.as_str()));
        if word.ends_with(',') && !all.last().is_some_and(says_nothing) {
            all.push(Vec::new());
        }
    }
    all.retain(|clause| !clause.is_empty());
    all
}

/// The request with which a clause begins.
fn opening(clause: &[String]) -> Option<Request> {
    let word = |at: usize| clause.get(at).map(String::as_str);
    let polite =
        matches!(word(0), Some("can" | "could" | "will" | "would")) && word(1) == Some("you");
    if !polite && word(0).is_some_and(|first| ASKING.contains(&first)) {
        return None;
    }
    let verb = (0..clause.len())
        .take_while(|at| *at == 0 || word(at - 1).is_some_and(|before| BEFORE.contains(&before)))
        .find(|at| {
            word(*at).is_some_and(|word| VERBS.contains(&word)) && word(at + 1) != Some("sure")
        })?;
    // "I add a user" tells; "I want you to add one" asks.
    let subject = verb.checked_sub(1).and_then(word);
    if matches!(subject, Some("i" | "we" | "it" | "you" | "that" | "a")) && !polite {
        return None;
    }
    match word(verb + 1) {
        None => None,
        Some(object) if PRONOUNS.contains(&object) && clause.len() == verb + 2 => {
            Some(Request::Pronoun)
        }
        Some(_) => Some(Request::Thing),
    }
}

/// "And also a logout button": the verb is the one before.
fn left_out(clause: &[String]) -> Option<Request> {
    let rest: Vec<&str> = (clause.iter().map(String::as_str))
        .skip_while(|word| matches!(*word, "and" | "then" | "plus"))
        .collect();
    let is_named = matches!(
        rest.get(1),
        Some(&("a" | "an" | "the" | "some" | "another"))
    );
    (rest.first() == Some(&"also") && is_named).then_some(Request::Thing)
}
