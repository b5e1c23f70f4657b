//! The settings one by one (U6): the provider, then the model. Enter takes what
//! stands in brackets, `?` lists what there is, and the name of a provider chooses
//! it with its own model. Asked where several providers are configured and nobody
//! says which, and before the first prompt by whoever presses Enter.

use super::{complain, model};
use crate::error::CliError;
use crate::repl::{Repl, table};
use std::collections::BTreeMap;
use tenon_config::ResolvedProvider;
use tenon_vocab::{Printable, Reply, TableReply};

pub(in crate::repl) struct Chosen {
    pub provider: String,
    pub model: String,
}

/// What holds when nothing is typed.
pub(in crate::repl) struct InUse<'a> {
    pub provider: &'a ResolvedProvider,
    /// The one in use; otherwise the provider's own.
    pub model: Option<&'a str>,
}

/// `None` when the questions were left.
pub(in crate::repl) async fn ask(
    repl: &mut Repl,
    providers: &BTreeMap<String, ResolvedProvider>,
    now: &InUse<'_>,
) -> Result<Option<Chosen>, CliError> {
    loop {
        let Some(provider) = provider(repl, providers, now.provider).await else {
            return Ok(None);
        };
        let own = provider.model.as_ref().or(provider.models.first());
        let own = match now.model {
            Some(model) if provider.name == now.provider.name => Some(model),
            _ => own.map(String::as_str),
        };
        let model = match own {
            Some(own) => match model::keep_or_name(repl, provider, own).await {
                Some(model) => model,
                None => return Ok(None),
            },
            None => match model::ask(repl, provider, None).await? {
                Some(model) => model,
                // Another server is wanted.
                None => continue,
            },
        };
        return Ok(Some(Chosen {
            provider: provider.name.clone(),
            model,
        }));
    }
}

async fn provider<'p>(
    repl: &mut Repl,
    providers: &'p BTreeMap<String, ResolvedProvider>,
    now: &'p ResolvedProvider,
) -> Option<&'p ResolvedProvider> {
    let label = format!(
        "Provider: a name, ? lists them [{}] ",
        Printable::line(&now.name)
    );
    loop {
        let answer = repl.keyboard.question(&mut repl.signals, &label).await?;
        match answer.as_str() {
            "" => return Some(now),
            "?" => complain(&table::reply(&list(providers), table::width())),
            name if name == now.name => return Some(now),
            name => match providers.get(name) {
                Some(provider) => return Some(provider),
                None => complain(&unknown(name, providers)),
            },
        }
    }
}

fn unknown(name: &str, providers: &BTreeMap<String, ResolvedProvider>) -> String {
    let names: Vec<&str> = providers.keys().map(String::as_str).collect();
    let near = tenon_tools::input::suggest_name(name, &names)
        .map(|near| format!(" Did you mean `{near}`?"))
        .unwrap_or_default();
    format!(
        "No provider named `{}` is configured.{near} ? lists them.",
        Printable::line(name)
    )
}

pub(super) fn list(providers: &BTreeMap<String, ResolvedProvider>) -> Reply {
    let row = |provider: &ResolvedProvider| {
        vec![
            provider.name.clone(),
            provider.model.clone().unwrap_or_default(),
            provider.base_url.clone(),
        ]
    };
    Reply::Table(TableReply {
        columns: ["provider", "its model", "address"]
            .map(String::from)
            .to_vec(),
        rows: providers.values().map(row).collect(),
        note: None,
    })
}
