//! `sessions import`: a document of somebody else becomes a session of this
//! directory. What is believed of it is the business of `Store::import`; here it
//! is only read, within a bound.

use crate::CommandResult;
use crate::commands::pages;
use crate::error::CliError;
use crate::place::Place;
use crate::screen::complain;
use std::io::Read;
use std::path::Path;
use tenon_engine::{Ambient, RealAmbient};
use tenon_session::{ImportError, Target};
use tenon_vocab::{Printable, SessionId};

/// Larger documents are not read.
const LARGEST: u64 = 256 * 1024 * 1024;

pub fn run(place: &Place, file: &Path) -> CommandResult {
    let bytes = read(file)?;
    let target = Target {
        id: SessionId::generate(),
        cwd: place.root_text(),
        now: RealAmbient.now(),
    };
    let imported = place
        .store()
        .import(&bytes, &target)
        .map_err(|error| match error {
            ImportError::Session(error) => CliError::from(error),
            other => CliError::runtime(Printable::block(&other.to_string()).into_string()),
        })?;
    complain(&format!(
        "Imported {} of session {}.",
        pages::counted(
            usize::try_from(imported.records).unwrap_or(usize::MAX),
            "record"
        ),
        imported.from
    ));
    if imported.cwd != target.cwd {
        complain(&format!(
            "It now belongs to {}; it came from {}.",
            Printable::line(&target.cwd),
            Printable::line(&imported.cwd)
        ));
    }
    if imported.missing > 0 {
        complain(&format!(
            "{} (images, long outputs) were not in the document; a note replaces each.",
            pages::counted(imported.missing as usize, "piece")
        ));
    }
    complain(
        "Exports don't include earlier contents of files, so there is nothing to undo or compare.",
    );
    complain(&format!("Continue with: tenon --session {}", imported.id));
    pages::print(&imported.id.to_string())
}

fn read(file: &Path) -> Result<Vec<u8>, CliError> {
    let (name, read) = if file == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin()
            .lock()
            .take(LARGEST + 1)
            .read_to_end(&mut bytes);
        (String::from("standard input"), read.map(|_| bytes))
    } else {
        (
            file.display().to_string(),
            tenon_files::read(file, LARGEST + 1),
        )
    };
    let name = Printable::line(&name);
    let bytes = read.map_err(|error| CliError::usage(format!("can't read {name}: {error}")))?;
    if bytes.len() as u64 > LARGEST {
        return Err(CliError::usage(format!(
            "{name} is larger than the limit of {} MB",
            LARGEST / (1024 * 1024)
        )));
    }
    Ok(bytes)
}
