//! `sessions show --decisions`: what was decided about each call of a session, by
//! which rule, and who answered where it was asked. Read from the log alone.

use super::list::Form;
use crate::CommandResult;
use crate::commands::pages;
use crate::commands::tools::word;
use crate::render::lines::shorten;
use crate::render::table::Table;
use crate::screen::complain;
use serde::Serialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::process::ExitCode;
use tenon_session::Reading;
use tenon_vocab::{
    Answer, CallId, CallStatus, Choice, Display, Event, EventKind, Explanation, Part, Question,
    QuestionId, QuestionKind, Timestamp, ToolResult, ToolUse, subject,
};

/// Characters of an argument and of a reason that the table shows.
const ARGUMENT: usize = 60;
const REASON: usize = 120;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Decided {
    Allowed,
    Denied,
}

/// One decision. What a log of an older version does not say is absent.
#[derive(Debug, Serialize)]
struct Row {
    time: Timestamp,
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<CallId>,
    tool: String,
    /// What the call was about, whole.
    argument: String,
    /// That of the policy, or `outside` for a run outside the sandbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<String>,
    decision: Decided,
    /// How long the yes of a person holds, where it is longer than once.
    #[serde(skip_serializing_if = "Option::is_none")]
    lasting: Option<String>,
    /// Who answered, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<String>,
    reason: String,
    /// What the answer said in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
    /// The rule that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
}

pub fn show(reading: &Reading, form: Form) -> CommandResult {
    let mut audit = Audit::default();
    for event in reading.events() {
        audit.take(&event?);
    }
    match form {
        Form::Json => pages::print_json(&audit.rows),
        Form::Table if audit.rows.is_empty() => {
            complain("this session made no calls, so there were no decisions");
            Ok(ExitCode::SUCCESS)
        }
        Form::Table => pages::print(&pages::fitting(&table(&audit.rows))),
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(&[
        "time", "tool", "argument", "class", "decision", "by", "reason",
    ]);
    for row in rows {
        let reason = match &row.said {
            Some(said) => format!("{} — {said}", row.reason),
            None => row.reason.clone(),
        };
        table.row([
            row.time.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
            row.tool.clone(),
            shorten(&row.argument, ARGUMENT),
            row.class.clone().unwrap_or_default(),
            match &row.lasting {
                Some(how) => format!("{} ({how})", word(&row.decision)),
                None => word(&row.decision),
            },
            row.answered_by
                .clone()
                .unwrap_or_else(|| String::from("policy")),
            shorten(&reason, REASON),
        ]);
    }
    table
}

/// Collects decisions in the order in which they were made.
#[derive(Debug, Default)]
struct Audit {
    rows: Vec<Row>,
    /// What the model asked for, by call: a denied call has no record of its input.
    inputs: HashMap<CallId, Value>,
    questions: HashMap<QuestionId, Question>,
    /// What people said with their answers, by call.
    said: HashMap<CallId, String>,
    /// Those whose yes holds for longer, by call.
    lasting: HashMap<CallId, String>,
    /// The calls that have their row.
    told: HashSet<CallId>,
}

impl Audit {
    fn take(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Message(message) => {
                for part in &message.parts {
                    if let Part::ToolCall(call) = part {
                        let input = serde_json::from_str(&call.arguments).unwrap_or_default();
                        self.inputs.insert(call.id.clone(), input);
                    }
                }
            }
            EventKind::Question(question) => {
                self.questions.insert(question.id.clone(), question.clone());
            }
            EventKind::Answer(answer) => self.answered(event, answer),
            EventKind::ToolUse(used) => self.admitted(event, used),
            EventKind::ToolResult(result) => self.ended(event, result),
            _ => {}
        }
    }

    fn admitted(&mut self, event: &Event, used: &ToolUse) {
        self.told.insert(used.call.clone());
        let said = self.said.remove(&used.call);
        let row = Row {
            said,
            lasting: self.lasting.remove(&used.call),
            ..row(
                event,
                &used.name,
                about(&used.name, &used.input),
                Decided::Allowed,
            )
        };
        self.rows
            .push(explained(row, &used.call, &used.explanation));
    }

    /// Only a denied call is told by its result; the others were by their start.
    fn ended(&mut self, event: &Event, result: &ToolResult) {
        if result.status != CallStatus::Denied || !self.told.insert(result.call.clone()) {
            return;
        }
        let input = self
            .inputs
            .get(&result.call)
            .map(|input| about(&result.name, input))
            .unwrap_or_default();
        let row = Row {
            said: self.said.remove(&result.call),
            ..row(event, &result.name, input, Decided::Denied)
        };
        self.rows.push(match &result.explanation {
            Some(explanation) => explained(row, &result.call, explanation),
            None => Row {
                call: Some(result.call.clone()),
                reason: result
                    .envelope
                    .error()
                    .map(|error| error.message.clone())
                    .unwrap_or_default(),
                ..row
            },
        });
    }

    /// A question before a call belongs to the call. One about a call that runs
    /// already, or about no call, is a decision of its own.
    fn answered(&mut self, event: &Event, answer: &Answer) {
        let said = answer.text.clone().filter(|text| !text.trim().is_empty());
        // Of a question about several calls: this one's.
        if let (Some(call), Some(said)) = (&answer.call, &said) {
            self.said.insert(call.clone(), said.clone());
        }
        let Some(question) = self.questions.remove(&answer.question) else {
            return;
        };
        if question.kind == QuestionKind::AskUser {
            return;
        }
        let before = question
            .call
            .as_ref()
            .filter(|call| !self.told.contains(*call));
        if let Some(call) = before {
            if let Some(said) = said {
                self.said.insert(call.clone(), said);
            }
            if [Choice::SESSION, Choice::ALWAYS].contains(&answer.choice.as_str()) {
                self.lasting.insert(call.clone(), answer.choice.clone());
            }
            return;
        }
        let offered = question
            .choices
            .iter()
            .any(|choice| choice.id == answer.choice);
        let decided = if offered && answer.choice != Choice::DENY {
            Decided::Allowed
        } else {
            Decided::Denied
        };
        let tool = question
            .tool
            .clone()
            .unwrap_or_else(|| word(&question.kind));
        // The only one that is asked about a call that runs already.
        let outside = question.call.is_some() && question.kind == QuestionKind::Permission;
        let about = match question.display {
            Display::Terminal { command, .. } if outside => command,
            _ => question.title,
        };
        self.rows.push(Row {
            call: question.call,
            class: outside.then(|| String::from("outside")),
            answered_by: Some(answer.by.name().to_owned()),
            reason: question.reason.unwrap_or_default(),
            said,
            ..row(event, &tool, about, decided)
        });
    }
}

fn row(event: &Event, tool: &str, argument: String, decision: Decided) -> Row {
    Row {
        time: event.ts,
        agent: event.agent.clone(),
        call: None,
        tool: tool.to_owned(),
        argument,
        class: None,
        decision,
        lasting: None,
        answered_by: None,
        reason: String::new(),
        said: None,
        rule: None,
    }
}

fn explained(row: Row, call: &CallId, explanation: &Explanation) -> Row {
    let decider = explanation.tried.iter().rev().find(|rule| rule.matched);
    Row {
        call: Some(call.clone()),
        class: Some(word(&explanation.class)),
        answered_by: explanation
            .answered_by
            .clone()
            .or_else(|| hook(&decider?.rule)),
        reason: explanation.reason.clone(),
        rule: decider.map(|rule| rule.rule.clone()),
        ..row
    }
}

/// Who blocked, where the rule that decided is the block of a hook.
fn hook(rule: &str) -> Option<String> {
    let name = rule.strip_prefix("hook ")?.strip_suffix(" = block")?;
    Some(format!("hook:{name}"))
}

/// What a call is about, or all of its input.
fn about(name: &str, input: &Value) -> String {
    match subject(name, input) {
        Some(text) => text.to_owned(),
        None if input.is_null() => String::new(),
        None => input.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tenon_vocab::{AnsweredBy, SessionId, ToolOutput};

    fn audit(kinds: Vec<Value>) -> Vec<Row> {
        let session = SessionId::generate();
        let mut audit = Audit::default();
        for (seq, mut kind) in kinds.into_iter().enumerate() {
            kind["seq"] = json!(seq);
            kind["ts"] = json!("2026-01-02T03:04:05Z");
            kind["session"] = json!(session);
            kind["agent"] = json!("build");
            audit.take(&serde_json::from_value(kind).unwrap());
        }
        audit.rows
    }

    #[test]
    fn a_row_says_what_ran_and_not_what_stands_first() {
        let input = json!({"zz": "git status", "command": "rm x"});
        assert_eq!(about("bash", &input), "rm x");
    }

    fn question(id: &str, kind: &str, call: Option<&str>) -> Value {
        json!({
            "type": "question", "id": id, "kind": kind, "title": format!("title of {id}"),
            "body": "", "call": call, "tool": "bash", "reason": "it failed inside",
            "choices": [
                {"id": "once", "key": "y", "label": "once"},
                {"id": "deny", "key": "n", "label": "deny"},
            ],
        })
    }

    fn answer(id: &str, choice: &str, text: Option<&str>) -> Value {
        json!({"type": "answer", "question": id, "choice": choice, "text": text, "by": AnsweredBy::User})
    }

    #[test]
    fn a_run_outside_shows_its_command_and_a_lasting_yes_how_long_it_lasts() {
        let mut outside = question("q2", "permission", Some("c1"));
        outside["display"] = json!({"shape": "terminal", "command": "make all", "output": ""});
        let rows = audit(vec![
            question("q1", "permission", Some("c1")),
            answer("q1", "session", None),
            used(
                "c1",
                json!({"class": "ask", "reason": "why", "answered_by": "user"}),
            ),
            outside,
            answer("q2", "once", None),
        ]);
        assert_eq!(rows[0].lasting.as_deref(), Some("session"));
        assert!(table(&rows).to_string().contains("allowed (session)"));
        assert_eq!(rows[1].argument, "make all");
        assert_eq!(rows[1].class.as_deref(), Some("outside"));
        assert_eq!(rows[1].decision, Decided::Allowed);
    }

    #[test]
    fn the_block_of_a_hook_names_the_hook() {
        let block = json!({"class": "deny", "reason": "no", "tried": [
            {"rule": "bash: ask", "origin": "built-in", "matched": true},
            {"rule": "hook lint = block", "origin": "user", "matched": true},
        ]});
        let output = ToolOutput::error(tenon_vocab::ErrorCode::BlockedByHook, "no");
        let rows = audit(vec![json!({
            "type": "tool_result", "call": "c1", "name": "bash", "ok": false,
            "status": "denied", "envelope": output.envelope, "model_text": "no",
            "duration_ms": 1, "explanation": block,
        })]);
        assert_eq!(rows[0].answered_by.as_deref(), Some("hook:lint"));
    }

    fn used(call: &str, explanation: Value) -> Value {
        json!({
            "type": "tool_use", "call": call, "name": "bash", "batch": 0,
            "input": {"command": "make"}, "explanation": explanation,
        })
    }

    #[test]
    fn a_question_before_a_call_is_told_with_the_call() {
        let output = ToolOutput::error(tenon_vocab::ErrorCode::PermissionDenied, "no");
        let rows = audit(vec![
            question("q1", "permission", Some("c1")),
            answer("q1", "deny", Some("use cargo")),
            json!({
                "type": "tool_result", "call": "c1", "name": "bash", "ok": false,
                "status": "denied", "envelope": output.envelope, "model_text": "no",
                "duration_ms": 1,
                "explanation": {"class": "ask", "reason": "why", "answered_by": "user"},
            }),
        ]);
        let [row] = rows.as_slice() else {
            panic!("{rows:?}");
        };
        assert_eq!(row.decision, Decided::Denied);
        assert_eq!(row.said.as_deref(), Some("use cargo"));
        assert_eq!(row.answered_by.as_deref(), Some("user"));
    }

    #[test]
    fn a_question_about_a_running_call_and_one_about_no_call_stand_alone() {
        let rows = audit(vec![
            used("c1", json!({"class": "allow", "reason": "why"})),
            question("q1", "permission", Some("c1")),
            answer("q1", "once", None),
            question("q2", "trust", None),
            answer("q2", "what", None),
            question("q3", "ask_user", None),
            answer("q3", "once", None),
        ]);
        let told: Vec<(&str, Decided)> = rows
            .iter()
            .map(|row| (row.argument.as_str(), row.decision))
            .collect();
        assert_eq!(
            told,
            [
                ("make", Decided::Allowed),
                ("title of q1", Decided::Allowed),
                ("title of q2", Decided::Denied),
            ]
        );
    }
}
