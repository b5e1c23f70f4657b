//! The providers that are configured, and the models of one of them.

use super::{models, table, unavailable};
use crate::core::Core;
use tenon_vocab::Reply;

pub(super) fn list(core: &Core) -> Reply {
    let identity = core.active.get().identity();
    let known = core.models.as_ref().map(|models| models.providers());
    let mut rows: Vec<Vec<String>> = known
        .unwrap_or_default()
        .into_iter()
        .map(|provider| {
            let mark = if provider.name == identity.endpoint {
                "*"
            } else {
                ""
            };
            vec![
                mark.to_owned(),
                provider.name,
                provider.model.unwrap_or_default(),
                provider.place,
            ]
        })
        .collect();
    if !rows.iter().any(|row| row[0] == "*") {
        let now = ["*", &identity.endpoint, &identity.model, ""];
        rows.insert(0, now.map(str::to_owned).to_vec());
    }
    table(
        &["", "provider", "its model", "address"],
        rows,
        Some(String::from(
            "/provider NAME changes to a provider and its model, /models lists more models",
        )),
    )
}

/// Those that are configured and those that its server offers, as they are named
/// to change to one.
pub(super) async fn models_of(core: &Core, provider: &str) -> Reply {
    if provider == core.active.get().identity().endpoint {
        return models::list(core, models::Whose::InUse).await;
    }
    match &core.models {
        Some(source) => models::elsewhere(source.as_ref(), provider).await,
        None => unavailable("this session cannot change its model"),
    }
}

pub(super) fn beginning_with(core: &Core, typed: &str) -> Vec<String> {
    let known = core.models.as_ref().map(|models| models.providers());
    let names = known.unwrap_or_default().into_iter();
    names
        .map(|provider| provider.name)
        .filter(|name| name.starts_with(typed))
        .collect()
}
