//! Draws events. Renderers know shapes and no tools, and decide nothing.

mod boxed;
pub mod json;
pub mod lines;
pub mod question;
mod standing;
pub mod table;
pub mod text;
pub mod waiting;
pub mod wrap;

use crate::args::Format;
use crate::error::{CliError, Kind};
use crate::screen::{self, Paint, Style};
use std::process::ExitCode;
use tenon_vocab::{Event, Printable};

/// Where the screen stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    AtLineStart,
    /// Inside a line that more may follow on.
    InLine,
}

/// Whatever draws the events of a session.
pub trait Renderer {
    /// # Errors
    /// When the reader is gone.
    fn event(&mut self, event: &Event) -> std::io::Result<()>;

    /// Where what was drawn has left the screen.
    fn stands(&self) -> Stands {
        Stands::AtLineStart
    }

    /// Something in the input of the program in front is no command.
    ///
    /// # Errors
    /// When the reader is gone.
    fn complaint(&mut self, why: &str) -> std::io::Result<()> {
        screen::complain(&format!("error: {}", Printable::line(why)));
        Ok(())
    }
}

/// Says why a command failed: for people on standard error, for programs as one
/// JSON line on standard output.
pub fn failure(error: &CliError, format: Format, paint: Paint) -> ExitCode {
    match format {
        Format::Text => {
            screen::complain(&format!(
                "{} {}",
                paint.paint(Style::Red, "error:"),
                Printable::block(&error.message)
            ));
            if let Some(hint) = &error.hint {
                screen::complain(&Printable::block(hint).to_string());
            }
        }
        Format::Json => {
            let kind = match error.kind {
                Kind::Usage => "usage",
                Kind::Config => "config",
                Kind::Runtime => "runtime",
            };
            let line = serde_json::json!({
                "type": "error", "kind": kind, "message": error.message,
                "hint": error.hint, "exit_code": error.code(),
            });
            // A reader that is gone cannot be told.
            let _ = screen::print(&line.to_string());
        }
    }
    ExitCode::from(error.code())
}
