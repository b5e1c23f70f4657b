//! The page from the log alone: no model, and the same log gives the same page.

use super::facts::Facts;
use super::page::{Page, code, one_line, shortened};
use std::fmt::Write as _;
use tenon_session::{FIRST_KEPT, binds};
use tenon_vocab::{FileDone, FileFact, TodoItem, TodoStatus};

const FILES: usize = 30;
const COMMANDS: usize = 10;
const PROMPTS: usize = 10;
/// Characters of one prompt, of the last answer, and of other lines.
const PROMPT: usize = 600;
/// Of a prompt among many, and of all of them that have more.
const BRIEF: usize = 120;
const ALL_PROMPTS: usize = 12_000;
const ANSWER: usize = 1_500;
const LINE: usize = 300;
const LINES: usize = 5;

pub fn page(facts: &Facts, goal: &str) -> Page {
    let recap = &facts.recap;
    let files = files(facts);
    Page {
        origin: origin(facts),
        goal: goal.trim().to_owned(),
        starter: starter(facts, goal.trim()),
        more_files: files.len().saturating_sub(FILES),
        files: files.into_iter().take(FILES).collect(),
        tasks: tasks(&recap.todo, goal),
        root: recap.root.clone(),
        commands: {
            let ran: Vec<_> = recap
                .commands
                .iter()
                .filter(|ran| ran.outcome != "denied")
                .collect();
            let skipped = ran.len().saturating_sub(COMMANDS);
            ran.into_iter().skip(skipped).cloned().collect()
        },
    }
}

fn origin(facts: &Facts) -> String {
    let mut line = format!(
        "From session `{}` in {}",
        facts.session,
        code(&facts.recap.root)
    );
    if let Some(branch) = &facts.branch {
        let _ = write!(line, ", branch {}", code(branch));
    }
    if let Some(written) = facts.written {
        let _ = write!(
            line,
            ", last written {}",
            written.strftime("%Y-%m-%d %H:%M UTC")
        );
    }
    line.push('.');
    line
}

/// What was changed before what was only read, the newest of each first.
pub fn files(facts: &Facts) -> Vec<FileFact> {
    let all = facts.recap.files.iter().rev();
    let (read, changed): (Vec<_>, Vec<_>) =
        all.cloned().partition(|file| file.done == FileDone::Read);
    changed.into_iter().chain(read).collect()
}

/// What is open on the list; the goal itself where nothing is.
pub fn tasks(todo: &[TodoItem], goal: &str) -> Vec<TodoItem> {
    let open: Vec<TodoItem> = todo
        .iter()
        .filter(|item| item.status.is_open())
        .cloned()
        .collect();
    if !open.is_empty() {
        return open;
    }
    vec![TodoItem {
        text: shortened(&one_line(goal), LINE),
        status: TodoStatus::Pending,
    }]
}

fn starter(facts: &Facts, goal: &str) -> String {
    let recap = &facts.recap;
    let mut out = String::from(
        "Go on with work that was begun in another session. You see nothing of it but this.\n\n",
    );
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "What is to be reached: {goal}");
    out.push_str(&asked(facts, goal));
    if let Some(last) = facts.said.last() {
        let _ = writeln!(
            out,
            "\nWhat was said last:\n{}",
            shortened(last.trim(), ANSWER)
        );
    }
    listed(&mut out, "What failed:", &recap.errors);
    if !recap.files.is_empty() {
        let named: Vec<String> = files(facts)
            .iter()
            .take(LINES * 2)
            .map(|file| code(&file.path))
            .collect();
        let _ = writeln!(
            out,
            "\nRead these files before you change anything: {}.",
            named.join(", ")
        );
    }
    out.push_str("\nFirst check what of this is done already, then go on with what is not.");
    out
}

/// The user's own words, with an empty line before them: what binds the work
/// must not depend on whether a model repeats it.
pub fn asked(facts: &Facts, goal: &str) -> String {
    let recap = &facts.recap;
    let mut asked: Vec<&String> = vec![&recap.goal];
    asked.extend(&recap.prompts);
    asked.retain(|prompt| prompt.trim() != goal);
    let mut out = String::new();
    if !asked.is_empty() {
        out.push_str("\nWhat was asked, in order:\n");
    }
    for (prompt, most) in asked.iter().zip(lengths(&asked)) {
        let _ = writeln!(out, "- {}", shortened(&one_line(prompt), most));
    }
    if recap.left_out > 0 {
        let _ = writeln!(out, "- ({} others are left out)", recap.left_out);
    }
    let skipped = recap.decisions.len().saturating_sub(PROMPTS);
    let decided: Vec<_> = recap.decisions.iter().skip(skipped).collect();
    if !decided.is_empty() {
        out.push_str("\nWhat was answered when the user was asked:\n");
    }
    for decision in decided {
        let _ = writeln!(out, "- {}", shortened(&one_line(decision), PROMPT));
    }
    out
}

/// The characters that each of these has. None is left out: what binds the work
/// may have been said at any time. Where there are many, what came first, what
/// came last and what sounds as if it binds has more room than the others.
fn lengths(asked: &[&String]) -> Vec<usize> {
    let last = asked.len().saturating_sub(PROMPTS / 2);
    let matters = |at: usize| at <= FIRST_KEPT || at >= last || binds(asked[at]);
    let many = (0..asked.len()).filter(|at| matters(*at)).count();
    let long = (ALL_PROMPTS / many.max(1)).clamp(BRIEF, PROMPT);
    (0..asked.len())
        .map(|at| if matters(at) { long } else { BRIEF })
        .collect()
}

/// The last few lines under a heading.
fn listed(out: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{heading}");
    for line in lines.iter().skip(lines.len().saturating_sub(LINES)) {
        let _ = writeln!(out, "- {}", shortened(&one_line(line), LINE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_vocab::{Recap, SessionId};

    #[test]
    fn the_first_prompt_and_every_later_word_stay_however_many_there_are() {
        let long = "and so on with all the rest of it, as was said. ".repeat(20);
        let mut recap = Recap {
            goal: "Port the parser.".into(),
            prompts: (0..100).map(|n| format!("step {n}: {long}")).collect(),
            ..Recap::default()
        };
        recap.prompts[40] = "Vendor stays as it is.".into();
        recap.prompts[41] = format!("Never touch the lexer, {}END", "at all, ".repeat(12));
        let facts = Facts {
            session: SessionId::generate(),
            recap,
            branch: None,
            written: None,
            said: Vec::new(),
            summary: None,
        };
        let text = asked(&facts, "ship it");
        assert!(text.contains("- Port the parser.\n"), "{text}");
        assert!(text.contains("Vendor stays as it is."), "{text}");
        assert!(text.contains("END"), "{text}");
        for n in (0..100).filter(|n| !matches!(n, 40 | 41)) {
            assert!(text.contains(&format!("- step {n}: ")), "{n}");
        }
        assert!(text.len() < 2 * ALL_PROMPTS, "{}", text.len());
    }
}
