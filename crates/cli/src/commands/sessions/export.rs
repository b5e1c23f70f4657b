//! A session in another form: on standard output, or in a file. The one way for
//! `sessions export` and for `/export`. A file that is there stays as it is,
//! unless the user says otherwise.

use crate::CommandResult;
use crate::args::{ExportFormat, RunArgs};
use crate::assemble::{Configured, Options};
use crate::commands::pages;
use crate::drive::Desk;
use crate::error::CliError;
use crate::new_file;
use crate::place::Place;
use crate::screen::complain;
use crate::secrets;
use std::path::Path;
use std::process::ExitCode;
use tenon_session::{Loaded, export};

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

fn page(loaded: &Loaded, format: ExportFormat) -> Result<String, CliError> {
    Ok(match format {
        ExportFormat::Html => export::html(loaded),
        ExportFormat::Md => export::markdown(loaded),
        ExportFormat::Json => {
            let mut bytes = Vec::new();
            export::write_json(loaded, &mut bytes)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
    })
}

/// Without a form the ending of the name says which; without a name it is
/// printed.
pub fn write(
    place: &Place,
    loaded: &Loaded,
    format: Option<ExportFormat>,
    out: Option<&Path>,
    over: Over,
) -> CommandResult {
    let options = Options::from_args(&RunArgs::default(), Desk::Nobody);
    let configured = Configured::read(place, &options).ok();
    let warn = || secrets::warn_of_typed(place, configured.as_ref(), loaded);
    let Some(path) = out else {
        warn();
        let format = format.unwrap_or(ExportFormat::Md);
        return pages::print_foreign(&page(loaded, format)?);
    };
    if over == Over::Never {
        new_file::free(path, HINT)?;
    }
    let page = page(loaded, format.unwrap_or_else(|| form_of(path)))?;
    match over {
        Over::Never => new_file::write(path, page.as_bytes(), HINT)?,
        Over::Replace => crate::screen::write_private(path, page.as_bytes())
            .map_err(|error| new_file::cannot(path, &error))?,
    }
    complain(&format!(
        "Session {} is in {}.",
        loaded.id,
        new_file::shown(path)
    ));
    warn();
    Ok(ExitCode::SUCCESS)
}
