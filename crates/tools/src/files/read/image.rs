//! An image as `read` gives it: a line that says what it is, and the picture for
//! the model to look at. Whether the model can is not known here; the engine
//! says so where it cannot.

use super::{Source, kind};
use crate::files::failure::Failure;
use serde_json::json;
use tenon_vocab::{Display, ErrorCode, ToolImage, ToolOutput};

/// `largest` is the user's limit: an image is sent again with every request.
pub(super) fn show(
    source: &mut Source,
    media_type: &str,
    largest: u64,
) -> Result<ToolOutput, Failure> {
    let (path, size) = (source.open.path.clone(), source.open.size);
    let dimensions = kind::dimensions(&source.head);
    let what = format!("`{path}` is an image ({media_type}{dimensions}, {size} bytes)");
    let too_large = || {
        let message = format!(
            "{what}, and at most {largest} bytes can be shown; make a smaller copy and read that"
        );
        Failure::new(ErrorCode::ReadError, message)
    };
    if size > largest {
        return Err(too_large());
    }
    let content = source.whole()?;
    // It may have grown since it was opened.
    if content.len() as u64 > largest {
        return Err(too_large());
    }
    let data = json!({
        "path": source.open.absolute.to_string_lossy(),
        "media_type": media_type,
        "bytes": content.len(),
    });
    let display = Display::Text {
        summary: format!("{media_type}{dimensions}, {size} bytes"),
        body: String::new(),
    };
    let mut output = ToolOutput::ok(data, format!("{what}."), display);
    output.images = vec![ToolImage {
        content,
        media_type: media_type.to_owned(),
    }];
    Ok(output)
}
