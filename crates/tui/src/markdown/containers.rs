//! The quotes and items that a line stands in: which of them a line goes on
//! with, and what is drawn in front of what they hold.

use super::leaf::NARROWEST;
use super::marks::{self, Bullet, ItemMark};
use crate::shapes::grid::trimmed;
use crate::text::{Line, Role, Span};
use std::borrow::Cow;

#[derive(Debug, Clone, Default)]
pub(super) struct Stack {
    open: Vec<Container>,
    /// The list that ended last on the ground.
    ground: Option<(Bullet, u64)>,
    next: u64,
}

#[derive(Debug, Clone)]
struct Container {
    id: u64,
    kind: Kind,
    /// The list that ended last inside: the next item may go on with it.
    list: Option<(Bullet, u64)>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Kind {
    Quote,
    Item {
        indent: usize,
        bullet: Bullet,
        number: u64,
        mark: String,
        drawn: Drawn,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drawn {
    NotYet,
    Yes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    None,
    Some,
}

/// Whether numbers go on behind what begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    GoesOn,
    Over,
}

impl Stack {
    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn ids(&self) -> Vec<u64> {
        self.open.iter().map(|container| container.id).collect()
    }

    pub fn is_in_quote(&self) -> bool {
        self.open
            .iter()
            .any(|container| matches!(container.kind, Kind::Quote))
    }

    /// How many of the containers a line goes on with, and what it says inside.
    pub fn matched<'a>(&self, line: &'a str) -> (usize, Cow<'a, str>) {
        let mut rest = Cow::Borrowed(line);
        for (n, container) in self.open.iter().enumerate() {
            let inner = match &container.kind {
                Kind::Quote => marks::quoted(&rest).map(Cow::into_owned),
                Kind::Item { .. } if marks::is_blank(&rest) => {
                    (container.content == Content::Some).then(String::new)
                }
                Kind::Item { indent, .. } => (marks::indent(&rest).0 >= *indent)
                    .then(|| marks::strip(&rest, *indent).into_owned()),
            };
            match inner {
                Some(inner) => rest = Cow::Owned(inner),
                None => return (n, rest),
            }
        }
        (self.open.len(), rest)
    }

    /// Something begins inside of the innermost.
    pub fn fill(&mut self, list: List) {
        match self.open.last_mut() {
            Some(container) => {
                container.content = Content::Some;
                if list == List::Over {
                    container.list = None;
                }
            }
            None if list == List::Over => self.ground = None,
            None => {}
        }
    }

    pub fn push_quote(&mut self) {
        self.fill(List::Over);
        self.push(Kind::Quote);
    }

    /// Opens an item; gives what follows its mark.
    pub fn push_item(&mut self, mark: &ItemMark<'_>) -> String {
        self.fill(List::GoesOn);
        let before = match self.open.last() {
            Some(container) => container.list,
            None => self.ground,
        };
        let number = match before {
            Some((bullet, number)) if bullet == mark.bullet => number.saturating_add(1),
            _ => mark.number,
        };
        let drawn = match mark.bullet {
            Bullet::Mark(_) => String::from("• "),
            Bullet::Number(end) => format!("{number}{end} "),
        };
        self.push(Kind::Item {
            indent: mark.indent,
            bullet: mark.bullet,
            number,
            mark: drawn,
            drawn: Drawn::NotYet,
        });
        mark.rest.clone().into_owned()
    }

    fn push(&mut self, kind: Kind) {
        self.next += 1;
        self.open.push(Container {
            id: self.next,
            kind,
            list: None,
            content: Content::None,
        });
    }

    pub fn pop(&mut self) {
        let Some(Container {
            kind: Kind::Item { bullet, number, .. },
            ..
        }) = self.open.pop()
        else {
            return;
        };
        match self.open.last_mut() {
            Some(container) => container.list = Some((bullet, number)),
            None => self.ground = Some((bullet, number)),
        }
    }

    /// Whether the innermost is an item that nothing was drawn of.
    pub fn has_undrawn_mark(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Container {
                kind: Kind::Item {
                    drawn: Drawn::NotYet,
                    ..
                },
                ..
            })
        )
    }

    /// The containers whose sign has room: of many the inner ones.
    fn shown(&self, columns: usize) -> usize {
        let most = (columns / 2).min(columns.saturating_sub(NARROWEST));
        let mut wide = 0;
        let mut first = self.open.len();
        for (n, container) in self.open.iter().enumerate().rev() {
            wide += container.width();
            if wide > most {
                break;
            }
            first = n;
        }
        first
    }

    /// Columns for what stands inside.
    pub fn inner(&self, columns: usize) -> usize {
        let shown = self.open.iter().skip(self.shown(columns));
        let wide: usize = shown.map(Container::width).sum();
        columns.saturating_sub(wide).max(1)
    }

    /// An empty line between two blocks that share so many containers.
    pub fn gap(&self, shared: usize, columns: usize) -> Line {
        let spans = self
            .open
            .iter()
            .take(shared)
            .skip(self.shown(columns))
            .map(Container::blank_sign);
        trimmed(Line::of(spans))
    }

    /// A line behind the signs of what it stands in.
    pub fn prefixed(&mut self, line: Line, columns: usize) -> Line {
        let first = self.shown(columns);
        let mut spans = Vec::new();
        for (n, container) in self.open.iter_mut().enumerate() {
            let sign = container.sign();
            if n >= first {
                spans.push(sign);
            }
        }
        spans.extend(line.spans);
        trimmed(Line { spans, ..line })
    }
}

impl Container {
    fn width(&self) -> usize {
        match &self.kind {
            Kind::Quote => 2,
            Kind::Item { mark, .. } => mark.chars().count(),
        }
    }

    fn blank_sign(&self) -> Span {
        match &self.kind {
            Kind::Quote => Span::new(Role::Border, "│ "),
            Kind::Item { .. } => Span::new(Role::Text, &" ".repeat(self.width())),
        }
    }

    /// The mark of an item stands once, then its room is left.
    fn sign(&mut self) -> Span {
        if let Kind::Item { mark, drawn, .. } = &mut self.kind
            && *drawn == Drawn::NotYet
        {
            *drawn = Drawn::Yes;
            return Span::new(Role::Accent, mark);
        }
        self.blank_sign()
    }
}
