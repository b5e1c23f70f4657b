//! `tools.md`: what the model is told of each tool, and what the rules say of it
//! while nobody has changed them.

use crate::commands::tools::{all, plain_decision, word};
use crate::error::CliError;
use std::fmt::Write as _;
use tenon_policy::Rules;
use tenon_vocab::{Effect, ToolSpec};

pub fn page() -> Result<String, CliError> {
    let mut page = String::from(
        "# Tools\n\nGenerated from the tools themselves. The description and the schema are what \
         the model is told.\n\n\
         A result is `{\"ok\": true, \"data\": {…}}` or `{\"ok\": false, \"error\": {\"code\", \
         \"message\", \"details\"}}`; `tenon tools run NAME --input JSON` prints it. A decision of \
         the policy can be changed under `permission` in [the settings](config.md).\n\n\
         | tool | effect | decision without a rule of yours |\n|---|---|---|\n",
    );
    let rules = Rules::built_in();
    let agent = crate::assemble::agent("build")?;
    let specs = all().specs();
    for spec in &specs {
        let decision = word(&plain_decision(spec, &rules, &agent).decision());
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            page,
            "| [`{0}`](#{0}) | {1} | {decision} |",
            spec.name,
            effect(spec.effect)
        );
    }
    for spec in &specs {
        section(&mut page, spec)?;
    }
    Ok(page)
}

fn section(page: &mut String, spec: &ToolSpec) -> Result<(), CliError> {
    let schema = serde_json::to_string_pretty(&spec.parameters)
        .map_err(|error| CliError::runtime(format!("the schema of `{}`: {error}", spec.name)))?;
    let _ = writeln!(
        page,
        "\n## {}\n\n{}\n\n```json\n{schema}\n```",
        spec.name, spec.description
    );
    Ok(())
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "reads",
        Effect::Write => "changes files",
        Effect::Execute => "starts or ends processes",
        Effect::Interact => "talks to you",
    }
}
