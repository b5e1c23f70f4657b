//! `tools.md`: what the model is told of each tool, and what the rules say of it
//! while nobody has changed them.

use crate::commands::tools::{all, plain_decision, word};
use crate::error::CliError;
use std::fmt::Write as _;
use tenon_policy::Rules;
use tenon_vocab::{Effect, ToolSpec};

/// What `data` holds of each tool, for whoever reads results by a program.
const DATA: &[(&str, &str)] = &[
    (
        "read",
        "`path` (absolute), `content`, `truncated`, `bytes` and `lines` of the whole file; of a page `note` (the line that the model reads), `next_offset` or `next_byte_offset`, and `cut_lines` with `line` and `byte_offset` of each line that was too long",
    ),
    (
        "write",
        "`path`, `bytes`, `created`, `operation`, `additions`, `deletions`",
    ),
    (
        "edit",
        "`path`, `replacements`, `matched` (`exact` or `repaired`), `repairs`, `diff`; `already_applied` where nothing was left to do",
    ),
    (
        "patch",
        "`files`, each with `path`, `operation`, `additions`, `deletions`, `hunks` (`offset`, `fuzz`, `repairs`), `from`, and `overwritten` where a file was added or moved onto one that was there: its old content is kept for undo",
    ),
    (
        "list",
        "`path`, `tree`, `entries`, `total`, `truncated`, `note`; `next_offset` where the page ends early, `left_out` with `path`, `entries`, `depth` and `offset` of each folder that is shown in part",
    ),
    (
        "glob",
        "`paths`, `count` of all that match, `truncated`, `note`",
    ),
    (
        "grep",
        "`results` (`path`, `line`, `text` or `matches`), `count`, `files`, `truncated`, `note`",
    ),
    (
        "bash",
        "`stdout`, `stderr`, `exit_code`, `timed_out`, `duration_ms`, `truncated` (each stream is whole up to 1 MiB), `whole_output` (a file) where the model reads only a part, `process_id` of what goes on in the background, `sandbox_denial`, `reading_stopped` (what a command that only reads was not allowed to do). With `on_timeout: kill` a line in `stderr` says that it was killed, and `exit_code` is -1",
    ),
    (
        "process",
        "of a process `id`, `command`, `state`, `exit_code`, `elapsed_ms`, `unread_bytes`, and when it is read `output`, `truncated` with `whole_output`; of a wait also `ended_by` (`exit`, `match`, `timeout`) and the `line` that matched; of a list `processes`",
    ),
];

pub fn page() -> Result<String, CliError> {
    let mut page = String::from(
        "# Tools\n\nGenerated from the tools themselves. The description and the schema are what \
         the model is told, in the [full tier](../context.md#two-tiers) with an example where there is one.\n\n\
         A result is `{\"ok\": true, \"data\": {…}}` or `{\"ok\": false, \"error\": {\"code\", \
         \"message\", \"details\"}}`; `tenon tools run NAME --input JSON` prints it, and \
         the events and the log have it whole (`envelope` of \
         [`tool_result`](events.md#tool_result)). A decision of \
         the policy can be changed under `permission` in [the settings](config.md).\n\n\
         | tool | effect | decision without a rule of yours |\n|---|---|---|\n",
    );
    let rules = Rules::built_in();
    let agent = crate::assemble::agent("build")?;
    let tools = all();
    let specs = tools.specs();
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
    for tool in tools.iter() {
        section(&mut page, tool.spec(), tool.example())?;
    }
    Ok(page)
}

fn section(page: &mut String, spec: &ToolSpec, example: Option<&str>) -> Result<(), CliError> {
    let schema = serde_json::to_string_pretty(&spec.parameters)
        .map_err(|error| CliError::runtime(format!("the schema of `{}`: {error}", spec.name)))?;
    let _ = writeln!(
        page,
        "\n## {}\n\n{}\n\n```json\n{schema}\n```",
        spec.name, spec.description
    );
    if let Some(example) = example {
        let _ = writeln!(page, "\nIn the full tier also:\n\n```text\n{example}\n```");
    }
    if let Some((_, data)) = DATA.iter().find(|(name, _)| *name == spec.name) {
        let _ = writeln!(page, "\nIts `data`: {data}.");
    }
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
