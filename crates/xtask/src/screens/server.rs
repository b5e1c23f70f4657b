//! The scripted model of a scene.

pub use crate::server::Server;
use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use tenon_testing::TestHome;

impl Server {
    pub fn of_scene(
        program: &Path,
        home: &TestHome,
        script: &Value,
        pause_ms: u32,
    ) -> Result<Self> {
        let file = home.path().join("scenarios.json");
        std::fs::write(&file, script.to_string())?;
        let mut command = home.command(program);
        command
            .args(["mock-llm", "--port", "0", "--delay", &pause_ms.to_string()])
            .arg("--scenarios")
            .arg(file);
        Self::of(&mut command)
    }
}
