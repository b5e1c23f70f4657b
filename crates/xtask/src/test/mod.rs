//! `cargo xtask test`: everything that CI runs, in one build. Nothing is built
//! for release here; that is `bench`.

mod fuzz;
mod live;
mod programs;
mod python;
mod suite;

use crate::check;
use crate::docs::Program;
use crate::eval;
use crate::repository::Repository;
use crate::say::say;
use crate::skips::Skips;
use crate::steps::{Step, run_all};
use anyhow::{Context, Result, bail};

/// Whether the slow steps are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pace {
    #[default]
    Whole,
    /// Without lints, doctests and the Python client.
    Fast,
}

/// Whether a real model server is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Servers {
    #[default]
    Scripted,
    Live,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    pace: Pace,
    servers: Servers,
    kills: Option<u32>,
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--fast" => options.pace = Pace::Fast,
                "--live" => options.servers = Servers::Live,
                "--kills" => {
                    let number = words.next().context("--kills needs a number")?;
                    let number = number
                        .parse()
                        .with_context(|| format!("--kills needs a number, not `{number}`"))?;
                    options.kills = Some(number);
                }
                other => bail!("unknown option `{other}` of `cargo xtask test`"),
            }
        }
        Ok(options)
    }
}

pub fn run(repository: &Repository, options: &Options) -> Result<()> {
    let skips = Skips::default();
    let python = match options.pace {
        Pace::Whole => python::prepare(repository, &skips)?,
        Pace::Fast => None,
    };
    programs::prepare(repository, &skips)?;
    let variables = suite::Variables {
        python,
        kills: options.kills,
    };
    let program = repository.target().join("debug").join("tenon");
    let tree = || check::tree(repository);
    let format = || check::format(repository);
    let lint = || check::lint(repository, &skips);
    let tests = || suite::run(repository, &variables);
    let examples = || suite::examples(repository);
    let reference = || check::reference(repository, Program::Built(&program));
    let fuzz = || fuzz::check(repository, &skips);
    let tasks = || eval::rehearse(repository, &program, &skips);
    let live = || live::run(repository);

    let mut steps: Vec<Step<'_>> = vec![("the tree", &tree), ("formatting", &format)];
    if options.pace == Pace::Whole {
        steps.push(("lints", &lint));
    }
    steps.push(("tests", &tests));
    if options.pace == Pace::Whole {
        steps.push(("doctests", &examples));
        steps.push(("fuzz targets", &fuzz));
    }
    steps.push(("the reference", &reference));
    steps.push(("tasks of the evaluation", &tasks));
    if options.servers == Servers::Live {
        steps.push(("live tests", &live));
    }
    if let Err(error) = run_all(&steps) {
        if let Some(told) = skips.told() {
            say(told);
        }
        return Err(error);
    }
    say(skips.verdict("test"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Options, Pace, Servers};

    #[test]
    fn reads_its_options_and_refuses_others() {
        let options = Options::parse(&["--fast", "--kills", "10", "--live"]).unwrap();
        assert_eq!(options.pace, Pace::Fast);
        assert_eq!(options.servers, Servers::Live);
        assert_eq!(options.kills, Some(10));
        assert!(Options::parse(&["--kill"]).is_err());
        assert!(Options::parse(&["--kills"]).is_err());
        assert!(Options::parse(&["--kills", "many"]).is_err());
    }
}
