//! Why a reply could not be read, in words for the model (K5): what is wrong,
//! and what to write instead. The shape itself is added where it is sent.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Problem {
    #[error("the reply was empty")]
    Empty,
    #[error(
        "the reply was cut off at the output limit, so nothing in it was run. Think in fewer \
         words and work in smaller parts: write a large file in several steps"
    )]
    Cut,
    #[error(
        "the reply is longer than {} MiB, so nothing in it was run. Work in smaller parts",
        super::parse::LONGEST / (1024 * 1024)
    )]
    TooLong,
    #[error("there is no `# Agent Response` heading")]
    NoResponse,
    #[error(
        "the response is in a code block or a comment, or indented as code, so it does not \
         count. Start its headings at the beginning of a line, outside of any code block, and \
         close each code block in the thoughts"
    )]
    Shown,
    #[error(
        "after the response there is another one in a code block, so it is not clear which one \
         counts; nothing was run. Write one response, outside of any code block, and nothing \
         after it"
    )]
    Second,
    #[error(
        "there is no tool under `## Tool Choice`. To finish and tell the user, choose `answer`"
    )]
    NoChoice,
    #[error("`{0}` is not the name of a tool: write just one name under `## Tool Choice`")]
    NotAName(String),
    #[error("`{tool}` needs an input under `## Tool Input`: {expected}")]
    NoInput { tool: String, expected: String },
    #[error("the input of `{tool}` has no path. Expected: {expected}")]
    NoPath { tool: String, expected: String },
    #[error("the input of `{tool}` has no code block. Expected: {expected}")]
    NoBlock { tool: String, expected: String },
    #[error(
        "the code block in the input of `{tool}` has no closing fence, so it may be cut off; \
         nothing was run. Write all of it again"
    )]
    Unclosed { tool: String },
    #[error(
        "it is not clear where the code block in the input of `{tool}` ends, because there are \
         fences inside it. Put a longer fence (````) around it and write nothing after it"
    )]
    Unclear { tool: String },
    #[error(
        "the input of `{tool}` contains `{token}`, a control token of a chat template, so \
         nothing was run. Write it again without the token. If the text really needs it, pass \
         all parameters as one JSON object and write its first character as {escape}"
    )]
    Control {
        tool: String,
        token: String,
        escape: String,
    },
    #[error("the input of `{tool}` has the wrong form ({found}). Expected: {expected}")]
    BadInput {
        tool: String,
        found: String,
        expected: String,
    },
    #[error(
        "only the task list changed, {0} times in a row. Choose a tool that does the next task, \
         or `answer`"
    )]
    OnlyTasks(usize),
}
