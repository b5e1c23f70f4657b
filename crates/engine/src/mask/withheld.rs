//! What stands in the record for a thing that could not be masked: its shape and
//! its numbers, without its words. It is the last resort. An event is never left
//! out, and never recorded with a secret that was found in it.

use tenon_vocab::{
    Display, Explanation, HookFired, JobEvent, McpEvent, Notice, Retry, Review, RunFinished,
    TodoList, ToolError,
};

/// What is said in place of a text.
pub(super) const WITHHELD: &str = "[withheld: a secret in it could not be masked]";

pub(super) trait Withheld {
    #[must_use]
    fn withheld(self) -> Self;
}

fn text() -> String {
    WITHHELD.to_owned()
}

impl Withheld for RunFinished {
    fn withheld(self) -> Self {
        Self {
            reason: Some(text()),
            ..self
        }
    }
}

impl Withheld for Notice {
    fn withheld(self) -> Self {
        Self {
            kind: text(),
            message: text(),
            hint: None,
            ..self
        }
    }
}

impl Withheld for Retry {
    fn withheld(self) -> Self {
        Self {
            reason: text(),
            ..self
        }
    }
}

impl Withheld for JobEvent {
    fn withheld(self) -> Self {
        Self {
            command: text(),
            ..self
        }
    }
}

impl Withheld for HookFired {
    fn withheld(self) -> Self {
        Self {
            hook: text(),
            message: None,
            ..self
        }
    }
}

impl Withheld for Review {
    fn withheld(self) -> Self {
        Self {
            detail: Some(text()),
            ..self
        }
    }
}

impl Withheld for McpEvent {
    fn withheld(self) -> Self {
        Self {
            server: text(),
            detail: None,
            ..self
        }
    }
}

impl Withheld for TodoList {
    fn withheld(mut self) -> Self {
        for item in &mut self.items {
            item.text = text();
        }
        self
    }
}

impl Withheld for Display {
    fn withheld(self) -> Self {
        Self::Nothing
    }
}

impl Withheld for ToolError {
    fn withheld(self) -> Self {
        Self {
            message: text(),
            details: None,
            ..self
        }
    }
}

impl Withheld for Explanation {
    fn withheld(self) -> Self {
        Self {
            reason: text(),
            tried: Vec::new(),
            said: self.said.map(|_| text()),
            ..self
        }
    }
}
