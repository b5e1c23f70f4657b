//! Why a reply could not be read, in words for the model (K5): what is wrong,
//! and what to write instead. The shape itself is added where it is sent.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    #[error("the reply was empty")]
    Empty,
    #[error(
        "the reply was cut by the limit of output tokens before its end, so nothing of it was run. Think shorter, and do the work in smaller parts: write a large file in several steps"
    )]
    Cut,
    #[error(
        "the reply is longer than {} MiB, so nothing of it was run. Do the work in smaller parts",
        super::parse::LONGEST / (1024 * 1024)
    )]
    TooLong,
    #[error("there is no `# Agent Response` heading")]
    NoResponse,
    #[error(
        "the response stands in a code block, in a comment or is indented as code, where it is only shown. Write its headings at the beginning of a line, outside of every code block, and close each code block of the thoughts"
    )]
    Shown,
    #[error(
        "after the response there is another one in a code block, so it is not clear which one counts; nothing was run. Write one response, outside of every code block, and nothing after it"
    )]
    Second,
    #[error(
        "there is no tool under `## Tool Choice`. To end the work and tell the user, choose `answer`"
    )]
    NoChoice,
    #[error("`{0}` is no name of a tool: write one name alone under `## Tool Choice`")]
    NotAName(String),
    #[error("`{tool}` needs an input under `## Tool Input`: {expected}")]
    NoInput { tool: String, expected: String },
    #[error("there is no path in the input of `{tool}`. Expected: {expected}")]
    NoPath { tool: String, expected: String },
    #[error("there is no code block in the input of `{tool}`. Expected: {expected}")]
    NoBlock { tool: String, expected: String },
    #[error(
        "the code block in the input of `{tool}` has no closing fence, so it may be cut; nothing was run. Write it again to its end"
    )]
    Unclosed { tool: String },
    #[error(
        "it is not clear where the code block in the input of `{tool}` ends, because there are fences inside. Put a longer fence (````) around it, and write nothing after it"
    )]
    Unclear { tool: String },
    #[error(
        "the input of `{tool}` holds `{token}`, a control token of a chat template that is no part of a reply, so nothing was run. Write it again without. Where the text really has it, give all parameters as one JSON object and write its first character there as {escape}"
    )]
    Control {
        tool: String,
        token: String,
        escape: String,
    },
    #[error("the input of `{tool}` is not what it takes ({found}). Expected: {expected}")]
    BadInput {
        tool: String,
        found: String,
        expected: String,
    },
    #[error(
        "only the task list was changed, {0} times in a row. Choose a tool that does the next task, or `answer`"
    )]
    OnlyTasks(usize),
}
