//! The conversation made shorter: when, how, what survives it, and that it comes
//! to an end. Against a server that enforces its window.

mod agents;
mod dialect;
mod end;
mod grown;
mod hand;
mod inside;
mod layout;
mod long;
mod overflow;
mod resume;
mod rules;
mod server;
mod skills;
mod small;
mod writer;

use crate::support::World;
use server::{Printer, Server};
use std::sync::Arc;
use tenon_engine::{Approval, Confirm, Engine, Parts};
use tenon_tools::{Tool, ToolSource};
use tenon_vocab::port::Handle;
use tenon_vocab::{Compacted, ContextChange, Event, EventKind, SessionId};

struct Printers(Vec<Arc<dyn Tool>>);

impl ToolSource for Printers {
    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.0.clone()
    }
}

fn world() -> World {
    World {
        approval: Approval::Yolo(Confirm::Nobody),
        ..World::new()
    }
}

/// A session with this server and tools that print as much as they are told.
fn parts(world: &World, id: SessionId, server: &Arc<Server>) -> Parts {
    let mut parts = world.parts(id, crate::models::Scripted::new([]));
    parts.model = Arc::clone(server) as Arc<dyn tenon_model::Model>;
    let printers = ["read", "edit", "print", "save"].map(|name| Arc::new(Printer::new(name)) as _);
    parts.toolbox.add(&Printers(printers.into()));
    parts
}

fn start(world: &World, id: SessionId, server: &Arc<Server>) -> Handle {
    Engine::start(id, parts(world, id, server))
}

fn compactions(events: &[Arc<Event>]) -> Vec<Compacted> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Context(ContextChange::Compacted(compacted)) => Some(compacted.clone()),
            _ => None,
        })
        .collect()
}
