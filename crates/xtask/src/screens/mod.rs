//! Pictures of the terminal interface for the documentation: the real program
//! in an emulated terminal with a scripted model, drawn by a browser. Nothing is
//! painted by hand, so a picture cannot show what the program does not do.

mod page;
mod scenes;
mod server;

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::{Context, Result, bail};
use page::{Look, page};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tenon_testing::screen::Cells;

pub const FOLDER: &str = "docs/screens";
const CELLS: Cells = Cells {
    columns: 100,
    rows: 30,
};
/// Larger ones have no place in a repository.
const LARGEST: u64 = 150 * 1024;

#[derive(Debug, Default)]
pub struct Options {
    program: Option<PathBuf>,
    only: Option<String>,
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let value = words
                .next()
                .with_context(|| format!("{word} needs a value"))?;
            match *word {
                "--program" => options.program = Some(PathBuf::from(value)),
                "--only" => options.only = Some((*value).to_owned()),
                other => bail!("unknown option `{other}`"),
            }
        }
        Ok(options)
    }
}

pub fn run(repository: &Repository, options: &Options) -> Result<()> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            Step::cargo(repository, &["build", "--package", "tenon-cli"]).run()?;
            repository.target().join("debug/tenon")
        }
    };
    let folder = repository.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for (name, scene) in scenes::ALL {
        if options.only.as_deref().is_some_and(|only| only != *name) {
            continue;
        }
        let taken = scene(&program, CELLS).with_context(|| format!("the picture `{name}`"))?;
        let file = folder.join(format!("{name}.png"));
        draw(&page(&taken.screen, taken.look), taken.look, &file)?;
        let size = fs::metadata(&file)?.len();
        if size > LARGEST {
            bail!("{} has {size} bytes, which is too much", file.display());
        }
        say(format!("{} ({size} bytes)", file.display()));
    }
    Ok(())
}

/// Draws a page of HTML into a picture.
fn draw(html: &str, look: Look, file: &Path) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("tenon-screens-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let source = folder.join("page.html");
    fs::write(&source, html)?;
    let (width, height) = look.pixels(CELLS);
    let status = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("browser").display()
        ))
        .arg(format!("--window-size={width},{height}"))
        .arg(format!("--screenshot={}", file.display()))
        .arg(format!("file://{}", source.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("chromium cannot be started (Debian: chromium, fonts-dejavu, fonts-noto-cjk)")?;
    let _ = fs::remove_dir_all(&folder);
    if !status.success() {
        bail!("chromium failed ({status})");
    }
    Ok(())
}
