//! A scripted model server on a thread of its own, for tests that run the binary.

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
    url: String,
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
