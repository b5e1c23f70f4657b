//! The scripted model server as another process, ended with its owner.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

#[derive(Debug)]
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT/v1`
    pub base_url: String,
}

impl Server {
    /// From a command that is `tenon mock-llm --port 0` with its flags.
    pub fn of(command: &mut Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("{:?} cannot be started", command.get_program()))?;
        let mut first = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut first)?;
        }
        let address = first
            .trim()
            .strip_prefix("listening on ")
            .map(str::to_owned);
        // Made at once, so that a server that said something else is ended, too.
        let server = Self {
            child,
            base_url: address.clone().unwrap_or_default(),
        };
        if address.is_none() {
            bail!("`tenon mock-llm` did not start: {first}");
        }
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
