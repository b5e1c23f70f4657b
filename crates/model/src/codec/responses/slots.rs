//! Which item an event speaks of. Servers name it by id, by its place, by the
//! id of the call, by all of these or by none; some give an item another id in
//! each event. Holds what is known of each item, never its text.

use super::names::fingerprint;
use serde_json::Value;

/// No honest answer has more items.
pub(super) const MAX_ITEMS: usize = 1_024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Call,
    Reasoning,
    /// Something that only its provider understands.
    Other,
}

impl Kind {
    pub(super) fn of(item: &Value) -> Option<Self> {
        Some(match item.get("type")?.as_str()? {
            "message" => Self::Message,
            "function_call" => Self::Call,
            "reasoning" => Self::Reasoning,
            _ => Self::Other,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Open,
    Done,
}

/// The names of an item in one event. Ids are kept as fingerprints: they can
/// be long, and are only ever compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) id: Option<u64>,
    pub(super) index: Option<u64>,
    pub(super) call: Option<u64>,
}

impl Names {
    pub(super) fn new(id: &str, index: Option<u64>) -> Self {
        Self {
            id: some_text(id).map(fingerprint),
            index,
            call: None,
        }
    }

    /// Of an item that stands at this place, where a place is known.
    pub(super) fn of(item: &Value, index: Option<u64>) -> Self {
        let text = |name: &str| item.get(name).and_then(Value::as_str).and_then(some_text);
        Self {
            id: text("id").map(fingerprint),
            index,
            call: text("call_id").map(fingerprint),
        }
    }
}

fn some_text(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Which of the two forms of reasoning was shown; a server that sends both
/// says the same twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoughts {
    Summary,
    Raw,
}

#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    names: Names,
    pub(super) progress: Progress,
    /// One bit for each part of the content that was shown.
    shown: u64,
    /// A call is opened once its name is known.
    pub(super) opened: bool,
    pub(super) thoughts: Option<Thoughts>,
    /// The part of the reasoning that was shown last.
    pub(super) section: Option<u64>,
}

impl Slot {
    fn new(kind: Kind, names: Names) -> Self {
        Self {
            kind,
            names,
            progress: Progress::Open,
            shown: 0,
            opened: false,
            thoughts: None,
            section: None,
        }
    }

    pub(super) fn has_shown(&self, part: u64) -> bool {
        self.shown & bit(part) != 0
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.shown == 0
    }

    /// Without a number, nothing of the item may be shown again.
    pub(super) fn mark(&mut self, part: Option<u64>) {
        self.shown |= part.map_or(u64::MAX, bit);
    }

    fn is_named(&self, names: Names) -> bool {
        let same = |known: Option<u64>, given: Option<u64>| known.is_some() && known == given;
        agree(self.names.index, names.index)
            && (same(self.names.call, names.call)
                || (same(self.names.id, names.id) && agree(self.names.call, names.call)))
    }

    fn is_at(&self, names: Names) -> bool {
        self.names.index.is_some()
            && self.names.index == names.index
            && agree(self.names.call, names.call)
    }
}

/// Parts beyond the last bit share it.
fn bit(part: u64) -> u64 {
    1 << part.min(63)
}

fn agree(known: Option<u64>, given: Option<u64>) -> bool {
    known.is_none() || given.is_none() || known == given
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooManyItems;

#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// The one that the last event spoke of.
    current: usize,
}

impl Slots {
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn get_mut(&mut self, position: usize) -> Option<&mut Slot> {
        self.slots.get_mut(position)
    }

    pub(super) fn get(&self, position: usize) -> Option<&Slot> {
        self.slots.get(position)
    }

    pub(super) fn open(&mut self, kind: Kind, names: Names) -> Result<usize, TooManyItems> {
        if self.slots.len() >= MAX_ITEMS {
            return Err(TooManyItems);
        }
        self.slots.push(Slot::new(kind, names));
        self.current = self.slots.len() - 1;
        Ok(self.current)
    }

    /// The item that goes on. Without any name it is the last of its kind.
    pub(super) fn going_on(&mut self, kind: Kind, names: Names) -> Option<usize> {
        let fits = |slot: &Slot| slot.kind == kind && slot.is_named(names);
        let position = if self.slots.get(self.current).is_some_and(fits) {
            self.current
        } else {
            self.slots
                .iter()
                .rposition(fits)
                .or_else(|| {
                    self.slots
                        .iter()
                        .rposition(|slot| slot.kind == kind && slot.is_at(names))
                })
                .or_else(|| {
                    (names == Names::default())
                        .then(|| self.last_open(kind))
                        .flatten()
                })?
        };
        self.current = position;
        Some(position)
    }

    fn last_open(&self, kind: Kind) -> Option<usize> {
        self.slots
            .iter()
            .rposition(|slot| slot.kind == kind && slot.progress == Progress::Open)
    }

    /// The item of which a later event gives the whole. Messages and reasoning
    /// may come under another id: then it is the one that is still open. Calls
    /// never, because two of them are two, however alike they look.
    pub(super) fn whole(&mut self, kind: Kind, names: Names) -> Option<usize> {
        self.going_on(kind, names).or_else(|| match kind {
            Kind::Message | Kind::Reasoning => self
                .last_open(kind)
                .filter(|&position| agree(self.slots[position].names.index, names.index)),
            Kind::Call | Kind::Other => None,
        })
    }

    /// The item that the list at the end repeats, if any; `taken` are those
    /// that it has repeated already. Ids may differ there, the order does not.
    pub(super) fn repeated(&self, kind: Kind, names: Names, taken: &[bool]) -> Option<usize> {
        let free = |position: &usize| !taken.get(*position).copied().unwrap_or(false);
        let find = |fits: &dyn Fn(&Slot) -> bool| {
            (0..self.slots.len())
                .filter(free)
                .find(|&position| self.slots[position].kind == kind && fits(&self.slots[position]))
        };
        find(&|slot| slot.is_named(names)).or_else(|| match kind {
            Kind::Message | Kind::Reasoning => find(&|_| true),
            Kind::Call | Kind::Other => find(&|slot| {
                let nameless = names.id.is_none() || slot.names.id.is_none();
                nameless && agree(slot.names.call, names.call)
            }),
        })
    }
}
