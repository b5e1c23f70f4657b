//! The files that a found command would touch, seen from where the line stands,
//! and what is dangerous about them by their spelling.

use super::argv::Argv;
use super::code;
use super::find::{Context, Finder, MAX_TARGETS};
use super::place::{self, Device, device};
use super::targets::{self, Sweep};
use super::unfold::Where;
use super::word::Term;
use crate::script::{Deed, Target};
use tenon_vocab::Class;

impl Finder {
    pub(super) fn follow_folder(&mut self, argv: Argv<'_>, name: &str) {
        if !matches!(name, "cd" | "pushd" | "popd") {
            return;
        }
        let home = Term::literal("~");
        let operands = argv.operands("");
        let folder = match operands.first() {
            Some(term) => Some(*term),
            None if name == "cd" => Some(&home),
            None => None,
        };
        let before = self.standing.clone();
        if let Some(folder) = folder {
            self.touch(
                folder,
                Deed::Read,
                Sweep::One,
                &Context::start(),
                &argv.piece(),
            );
        }
        self.standing = before.after_cd(folder);
    }

    /// Notes what would be done to a file, from wherever the line stands.
    pub(super) fn touch(
        &mut self,
        term: &Term,
        deed: Deed,
        sweep: Sweep,
        context: &Context,
        piece: &str,
    ) {
        if term.raw.starts_with("<(") || term.raw.starts_with(">(") {
            return;
        }
        let glob = place::is_glob(term);
        let home = term.expands && term.text.starts_with('~');
        let known = !(term.open || glob || home);
        let rooted = place::is_rooted(&term.text);
        let stands = rooted || self.standing.is_known();
        let certain = known && stands;
        let pattern = stands && !term.open && !home && place::is_plain_pattern(&term.text);
        for path in self.standing.paths(&term.text) {
            if self.is_device(&path, deed, piece) {
                continue;
            }
            self.check_vital(&path, deed, sweep, glob, piece);
            // What lies on another machine is dangerous there, and no file of ours.
            if context.place == Where::Elsewhere {
                continue;
            }
            if deed == Deed::Delete && glob {
                self.empties(&path);
            }
            if deed == Deed::Overwrite && piece_downloads(piece) {
                self.downloaded
                    .push(path.trim_start_matches("./").to_owned());
            }
            self.keep(Target {
                path,
                deed,
                certain,
                pattern,
                part: self.part,
            });
        }
    }

    /// `X/*` deletes what is in X: X itself is what to look at.
    fn empties(&mut self, path: &str) {
        let (folder, last) = path.rsplit_once('/').unwrap_or((".", path));
        if place::is_everything(last) {
            let folder = if folder.is_empty() { "/" } else { folder };
            self.keep(Target {
                path: folder.to_owned(),
                deed: Deed::Delete,
                certain: false,
                pattern: false,
                part: self.part,
            });
        }
    }

    fn keep(&mut self, target: Target) {
        if self.targets.len() > MAX_TARGETS {
            self.opaque(Class::Confirm, "it names too many files to check", "");
        } else if !self.targets.contains(&target) {
            self.targets.push(target);
        }
    }

    /// Whether the path is a device; harmless ones are no targets.
    fn is_device(&mut self, path: &str, deed: Deed, piece: &str) -> bool {
        let Some(device) = device(path) else {
            return false;
        };
        if deed == Deed::Read {
            return device == Device::Harmless;
        }
        match device {
            Device::Harmless => return matches!(deed, Deed::Overwrite | Deed::Append),
            Device::Block if deed != Deed::Move && deed != Deed::Delete => {
                self.report(
                    Class::HardDeny,
                    format!("it would write to the disk `{path}`"),
                    piece,
                );
            }
            Device::Block | Device::Other => {
                self.report(
                    Class::Confirm,
                    format!("it would write to the device `{path}`"),
                    piece,
                );
            }
        }
        false
    }

    fn check_vital(&mut self, path: &str, deed: Deed, sweep: Sweep, glob: bool, piece: &str) {
        let gone = deed == Deed::Delete || (deed == Deed::Move && glob);
        if !gone || (sweep == Sweep::One && !glob) {
            return;
        }
        if place::vital(path).is_some() {
            self.report(
                Class::HardDeny,
                format!("all of `{path}` would be deleted or moved"),
                piece,
            );
        }
    }

    /// In-place editors on many files.
    pub(super) fn edits_many(&mut self, argv: Argv<'_>, name: &str) {
        let files: Vec<Term> = match name {
            "sed" | "gsed" | "perl" | "ruby" if targets::in_place(argv) => targets::of(argv)
                .into_iter()
                .filter(|(_, deed, _)| *deed == Deed::Change)
                .map(|(term, _, _)| term)
                .collect(),
            "ed" | "ex" => argv.operands("cp").into_iter().cloned().collect(),
            _ => return,
        };
        let many = files.len() > 1 || files.iter().any(|term| term.open || place::is_glob(term));
        if many {
            self.report(
                Class::Confirm,
                format!("`{name}` changes several files in place"),
                argv.piece(),
            );
        }
    }
}

fn piece_downloads(piece: &str) -> bool {
    let head = piece.split(' ').next().unwrap_or_default();
    let feeds = piece.starts_with('>');
    !feeds && code::downloads(head.rsplit('/').next().unwrap_or(head))
}
