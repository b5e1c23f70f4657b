//! A window in which an agent has little room is said to be one, once, before the
//! user wonders: at the start of a session where it is known, else as soon as the
//! server has said it.

use crate::active;
use crate::budget::{self, LimitSource};
use crate::compact::figure;
use crate::core::Core;
use std::sync::Arc;
use tenon_model::{SMALL_WINDOW, Software, Window, WindowSource};
use tenon_vocab::{NoticeLevel, RunId};

/// After the run in which the server was first asked for its window: nobody waits
/// for what it says.
pub(crate) fn tell_when_known(core: &Arc<Core>) {
    let current = core.active.get();
    if !current.is_asking() {
        return;
    }
    let core = Arc::clone(core);
    tokio::spawn(async move {
        let shutdown = &core.inbox.shutdown;
        current.window_settled(shutdown).await;
        // After a shutdown the log is being closed.
        if !shutdown.is_cancelled() {
            tell(&core, None);
        }
    });
}

pub(crate) fn tell(core: &Core, run: Option<RunId>) {
    let current = core.active.get();
    let Some(limit) = budget::limit(core, &current) else {
        return;
    };
    let LimitSource::Window(source) = limit.source else {
        return;
    };
    let window = Window {
        tokens: limit.tokens,
        source,
    };
    let identity = current.identity();
    if window.tokens >= SMALL_WINDOW || !core.told.is_news(&key(&identity.model, window.tokens)) {
        return;
    }
    core.notice(
        run,
        NoticeLevel::Warning,
        "small_window",
        Told::of(&identity.endpoint, &window).line(),
    );
}

/// The day on which a server said it changes nothing.
fn key(model: &str, tokens: u64) -> String {
    format!("small window: {model} {tokens}")
}

/// What is said of a small window, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub what: String,
    pub advice: String,
}

impl Told {
    /// `provider` is its name in the configuration.
    #[must_use]
    pub fn of(provider: &str, window: &Window) -> Self {
        let software = Software::serving(provider, window);
        let set = match window.source {
            WindowSource::User => " Then set `context_window` to it.",
            WindowSource::Server(_) | WindowSource::Catalogue => "",
        };
        Self {
            what: format!(
                "The window has only {} tokens ({}): long files come in pages, and long tasks lose their beginning.",
                figure(window.tokens),
                active::source(window)
            ),
            advice: format!("{}{set}", software.larger_window()),
        }
    }

    /// In one line.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.what, self.advice)
    }
}

#[cfg(test)]
mod tests {
    use super::Told;
    use tenon_model::{Window, WindowSource};

    #[test]
    fn each_server_is_told_in_its_own_words_how_to_hold_more() {
        let server = |place: &str| WindowSource::Server(place.to_owned());
        for (provider, source, how) in [
            ("own", server("/props"), "-c 65536"),
            ("own", server("/api/ps"), "OLLAMA_CONTEXT_LENGTH=65536"),
            ("ollama", WindowSource::User, "num_ctx"),
            (
                "lmstudio",
                server("/api/v0/models"),
                "context length in LM Studio",
            ),
            ("vllm", server("/v1/models"), "--max-model-len 65536"),
            ("own", WindowSource::Catalogue, "llama.cpp: -c 65536"),
        ] {
            let told = Told::of(
                provider,
                &Window {
                    tokens: 8_192,
                    source,
                },
            )
            .line();
            assert!(
                told.contains("8,192 tokens") && told.contains(how),
                "{told}"
            );
            assert!(!told.contains('\n'), "one line: {told}");
        }
    }
}
