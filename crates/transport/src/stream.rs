//! The reply as a stream of deltas. A chunk of the body is pushed through the
//! decoder and what it gives is queued, so a delta costs no task switch.
//! Whatever happens, the stream ends in exactly one `Finished` or one error.

use crate::connecting::Patience;
use crate::failure::{self, Route};
use crate::refusal::Secrets;
use crate::request::Opened;
use crate::watchdog::{Expired, Watchdog};
use bytes::Bytes;
use futures_core::Stream;
use futures_util::StreamExt as _;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tenon_model::codec::Decoder;
use tenon_model::{Delta, ModelError, ModelErrorKind, Warned};
use tenon_vocab::port::BoxFuture;

type Opening = BoxFuture<'static, Result<Opened, ModelError>>;
type Body = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// What may follow the end of a reply before its connection is given up.
const REST_BYTES: usize = 64 * 1024;
const REST_TIME: Duration = Duration::from_secs(1);

enum Phase {
    Opening(Opening),
    Reading(Body),
    Ended,
}

pub(crate) struct Reply {
    phase: Phase,
    decoder: Box<dyn Decoder>,
    queue: VecDeque<Delta>,
    /// Comes after what is queued.
    failure: Option<ModelError>,
    watchdog: Watchdog,
    patience: Patience,
    route: Route,
    secrets: Secrets,
}

impl Reply {
    pub(crate) fn new(
        opening: Opening,
        decoder: Box<dyn Decoder>,
        watchdog: Watchdog,
        patience: Patience,
        route: Route,
    ) -> Self {
        Self {
            phase: Phase::Opening(opening),
            decoder,
            queue: VecDeque::new(),
            failure: None,
            watchdog,
            patience,
            route,
            secrets: Secrets::default(),
        }
    }

    /// Ends the stream with an error, once what is queued was taken. The
    /// connection is closed at once.
    fn fail(&mut self, error: ModelError) {
        let mut error = self.secrets.scrub(error);
        if error.partial.is_none() && self.decoder.content_events() > 0 {
            error = error.with_partial(self.decoder.partial());
        }
        self.failure = Some(error);
        self.phase = Phase::Ended;
    }

    fn push(&mut self, bytes: &[u8]) {
        let queue = &mut self.queue;
        let pushed = self
            .decoder
            .push(bytes, &mut |delta| queue.push_back(delta));
        self.watchdog.saw(self.decoder.content_events());
        match pushed {
            Err(error) => self.fail(error),
            Ok(()) if self.decoder.is_done() => self.finish(),
            Ok(()) if self.queue.is_empty() => {
                if let Some(expired) = self.watchdog.check() {
                    self.expire(expired);
                }
            }
            Ok(()) => {}
        }
    }

    /// The reply is whole, or the body has ended.
    fn finish(&mut self) {
        let queue = &mut self.queue;
        let finished = self.decoder.finish(&mut |delta| queue.push_back(delta));
        let last = self.queue.back();
        match finished {
            Err(error) => self.fail(error),
            Ok(()) if matches!(last, Some(Delta::Finished(_))) => {
                if let Phase::Reading(body) = std::mem::replace(&mut self.phase, Phase::Ended) {
                    read_rest(body);
                }
            }
            Ok(()) => self.fail(ModelError::new(
                ModelErrorKind::Broken,
                format!("The reply of {} broke off", self.route.authority),
            )),
        }
    }

    fn expire(&mut self, expired: Expired) {
        let authority = &self.route.authority;
        let error = match expired {
            Expired::FirstToken(limit) => ModelError::new(
                ModelErrorKind::Timeout,
                format!(
                    "{authority} sent no content within {} s",
                    limit.as_secs_f64()
                ),
            )
            .with_hint(
                "The server may be reading a long prompt or loading the model. To wait longer, \
                 raise first_token_ms for the provider.",
            ),
            Expired::Silence(limit) => ModelError::new(
                ModelErrorKind::Stalled,
                format!(
                    "The stream from {authority} stalled: no content for {} s (keep-alives do not count)",
                    limit.as_secs_f64()
                ),
            )
            .with_hint("If the model pauses for longer, raise silence_ms for the provider."),
        };
        self.fail(error);
    }

    /// One step of opening or reading; `Pending` when there is nothing to do.
    fn advance(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &mut self.phase {
            Phase::Ended => return Poll::Ready(()),
            Phase::Opening(opening) => match opening.as_mut().poll(cx) {
                Poll::Ready(Ok(opened)) => {
                    self.secrets = opened.secrets;
                    if let Some(warning) = opened.warning {
                        self.queue.push_back(Delta::Warned(Warned {
                            message: warning.message,
                            hint: warning.hint,
                        }));
                    }
                    let body = opened.response.bytes_stream();
                    self.phase = Phase::Reading(Box::pin(body));
                    return Poll::Ready(());
                }
                Poll::Ready(Err(error)) => {
                    self.fail(error);
                    return Poll::Ready(());
                }
                Poll::Pending => {
                    if self.patience.poll(cx).is_ready() {
                        self.queue.push_back(Delta::Unanswered(Warned {
                            message: self.route.unanswered_yet(),
                            hint: Some(self.route.what_to_check()),
                        }));
                        return Poll::Ready(());
                    }
                }
            },
            Phase::Reading(body) => match body.as_mut().poll_next(cx) {
                Poll::Ready(Some(Ok(bytes))) => {
                    self.push(&bytes);
                    return Poll::Ready(());
                }
                Poll::Ready(Some(Err(error))) => {
                    self.fail(failure::broken(&error, &self.route));
                    return Poll::Ready(());
                }
                Poll::Ready(None) => {
                    self.finish();
                    return Poll::Ready(());
                }
                Poll::Pending => {}
            },
        }
        let expired = std::task::ready!(self.watchdog.poll(cx));
        self.expire(expired);
        Poll::Ready(())
    }
}

impl Stream for Reply {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(delta) = self.queue.pop_front() {
                if matches!(delta, Delta::Finished(_)) {
                    self.queue.clear();
                    self.failure = None;
                    self.phase = Phase::Ended;
                }
                return Poll::Ready(Some(Ok(delta)));
            }
            if let Some(error) = self.failure.take() {
                return Poll::Ready(Some(Err(error)));
            }
            if matches!(self.phase, Phase::Ended) {
                return Poll::Ready(None);
            }
            std::task::ready!(self.advance(cx));
        }
    }
}

/// Reads on to the end of the body, so that its connection can serve the next
/// request; usually only the last empty chunk is missing. Given up soon: a new
/// connection is cheaper than a wait.
fn read_rest(mut body: Body) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else {
        return;
    };
    runtime.spawn(async move {
        let reading = async {
            let mut rest = 0;
            while let Some(Ok(bytes)) = body.next().await {
                rest += bytes.len();
                if rest > REST_BYTES {
                    break;
                }
            }
        };
        let _elapsed = tokio::time::timeout(REST_TIME, reading).await;
    });
}
