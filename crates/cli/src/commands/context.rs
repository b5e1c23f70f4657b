//! `tenon context show`: what a session here would be told before the first
//! prompt, part by part, with the files it comes from; with `--session` also what
//! the history of that session takes. Asks no server and leaves no session.

use super::{pages, sessions};
use crate::CommandResult;
use crate::args::{ContextCommand, RunArgs, Shared};
use crate::assemble::{self, Configured, Options};
use crate::drive::Desk;
use crate::error::CliError;
use crate::place::Place;
use crate::provider::{Wanted, wanted, window};
use crate::render::table::Table;
use crate::screen::complain;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use tenon_engine::account::{self, Share};
use tenon_engine::budget::{self, Limit};
use tenon_engine::prompt::{self, Fragment};
use tenon_engine::tier::{self, Asked, ChosenTier};
use tenon_engine::{Parts, of_next_prompt};
use tenon_model::Identity;
use tenon_session::{Standing, State};
use tenon_vocab::{Message, Part, Printable, Role, ToolSpec};

pub fn run(shared: &Shared, command: ContextCommand) -> CommandResult {
    let ContextCommand::Show {
        session,
        agent,
        full,
        json,
    } = command;
    let shown = Shown::gather(&Place::find(shared)?, session.as_deref(), agent)?;
    let depth = if full { Depth::Texts } else { Depth::Figures };
    if json {
        return pages::print_json(&shown.json(depth));
    }
    for trouble in &shown.troubles {
        complain(Printable::line(trouble).as_str());
    }
    let mut page = pages::fitting(&shown.table());
    if depth == Depth::Texts {
        page.push_str(Printable::block(&shown.texts()).as_str());
    }
    pages::print(&page)
}

/// How much of it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Figures,
    Texts,
}

#[derive(Debug)]
struct Shown {
    session: Option<String>,
    agent: String,
    fragments: Vec<Fragment>,
    tools: Vec<ToolSpec>,
    history: Vec<Arc<Message>>,
    shares: Vec<Share>,
    tier: ChosenTier,
    limit: Limit,
    troubles: Vec<String>,
}

impl Shown {
    fn gather(
        place: &Place,
        session: Option<&str>,
        agent: Option<String>,
    ) -> Result<Self, CliError> {
        let store = place.store();
        let standing = match session {
            Some(text) => Some(store.standing(store.find(text)?)?),
            None => None,
        };
        if let Some(standing) = &standing {
            sessions::say_damaged(standing.id, standing.damage.lines);
        }
        let state = standing.as_ref().map(Standing::state);
        let place = match state {
            Some(state) => place.of_session(&state.meta().cwd)?,
            None => place.clone(),
        };
        let settings = state.and_then(|state| state.settings());
        let args = RunArgs {
            agent: agent.or_else(|| settings.map(|settings| settings.agent_name.clone())),
            ..RunArgs::default()
        };
        // As it is with somebody in front, who can be asked.
        let options = Options::from_args(&args, Desk::Client);
        let parts = assemble::parts_without_model(&place, &options)?;
        let configured = Configured::read(&place, &options)?;
        let wanted = wanted(&place.env, &configured, &options, settings).ok();
        let model = wanted.map_or_else(unknown, |wanted| known(&place, &configured, &wanted));
        let tier = tier_of(&parts, &model, state);
        let blobs = standing.as_ref().map(Standing::blobs);
        let (fragments, tools) = of_next_prompt(&parts, tier, blobs.as_ref().zip(state));
        let history: Vec<Arc<Message>> =
            state.map_or_else(Vec::new, |state| state.history().messages().to_vec());
        Ok(Self {
            session: standing.as_ref().map(|standing| standing.id.to_string()),
            agent: parts.agent.name,
            shares: account::shares(&fragments, &tools, &history),
            limit: budget::unasked(model.window, parts.context.request_tokens),
            tier,
            troubles: parts.context.troubles,
            fragments,
            tools,
            history,
        })
    }

    fn total(&self) -> u64 {
        account::total(&self.shares)
    }

    fn percent(&self) -> u64 {
        (self.total().saturating_mul(100) / self.limit.tokens.max(1)).min(100)
    }

    fn table(&self) -> Table {
        let mut table = Table::new(&["part", "bytes", "tokens", "source"]);
        for share in &self.shares {
            table.row([
                share.part.to_owned(),
                share.bytes.to_string(),
                format!("~{}", share.tokens),
                share.source.clone(),
            ]);
        }
        let mut sum = |name: &str, tokens: String, source: &str| {
            table.row([name.to_owned(), String::new(), tokens, source.to_owned()]);
        };
        let bytes: u64 = self.shares.iter().map(|share| share.bytes).sum();
        let all = format!("{bytes} bytes, estimated");
        sum("all", format!("~{}", self.total()), &all);
        let limit = &self.limit;
        sum("limit", limit.tokens.to_string(), &limit.said());
        sum("used", format!("~{} %", self.percent()), "of the limit");
        let because = self.tier.because.to_string();
        sum("prompt", self.tier.tier.name().to_owned(), &because);
        table
    }

    fn json(&self, depth: Depth) -> Value {
        let parts: Vec<Value> = self
            .shares
            .iter()
            .map(|share| {
                json!({
                    "part": share.part, "source": share.source,
                    "bytes": share.bytes, "tokens": share.tokens,
                })
            })
            .collect();
        let limit = &self.limit;
        let mut shown = json!({
            "session": self.session,
            "agent": self.agent,
            "parts": parts,
            "tokens": self.total(),
            "estimated": true,
            "limit": {"tokens": limit.tokens, "source": limit.said()},
            "tier": {"name": self.tier.tier.name(), "source": self.tier.because.to_string()},
            "percent": self.percent(),
            "warnings": self.troubles,
        });
        if depth == Depth::Texts {
            shown["system"] = json!(prompt::system(&self.fragments));
            shown["tools"] = json!(self.tools);
            shown["messages"] = json!(self.history);
        }
        shown
    }

    /// The texts as the model reads them.
    fn texts(&self) -> String {
        let mut text = format!("\n--- system ---\n{}\n", prompt::system(&self.fragments));
        for tool in &self.tools {
            let _ = write!(
                text,
                "\n--- tool {} ---\n{}\n{}\n",
                tool.name, tool.description, tool.parameters
            );
        }
        for message in &self.history {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "result",
            };
            let _ = write!(text, "\n--- {role} ---\n");
            for part in &message.parts {
                let _ = writeln!(text, "{}", said(part));
            }
        }
        text
    }
}

/// The model that would be asked, as far as it is known without its server.
fn known(place: &Place, configured: &Configured, wanted: &Wanted) -> Identity {
    let provider = &wanted.provider;
    let model = provider.model.clone().unwrap_or_default();
    let own = configured.resolved.window_of(provider, &model);
    Identity {
        window: window(place, provider, &model, own),
        reach: provider.reach,
        ..Identity::new(&provider.name, model)
    }
}

fn unknown() -> Identity {
    Identity::new("", "")
}

fn tier_of(parts: &Parts, model: &Identity, state: Option<&State>) -> ChosenTier {
    let window = model.window.as_ref().map(|window| window.tokens);
    let asked = Asked::of(model, window, parts.context.request_tokens);
    match state {
        Some(state) => tier::of_session(parts.context.tier, asked, &model.endpoint, state),
        None => tier::choose(parts.context.tier, asked),
    }
}

fn said(part: &Part) -> String {
    match part {
        Part::Text { text } | Part::ToolResult { text, .. } => text.clone(),
        Part::ToolCall(call) => format!("[{} {}]", call.name, call.arguments),
        Part::Image { media_type, .. } => format!("[image {media_type}]"),
        Part::Reasoning { .. } | Part::Opaque { .. } => String::from("[reasoning]"),
    }
}
