//! The keys that this program was given, for the masker: a server or a command
//! that repeats one must not bring it onto the screen, into the log or to a
//! model. Only those that are known at the start; a command is not run for it,
//! and what it gives is told to the masker when it is asked for.

use crate::auth::keys::{Keys, Saved};
use crate::place::Place;
use tenon_config::{KeySource, Resolved, ResolvedProvider};
use tenon_model::presets;

pub fn keys_in_use(place: &Place, resolved: &Resolved) -> Vec<String> {
    let providers = resolved.provider.iter().chain(resolved.providers.values());
    let mut keys: Vec<String> = providers.flat_map(|provider| of(place, provider)).collect();
    let names = presets().iter().flat_map(|preset| preset.key_env);
    let variables = names.copied().chain(["TENON_API_KEY"]);
    keys.extend(variables.filter_map(|name| place.env.get(name).map(str::to_owned)));
    // What cannot be read is not used either.
    let saved = Keys::in_state(&place.paths.state).all().unwrap_or_default();
    keys.extend(saved.into_values().filter_map(|saved| match saved {
        Saved::File { key, .. } => Some(key),
        Saved::Desktop { .. } => None,
    }));
    keys
}

fn of(place: &Place, provider: &ResolvedProvider) -> Vec<String> {
    let mut keys = match &provider.key {
        KeySource::Literal(key) => vec![key.clone()],
        KeySource::Env(names) => {
            let set = names.iter().filter_map(|name| place.env.get(name));
            set.map(str::to_owned).collect()
        }
        KeySource::None | KeySource::Command(_) | KeySource::Codex => Vec::new(),
    };
    let of_headers = provider.headers.iter().filter(|(name, _)| {
        let name = name.to_ascii_lowercase();
        ["auth", "key", "token"]
            .iter()
            .any(|part| name.contains(part))
    });
    // `Bearer KEY`
    keys.extend(of_headers.filter_map(|(_, value)| value.rsplit(' ').next().map(str::to_owned)));
    keys
}
