//! Images for the next prompt. Each has a mark in the text; an image whose mark was
//! taken out again is not sent.

use super::say;
use crate::house::{Attached, ImageFrom};
use crate::input::Effect;
use crate::state::State;
use crate::text::Role;
use tenon_vocab::{Part, Printable};

/// Names of files whose content may be an image; what it is, is looked at later.
const ENDINGS: [&str; 5] = [".png", ".jpg", ".jpeg", ".gif", ".webp"];
/// No path is longer.
const LONGEST: usize = 4096;

/// Something was pasted. Terminals send an empty paste for what is no text.
pub(super) fn pasted(state: &State, text: &str, effects: &mut Vec<Effect>) {
    if state.composer.is_shell() {
        return;
    }
    if text.is_empty() {
        effects.push(Effect::Image(ImageFrom::Clipboard));
    } else if names_an_image(text) {
        effects.push(Effect::Image(ImageFrom::Text(text.to_owned())));
    }
}

fn names_an_image(text: &str) -> bool {
    let text = text.trim();
    let name = text.trim_matches(['"', '\'']).to_ascii_lowercase();
    text.len() <= LONGEST
        && !text.contains('\n')
        && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// What was found. A path that was pasted gives its place to the mark.
pub(super) fn found(state: &mut State, from: &ImageFrom, found: Result<Option<Attached>, String>) {
    let attached = match found {
        Ok(Some(attached)) => attached,
        Ok(None) if *from == ImageFrom::Clipboard => {
            return state.hint("There is no image in the clipboard");
        }
        Ok(None) => return,
        Err(why) => return say(state, Role::Warning, &why),
    };
    let name = Printable::line(&attached.name);
    let mark = format!("[image {}: {name}]", state.images.len() + 1);
    let text = state.composer.text();
    match from {
        ImageFrom::Text(path) if text.contains(path.trim()) => {
            state.composer.set(&text.replacen(path.trim(), &mark, 1));
        }
        ImageFrom::Text(_) | ImageFrom::Clipboard => state.composer.paste(&mark, state.now),
    }
    state.images.push((mark, attached.part));
}

/// The images that go with this text.
pub(super) fn of(state: &mut State, text: &str) -> Vec<Part> {
    let mut parts = std::mem::take(&mut state.attachments);
    let marked = std::mem::take(&mut state.images).into_iter();
    parts.extend(
        marked
            .filter(|(mark, _)| text.contains(mark))
            .map(|(_, part)| part),
    );
    parts
}

/// A word in between takes no images along: they go with the next prompt.
pub(super) fn wait(state: &mut State, text: &str) {
    let (sent, rest) = std::mem::take(&mut state.images)
        .into_iter()
        .partition::<Vec<_>, _>(|(mark, _)| text.contains(mark));
    state.images = rest;
    if !sent.is_empty() {
        state
            .attachments
            .extend(sent.into_iter().map(|(_, part)| part));
        state.hint("Images go with the next prompt, after this run");
    }
}

#[cfg(test)]
mod tests {
    use super::names_an_image;

    #[test]
    fn a_path_of_an_image_is_one_line_that_ends_like_one() {
        for text in ["/a/b.png", "'/a/b c.JPG' ", "file:///a%20b.webp", "~/x.gif"] {
            assert!(names_an_image(text), "{text}");
        }
        for text in ["", "/a/b.txt", "see\n/a/b.png", "a.png is new"] {
            assert!(!names_an_image(text), "{text}");
        }
    }
}
