//! Lines as text that a test can state: what is not plain stands in brackets
//! behind letters for its role and its weight.

use tenon_tui::text::{Band, Break, Line, Role, Ruled, Slant, Span, Weight};

/// `a [c b]` is an `a ` and then a `b` in the role of code. `*` is bold, `/`
/// italic, `_` underlined, `~` struck through. Behind the role of a piece of code `+`, `-` and `d`
/// say which line of a change it stands in. `¬` ends a line that the terminal
/// may break; `▐` stands behind one whose background runs on to the edge.
pub fn noted(line: &Line) -> String {
    let mut text: String = line.spans.iter().map(piece).collect();
    if line.band != Band::None {
        text.push('▐');
    }
    if line.ends == Break::ByTerminal {
        text.push('¬');
    }
    text
}

pub fn all(lines: &[Line]) -> String {
    lines.iter().map(noted).collect::<Vec<_>>().join("\n")
}

fn piece(span: &Span) -> String {
    let mut letters = String::from(role(span.style.role));
    letters.push_str(match span.style.band {
        Band::None => "",
        Band::Added => "+",
        Band::Removed => "-",
        Band::Around => "d",
        Band::Chosen => "!",
    });
    if span.style.bold == Weight::Bold {
        letters.push('*');
    }
    if span.style.italic == Slant::Italic {
        letters.push('/');
    }
    match span.style.line {
        Ruled::No => {}
        Ruled::Under => letters.push('_'),
        Ruled::Through => letters.push('~'),
    }
    match letters.as_str() {
        "" => span.text().to_owned(),
        letters => format!("[{letters} {}]", span.text()),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Text => "",
        Role::Dim => "d",
        Role::Heading => "h",
        Role::Code => "c",
        Role::Link => "l",
        Role::Quote => "q",
        Role::User => "u",
        Role::Tool => "t",
        Role::Success => "ok",
        Role::Error => "err",
        Role::Warning => "warn",
        Role::Accent => "a",
        Role::Added => "+",
        Role::Removed => "-",
        Role::AddedWord => "++",
        Role::RemovedWord => "--",
        Role::Hunk => "@",
        Role::Border => "b",
        Role::Selected => "sel",
        Role::Match => "m",
        Role::Keyword => "k",
        Role::Literal => "n",
        Role::StringText => "s",
        Role::Comment => "#",
        Role::Function => "f",
        Role::TypeName => "ty",
        Role::Punctuation => "p",
        Role::Caret => "caret",
    }
}
