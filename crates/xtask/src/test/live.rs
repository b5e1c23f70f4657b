//! The opt-in tests against a real llama.cpp server with a real small model.
//! The server is `live/llama.sh`'s matter, unless one is named.

use super::suite;
use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::Result;

const BASE_URL: &str = "TENON_LIVE_BASE_URL";
const MODEL: &str = "TENON_LIVE_MODEL";
const SCRIPT: &str = "live/llama.sh";

pub fn run(repository: &Repository) -> Result<()> {
    if std::env::var_os(BASE_URL).is_some() {
        say(format!("using the server that {BASE_URL} names"));
        return tests(repository, None);
    }
    let script = |word: &str| Step::new(repository, "sh", &[SCRIPT, word]);
    script("setup").run()?;
    script("start").run()?;
    let server = Server {
        base_url: script("url").output()?.trim().to_owned(),
        model: script("model").output()?.trim().to_owned(),
    };
    let ended = tests(repository, Some(&server));
    script("stop").run()?;
    ended
}

#[derive(Debug)]
struct Server {
    base_url: String,
    model: String,
}

fn tests(repository: &Repository, server: Option<&Server>) -> Result<()> {
    let words: &[&str] = if suite::has_nextest(repository) {
        &[
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--run-ignored",
            "only",
            "-E",
            "package(tenon-cli) and test(live_)",
        ]
    } else {
        &[
            "test",
            "--workspace",
            "--locked",
            "live_",
            "--",
            "--ignored",
        ]
    };
    let mut step = Step::cargo(repository, words);
    if let Some(server) = server {
        step = step
            .env(BASE_URL, &server.base_url)
            .env(MODEL, &server.model);
    }
    step.run()
}
