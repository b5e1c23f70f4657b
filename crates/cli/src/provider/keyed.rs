//! Services that a key in the environment makes usable. Nothing is configured by
//! that: it is only offered.

use tenon_config::Env;
use tenon_model::{Kind, Preset, presets};

/// The presets that can be asked.
pub fn usable() -> impl Iterator<Item = &'static Preset> {
    presets()
        .iter()
        .filter(|preset| preset.kind != Kind::External)
}

/// Those with a usual address and a key, with the variable that holds it. Its value
/// is not looked at.
pub fn keyed(env: &Env) -> impl Iterator<Item = (&'static Preset, &'static str)> {
    let set = |name: &&str| env.get(name).is_some_and(|value| !value.trim().is_empty());
    usable()
        .filter(|preset| preset.base_url.is_some())
        .filter_map(move |preset| Some((preset, preset.key_env.iter().copied().find(set)?)))
}
