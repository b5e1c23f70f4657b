//! Where text for people goes, and in which colours. Foreign text must pass
//! [`tenon_vocab::Printable`] before it comes here.

use crate::args::ColorChoice;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Named colours only, so that every theme of a terminal stays readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Dim,
    Bold,
    Red,
    Green,
    Cyan,
    Yellow,
    /// Bold yellow: the name of a tool.
    Tool,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Dim => "2",
            Self::Bold => "1",
            Self::Red => "31",
            Self::Green => "32",
            Self::Cyan => "36",
            Self::Yellow => "33",
            Self::Tool => "1;33",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Colour,
    Plain,
}

impl Paint {
    /// For standard error: the flag, then NO_COLOR and its kin, then the terminal.
    pub fn for_stderr(choice: ColorChoice) -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let wanted = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto
                if set("NO_COLOR") || set("TENON_NO_COLOR") || set("AGENT_NO_COLOR") =>
            {
                false
            }
            ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
            ColorChoice::Auto => std::io::stderr().is_terminal() && !dumb,
        };
        if wanted { Self::Colour } else { Self::Plain }
    }

    pub fn paint(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\x1b[{}m{text}\x1b[0m", style.code()),
        }
    }
}

/// A line to standard error. That nobody reads it is no reason to fail.
pub fn complain(line: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = writeln!(stderr, "{line}");
}

/// A result to standard output, with a newline at its end.
///
/// # Errors
/// When the reader is gone.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()
}

/// Prints what ends its lines itself, without making one text of it first.
///
/// # Errors
/// When the reader is gone.
pub fn print_lines(lines: &impl std::fmt::Display) -> std::io::Result<()> {
    let mut stdout = std::io::BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
    write!(stdout, "{lines}")?;
    stdout.flush()
}

/// A file that only its owner may read: transcripts hold what was read.
///
/// # Errors
/// When it cannot be written.
pub fn write_private(path: &Path, content: &[u8]) -> std::io::Result<()> {
    crate::new_file::private(path)?.write_all(content)
}
