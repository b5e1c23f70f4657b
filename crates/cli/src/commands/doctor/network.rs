//! `tenon doctor --network`: what the configured server can do, found out by
//! asking it: a list of models, its window, and a few small completions. The
//! server is asked as it is configured, without what was learned of it, so that
//! its own words decide. Says before what it will ask, and after what to set.

mod advice;
mod ask;

use super::Finding;
use crate::assemble;
use crate::place::Place;
use crate::provider::http;
use crate::render::waiting::{self, Motion};
use crate::screen::complain;
use ask::{Call, Heard};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use tenon_config::{Resolved, ResolvedProvider};
use tenon_model::{
    Delivery, Dialect, Model, ModelEntry, ModelError, ModelErrorKind, Software, Variant, Window,
    WindowSource,
};
use tenon_tools::Jobs;
use tenon_transport::HttpModel;
use tenon_vocab::Printable;

const PROVIDER: &str = "provider";
/// Parameters that a server may refuse before it is given up.
const REFUSALS: usize = 4;

/// Whether an image is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Images {
    Send,
    DoNotSend,
}

/// Whether each question is told of as it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Told,
    Silent,
}

/// What was found: for people, and for programs.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Finding>,
    pub(super) facts: Map<String, Value>,
}

pub(super) async fn examine(
    place: &Place,
    resolved: &Resolved,
    provider: &ResolvedProvider,
    images: Images,
    progress: Progress,
) -> Report {
    // A command that prints the key may leave output; nothing of it is kept.
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => {
            let mut report = Report::default();
            report.findings.push(silent(&error.to_string()));
            return report;
        }
    };
    let jobs = assemble::jobs(scratch.path());
    let mut interview = Interview {
        place,
        resolved,
        provider: provider.clone(),
        jobs: &jobs,
        progress,
        report: Report::default(),
        software: Software::of_preset(provider.preset),
    };
    interview.run(images).await;
    let report = interview.report;
    jobs.shutdown().await;
    report
}

struct Interview<'a> {
    place: &'a Place,
    resolved: &'a Resolved,
    /// Changed where the server refuses what is configured.
    provider: ResolvedProvider,
    jobs: &'a Jobs,
    progress: Progress,
    report: Report,
    software: Software,
}

impl Interview<'_> {
    async fn run(&mut self, images: Images) {
        let named = self.provider.model.clone().unwrap_or_default();
        self.announce(&named, images);
        let Some(server) = self.server(&named) else {
            return;
        };
        let Some(model) = self.models(&server, &named).await else {
            return;
        };
        let Some(server) = self.server(&model) else {
            return;
        };
        self.window(&server).await;
        let Some(server) = self.streaming(server, &model).await else {
            return;
        };
        self.tools(&server, &model).await;
        self.parallel(&server).await;
        if images == Images::Send {
            self.image(&server).await;
        }
    }

    fn announce(&self, named: &str, images: Images) {
        if self.progress == Progress::Silent {
            return;
        }
        let (completions, image) = match images {
            Images::Send => (5, ", one of them with a tiny image"),
            Images::DoNotSend => (4, ""),
        };
        let model = match named {
            "" => String::from("its only model"),
            named => format!("model {named}"),
        };
        let line = format!(
            "Asking `{}` at {} ({model}) for its model list, its window, and {completions} small completions{image}.",
            self.provider.name, self.provider.base_url
        );
        complain(Printable::line(&line).as_str());
    }

    fn server(&mut self, model: &str) -> Option<HttpModel> {
        let window = self.resolved.window_of(&self.provider, model);
        match http(self.place, &self.provider, model, window, self.jobs) {
            Ok(server) => Some(server),
            Err(error) => {
                self.add(silent(&error.to_string()));
                None
            }
        }
    }

    /// Says that the server is waited for while it takes long: a model may have
    /// to be loaded first.
    async fn waited<T>(&self, asked: impl Future<Output = T>) -> T {
        let motion = match self.progress {
            Progress::Told => Motion::for_stderr(),
            Progress::Silent => Motion::None,
        };
        waiting::during(motion, asked).await
    }

    fn add(&mut self, finding: Finding) {
        self.report.findings.push(finding);
    }

    fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.report.facts.insert(name.to_owned(), value.into());
    }

    /// A finding, told of at once with the time that it took.
    fn heard(&mut self, question: &str, took: Duration, finding: Finding) {
        if self.progress == Progress::Told {
            let mark = finding.state.name();
            let line = format!("  {question}: {mark} ({:.1} s)", took.as_secs_f64());
            complain(Printable::line(&line).as_str());
        }
        self.add(finding);
    }

    /// The model to ask, when the server can be asked at all.
    async fn models(&mut self, server: &HttpModel, named: &str) -> Option<String> {
        let begin = Instant::now();
        let answer = self.waited(server.models()).await;
        let took = begin.elapsed();
        let models = match answer {
            Ok(models) => models,
            // Some services answer requests and list nothing.
            Err(error)
                if !named.is_empty()
                    && matches!(
                        error.kind,
                        ModelErrorKind::NotFound
                            | ModelErrorKind::Protocol
                            | ModelErrorKind::Rejected
                    ) =>
            {
                let what = format!("the server lists no models: {}", error.message);
                let advice = "nothing, if the model answers below";
                self.heard("models", took, Finding::warn(PROVIDER, what, advice));
                return Some(named.to_owned());
            }
            Err(error) => {
                self.heard("models", took, unanswered(&error));
                return None;
            }
        };
        self.fact("models", models.len());
        let (finding, model) = listed(&models, named);
        self.fact("model", model.clone());
        self.heard("models", took, finding);
        model
    }

    async fn window(&mut self, server: &HttpModel) {
        let begin = Instant::now();
        let served = self.waited(server.served_window()).await;
        let took = begin.elapsed();
        if let Some(Window {
            source: WindowSource::Server(path),
            ..
        }) = &served
        {
            self.software = self.software.or_seen(path);
        }
        self.fact("server", self.software.name());
        let configured = server.identity().window.clone();
        let known = served.clone().or_else(|| configured.clone());
        self.fact("window", known.as_ref().map(|window| window.tokens));
        self.fact("window_source", known.as_ref().map(source));
        let finding = advice::window(
            self.software,
            &self.provider.name,
            served.as_ref(),
            configured.as_ref(),
        );
        self.heard("window", took, finding);
    }

    /// Streaming, usage and reasoning are seen in one answer. Gives the server
    /// as it can be asked, when it can.
    async fn streaming(&mut self, mut server: HttpModel, model: &str) -> Option<HttpModel> {
        let mut heard = self.waited(ask::count(&server)).await;
        for _ in 0..REFUSALS {
            let Some(refused) = self.without_what_was_refused(&heard) else {
                break;
            };
            self.heard("a parameter", heard.took, refused);
            server = self.server(model)?;
            heard = self.waited(ask::count(&server)).await;
        }
        let finished = match &heard.end {
            Ok(finished) => finished,
            Err(error) => {
                self.fact("streaming", "failed");
                self.heard("streaming", heard.took, advice::no_answer(error));
                return None;
            }
        };
        let usage = finished.usage;
        let reasoning = heard.reasoning > 0;
        self.fact("first_token_ms", heard.first_ms());
        self.fact("pieces", heard.pieces);
        self.fact("usage", usage.is_some());
        self.fact("reasoning", reasoning);
        let streams = heard.pieces + heard.reasoning > 1;
        self.fact("streaming", if streams { "streams" } else { "whole" });
        self.heard("streaming", heard.took, advice::streaming(&heard));
        self.add(advice::usage(usage));
        let told = if reasoning {
            "reasoning is separate from the answer"
        } else {
            "no reasoning was seen"
        };
        self.add(Finding::ok(PROVIDER, told));
        Some(server)
    }

    /// A session learns by itself what a server does not take. Here it is found
    /// out and said, so that it can be set.
    fn without_what_was_refused(&mut self, heard: &Heard) -> Option<Finding> {
        let error = heard.end.as_ref().err()?;
        let remedy = error.remedy.as_deref()?;
        let asked = Variant {
            quirks: self.provider.quirks.clone(),
            dialect: Dialect::Native,
        };
        // Tools are asked about below, as the format has them.
        let changed = asked.adapted(remedy, Dialect::Native)?;
        let (key, value) = changed.setting(remedy)?;
        self.provider.quirks = changed.quirks;
        Some(Finding::warn(
            PROVIDER,
            format!(
                "the server refuses a parameter ({}); Tenon adapts automatically",
                error.message
            ),
            format!(
                "{}, and no request is lost",
                advice::setting(&self.provider.name, &key, &value.to_string())
            ),
        ))
    }

    async fn tools(&mut self, server: &HttpModel, model: &str) {
        let streamed = self.waited(ask::one_call(server, Delivery::Streamed)).await;
        let outcome = ask::called(&streamed);
        self.fact("tools", outcome.name());
        let template = match &outcome {
            Call::Called(_) => None,
            _ => advice::template(self.software, &self.provider).await,
        };
        let configured = self.provider.dialect_of(model);
        let name = &self.provider.name;
        let finding = advice::tools(self.software, name, &outcome, template, configured);
        self.heard("tools", streamed.took, finding);
        let whole = self.waited(ask::one_call(server, Delivery::Whole)).await;
        let at_once = ask::called(&whole);
        self.fact("tools_without_streaming", at_once.name());
        let finding = advice::tools_whole(&outcome, &at_once);
        self.heard("tools without streaming", whole.took, finding);
    }

    async fn parallel(&mut self, server: &HttpModel) {
        if !matches!(
            self.report.facts.get("tools").and_then(Value::as_str),
            Some("called")
        ) {
            self.fact("parallel_calls", Value::Null);
            return;
        }
        let heard = self.waited(ask::two_calls(server)).await;
        let (name, finding) = match ask::called(&heard) {
            Call::Called(2..) => ("two", Finding::ok(PROVIDER, "two calls in one answer work")),
            Call::Called(_) => (
                "one",
                Finding::ok(
                    PROVIDER,
                    "one call per answer: the model or the server makes one at a time",
                ),
            ),
            other => (
                "none",
                Finding::warn(
                    PROVIDER,
                    format!("two calls in one answer: {}", other.told()),
                    "nothing: Tenon also works with one call at a time",
                ),
            ),
        };
        self.fact("parallel_calls", name);
        self.heard("parallel calls", heard.took, finding);
    }

    async fn image(&mut self, server: &HttpModel) {
        let heard = self.waited(ask::image(server)).await;
        let seen = ask::saw_red(&heard);
        self.fact("images", seen.name());
        let finding = advice::images(&self.provider.name, &seen);
        self.heard("images", heard.took, finding);
    }
}

fn silent(error: &str) -> Finding {
    Finding::problem(
        PROVIDER,
        format!("the server does not answer: {error}"),
        "check `base_url`, the key, and that the server is running; `tenon models` asks again",
    )
}

fn unanswered(error: &ModelError) -> Finding {
    let mut finding = silent(&error.message);
    if let Some(hint) = &error.hint {
        finding.advice.clone_from(hint);
    }
    finding
}

fn listed(models: &[ModelEntry], named: &str) -> (Finding, Option<String>) {
    let count = models.len();
    if named.is_empty() {
        return match models {
            [only] => (
                Finding::ok(
                    PROVIDER,
                    format!("the server answers and lists one model: {}", only.id),
                ),
                Some(only.id.clone()),
            ),
            _ => (
                Finding::problem(
                    PROVIDER,
                    format!("the server answers and lists {count} models, but none is chosen"),
                    "choose one with --model or TENON_MODEL; `tenon models` lists them",
                ),
                None,
            ),
        };
    }
    let model = Some(named.to_owned());
    if models.iter().any(|model| model.id == named) {
        let what = format!("the server answers and lists {count} models, including `{named}`");
        return (Finding::ok(PROVIDER, what), model);
    }
    let what = format!("the server answers, but `{named}` is not among its {count} models");
    let advice = "choose one with `tenon models`, if requests fail";
    (Finding::warn(PROVIDER, what, advice), model)
}

fn source(window: &Window) -> String {
    match &window.source {
        WindowSource::User => String::from("configuration"),
        WindowSource::Server(path) => format!("server: {path}"),
        WindowSource::Catalogue => String::from("catalogue"),
    }
}

/// For `--json`.
pub(super) fn facts(report: &Report, provider: &ResolvedProvider) -> Value {
    let mut facts = report.facts.clone();
    facts.insert(String::from("provider"), json!(provider.name));
    facts.insert(String::from("base_url"), json!(provider.base_url));
    Value::Object(facts)
}

/// The heard answer in a word, for findings.
fn excerpt(heard: &Heard) -> String {
    let text = heard
        .end
        .as_ref()
        .map(|finished| finished.message.text())
        .unwrap_or_default();
    let short: String = text.trim().chars().take(60).collect();
    Printable::line(&short).into_string()
}
