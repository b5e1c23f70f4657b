//! The scripted model of a scene, as a process of its own.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use tenon_testing::TestHome;

#[derive(Debug)]
pub struct Server {
    child: Child,
    pub url: String,
}

impl Server {
    pub fn start(program: &Path, home: &TestHome, script: &Value, pause_ms: u32) -> Result<Self> {
        let file = home.path().join("scenarios.json");
        std::fs::write(&file, script.to_string())?;
        let mut child = home
            .command(program)
            .args(["mock-llm", "--port", "0", "--delay", &pause_ms.to_string()])
            .arg("--scenarios")
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} cannot be started", program.display()))?;
        let mut first = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut first)?;
        }
        match first.trim().strip_prefix("listening on ") {
            Some(url) => Ok(Self {
                child,
                url: url.to_owned(),
            }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                bail!("`tenon mock-llm` did not start: {first}");
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
