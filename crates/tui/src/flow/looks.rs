//! Reads and searches that follow each other. They become one line, which is
//! finished when something else begins: until then it stands in the live area, for
//! what went into the scrollback cannot grow.

use super::{Block, Flow};
use crate::shapes::{self, Glance};
use crate::text::Line;

#[derive(Debug)]
pub(super) struct Looks {
    glances: Vec<Glance>,
    /// The agent, where it is not the first one.
    pub child: Option<String>,
    /// Between two of them a thought is no end; behind the last it is told.
    thought: Option<Line>,
}

impl Flow {
    /// Another call that only looked.
    pub(super) fn looked(&mut self, glance: Glance, child: Option<&str>) {
        if self
            .looks
            .as_ref()
            .is_some_and(|looks| looks.child.as_deref() != child)
        {
            self.settle_looks();
        }
        let looks = self.looks.get_or_insert_with(|| Looks {
            glances: Vec::new(),
            child: child.map(str::to_owned),
            thought: None,
        });
        looks.glances.push(glance);
        looks.thought = None;
    }

    /// A thought is over: a line, unless it stood between two looks.
    pub(super) fn thought_between(&mut self, line: Line) {
        match &mut self.looks {
            Some(looks) => looks.thought = Some(line),
            None => {
                self.begin(Block::Thought);
                self.out.push(line);
            }
        }
    }

    /// The looks as they stand so far.
    #[must_use]
    pub fn looks(&self, columns: usize) -> Vec<Line> {
        let Some(looks) = &self.looks else {
            return Vec::new();
        };
        let mut lines = match &looks.child {
            None => vec![shapes::looks(&looks.glances, columns)],
            Some(agent) => {
                let line = shapes::looks(&looks.glances, columns.saturating_sub(2).max(1));
                shapes::indent(vec![line], 1, self.name_of_child(agent))
            }
        };
        if !matches!(self.last, Block::Start | Block::Tool) {
            lines.insert(0, Line::empty());
        }
        lines
    }

    /// Something else follows: the line is finished.
    pub(super) fn settle_looks(&mut self) {
        let lines = self.looks(self.columns);
        let Some(looks) = self.looks.take() else {
            return;
        };
        self.out.extend(lines);
        self.last = Block::Tool;
        if looks.child.is_some() {
            self.child = looks.child;
        }
        if let Some(thought) = looks.thought {
            self.begin(Block::Thought);
            self.out.push(thought);
        }
    }

    /// The same for those of another agent only: this one goes on.
    pub(super) fn settle_looks_of_child(&mut self) {
        if self
            .looks
            .as_ref()
            .is_some_and(|looks| looks.child.is_some())
        {
            self.settle_looks();
        }
    }

    /// Named once, above the first of its lines.
    pub(super) fn name_of_child<'a>(&self, agent: &'a str) -> &'a str {
        match self.child.as_deref() == Some(agent) {
            true => "",
            false => agent,
        }
    }
}
