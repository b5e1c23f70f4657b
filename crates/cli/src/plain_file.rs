//! Small files of our own state, written whole. What reads them is `tenon_files`.

use std::io::{self, Write as _};
use std::path::Path;

/// Puts a page in the place of another, whole or not at all. For nobody else to
/// read.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, page: &serde_json::Value) -> io::Result<()> {
    replace_text(path, &page.to_string())
}

/// The same for any text.
///
/// # Errors
/// When it cannot be written.
pub fn replace_text(path: &Path, page: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // 0600 by default, and never half a file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(page.as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}
