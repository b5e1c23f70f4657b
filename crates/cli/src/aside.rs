//! One question to the configured model outside of any session: for pages that
//! are made of a session and change nothing in it. The engine asks; nothing is
//! recorded, so what it took has to be told by whoever asks.

use crate::assemble::{self, Configured, Options};
use crate::error::CliError;
use crate::place::Place;
use crate::provider;
use crate::render::waiting::{self, Motion};
use std::convert::Infallible;
use std::sync::Arc;
use tenon_engine::RealAmbient;
use tenon_engine::aside::{self, Failed, Meanwhile, Question};
use tenon_model::{Delivery, Parameters, RetryPlan};
use tenon_policy::Masker;
use tenon_tools::Jobs;
use tenon_vocab::{Cost, Printable, RequestPurpose, Retry, Settings, Usage};
use tokio::sync::mpsc::{self, UnboundedSender};

/// Tries after the first one.
const MOST_TRIES: u32 = 2;

/// The model that a session of this place would be asked with.
pub struct Model {
    model: Arc<dyn tenon_model::Model>,
    parameters: Parameters,
    delivery: Delivery,
    retry: RetryPlan,
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
        let wanted = provider::wanted(&place.env, configured, options, session)?;
        let scratch = tempfile::tempdir()?;
        let jobs = assemble::jobs(scratch.path());
        let model = provider::model(place, resolved, &wanted.provider, &jobs).await?;
        let parameters = resolved.parameters_of(&wanted.provider, &model.identity().model);
        let plan = resolved.retry.plan();
        Ok(Some(Self {
            parameters,
            retry: RetryPlan {
                attempts: plan.attempts.min(MOST_TRIES),
                ..plan
            },
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

    /// Asks, and a little more often where a server has a bad moment: the page
    /// can be made without it. Secrets are masked before anything is sent.
    ///
    /// # Errors
    /// When no request was answered.
    pub async fn ask(&self, system: &str, text: &str) -> Result<Said, CliError> {
        let (say, said) = mpsc::unbounded_channel();
        let asking = self.request(system, text, say);
        let answer = waiting::during_saying(Motion::for_stderr(), asking, said).await;
        self.jobs.shutdown().await;
        answer
    }

    async fn request(
        &self,
        system: &str,
        text: &str,
        say: UnboundedSender<String>,
    ) -> Result<Said, CliError> {
        let question = Question {
            model: &*self.model,
            request: aside::request(
                system.to_owned(),
                self.masker.mask(text).into_owned(),
                self.parameters.clone(),
                self.delivery,
            ),
            retry: &self.retry,
            ambient: &RealAmbient,
            purpose: RequestPurpose::Other,
        };
        let heard = |meanwhile| {
            let line = match meanwhile {
                Meanwhile::Again(retry) => again(&retry),
                Meanwhile::Adapted(adapted) => adapted.message,
                Meanwhile::Warned(warned) => warned.message,
                // There is no session whose events it could be one of.
                Meanwhile::Asked(_) => return Ok(()),
            };
            // Whoever listens is there as long as this is asked.
            let _ = say.send(Printable::line(&line).to_string());
            Ok::<(), Infallible>(())
        };
        let answer = match aside::ask(question, heard).await {
            Ok(answer) => answer,
            Err(Failed::Model(error)) => return Err(error.into()),
            Err(Failed::Stopped(never)) => match never {},
        };
        Ok(Said {
            text: self.masker.mask(&answer.message.text()).into_owned(),
            model: answer.side.model,
            usage: answer.side.usage,
            cost: answer.side.cost,
        })
    }
}

fn again(retry: &Retry) -> String {
    let Retry {
        attempt,
        of,
        delay_ms,
        reason,
    } = retry;
    let seconds = delay_ms.div_ceil(1_000);
    format!("{reason}: asked again in {seconds} s ({attempt} of {of})")
}
