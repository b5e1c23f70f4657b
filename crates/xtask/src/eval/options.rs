//! What `cargo xtask eval` is asked for.

use super::named;
use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Who answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Asked {
    /// The script of each task.
    #[default]
    Script,
    Model(Endpoint),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub base_url: String,
    pub model: String,
    /// The variable that holds the key.
    pub key_env: Option<String>,
}

/// One way to begin the requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    pub label: String,
    pub text: PromptText,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptText {
    /// `prompt.tier`.
    Tier(String),
    /// The base prompt, with the tools of the compact tier.
    File(PathBuf),
}

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub asked: Asked,
    /// Names of tiers, of prompts of ours, or files.
    pub prompts: Vec<String>,
    pub only: Option<String>,
    pub rounds: u32,
    pub program: Option<PathBuf>,
    jobs: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            asked: Asked::Script,
            prompts: Vec::new(),
            only: None,
            rounds: 1,
            program: None,
            jobs: None,
        }
    }
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let (mut base_url, mut model, mut key_env) = (None, None, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match *word {
                "--base-url" => base_url = Some((*value()?).to_owned()),
                "--model" => model = Some((*value()?).to_owned()),
                "--key-env" => key_env = Some((*value()?).to_owned()),
                "--prompt" => options.prompts.push((*value()?).to_owned()),
                "--only" => options.only = Some((*value()?).to_owned()),
                "--rounds" => options.rounds = number(word, value()?)?,
                "--jobs" => options.jobs = Some(number(word, value()?)?),
                "--program" => options.program = Some(PathBuf::from(value()?)),
                other => bail!("unknown option `{other}` of `cargo xtask eval`"),
            }
        }
        options.asked = match (base_url, model, key_env) {
            (Some(base_url), Some(model), key_env) => Asked::Model(Endpoint {
                base_url,
                model,
                key_env,
            }),
            (None, None, None) => Asked::Script,
            _ => bail!("--base-url and --model go together, --key-env only with them"),
        };
        Ok(options)
    }

    /// How many tasks run side by side: a model server of one's own has time for
    /// one.
    pub fn jobs(&self) -> usize {
        let usual = match self.asked {
            Asked::Script => std::thread::available_parallelism().map_or(1, usize::from),
            Asked::Model(_) => 1,
        };
        self.jobs.unwrap_or(usual).max(1)
    }

    pub fn prompts(&self, repository: &Repository) -> Vec<Prompt> {
        let prompt = |word: &String| Prompt {
            label: word.clone(),
            text: match word.as_str() {
                "auto" | "compact" | "full" => PromptText::Tier(word.clone()),
                name if named(repository, name).is_file() => {
                    PromptText::File(named(repository, name))
                }
                path => PromptText::File(PathBuf::from(path)),
            },
        };
        match self.prompts.as_slice() {
            [] => vec![prompt(&String::from("auto"))],
            words => words.iter().map(prompt).collect(),
        }
    }
}

fn number<T: std::str::FromStr>(word: &str, value: &str) -> Result<T> {
    match value.parse() {
        Ok(number) => Ok(number),
        Err(_) => bail!("{word} needs a number, not `{value}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, Options, PromptText};
    use crate::repository::Repository;

    #[test]
    fn a_model_needs_an_address_and_a_name() {
        let options = Options::parse(&["--base-url", "http://h/v1", "--model", "m"]).unwrap();
        assert!(matches!(&options.asked, Asked::Model(model) if model.model == "m"));
        assert_eq!(options.jobs(), 1);
        for words in [
            &["--base-url", "http://h/v1"][..],
            &["--model", "m"],
            &["--key-env", "KEY"],
            &["--rounds", "many"],
            &["--round", "1"],
            &["--only"],
        ] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_prompt_is_a_tier_one_of_ours_or_a_file() {
        let repository = Repository::find().unwrap();
        let words = ["--prompt", "full", "--prompt", "old", "--prompt", "my.md"];
        let prompts = Options::parse(&words).unwrap().prompts(&repository);
        let PromptText::File(old) = &prompts[1].text else {
            panic!("{prompts:?}");
        };
        assert!(old.ends_with("eval/prompts/old.md"));
        assert_eq!(prompts[0].text, PromptText::Tier("full".into()));
        assert_eq!(prompts[2].text, PromptText::File("my.md".into()));
        assert_eq!(
            Options::default().prompts(&repository)[0].text,
            PromptText::Tier("auto".into())
        );
    }
}
