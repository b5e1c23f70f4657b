//! What is asked for as plain text, and comes in the form of a reply.

use crate::dialect_support::{Scripted, finished, request, response, says, tools};
use std::sync::Arc;
use tenon_model::dialect::{Markdown, is_reply};
use tenon_model::{Finished, Model};
use tenon_vocab::Message;

fn plain(reply: &str) -> Finished {
    let model = Scripted::new([says(reply)]);
    let dialect = Markdown::new(model as Arc<dyn Model>);
    finished(dialect.stream(request(Vec::new(), [Message::user("Write a summary.")])))
}

#[test]
fn an_answer_comes_out_of_its_form_and_a_call_stays_a_call() {
    let summary = "## Objective\nPort the parser.\n\n## Next\nRun the tests.";
    let done = plain(&response("answer", summary));
    assert_eq!(done.message.text(), summary);
    let done = plain(&response("read", "\"a\""));
    assert_eq!(done.message.text(), "");
    assert!(done.message.tool_calls().any(|call| call.name == "read"));
    assert_eq!(plain("A title<|im_end|>").message.text(), "A title");
    let prose = "The heading `# Agent Response` opens a reply.";
    assert_eq!(plain(prose).message.text(), prose);
}

#[test]
fn a_question_on_the_side_is_not_said_to_be_the_users() {
    let model = Scripted::new([says("x"), says(&response("answer", "x"))]);
    let dialect = Markdown::new(Arc::clone(&model) as Arc<dyn Model>);
    let asked = request(Vec::new(), [Message::user("Write a title.")]);
    finished(dialect.stream(asked.clone()));
    let mut taught = asked;
    taught.prefix = request(tools(), []).prefix;
    finished(dialect.stream(taught));
    let said = |at: usize| model.asked()[at].entries[0].message.text();
    assert_eq!(said(0), "Write a title.");
    assert_eq!(said(1), "<user>\nWrite a title.\n</user>");
}

#[test]
fn a_reply_is_told_from_text_about_one() {
    assert!(is_reply(&response("read", "\"a\"")));
    assert!(is_reply("## Tool Choice\nread"));
    assert!(!is_reply("So:\n```\n# Agent Response\n```"));
    assert!(!is_reply("## Objective\nPort the parser."));
}
