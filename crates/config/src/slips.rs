//! Rules and hooks that name a tool which nobody has: they would never apply,
//! and nobody would notice. Only what looks like a slip is said, for tools of
//! servers and of other projects are not known here.

use crate::load::Loaded;
use crate::suggest;
use tenon_policy::{EDIT_ALONE, EXTERNAL_DIRECTORY, Layer, Rules};
use tenon_vocab::names::{canonical_name, canonical_names, spellings};
use tenon_vocab::profile::HookSpec;

/// Shorter spellings (`ls`, `rg`) are two slips away from any short name.
const SHORTEST_SPELLING: usize = 4;
const MOST_SLIPS: usize = 2;

pub(crate) fn in_tool_names(loaded: &Loaded, rules: &Rules) -> Vec<String> {
    let own = own_tools(loaded);
    let mut warnings = Vec::new();
    for rule in rules.iter() {
        if let Some(near) = meant(&rule.tool, &own) {
            warnings.push(format!(
                "{}: a rule names the tool `{}`, which doesn't exist, so it never applies; did you mean `{near}`?",
                rule.origin, rule.tool
            ));
        }
    }
    for hook in &loaded.hooks {
        let Some(HookSpec { name, tool, .. }) = crate::hooks::spec(hook) else {
            continue;
        };
        let tool = tool.unwrap_or_default();
        if let Some(near) = read(&tool).and_then(|read| meant(&read, &own)) {
            warnings.push(format!(
                "{}: the hook `{name}` names the tool `{tool}`, which doesn't exist, so it never runs; did you mean `{near}`?",
                hook.origin
            ));
        }
    }
    // One name may stand in many rules.
    let mut told = std::collections::BTreeSet::new();
    warnings.retain(|warning| told.insert(warning.clone()));
    warnings
}

/// The name as rules read it: other spellings of a tool are that tool.
fn read(tool: &str) -> Option<String> {
    let mut rules = Rules::empty();
    let value = serde_json::json!({ tool: "deny" });
    rules.add_config(&value, Layer::User, "").ok()?;
    rules.iter().next().map(|rule| rule.tool.clone())
}

/// The tool that was probably meant; `None` for a name that may well be right.
fn meant(tool: &str, own: &[String]) -> Option<&'static str> {
    let known = || canonical_names().chain([EXTERNAL_DIRECTORY, EDIT_ALONE]);
    if tool.is_empty()
        || tool.contains(['*', '?'])
        || known().any(|name| name == tool)
        || own.iter().any(|name| name == tool)
    {
        return None;
    }
    suggest::nearest(tool, known()).or_else(|| {
        let long = spellings().filter(|spelling| spelling.len() >= SHORTEST_SPELLING);
        suggest::within(tool, long, MOST_SLIPS).and_then(canonical_name)
    })
}

/// The tools that people added, accepted or not, by their folders.
fn own_tools(loaded: &Loaded) -> Vec<String> {
    let mut own = match &loaded.project().snapshot {
        Some(snapshot) => snapshot.folders("tools/"),
        None => Vec::new(),
    };
    let entries = std::fs::read_dir(loaded.paths.config.join("tools"));
    own.extend(
        entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned()),
    );
    own
}
