//! What a run cost and how well its calls were made, from the events that the
//! program prints.

use serde_json::Value;
use std::collections::HashMap;
use std::ops::AddAssign;
use tenon_vocab::ErrorCode;

/// Errors of a call that was not understood at all.
const INVALID: [ErrorCode; 2] = [ErrorCode::InvalidInput, ErrorCode::UnknownTool];
/// Errors of a change that does not fit the file.
const MISSED: [ErrorCode; 5] = [
    ErrorCode::OldNotFound,
    ErrorCode::ReplacementCountMismatch,
    ErrorCode::NoChange,
    ErrorCode::PatchRejected,
    ErrorCode::Stale,
];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    pub steps: u64,
    pub calls: u64,
    pub invalid: u64,
    /// Edits and patches that did not fit.
    pub missed: u64,
    /// Calls that were understood only after a repair, or found in a text.
    pub repaired: u64,
    pub input: u64,
    pub output: u64,
    /// The last thing that the model said.
    pub answer: String,
    /// How the run ended.
    pub outcome: String,
}

impl Figures {
    /// `events` is one JSON object per line; what is none is passed over.
    pub fn read(events: &str) -> Self {
        let mut figures = Self::default();
        let mut written = HashMap::new();
        let lines = events.lines();
        for event in lines.filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            figures.take(&event, &mut written);
        }
        figures
    }

    fn take(&mut self, event: &Value, written: &mut HashMap<String, Value>) {
        match event["type"].as_str() {
            Some("message") if event["role"] == "assistant" => self.said(event, written),
            Some("tool_use") => {
                let call = event["call"].as_str().unwrap_or_default();
                let is_as_written = written.get(call).is_some_and(|part| {
                    let arguments = part["arguments"].as_str().unwrap_or_default();
                    let given = serde_json::from_str::<Value>(arguments).ok();
                    part["form"].is_null()
                        && part["name"] == event["name"]
                        && given.as_ref() == Some(&event["input"])
                });
                self.repaired += u64::from(!is_as_written);
            }
            Some("tool_result") => {
                self.calls += 1;
                let code = event["envelope"]["error"]["code"].clone();
                let code = serde_json::from_value::<ErrorCode>(code).ok();
                self.invalid += u64::from(code.is_some_and(|code| INVALID.contains(&code)));
                self.missed += u64::from(code.is_some_and(|code| MISSED.contains(&code)));
            }
            Some("run_finished") => {
                let number = |value: &Value| value.as_u64().unwrap_or_default();
                self.steps += number(&event["steps"]);
                self.input += number(&event["usage"]["input"]);
                self.output += number(&event["usage"]["output"]);
                event["outcome"]
                    .as_str()
                    .unwrap_or_default()
                    .clone_into(&mut self.outcome);
            }
            _ => {}
        }
    }

    fn said(&mut self, message: &Value, written: &mut HashMap<String, Value>) {
        let parts = message["parts"].as_array().cloned().unwrap_or_default();
        let mut text = String::new();
        for part in parts {
            match part["type"].as_str() {
                Some("text") => text.push_str(part["text"].as_str().unwrap_or_default()),
                Some("tool_call") => {
                    let id = part["id"].as_str().unwrap_or_default().to_owned();
                    written.insert(id, part);
                }
                _ => {}
            }
        }
        if !text.is_empty() {
            self.answer = text;
        }
    }
}

/// Sums; answers and outcomes have none.
impl AddAssign<&Self> for Figures {
    fn add_assign(&mut self, other: &Self) {
        self.steps += other.steps;
        self.calls += other.calls;
        self.invalid += other.invalid;
        self.missed += other.missed;
        self.repaired += other.repaired;
        self.input += other.input;
        self.output += other.output;
    }
}

#[cfg(test)]
mod tests {
    use super::Figures;

    const EVENTS: &str = r#"{"type":"meta"}
no event
{"type":"message","role":"user","parts":[{"type":"text","text":"go"}]}
{"type":"message","role":"assistant","parts":[{"type":"text","text":"First."},{"type":"tool_call","id":"a","name":"read","arguments":"{\"path\": \"x\"}"},{"type":"tool_call","id":"b","name":"read_file","arguments":"{\"path\":\"x\"}"},{"type":"tool_call","id":"c","name":"edit","arguments":"{\"path\":\"x\",\"old\":1}"}]}
{"type":"tool_use","call":"a","name":"read","input":{"path":"x"}}
{"type":"tool_use","call":"b","name":"read","input":{"path":"x"}}
{"type":"tool_result","call":"a","ok":true,"envelope":{"ok":true}}
{"type":"tool_result","call":"b","ok":true,"envelope":{"ok":true}}
{"type":"tool_result","call":"c","ok":false,"envelope":{"ok":false,"error":{"code":"invalid_input"}}}
{"type":"message","role":"assistant","parts":[{"type":"tool_call","id":"d","name":"edit","arguments":"{}","form":"text"}]}
{"type":"tool_use","call":"d","name":"edit","input":{}}
{"type":"tool_result","call":"d","ok":false,"envelope":{"ok":false,"error":{"code":"old_not_found"}}}
{"type":"message","role":"assistant","parts":[{"type":"text","text":"Done."}]}
{"type":"run_finished","outcome":"completed","steps":3,"usage":{"input":90,"output":7}}
"#;

    #[test]
    fn counts_what_was_invalid_what_missed_and_what_was_repaired() {
        let figures = Figures::read(EVENTS);
        let expected = Figures {
            steps: 3,
            calls: 4,
            invalid: 1,
            missed: 1,
            // By its name, and by where it was found.
            repaired: 2,
            input: 90,
            output: 7,
            answer: "Done.".into(),
            outcome: "completed".into(),
        };
        assert_eq!(figures, expected);
    }
}
