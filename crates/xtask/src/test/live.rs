//! The opt-in tests against real servers: llama.cpp with a real small model,
//! the same behind a gate that demands calls, llama-cpp-python, LiteLLM. Each
//! is a script below `live/` that sets it up, starts and stops it; where a
//! variable already names a server, that one is used.

use super::suite;
use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::{Result, bail};

/// One server and the tests that need it.
struct Counterpart {
    script: &'static str,
    /// The word that starts it.
    start: &'static str,
    /// The word that prints its address, and the variable that holds it.
    address: (&'static str, &'static str),
    tests: &'static str,
}

const COUNTERPARTS: &[Counterpart] = &[
    Counterpart {
        script: "live/llama.sh",
        start: "start",
        address: ("url", "TENON_LIVE_BASE_URL"),
        tests: "live::live_",
    },
    Counterpart {
        script: "live/llama.sh",
        start: "gated",
        address: ("gate-url", "TENON_LIVE_GATE_URL"),
        tests: "live_llama_cpp_carries",
    },
    Counterpart {
        script: "live/llama-py.sh",
        start: "gated",
        address: ("gate-url", "TENON_LIVE_LLAMA_PY_URL"),
        tests: "live_llama_cpp_python",
    },
    Counterpart {
        script: "live/litellm.sh",
        start: "start",
        address: ("url", "TENON_LIVE_LITELLM_URL"),
        tests: "live_litellm",
    },
];

/// Runs all, so that one server that cannot be had does not hide the others.
pub fn run(repository: &Repository) -> Result<()> {
    let mut failed = Vec::new();
    for counterpart in COUNTERPARTS {
        if let Err(error) = one(repository, counterpart) {
            say(format!("{}: {error:#}", counterpart.tests));
            failed.push(counterpart.tests);
        }
    }
    if !failed.is_empty() {
        bail!("live tests failed: {}", failed.join(", "));
    }
    Ok(())
}

fn one(repository: &Repository, counterpart: &Counterpart) -> Result<()> {
    let (word, variable) = counterpart.address;
    if std::env::var_os(variable).is_some() {
        say(format!("using the server that {variable} names"));
        return tests(repository, counterpart.tests, &[]);
    }
    let script = |word: &str| Step::new(repository, "sh", &[counterpart.script, word]);
    script("setup").run()?;
    script(counterpart.start).run()?;
    let ended = script(word).output().and_then(|address| {
        let model = script("model").output()?;
        let variables = [
            (variable, address.trim().to_owned()),
            ("TENON_LIVE_MODEL", model.trim().to_owned()),
        ];
        tests(repository, counterpart.tests, &variables)
    });
    script("stop").run()?;
    ended
}

fn tests(repository: &Repository, name: &str, variables: &[(&str, String)]) -> Result<()> {
    let filter = format!("package(tenon-cli) and test({name})");
    let words: &[&str] = if suite::has_nextest(repository) {
        &[
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--run-ignored",
            "only",
            "-E",
            &filter,
        ]
    } else {
        &["test", "--workspace", "--locked", name, "--", "--ignored"]
    };
    let mut step = Step::cargo(repository, words);
    for (variable, value) in variables {
        step = step.env(variable, value);
    }
    step.run()
}
