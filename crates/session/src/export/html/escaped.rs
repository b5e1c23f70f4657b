//! The only way in which foreign text reaches the page. Characters that mean
//! something to a browser become entities, and those that deceive the eye (bidi
//! controls, escapes, invisible ones) become visible.

use std::fmt::Write as _;
use tenon_vocab::Printable;

/// Text between tags or in a quoted attribute; line feeds and tabs pass.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    push(&mut out, text);
    out
}

pub(super) fn push(out: &mut String, text: &str) {
    for c in Printable::block(text).as_str().chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            _ => out.push(c),
        }
    }
}

/// Beginning and end of a text that is too long, with a count of what is not
/// shown between them. `None` when it fits.
pub(super) fn ends(text: &str, cap: usize) -> Option<(&str, usize, &str)> {
    if text.len() <= cap {
        return None;
    }
    let head = text.floor_char_boundary(cap / 4 * 3);
    let tail = text.ceil_char_boundary(text.len() - cap / 4);
    Some((&text[..head], tail - head, &text[tail..]))
}

/// A block of text as it is, within a cap.
pub(super) fn block(out: &mut String, class: &str, text: &str, cap: usize) {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let _ = write!(out, "<pre class=\"{class}\">");
    match ends(text, cap) {
        None => push(out, text),
        Some((head, between, tail)) => {
            push(out, head);
            let _ = write!(
                out,
                "\n<span class=\"cut\">[… {between} bytes left out …]</span>\n"
            );
            push(out, tail);
        }
    }
    out.push_str("</pre>\n");
}
