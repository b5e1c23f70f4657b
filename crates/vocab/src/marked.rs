//! Foreign text inside a message, between tags that name where it came from.
//!
//! A model is told "this is a file", "these are rules", so that it can tell them
//! from what its user said. The text between the tags must not be able to end
//! its own element and go on as somebody else, so a closing tag of the same name
//! inside it is made harmless. This is a mark for a reader, not XML: nothing
//! parses it, and nothing but that tag is changed, because the model quotes what
//! it reads back to us byte for byte.

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
/// reader would overlook them.
fn harmless(name: &str, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        out.push('<');
        rest = &from[1..];
        let slash = rest.trim_start();
        if let Some(after) = slash.strip_prefix('/')
            && closes(name, after.trim_start())
        {
            out.push('\\');
        }
    }
    out.push_str(rest);
    out
}

fn closes(name: &str, after: &str) -> bool {
    after
        .get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::element;

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
