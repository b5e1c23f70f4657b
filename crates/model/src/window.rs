//! The window that a server serves a model with: whom to ask, in which order,
//! and how to read the answers. Without I/O; the transport asks.
//!
//! Every server names the number differently, and some name two: what the
//! model could hold, and what it was started with. Only the second one is what
//! a prompt must fit into, so the first is used where nothing better is said,
//! and named as what it is.

use crate::contract::{Window, WindowSource};
use crate::listing::{self, Trust};
use crate::{Reach, Software};
use serde_json::{Value, json};
use std::collections::VecDeque;

/// Smaller or larger numbers are mistakes: no agent works in the one, and no
/// model has the other.
const BELIEVED: std::ops::RangeInclusive<u64> = 256..=1_000_000_000;

/// Where a question goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbePlace {
    /// Below the base URL.
    Base,
    /// Beside it: the same server, without `/v1`.
    Root,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// `GET /models`: vLLM, llama.cpp, OpenRouter, Mistral, …
    Models,
    /// llama.cpp: what the server was started with.
    Props,
    /// Ollama: the models that are loaded, and with what.
    Loaded,
    /// Ollama: what the model's own file sets.
    Show,
    /// LM Studio
    Library,
    /// LiteLLM
    ModelInfo,
}

/// One question to a server.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    question: Question,
    pub place: ProbePlace,
    pub path: &'static str,
    /// Sent as JSON by `POST`; without it the question is a `GET`.
    pub body: Option<Value>,
}

/// Asks one server about one model, one question after the other, until an
/// answer says what is served.
#[derive(Debug)]
pub struct Survey {
    model: String,
    waiting: VecDeque<Question>,
    served: Option<Window>,
    /// What the model could hold.
    possible: Option<Window>,
    /// As far as the list of models tells.
    software: Software,
}

impl Survey {
    /// A hosted service is asked for its list of models only: the other paths
    /// are those of servers that people run themselves. `port` says which of
    /// these is likely.
    #[must_use]
    pub fn new(model: impl Into<String>, reach: Reach, port: u16) -> Self {
        let mut waiting = VecDeque::from([Question::Models]);
        if reach == Reach::Local {
            waiting.extend([
                Question::Props,
                Question::Loaded,
                Question::Show,
                Question::Library,
                Question::ModelInfo,
            ]);
        }
        let mut survey = Self {
            model: model.into(),
            waiting,
            served: None,
            possible: None,
            software: Software::Unknown,
        };
        match port {
            11434 => survey.ask_first(&[Question::Loaded, Question::Show]),
            1234 => survey.ask_first(&[Question::Library]),
            4000 => survey.ask_first(&[Question::ModelInfo]),
            _ => {}
        }
        survey
    }

    /// What to ask next; `None` when everything worth asking was asked.
    pub fn next_probe(&mut self) -> Option<Probe> {
        if self.served.is_some() {
            return None;
        }
        let question = self.waiting.pop_front()?;
        let (place, path, body) = match question {
            Question::Models => (ProbePlace::Base, "/models", None),
            Question::Props => (ProbePlace::Root, "/props", None),
            Question::Loaded => (ProbePlace::Root, "/api/ps", None),
            Question::Show => {
                let body = json!({"model": self.model});
                (ProbePlace::Root, "/api/show", Some(body))
            }
            Question::Library => (ProbePlace::Root, "/api/v0/models", None),
            Question::ModelInfo => (ProbePlace::Root, "/model/info", None),
        };
        Some(Probe {
            question,
            place,
            path,
            body,
        })
    }

    /// The body of a success. `path` is where it really came from.
    pub fn answer(&mut self, probe: &Probe, path: &str, body: &[u8]) {
        let Ok(value) = serde_json::from_slice::<Value>(body) else {
            return;
        };
        let read = match probe.question {
            Question::Models => self.models(&value),
            Question::Props => props(&value),
            Question::Loaded => self.loaded(&value),
            Question::Show => show(&value),
            Question::Library => self.listed(&value),
            Question::ModelInfo => self.model_info(&value),
        };
        let Some((tokens, trust, field)) = read.filter(|(tokens, ..)| BELIEVED.contains(tokens))
        else {
            return;
        };
        let window = |source| Window {
            tokens,
            source: WindowSource::Server(source),
        };
        // The list of models has the same path everywhere.
        let path = match (probe.question, self.software) {
            (Question::Models, Software::LlamaCpp) => format!("{path} of llama.cpp"),
            _ => path.to_owned(),
        };
        match trust {
            Trust::Served => self.served = Some(window(path)),
            Trust::Possible if self.possible.is_none() => {
                self.possible = Some(window(format!("{path}, {field}")));
            }
            Trust::Possible => {}
        }
    }

    /// What is known after all.
    #[must_use]
    pub fn finish(self) -> Option<Window> {
        self.served.or(self.possible)
    }

    /// These come next, if they are still to be asked at all.
    fn ask_first(&mut self, questions: &[Question]) {
        for question in questions.iter().rev() {
            if let Some(at) = self.waiting.iter().position(|known| known == question) {
                self.waiting.remove(at);
                // The list of models stays in front: one question for most.
                let first = usize::from(self.waiting.front() == Some(&Question::Models));
                self.waiting.insert(first, *question);
            }
        }
    }

    /// The list of models also tells which server this is.
    fn models(&mut self, value: &Value) -> Option<Read> {
        let owners: Vec<&str> = listing::entries(value)
            .filter_map(|entry| entry.get("owned_by")?.as_str())
            .take(8)
            .collect();
        let owned_by = |name: &str| owners.contains(&name);
        if owned_by("llamacpp") {
            self.software = Software::LlamaCpp;
            self.waiting.retain(|question| *question == Question::Props);
        } else if owned_by("vllm") || owned_by("sglang") {
            self.waiting.clear();
        } else if owned_by("library") {
            self.ask_first(&[Question::Loaded, Question::Show]);
        } else if owned_by("organization_owner") {
            self.ask_first(&[Question::Library]);
        }
        self.listed(value)
    }

    fn listed(&self, value: &Value) -> Option<Read> {
        listing::window(self.entry(value)?)
    }

    /// Ollama: `context_length` of a loaded model is what it was loaded with.
    fn loaded(&self, value: &Value) -> Option<Read> {
        let entry = listing::entries(value).find(|entry| self.is_named(entry))?;
        served(entry.get("context_length"), "context_length")
    }

    /// LiteLLM: of several servers behind one name, the smallest counts.
    fn model_info(&self, value: &Value) -> Option<Read> {
        listing::entries(value)
            .filter(|entry| self.is_named(entry))
            .filter_map(|entry| {
                ["/model_info/max_input_tokens", "/model_info/max_tokens"]
                    .iter()
                    .find_map(|path| served(entry.pointer(path), "max_input_tokens"))
            })
            .min_by_key(|(tokens, ..)| *tokens)
    }

    /// The entry of the model. A server that serves one model serves it under
    /// every name.
    fn entry<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let mut all = listing::entries(value);
        let first = all.next()?;
        if all.next().is_none() {
            return Some(first);
        }
        listing::entries(value).find(|entry| self.is_named(entry))
    }

    fn is_named(&self, entry: &Value) -> bool {
        let plain = |name: &str| name.trim_end_matches(":latest").to_lowercase();
        let wanted = plain(&self.model);
        let named = ["id", "model", "name", "key", "model_name"]
            .iter()
            .filter_map(|field| entry.get(field)?.as_str())
            .any(|name| plain(name) == wanted);
        let aliases = entry.get("aliases").and_then(Value::as_array);
        named
            || aliases.is_some_and(|aliases| {
                let mut names = aliases.iter().filter_map(Value::as_str);
                names.any(|name| plain(name) == wanted)
            })
    }
}

/// A number, how far it is to be trusted, and what its field is called.
type Read = (u64, Trust, &'static str);

fn served(value: Option<&Value>, field: &'static str) -> Option<Read> {
    Some((listing::tokens(value?)?, Trust::Served, field))
}

/// llama.cpp: the window of one slot, which is what one conversation has.
fn props(value: &Value) -> Option<Read> {
    ["/default_generation_settings/n_ctx", "/n_ctx"]
        .iter()
        .find_map(|path| served(value.pointer(path), "n_ctx"))
}

/// Ollama: `parameters` is the text of the model's file, a line each. What
/// `model_info` says is what the model could hold; Ollama serves far less by
/// default and cuts in silence, so that number is worse than none.
fn show(value: &Value) -> Option<Read> {
    let parameters = value.get("parameters")?.as_str()?;
    let tokens = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("num_ctx")).then(|| words.next()?.parse().ok())?
    })?;
    Some((tokens, Trust::Served, "num_ctx"))
}
