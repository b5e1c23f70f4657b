//! What a user says of the session itself: its title, whether it stays when old
//! ones are removed, what may run unasked. No model is asked, and nothing waits for a run: the
//! inbox does it at once. A title that was given here is never replaced by one
//! that a model makes.

use crate::core::Core;
use crate::folders;
use crate::mode::{self, Wished};
use tenon_vocab::notice;
use tenon_vocab::{Notice, NoticeLevel, SettingsChange};

/// Characters of a title, at most. It stands in lists.
pub const LONGEST_TITLE: usize = 200;

/// A title as it is kept: one line.
///
/// # Errors
/// Says what is wrong with it, as the end of a sentence.
pub fn title(text: &str) -> Result<String, String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    match line.chars().count() {
        0 => Err(String::from("the title is empty")),
        1..=LONGEST_TITLE => Ok(line),
        _ => Err(format!(
            "the title is longer than {LONGEST_TITLE} characters"
        )),
    }
}

/// Records it, then says it. Ends in exactly one notice of the kind `settings`:
/// a front end waits for it. The mode `plan` is another agent: alone it ends in
/// the notice of that change.
pub(crate) fn change(core: &Core, change: SettingsChange) {
    let known = core.emitter.state(|state| state.settings().cloned());
    let mut settings = known.clone().unwrap_or_else(|| core.settings.clone());
    settings.side = None;
    let mut said = Vec::new();
    let mut hint = None;
    if let Some(text) = change.title {
        match title(&text) {
            Ok(line) => {
                let line = core.masker.mask(&line).into_owned();
                said.push(format!("The session is now called `{line}`."));
                settings.title = Some(line);
            }
            Err(why) => {
                let said = format!("The session was not renamed: {why}.");
                return core.notice(None, NoticeLevel::Warning, notice::SETTINGS, said);
            }
        }
    }
    if let Some(pinned) = change.pinned {
        settings.pinned = pinned;
        said.push(String::from(if pinned {
            "This session is kept when old ones are removed."
        } else {
            "This session is removed when it gets old."
        }));
    }
    if let Some(wanted) = change.permission_mode {
        match mode::wish(core, wanted, &mut settings) {
            Ok(Wished::Done {
                said: done,
                hint: doubt,
            }) => {
                said.push(done);
                hint = doubt;
            }
            Ok(Wished::Queued) if said.is_empty() => return,
            Ok(Wished::Queued) => {}
            Err(why) => return core.notice(None, NoticeLevel::Warning, notice::SETTINGS, why),
        }
    }
    if let Some(written) = change.add_dir {
        match folders::add(core, &written, &mut settings) {
            Ok(done) => said.push(done),
            Err(why) => return core.notice(None, NoticeLevel::Warning, notice::SETTINGS, why),
        }
    }
    if known.as_ref() != Some(&settings) {
        core.emit_or_end(None, settings);
    }
    core.emit_or_end(
        None,
        Notice {
            level: NoticeLevel::Info,
            kind: String::from(notice::SETTINGS),
            message: said.join(" "),
            hint,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn a_title_becomes_one_line_of_bounded_length() {
        assert_eq!(title("  fix \n the\tparser "), Ok("fix the parser".into()));
        assert_eq!(title("a\u{1b}[2Jb"), Ok("a[2Jb".into()));
        assert!(title(" \n ").is_err() && title("\u{7}").is_err());
        assert!(title(&"é".repeat(200)).is_ok());
        assert!(title(&"é".repeat(201)).is_err());
    }
}
