//! One question to the configured model outside of any session: for pages that
//! are made of a session and change nothing in it. Nothing is tried again and
//! nothing is recorded, so what it took has to be told by whoever asks.

use crate::assemble::{self, Configured, Options};
use crate::error::CliError;
use crate::place::Place;
use crate::provider;
use crate::render::waiting::{self, Motion};
use futures_util::StreamExt;
use std::sync::Arc;
use tenon_model::{
    Delivery, Delta, Entry, Parameters, Prefix, Request, estimate_tokens, estimate_usage,
};
use tenon_policy::Masker;
use tenon_tools::Jobs;
use tenon_vocab::{Cost, Message, Settings, Usage};

/// The model that a session of this place would be asked with.
pub struct Model {
    model: Arc<dyn tenon_model::Model>,
    parameters: Parameters,
    delivery: Delivery,
    masker: Arc<Masker>,
    jobs: Jobs,
    /// What a command that prints a key may leave; it goes with the question.
    _scratch: tempfile::TempDir,
}

/// What came of it.
#[derive(Debug)]
pub struct Said {
    pub text: String,
    pub model: String,
    pub usage: Usage,
    /// Absent where no price is known.
    pub cost: Option<Cost>,
}

impl Said {
    /// `mock-model: 120 tokens in, 40 out, $0.01`
    pub fn told(&self) -> String {
        let about = if self.usage.estimated { "~" } else { "" };
        let cost = self.cost.map(|cost| format!(", {cost}"));
        format!(
            "{}: {about}{} tokens in, {about}{} out{}",
            provider::shown_id(&self.model),
            self.usage.input,
            self.usage.output,
            cost.unwrap_or_default()
        )
    }
}

impl Model {
    /// The model of this session where it has one, else the configured one;
    /// `None` when nothing is configured.
    ///
    /// # Errors
    /// When the configuration is wrong, a key is missing, or the server that
    /// must name its model does not.
    pub async fn with(
        place: &Place,
        options: &Options,
        configured: &Configured,
        session: Option<&Settings>,
    ) -> Result<Option<Self>, CliError> {
        let resolved = &configured.resolved;
        if resolved.provider.is_none() {
            return Ok(None);
        }
        let wanted = provider::wanted(configured, options, session)?;
        let scratch = tempfile::tempdir()?;
        let jobs = assemble::jobs(scratch.path());
        let model = provider::model(place, resolved, &wanted.provider, &jobs).await?;
        let parameters = resolved.parameters_of(&wanted.provider, &model.identity().model);
        Ok(Some(Self {
            parameters,
            delivery: if resolved.streaming {
                Delivery::Streamed
            } else {
                Delivery::Whole
            },
            masker: resolved
                .masker
                .knowing(provider::keys_in_use(place, resolved)),
            model,
            jobs,
            _scratch: scratch,
        }))
    }

    /// The tokens that the model holds, as far as it is known.
    pub async fn window(&self) -> Option<u64> {
        let known = self.model.identity().window.clone();
        let window = match known {
            Some(window) => Some(window),
            None => self.model.served_window().await,
        };
        window.map(|window| window.tokens)
    }

    /// Asks once. Secrets are masked before anything is sent.
    ///
    /// # Errors
    /// When the request fails, or nothing was said.
    pub async fn ask(&self, system: &str, text: &str) -> Result<Said, CliError> {
        let said = waiting::during(Motion::for_stderr(), self.request(system, text)).await;
        self.jobs.shutdown().await;
        said
    }

    async fn request(&self, system: &str, text: &str) -> Result<Said, CliError> {
        let text = self.masker.mask(text).into_owned();
        let request = Request {
            prefix: Arc::new(Prefix {
                system: system.to_owned(),
                tools: Vec::new(),
            }),
            entries: vec![Arc::new(Entry::new(Arc::new(Message::user(text))))],
            parameters: self.parameters.clone(),
            delivery: self.delivery,
            cache_key: None,
            room: None,
        };
        let sent = estimate_tokens(&request);
        let mut stream = self.model.stream(request);
        while let Some(delta) = stream.next().await {
            let Delta::Finished(finished) = delta? else {
                continue;
            };
            let text = finished.message.text();
            let usage = finished
                .usage
                .unwrap_or_else(|| estimate_usage(sent, &finished.message));
            let identity = self.model.identity();
            return Ok(Said {
                text: self.masker.mask(&text).into_owned(),
                model: identity.model.clone(),
                usage,
                cost: identity.prices.map(|prices| prices.cost(&usage)),
            });
        }
        Err(CliError::runtime("the server ended without an answer"))
    }
}
