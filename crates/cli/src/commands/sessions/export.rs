//! A session in another form: on standard output, or in a file. The one way for
//! `sessions export` and for `/export`. A file that is there stays as it is,
//! unless the user says otherwise.

use super::printed;
use crate::CommandResult;
use crate::args::{ExportFormat, RunArgs};
use crate::assemble::{Configured, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::new_file;
use crate::place::Place;
use crate::screen::complain;
use crate::secrets;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use tenon_model::dialect;
use tenon_session::{Reading, export};
use tenon_vocab::Message;

const HINT: &str =
    "Choose another name, or remove the file; `tenon sessions export --force` writes over it.";

/// What happens to a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Never,
    Replace,
}

/// What the ending of a name asks for.
fn form_of(path: &Path) -> ExportFormat {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => ExportFormat::Html,
        Some("json") => ExportFormat::Json,
        _ => ExportFormat::Md,
    }
}

fn make(reading: &Reading, format: ExportFormat, out: &mut dyn Write) -> io::Result<()> {
    match format {
        ExportFormat::Html => export::write_html(reading, out),
        ExportFormat::Md => export::write_markdown(reading, out),
        ExportFormat::Json => export::write_json(reading, &as_written, out),
    }
}

/// What a model without tools wrote, in the form in which it is kept for it.
fn as_written(name: &str, message: &Message) -> Option<String> {
    let is_dialect = name == dialect::NAME;
    is_dialect.then(|| dialect::written(message)).flatten()
}

/// A half of a page is worse than none: where something is in the way, what was
/// made goes again.
fn fill(path: &Path, file: File, reading: &Reading, format: ExportFormat) -> Result<(), CliError> {
    let mut file = BufWriter::new(file);
    let filled = make(reading, format, &mut file).and_then(|()| file.flush());
    filled.map_err(|error| {
        // The error is what counts; that a rest of it stays is only untidy.
        let _ = fs::remove_file(path);
        printed::failed(error, |error| new_file::cannot(path, &error))
    })
}

/// Written beside it and put in its place when it is whole: what was there stays
/// until then. A link stays one; what it leads to is replaced.
fn replace(path: &Path, reading: &Reading, format: ExportFormat) -> Result<(), CliError> {
    let cannot = |error: &io::Error| new_file::cannot(path, error);
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) => path.to_owned(),
    };
    // A device or a pipe has no content to lose, and cannot be replaced.
    if target.metadata().is_ok_and(|found| !found.is_file()) {
        let file = new_file::private(&target).map_err(|error| cannot(&error))?;
        let mut file = BufWriter::new(file);
        return make(reading, format, &mut file)
            .and_then(|()| file.flush())
            .map_err(|error| printed::failed(error, |error| cannot(&error)));
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let beside = tempfile::NamedTempFile::new_in(folder).map_err(|error| cannot(&error))?;
    let mut file = BufWriter::new(beside);
    make(reading, format, &mut file)
        .and_then(|()| file.flush())
        .map_err(|error| printed::failed(error, |error| cannot(&error)))?;
    let beside = file.into_inner().map_err(|error| cannot(error.error()))?;
    beside
        .persist(&target)
        .map(drop)
        .map_err(|error| cannot(&error.error))
}

/// Without a form the ending of the name says which; without a name it is
/// printed.
pub fn write(
    place: &Place,
    reading: &Reading,
    format: Option<ExportFormat>,
    out: Option<&Path>,
    over: Over,
) -> CommandResult {
    let Some(path) = out else {
        if let Some(said) = warning(place, reading) {
            complain(&said);
        }
        let format = format.unwrap_or(ExportFormat::Md);
        return printed::print(|out| make(reading, format, out));
    };
    for said in to_file(place, reading, format, path, over)? {
        complain(&said);
    }
    Ok(ExitCode::SUCCESS)
}

/// Into a file; gives what is to be said of it.
pub fn to_file(
    place: &Place,
    reading: &Reading,
    format: Option<ExportFormat>,
    path: &Path,
    over: Over,
) -> Result<Vec<String>, CliError> {
    let format = format.unwrap_or_else(|| form_of(path));
    match over {
        Over::Never => fill(path, new_file::create(path, HINT)?, reading, format)?,
        Over::Replace => replace(path, reading, format)?,
    }
    let mut said = vec![format!(
        "Exported session {} to {}.",
        reading.id,
        new_file::shown(path)
    )];
    said.extend(warning(place, reading));
    Ok(said)
}

fn warning(place: &Place, reading: &Reading) -> Option<String> {
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let configured = Configured::read(place, &options).ok();
    secrets::typed(place, configured.as_ref(), reading)
}
