//! Images of a session, put into the page itself. Only kinds that are pictures
//! and nothing else (an SVG can hold a script), and only as many as a page can
//! bear; for the others a line stands there.

use super::escaped::escaped;
use crate::Blobs;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fmt::Write as _;
use tenon_vocab::BlobRef;

const KINDS: &[&str] = &["image/png", "image/jpeg", "image/gif", "image/webp"];
const EACH: u64 = 5 * 1024 * 1024;
const ALL: u64 = 20 * 1024 * 1024;

pub(super) struct Pictures {
    blobs: Blobs,
    shown: u64,
}

impl Pictures {
    pub(super) fn new(blobs: Blobs) -> Self {
        Self { blobs, shown: 0 }
    }

    pub(super) fn show(&mut self, out: &mut String, name: &BlobRef, media_type: &str) {
        match self.embedded(name, media_type) {
            Ok((kind, bytes)) => {
                self.shown += name.bytes;
                let data = STANDARD.encode(bytes);
                let _ = writeln!(
                    out,
                    "<img alt=\"an image\" src=\"data:{kind};base64,{data}\">"
                );
            }
            Err(why) => {
                let said = format!("[an image ({media_type}, {} bytes): {why}]", name.bytes);
                let _ = writeln!(out, "<p class=\"cut\">{}</p>", escaped(&said));
            }
        }
    }

    fn embedded(
        &self,
        name: &BlobRef,
        media_type: &str,
    ) -> Result<(&'static str, Vec<u8>), String> {
        let kind = KINDS
            .iter()
            .find(|kind| **kind == media_type)
            .ok_or("this kind of image is not shown here")?;
        if name.bytes > EACH {
            return Err(String::from("too large for a page"));
        }
        if self.shown + name.bytes > ALL {
            return Err(String::from("the page already has its maximum of images"));
        }
        let bytes = self.blobs.get(name).map_err(|error| error.to_string())?;
        Ok((kind, bytes))
    }
}
