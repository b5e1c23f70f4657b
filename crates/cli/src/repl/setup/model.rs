//! The model of the server that was chosen: from its list, or by name. A server
//! that does not answer is asked again before anything is written for it.

use super::{Enter, complain, yes_or_no};
use crate::assemble;
use crate::error::CliError;
use crate::provider;
use crate::render::waiting;
use crate::repl::Repl;
use tenon_config::ResolvedProvider;
use tenon_model::{Model, ModelEntry, ModelErrorKind};
use tenon_vocab::Printable;

/// Models that are listed, at most.
const LISTED: usize = 30;

/// `None` when another server is wanted.
pub(super) async fn ask(
    repl: &mut Repl,
    configured: &ResolvedProvider,
    said: Option<Vec<ModelEntry>>,
) -> Result<Option<String>, CliError> {
    let known = match said {
        Some(said) => said,
        None => match listed(repl, configured).await? {
            Listed::Models(known) => known,
            Listed::Named(name) => return Ok(Some(name)),
            Listed::AnotherServer => return Ok(None),
        },
    };
    let known = sorted(known);
    list(&known);
    let label = match known.first() {
        Some(first) => format!(
            "Model: a number or a name [{}] ",
            provider::shown_id(&first.id)
        ),
        None => String::from("Name of the model (Enter: another server) "),
    };
    loop {
        let answer = super::ask(repl, &label).await?;
        match chosen(&answer, &known) {
            Chosen::Model(name) if is_known(&name, &known) || sure(repl, &name).await => {
                return Ok(Some(name));
            }
            Chosen::Model(_) => {}
            Chosen::AnotherServer => return Ok(None),
            Chosen::NoSuchNumber => complain(&no_such_number(&answer)),
        }
    }
}

fn list(known: &[ModelEntry]) {
    for (n, model) in known.iter().take(LISTED).enumerate() {
        let name = provider::shown_id(&model.id);
        complain(&format!("  {:>2}  {name}", n + 1));
    }
    if known.len() > LISTED {
        complain(&format!("      … and {} more", known.len() - LISTED));
    }
}

/// The model of a provider that has one: Enter keeps it. `None` when the question
/// was left.
pub(super) async fn keep_or_name(
    repl: &mut Repl,
    configured: &ResolvedProvider,
    now: &str,
) -> Option<String> {
    let label = format!(
        "Model: a name, ? lists those of the server [{}] ",
        provider::shown_id(now)
    );
    let mut known = Vec::new();
    loop {
        let answer = repl.keyboard.question(&mut repl.signals, &label).await?;
        if answer == "?" {
            known = shown(repl, configured).await;
            continue;
        }
        if answer.is_empty() {
            return Some(now.to_owned());
        }
        match chosen(&answer, &known) {
            Chosen::Model(name) if is_known(&name, &known) || sure(repl, &name).await => {
                return Some(name);
            }
            Chosen::NoSuchNumber => complain(&no_such_number(&answer)),
            Chosen::Model(_) | Chosen::AnotherServer => {}
        }
    }
}

/// What the server has; that it does not say stops nobody.
async fn shown(repl: &mut Repl, configured: &ResolvedProvider) -> Vec<ModelEntry> {
    let asked = waiting::during(waiting::Motion::Appended, models(repl, configured));
    match asked.await {
        Ok(known) => {
            let known = sorted(known);
            list(&known);
            return known;
        }
        Err(Unlisted::Interrupted) => {}
        Err(Unlisted::Dead(cause)) => say_unlisted(&cause, None),
        Err(Unlisted::Other(problem)) => say_unlisted(&problem.message, problem.hint.as_deref()),
    }
    Vec::new()
}

fn no_such_number(answer: &str) -> String {
    format!("There is no number {answer} in the list. Type one from the list, or a name.")
}

/// The model of a provider that is configured without one.
pub(super) enum Missing {
    Chosen(String),
    /// Opening the session takes the only one, or says why it cannot.
    NothingToChoose,
    Interrupted,
}

pub(super) async fn missing(
    repl: &mut Repl,
    configured: &ResolvedProvider,
) -> Result<Missing, CliError> {
    let asked = waiting::during(waiting::Motion::Appended, models(repl, configured));
    let known = match asked.await {
        Ok(known) if known.len() > 1 => known,
        Err(Unlisted::Interrupted) => return Ok(Missing::Interrupted),
        _ => return Ok(Missing::NothingToChoose),
    };
    complain(&format!(
        "{} at {} is set, and no model is chosen yet.",
        Printable::line(&configured.name),
        Printable::line(place(&configured.base_url))
    ));
    let model = ask(repl, configured, Some(known)).await?;
    Ok(model.map_or(Missing::NothingToChoose, Missing::Chosen))
}

/// Whether the server has it; one that lists nothing may have anything.
fn is_known(name: &str, known: &[ModelEntry]) -> bool {
    known.is_empty() || known.iter().any(|model| model.id == name)
}

async fn sure(repl: &mut Repl, name: &str) -> bool {
    let label = format!(
        "The server doesn't list `{}`. Use it anyway? [y/N] ",
        Printable::line(name)
    );
    yes_or_no(repl, &label, Enter::No).await
}

/// What can hardly be talked to goes last, by its name: it only orders.
fn sorted(mut known: Vec<ModelEntry>) -> Vec<ModelEntry> {
    const OTHERS: &[&str] = &[
        "embed",
        "rerank",
        "whisper",
        "tts",
        "dall-e",
        "moderation",
        "transcribe",
        "babbage",
        "davinci",
        "realtime",
        "image",
        "sora",
    ];
    known.sort_by_key(|model| {
        let id = model.id.to_ascii_lowercase();
        OTHERS.iter().any(|other| id.contains(other))
    });
    known
}

/// What came of asking a server for its models.
enum Listed {
    /// None where it answers and lists nothing.
    Models(Vec<ModelEntry>),
    /// It does not answer, and this model is wanted all the same.
    Named(String),
    AnotherServer,
}

/// Why there is no list.
enum Unlisted {
    /// Nobody is there to have one.
    Dead(String),
    Interrupted,
    Other(CliError),
}

async fn listed(repl: &mut Repl, configured: &ResolvedProvider) -> Result<Listed, CliError> {
    loop {
        let cause = match models(repl, configured).await {
            Ok(known) => return Ok(Listed::Models(known)),
            Err(Unlisted::Dead(cause)) => cause,
            Err(Unlisted::Interrupted) => return Ok(unlisted("not waited for", None)),
            Err(Unlisted::Other(problem)) => {
                return Ok(unlisted(&problem.message, problem.hint.as_deref()));
            }
        };
        complain(&format!(
            "Nothing answers at {}.\n  {}",
            Printable::line(place(&configured.base_url)),
            Printable::line(&cause)
        ));
        let label = "Enter: try again, o: another server, or the name of a model to continue anyway [again] ";
        let answer = super::ask(repl, label).await?;
        match answer.to_ascii_lowercase().as_str() {
            "" | "a" | "again" => {}
            "o" | "other" | "another" | "another server" => return Ok(Listed::AnotherServer),
            _ => return Ok(Listed::Named(answer)),
        }
    }
}

/// Says why there is no list. The model is named then.
fn unlisted(why: &str, hint: Option<&str>) -> Listed {
    say_unlisted(why, hint);
    Listed::Models(Vec::new())
}

fn say_unlisted(why: &str, hint: Option<&str>) {
    complain(&format!(
        "The server doesn't list its models: {}",
        Printable::line(why)
    ));
    if let Some(hint) = hint {
        complain(&format!("  {}", Printable::line(hint)));
    }
}

/// `host:port` of an address.
fn place(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    // A password may stand before it.
    place.rsplit_once('@').map_or(place, |(_, place)| place)
}

async fn models(
    repl: &mut Repl,
    configured: &ResolvedProvider,
) -> Result<Vec<ModelEntry>, Unlisted> {
    let other = Unlisted::Other;
    let scratch = tempfile::tempdir().map_err(|error| other(error.into()))?;
    let jobs = assemble::jobs(scratch.path());
    let model = provider::http(&repl.place, configured, "", None, &jobs).map_err(other)?;
    tokio::select! {
        biased;
        _ = repl.signals.next() => Err(Unlisted::Interrupted),
        models = model.models() => models.map_err(|error| match error.kind {
            ModelErrorKind::Network | ModelErrorKind::Timeout => Unlisted::Dead(error.message),
            _ => other(error.into()),
        }),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Chosen {
    Model(String),
    AnotherServer,
    NoSuchNumber,
}

/// By number, by name, or the first one with Enter. A number counts only where
/// it stands in the list, unless a model is called so.
fn chosen(answer: &str, known: &[ModelEntry]) -> Chosen {
    let model = |model: &ModelEntry| Chosen::Model(model.id.clone());
    if answer.is_empty() {
        return known.first().map_or(Chosen::AnotherServer, model);
    }
    let named = known.is_empty() || known.iter().any(|model| model.id == answer);
    match answer.parse::<usize>().ok().filter(|_| !named) {
        None => Chosen::Model(answer.to_owned()),
        Some(number) => number
            .checked_sub(1)
            .and_then(|at| known.get(..known.len().min(LISTED))?.get(at))
            .map_or(Chosen::NoSuchNumber, model),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[&str]) -> Vec<ModelEntry> {
        names
            .iter()
            .map(|name| ModelEntry {
                id: (*name).to_owned(),
                context_window: None,
            })
            .collect()
    }

    #[test]
    fn enter_takes_the_first_model_and_a_number_its_own() {
        let known = entries(&["a", "b", "7"]);
        let named = |name: &str| Chosen::Model(name.to_owned());
        assert_eq!(chosen("", &known), named("a"));
        assert_eq!(chosen("2", &known), named("b"));
        assert_eq!(chosen("7", &known), named("7"));
        assert_eq!(chosen("other", &known), named("other"));
        assert_eq!(chosen("", &[]), Chosen::AnotherServer);
        assert_eq!(chosen("42", &[]), named("42"), "nothing was listed");
    }

    #[test]
    fn a_number_that_is_not_in_the_list_is_no_model() {
        let known = entries(&["a", "b", "7"]);
        assert_eq!(chosen("0", &known), Chosen::NoSuchNumber);
        assert_eq!(chosen("4", &known), Chosen::NoSuchNumber);
        let many: Vec<String> = (0..LISTED + 5).map(|n| format!("m{n}")).collect();
        let many = entries(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(
            chosen(&(LISTED + 1).to_string(), &many),
            Chosen::NoSuchNumber
        );
        let last = Chosen::Model(format!("m{}", LISTED - 1));
        assert_eq!(chosen(&LISTED.to_string(), &many), last);
    }

    #[test]
    fn a_place_is_a_host_and_its_port_and_no_password() {
        for (url, is) in [
            ("http://localhost:9999/v1", "localhost:9999"),
            ("https://me:key@host.example?x=1", "host.example"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(place(url), is);
        }
    }

    #[test]
    fn what_can_be_talked_to_stands_before_what_makes_vectors_or_sounds() {
        let known = sorted(entries(&["nomic-embed-text", "b", "whisper-1", "a"]));
        let names: Vec<&str> = known.iter().map(|model| model.id.as_str()).collect();
        assert_eq!(names, ["b", "a", "nomic-embed-text", "whisper-1"]);
    }
}
