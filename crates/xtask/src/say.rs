//! Lines for whoever runs a chore. A closed pipe is the reader's choice, so
//! nothing here fails.

use std::fmt::Display;
use std::io::Write;

pub fn say(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

pub fn complain(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
