//! A scripted model server on a thread of its own, for tests that run the binary.

use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tenon_mock::{Options, RecordedRequest, Recording, Running, Scenarios, Server, Strictness};
use tenon_testing::TestHome;

/// The binary under test.
pub fn tenon() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_tenon"))
}

/// Ends with the test. Strict: a request that a strict server would refuse fails.
pub struct Model {
    runtime: tokio::runtime::Runtime,
    running: Option<Running>,
    pub url: String,
}

impl Model {
    pub fn new(scenarios: &str) -> Self {
        Self::slow(scenarios, Duration::ZERO)
    }

    /// With a pause between deltas.
    pub fn slow(scenarios: &str, delay: Duration) -> Self {
        let scenarios = Scenarios::parse(scenarios).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let options = Options {
            strict: Strictness::Strict,
            delay,
            record: Some(Recording::default()),
            ..Options::default()
        };
        let server = runtime
            .block_on(Server::bind(([127, 0, 0, 1], 0).into(), scenarios, options))
            .unwrap();
        let url = server.base_url();
        let running = runtime.block_on(async { server.spawn() });
        Self {
            runtime,
            running: Some(running),
            url,
        }
    }

    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.running
            .as_ref()
            .map(Running::requests)
            .unwrap_or_default()
    }

    /// Answers with this text.
    pub fn says(text: &str) -> Self {
        Self::scripted(
            json!({"scenarios": [], "default_response": {"content": text}}),
            Duration::ZERO,
        )
    }

    pub fn scripted(scenarios: Value, delay: Duration) -> Self {
        Self::slow(&scenarios.to_string(), delay)
    }

    /// The requests for an answer; what a server is asked about itself comes
    /// beside them, in any order.
    pub fn asked(&self) -> Vec<RecordedRequest> {
        let paths = ["/chat/completions", "/messages", "/responses"];
        self.requests()
            .into_iter()
            .filter(|request| paths.iter().any(|path| request.path.ends_with(path)))
            .collect()
    }

    /// The bodies of all requests for an answer so far.
    pub fn bodies(&self) -> Vec<String> {
        self.asked()
            .iter()
            .map(|request| String::from_utf8_lossy(&request.body).into_owned())
            .collect()
    }

    /// The text of the last message of the user in the last request.
    pub fn last_prompt(&self) -> String {
        let bodies = self.bodies();
        let body: Value = serde_json::from_str(bodies.last().map_or("{}", String::as_str)).unwrap();
        let messages = body["messages"].as_array().cloned().unwrap_or_default();
        let user = messages
            .iter()
            .rev()
            .find(|message| message["role"] == "user");
        user.map(|message| match &message["content"] {
            Value::String(text) => text.clone(),
            parts => parts.to_string(),
        })
        .unwrap_or_default()
    }

    /// `tenon` with this model, in a home of its own.
    pub fn command(&self, home: &TestHome) -> Command {
        let mut command = home.command(tenon());
        command
            .env("TENON_BASE_URL", &self.url)
            .env("TENON_MODEL", "mock-model");
        command
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _inside = self.runtime.enter();
        drop(self.running.take());
    }
}
