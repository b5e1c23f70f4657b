//! Tells the marked texts that the engine puts beside a prompt from the prompt.
//! Only by the first tag of a part: what stands inside the content of a file or
//! the output of a command is somebody else's word.

/// What a text part is, told by its first tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Marked {
    Skill {
        name: String,
        text: String,
    },
    /// Rules, a file, a command of the user's own: they have other records.
    Other,
}

const OTHERS: &[&str] = &[
    "<rules ",
    "<file ",
    "<folder ",
    "<user_shell ",
    "<reminder",
    "<context",
    "<hook",
    "<note",
    "<undone",
    "<reverted",
];

pub(super) fn of(text: &str) -> Option<Marked> {
    if let Some((name, inside)) = element(text, "skill", "name") {
        return Some(Marked::Skill { name, text: inside });
    }
    OTHERS
        .iter()
        .any(|tag| text.starts_with(tag))
        .then_some(Marked::Other)
}

/// The attribute and the content of an element with which a text begins. Its
/// content cannot hold its own closing tag.
fn element(text: &str, name: &str, attribute: &str) -> Option<(String, String)> {
    let rest = text.strip_prefix('<')?.strip_prefix(name)?;
    if !rest.starts_with(' ') {
        return None;
    }
    let (head, rest) = rest.split_once('>')?;
    let close = format!("</{name}>");
    let (inside, _) = rest.split_once(close.as_str())?;
    let wanted = format!(" {attribute}=\"");
    let value = head.split_once(wanted.as_str())?.1.split_once('"')?.0;
    let value = value
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    Some((value, inside.trim_matches('\n').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_told_by_the_first_tag_of_its_part() {
        assert_eq!(
            of("<skill name=\"pdf\" source=\"user\">\nbe kind\n</skill>"),
            Some(Marked::Skill {
                name: "pdf".into(),
                text: "be kind".into()
            })
        );
        assert_eq!(of("<file path=\"x\">\n</file>"), Some(Marked::Other));
        assert_eq!(of("see <skill name=\"x\">y</skill>"), None);
        assert_eq!(of("<skills name=\"x\">y</skills>"), None);
        assert_eq!(of("<skill>"), None);
    }
}
