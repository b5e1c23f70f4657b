//! `tenon policy list` and `remove`: what was allowed for this project, until
//! when, the rules that hold, and the way to take a permission back.

use super::Standing;
use crate::commands::pages;
use crate::commands::tools::word;
use crate::error::CliError;
use crate::place::Place;
use crate::render::table::Table;
use crate::screen::complain;
use crate::{CommandResult, grants};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;
use tenon_engine::{Ambient, RealAmbient};
use tenon_policy::{GRANT_TTL, Grant, Grants, Layer, Rule};
use tenon_vocab::{Printable, Timestamp};

/// What is to be taken back.
pub enum Which {
    /// A number or a rule, as the list shows it.
    One(String),
    All,
}

pub fn list(standing: &Standing) -> CommandResult {
    let grants = held(&standing.place, standing.resolved.grants.ttl);
    let mut page = String::new();
    if grants.is_empty() {
        page.push_str("You have allowed nothing for this project beyond the rules.\n");
    } else {
        let mut table = Table::new(&["", "allowed by you", "given", "until"]);
        for (number, grant) in (1..).zip(&grants) {
            table.row([
                format!("{number}"),
                grant.to_string(),
                grant.since().map(day).unwrap_or_default(),
                grant.expires.map(day).unwrap_or_default(),
            ]);
        }
        page.push_str(&table.to_string());
        page.push_str("`tenon policy remove N` takes one back, `--all` all of them.\n");
        if !standing.resolved.grants.keeps() {
            page.push_str(
                "They are ignored: `persistent_grants.enabled` is off, or the scope is `session`.\n",
            );
        }
    }
    let mut table = Table::new(&["rule, most specific first", "from"]);
    for rule in standing.resolved.rules.iter() {
        table.row([rule.to_string(), rule.origin.clone()]);
    }
    page.push_str(&format!("\n{table}"));
    pages::print(&page)
}

pub fn list_as_json(standing: &Standing) -> CommandResult {
    let grants: Vec<Value> = (1..)
        .zip(&held(&standing.place, standing.resolved.grants.ttl))
        .map(|(number, grant): (usize, &Grant)| {
            json!({
                "number": number,
                "rule": grant.to_string(),
                "tool": grant.tool,
                "key": grant.key,
                "given": grant.since(),
                "expires": grant.expires,
            })
        })
        .collect();
    let rules: Vec<Value> = standing.resolved.rules.iter().map(rule_json).collect();
    pages::print_json(&json!({
        "grants_enabled": standing.resolved.grants.keeps(),
        "grants": grants,
        "rules": rules,
    }))
}

pub fn remove(place: &Place, which: Which) -> CommandResult {
    let wanted = match which {
        Which::All => {
            grants::forget(place)?;
            complain("You no longer allow anything for this project beyond the rules.");
            return Ok(ExitCode::SUCCESS);
        }
        Which::One(wanted) => wanted,
    };
    // The numbers are those of the list; it can be taken back from also where the
    // settings are broken.
    let settings = crate::trust::read(place, Vec::new())
        .ok()
        .and_then(|loaded| tenon_config::resolve_without_provider(&loaded).ok());
    let held = held(
        place,
        settings.map_or(GRANT_TTL, |settings| settings.grants.ttl),
    );
    let by_number = wanted
        .parse::<usize>()
        .ok()
        .and_then(|number| held.get(number.checked_sub(1)?));
    let by_rule = || held.iter().find(|grant| grant.to_string() == wanted.trim());
    let Some(grant) = by_number.or_else(by_rule) else {
        return Err(CliError::usage(format!(
            "you have allowed nothing called `{}` for this project",
            Printable::line(&wanted)
        ))
        .with_hint("`tenon policy list` shows the numbers and the rules."));
    };
    let mut kept = Grants::new();
    held.iter().cloned().for_each(|one| kept.add(one));
    kept.remove(grant);
    grants::keep(place, &kept)?;
    complain(&format!(
        "No longer allowed: {}",
        Printable::line(&grant.to_string())
    ));
    Ok(ExitCode::SUCCESS)
}

/// Those of this project that have not ended, in the order in which they came.
fn held(place: &Place, lasting: Duration) -> Vec<Grant> {
    let (grants, trouble) = grants::load(place, lasting);
    if let Some(trouble) = trouble {
        complain(Printable::line(&trouble).as_str());
    }
    let now = RealAmbient.now();
    grants
        .iter()
        .filter(|grant| !grant.is_over(now))
        .cloned()
        .collect()
}

fn day(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%MZ").to_string()
}

fn rule_json(rule: &Rule) -> Value {
    json!({
        "rule": rule.to_string(),
        "tool": rule.tool,
        "decision": word(&rule.class()),
        "reason": rule.reason,
        "origin": rule.origin,
        "layer": layer(rule.layer),
    })
}

fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::BuiltIn => "built_in",
        Layer::User => "user",
        Layer::Project => "project",
        Layer::Extra => "extra",
        Layer::Managed => "managed",
        Layer::Agent => "agent",
    }
}
