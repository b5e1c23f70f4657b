//! The `find` and `replace` blocks of an edit: by their names, or, without
//! names, by their order. Several pairs are several edits of the same file.

use super::input::Given;
use super::lines::{Block, Content, Fence};
use super::paths::content_of;
use super::problem::Problem;

const FIND: &[&str] = &["find", "search", "old", "before", "original"];
const REPLACE: &[&str] = &["replace", "new", "after", "replacement"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Find,
    Replace,
}

/// Whether a line opens a `find` or a `replace` block.
pub(super) fn label(line: &str) -> Option<Label> {
    let info = Fence::of(line)?.info.to_lowercase();
    let mut words = info.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| {
        if FIND.contains(&word) {
            Some(Label::Find)
        } else {
            REPLACE.contains(&word).then_some(Label::Replace)
        }
    })
}

impl Given<'_, '_> {
    /// The pairs of `find` and `replace` blocks, and the line where each ends.
    pub(super) fn pairs(
        &self,
        from: usize,
        path: &str,
    ) -> Result<Vec<(String, String, usize)>, Problem> {
        let labels: Vec<(usize, Label)> = (from..self.lines.len())
            .filter_map(|line| Some((line, label(self.lines[line])?)))
            .collect();
        if labels.is_empty() {
            return self.unlabelled(from, path);
        }
        let mut pairs = Vec::new();
        for (number, two) in labels.chunks(2).enumerate() {
            let [(find, Label::Find), (replace, Label::Replace)] = two else {
                return Err(self.bad("each find block needs a replace block after it"));
            };
            let next = labels.get(2 * number + 2);
            let until = next.map_or(self.lines.len(), |(line, _)| *line);
            let old = self.within(*find, *replace, Content::Prose)?;
            let new = self.within(*replace, until, content_of(path, ""))?;
            pairs.push((old.text, new.text, new.closes));
        }
        Ok(pairs)
    }

    fn within(&self, opens: usize, until: usize, content: Content) -> Result<Block<'_>, Problem> {
        let part = Given {
            spec: self.spec,
            written: self.written,
            lines: &self.lines[..until],
        };
        let found = part.block_at(opens, content)?;
        Ok(Block { info: "", ..found })
    }

    /// Two blocks without names are find and replace, in this order.
    fn unlabelled(&self, from: usize, path: &str) -> Result<Vec<(String, String, usize)>, Problem> {
        let fences: Vec<usize> = (from..self.lines.len())
            .filter(|&line| Fence::of(self.lines[line]).is_some())
            .collect();
        let [find, _, replace, _] = fences.as_slice() else {
            return Err(
                self.bad("there are not two code blocks, one to find and one to replace it")
            );
        };
        let old = self.within(*find, *replace, Content::Prose)?;
        let new = self.within(*replace, self.lines.len(), content_of(path, ""))?;
        Ok(vec![(old.text, new.text, new.closes)])
    }
}
