//! What a chore passes over because this machine lacks something: said where it
//! happens, and once more at the end with how to get it, where it is read.

use crate::say::say;
use std::cell::RefCell;

#[derive(Debug, Default)]
pub struct Skips(RefCell<Vec<Skip>>);

#[derive(Debug)]
struct Skip {
    /// What is not checked.
    what: String,
    /// How to have it checked.
    remedy: String,
}

impl Skips {
    pub fn add(&self, what: &str, because: &str, remedy: &str) {
        say(format!("skipped: {what}, because {because}"));
        self.0.borrow_mut().push(Skip {
            what: what.to_owned(),
            remedy: remedy.to_owned(),
        });
    }

    /// One line; `None` where nothing was passed over.
    pub fn told(&self) -> Option<String> {
        let skips = self.0.borrow();
        let all: Vec<String> = skips
            .iter()
            .map(|skip| format!("{} ({})", skip.what, skip.remedy))
            .collect();
        match all.as_slice() {
            [] => None,
            [one] => Some(format!("1 part was skipped: {one}")),
            several => Some(format!(
                "{} parts were skipped: {}",
                several.len(),
                several.join("; ")
            )),
        }
    }

    /// The last line of a chore that went well.
    pub fn verdict(&self, chore: &str) -> String {
        match self.told() {
            None => format!("{chore}: all is well"),
            Some(told) => format!("{chore}: all is well, but {told}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Skips;

    #[test]
    fn the_last_line_sums_up_what_was_skipped_and_how_to_get_it() {
        let skips = Skips::default();
        assert_eq!(skips.verdict("test"), "test: all is well");
        skips.add(
            "the licences",
            "there is no cargo-deny",
            "cargo install cargo-deny",
        );
        assert_eq!(
            skips.verdict("test"),
            "test: all is well, but 1 part was skipped: the licences (cargo install cargo-deny)"
        );
        skips.add(
            "the sandbox by bubblewrap",
            "there is no bwrap",
            "apt-get install bubblewrap",
        );
        let told = skips.told().unwrap();
        assert!(told.starts_with("2 parts were skipped: "), "{told}");
        assert!(
            told.ends_with("; the sandbox by bubblewrap (apt-get install bubblewrap)"),
            "{told}"
        );
    }
}
