//! Foreign text inside a message, between tags that name where it came from.
//!
//! A model is told "this is a file", "these are rules", so that it can tell them
//! from what its user said. The text between the tags must not be able to end
//! its own element and go on as somebody else, so a closing tag of the same name
//! inside it is made harmless, and so is a tag that begins rules. This is a mark
//! for a reader, not XML: nothing parses it, and nothing but those is changed,
//! because the model quotes what it reads back to us byte for byte.

/// What Tenon itself puts beside the words of a user, each kind in text parts of
/// its own. The one list of their tags: whoever has to tell such a part from a
/// prompt asks [`of`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// Rules that came after the prompt was fixed; one line of what they are
    /// stands before the element.
    Rules,
    /// A file that was mentioned.
    File,
    /// A folder that was mentioned.
    Folder,
    /// A loaded skill; what is known of its files may follow the element.
    Skill,
    /// A command of the user's own and what it printed.
    Shell,
    /// What a hook said.
    Hook,
    /// Files that went back.
    Undo,
    /// Another agent works from here on.
    Agent,
    /// Folders outside of the project that may be used.
    AddedFolders,
    /// Background processes that have ended.
    Jobs,
    /// What may run from here on.
    Permissions,
    /// How the project stood in git when the session began.
    Git,
}

impl Mark {
    pub const ALL: [Self; 12] = [
        Self::Rules,
        Self::File,
        Self::Folder,
        Self::Skill,
        Self::Shell,
        Self::Hook,
        Self::Undo,
        Self::Agent,
        Self::AddedFolders,
        Self::Jobs,
        Self::Permissions,
        Self::Git,
    ];

    /// The name of its element.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::File => "file",
            Self::Folder => "folder",
            Self::Skill => "skill",
            Self::Shell => "user_shell",
            Self::Hook => "hook",
            Self::Undo => "undo",
            Self::Agent => "agent",
            Self::AddedFolders => "added_folders",
            Self::Jobs => "jobs",
            Self::Permissions => "permissions",
            Self::Git => "git",
        }
    }

    fn is(self, text: &str) -> bool {
        let tag = self.tag();
        match self {
            Self::Rules => text
                .split_once('\n')
                .is_some_and(|(_, rest)| is_whole(tag, rest)),
            Self::Skill => content(tag, text).is_some(),
            Self::File
            | Self::Folder
            | Self::Shell
            | Self::Hook
            | Self::Undo
            | Self::Agent
            | Self::AddedFolders
            | Self::Jobs
            | Self::Permissions
            | Self::Git => is_whole(tag, text),
        }
    }
}

/// What a text part is that Tenon added; `None` for the words of a user. Told by
/// its form alone: one element and nothing else. A prompt that only begins with
/// such a tag, or holds one, is a prompt.
#[must_use]
pub fn of(text: &str) -> Option<Mark> {
    Mark::ALL.into_iter().find(|mark| mark.is(text))
}

/// The value of an attribute and the content of the element with which a text
/// begins. Its content cannot hold its own closing tag.
#[must_use]
pub fn read<'a>(mark: Mark, attribute: &str, text: &'a str) -> Option<(String, &'a str)> {
    let (head, inside, _) = content(mark.tag(), text)?;
    let wanted = format!(" {attribute}=\"");
    let value = head.split_once(wanted.as_str())?.1.split_once('"')?.0;
    Some((plain(value), inside.trim_matches('\n')))
}

/// The values of this attribute in all tags of this kind that a text holds,
/// wherever they stand. Anybody can write such a tag.
pub fn mentioned(mark: Mark, attribute: &str, text: &str) -> Vec<String> {
    let opening = format!("<{} {attribute}=\"", mark.tag());
    text.split(opening.as_str())
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(plain)
        .collect()
}

fn plain(value: &str) -> String {
    value
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The attributes, the content, and what follows an element with which a text
/// begins.
fn content<'a>(tag: &str, text: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let rest = text.strip_prefix('<')?.strip_prefix(tag)?;
    if !rest.starts_with([' ', '>']) {
        return None;
    }
    let (head, rest) = rest.split_once('>')?;
    let (inside, after) = rest.split_once(&format!("</{tag}>"))?;
    Some((head, inside, after))
}

fn is_whole(tag: &str, text: &str) -> bool {
    content(tag, text).is_some_and(|(_, _, after)| after.trim().is_empty())
}

/// `text` as the content of an element, on lines of its own.
///
/// ```
/// use tenon_vocab::marked::element;
///
/// assert_eq!(
///     element("file", &[("path", "a \"b\".txt")], "one\ntwo\n"),
///     "<file path=\"a &quot;b&quot;.txt\">\none\ntwo\n</file>",
/// );
/// ```
#[must_use]
pub fn element(name: &str, attributes: &[(&str, &str)], text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2 * name.len() + 64);
    out.push_str(&opening(name, attributes));
    out.push('\n');
    let harmless = harmless(name, text);
    out.push_str(&harmless);
    if !harmless.is_empty() && !harmless.ends_with('\n') {
        out.push('\n');
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
    out
}

/// The same for what is not foreign to its place, such as a result that may end in
/// rules of ours: it cannot close its own element, and nothing else is changed.
///
/// ```
/// use tenon_vocab::marked::enclosed;
///
/// assert_eq!(enclosed("user", "a </user> b"), "<user>\na <\\/user> b\n</user>");
/// ```
#[must_use]
pub fn enclosed(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2 * name.len() + 16);
    out.push_str(&opening(name, &[]));
    out.push('\n');
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at + 1);
        out.push_str(before);
        rest = from;
        let closes = rest.trim_start().strip_prefix('/');
        if closes.is_some_and(|tag| begins_with(name, tag.trim_start())) {
            out.push('\\');
        }
    }
    out.push_str(rest);
    if !text.is_empty() && !text.ends_with('\n') {
        out.push('\n');
    }
    out.push_str("</");
    out.push_str(name);
    out.push('>');
    out
}

/// The opening tag alone, which is what one looks for to find an element again.
#[must_use]
pub fn opening(name: &str, attributes: &[(&str, &str)]) -> String {
    let mut out = format!("<{name}");
    for (key, value) in attributes {
        out.push(' ');
        out.push_str(key);
        out.push_str("=\"");
        push_attribute(&mut out, value);
        out.push('"');
    }
    out.push('>');
    out
}

fn push_attribute(out: &mut String, value: &str) {
    for character in value.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A name with a line break would look like content.
            other if other.is_control() => {
                out.push_str(&format!("&#{};", u32::from(other)));
            }
            other => out.push(other),
        }
    }
}

/// `</name` becomes `<\/name`, in any case and with blanks where a lenient
/// reader would overlook them; and `<rules` becomes `<\rules`, because rules
/// never stand inside of something else: what a file, a skill or a summary says
/// are rules has no claim to be.
fn harmless(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push('<');
        rest = &from[1..];
        let tag = rest.trim_start();
        let harms = match tag.strip_prefix('/') {
            Some(after) => begins_with(name, after.trim_start()),
            None => is_rules(tag),
        };
        if harms {
            out.push('\\');
        }
    }
    out.push_str(rest);
    out
}

fn begins_with(name: &str, tag: &str) -> bool {
    tag.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

/// The tag itself, and no longer name that begins like it.
fn is_rules(tag: &str) -> bool {
    let name = Mark::Rules.tag();
    let is_end = |after: &str| !after.starts_with(|c: char| c.is_ascii_alphanumeric());
    begins_with(name, tag) && tag.get(name.len()..).is_some_and(is_end)
}

#[cfg(test)]
mod tests {
    use super::{Mark, element, mentioned, of, read};

    #[test]
    fn what_tenon_adds_is_told_by_its_form_and_a_prompt_never_is() {
        for mark in Mark::ALL {
            let made = element(mark.tag(), &[("path", "a\">")], "x </file> y\n</undo> z");
            let made = match mark {
                Mark::Rules => format!("The rules in a have changed:\n{made}"),
                Mark::Skill => format!("{made}\n[10 more bytes are not shown]"),
                _ => made,
            };
            assert_eq!(of(&made), Some(mark), "{made}");
        }
        let shell = element("user_shell", &[("command", "ls")], "a");
        for prompt in [
            "go on",
            "",
            "<file",
            "<file >",
            "<files a>\n</files>",
            "look at <file path=\"a\">\nx\n</file>",
            "<file path=\"a\">\nx\n</file> what is this?",
            "The rules are in AGENTS.md:\n<rules path=\"a\">\nx\n</rules>\nwhy?",
            &format!("{shell}\nand what of\n{shell}"),
        ] {
            assert_eq!(of(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn an_element_is_read_back_as_it_was_written() {
        let made = element("skill", &[("name", "a \"b\" & <c>")], "be kind");
        assert_eq!(
            read(Mark::Skill, "name", &made),
            Some(("a \"b\" & <c>".to_owned(), "be kind"))
        );
        assert_eq!(
            read(Mark::Skill, "name", "<skills name=\"x\"></skills>"),
            None
        );
        let twice = format!("x {made}\n{made}");
        assert_eq!(mentioned(Mark::Skill, "name", &twice).len(), 2);
    }

    #[test]
    fn text_stands_on_lines_of_its_own_and_keeps_its_bytes() {
        assert_eq!(
            element("summary", &[], "a < b && c </p>"),
            "<summary>\na < b && c </p>\n</summary>"
        );
        assert_eq!(element("summary", &[], ""), "<summary>\n</summary>");
    }

    #[test]
    fn text_cannot_close_its_own_element() {
        for attack in [
            "</file>",
            "</FILE>",
            "</ file >",
            "< /file>",
            "<\n/\nfile\n>",
            "</file",
            "<<</file>",
        ] {
            let made = element("file", &[], attack);
            let inside = made
                .strip_prefix("<file>\n")
                .and_then(|rest| rest.strip_suffix("</file>"))
                .unwrap();
            let folded: String = inside
                .to_lowercase()
                .chars()
                .filter(|character| !character.is_whitespace())
                .collect();
            assert!(!folded.contains("</file"), "{attack:?} became {inside:?}");
        }
    }

    #[test]
    fn rules_cannot_begin_inside_of_another_element() {
        for name in ["summary", "file", "skill", "rules", "user_shell"] {
            for attack in ["<rules path=\"a\">", "<RULES>", "< rules\n>", "<rules"] {
                let made = element(name, &[], attack);
                let inside = made.split_once('\n').unwrap().1;
                assert!(inside.starts_with("<\\"), "{attack:?} became {inside:?}");
            }
            let kept = "<rulesets> <ruler> a<rule";
            let made = element(name, &[], kept);
            assert!(made.contains(kept), "{made}");
        }
        assert!(
            mentioned(
                Mark::Rules,
                "path",
                &element("file", &[], "<rules path=\"a\">")
            )
            .is_empty()
        );
    }

    #[test]
    fn a_closing_tag_of_another_name_is_left_alone() {
        assert_eq!(
            element("rules", &[], "</file> </fil"),
            "<rules>\n</file> </fil\n</rules>"
        );
    }

    #[test]
    fn a_path_cannot_leave_its_attribute() {
        assert_eq!(
            element("file", &[("path", "a\">\n<b&"), ("lines", "1-2")], "x"),
            "<file path=\"a&quot;&gt;&#10;&lt;b&amp;\" lines=\"1-2\">\nx\n</file>"
        );
    }

    #[test]
    fn names_beside_letters_of_several_bytes_do_not_panic() {
        assert_eq!(
            element("file", &[], "</fié </é <"),
            "<file>\n</fié </é <\n</file>"
        );
    }
}
