//! Somebody who sits before the program all day: prompts it, answers what it asks
//! as a person would, and remembers each question.

use super::errands::{Errand, Kind, Manner, day};
use super::ground::Ground;
use crate::model::Model;
use crate::talk::Talk;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// One question of the program.
pub struct Asked {
    /// Of the call that it is about.
    pub kind: Kind,
    /// `ask` or `confirm`; `offer` where a command that the sandbox stopped may
    /// run once more.
    pub class: String,
    pub title: String,
    pub body: String,
    pub answer: &'static str,
}

/// What became of a day.
pub struct Day {
    pub ground: Ground,
    pub prompts: usize,
    pub asked: Vec<Asked>,
    events: Vec<Value>,
    /// What was asked of the model.
    pub bodies: Vec<String>,
    kinds: BTreeMap<String, Kind>,
}

/// Works through all errands in this permission mode, where there is a sandbox.
pub fn work(mode: &str) -> Option<Day> {
    if !crate::sandbox::has_walls("full") {
        return None;
    }
    let ground = Ground::new();
    let errands = day();
    let (script, kinds) = script(&errands);
    let model = Model::scripted(script, Duration::ZERO);
    let mut command = model.command(&ground.home);
    command.env("PATH", ground.path());
    let mut talk = Talk::of(command, &["--permission-mode", mode]);
    let mut asked = Vec::new();
    for errand in &errands {
        let settings = |mode: &str| json!({"type": "settings", "permission_mode": mode});
        match errand.manner {
            Manner::Prompt => talk.prompt(errand.prompt),
            Manner::Shell => talk.send(&json!({"type": "shell", "command": errand.prompt})),
            Manner::Plan => {
                talk.send(&settings("plan"));
                talk.prompt(errand.prompt);
            }
        }
        while let Some(event) = talk.next() {
            match event["type"].as_str() {
                Some("question") => asked.push(answer(&mut talk, &event, &kinds)),
                Some("run_finished") => break,
                _ => {}
            }
        }
        if errand.manner == Manner::Plan {
            talk.send(&settings(mode));
        }
    }
    assert_eq!(talk.end(), 0, "{:#?}", talk.events.last());
    let bodies = model.bodies();
    let events = std::mem::take(&mut talk.events);
    Some(Day {
        ground,
        prompts: errands.len(),
        asked,
        events,
        bodies,
        kinds,
    })
}

/// The model's part, and of what kind each of its calls is.
fn script(errands: &[Errand]) -> (Value, BTreeMap<String, Kind>) {
    let mut kinds = BTreeMap::new();
    let mut scenarios = Vec::new();
    for (at, errand) in errands.iter().enumerate() {
        let mut steps = Vec::new();
        for (nth, reply) in errand.replies.iter().enumerate() {
            let calls: Vec<Value> = reply
                .iter()
                .enumerate()
                .map(|(each, call)| {
                    let id = format!("day_{at}_{nth}_{each}");
                    kinds.insert(id.clone(), call.kind);
                    json!({"id": id, "function": {"name": call.tool, "arguments": call.input}})
                })
                .collect();
            let response = json!({"content": "I will do that.", "tool_calls": calls});
            steps.push(json!({"response": response, "repeat": reply.len()}));
        }
        steps.push(json!({"response": {"content": "That is all."}}));
        scenarios.push(json!({"name": errand.prompt, "trigger": errand.prompt, "scope": "turn", "steps": steps}));
    }
    let default = json!({"content": "Nothing to do."});
    (
        json!({"scenarios": scenarios, "default_response": default}),
        kinds,
    )
}

/// A lasting yes where there is one, a yes to what was meant, and no to a push.
fn answer(talk: &mut Talk, question: &Value, kinds: &BTreeMap<String, Kind>) -> Asked {
    let choices = question["choices"].as_array().unwrap();
    let has = |id: &str| choices.iter().any(|choice| choice["id"] == id);
    let body = question["body"].as_str().unwrap_or_default().to_owned();
    let choice = match () {
        () if body.starts_with("git push") => "deny",
        () if has("session") => "session",
        () if has("all") => "all",
        () => "once",
    };
    let typed = choices.iter().find_map(|offered| offered["typed"].as_str());
    let text = if choice == "deny" {
        Some("not today")
    } else {
        typed
    };
    talk.answer(question, choice, text);
    let text = |name: &str| question[name].as_str().unwrap_or_default().to_owned();
    Asked {
        kind: kinds[&text("call")],
        class: question["class"].as_str().unwrap_or("offer").to_owned(),
        title: text("title"),
        body,
        answer: choice,
    }
}

impl Day {
    /// How many questions there were of each kind and class, as one line each.
    pub fn tally(&self) -> Vec<String> {
        let mut counts: BTreeMap<(Kind, &str), usize> = BTreeMap::new();
        for asked in &self.asked {
            *counts.entry((asked.kind, &asked.class)).or_default() += 1;
        }
        let line = |((kind, class), count)| format!("{kind:?} {class} {count}");
        counts.into_iter().map(line).collect()
    }

    /// Each question on a line of its own.
    pub fn questions(&self) -> String {
        let line = |asked: &Asked| {
            let Asked {
                kind,
                class,
                title,
                body,
                answer,
            } = asked;
            format!("{kind:?} {class}: {title} {body} -> {answer}\n")
        };
        self.asked.iter().map(line).collect()
    }

    /// Calls that destroy something and ran without a question of their own.
    pub fn destroyed_unasked(&self) -> Vec<&Value> {
        let destroys = |call: &Value| {
            let kind = call.as_str().and_then(|id| self.kinds.get(id));
            kind == Some(&Kind::Destroys)
        };
        let asked_about = |call: &Value| {
            let mut questions = self.of_type("question");
            questions.any(|question| question["call"] == *call && question["class"] == "confirm")
        };
        self.of_type("tool_use")
            .map(|used| &used["call"])
            .filter(|call| destroys(call) && !asked_about(call))
            .collect()
    }

    /// Results that are errors, but for a no of the user and for those of calls
    /// that cannot succeed.
    pub fn failed(&self) -> Vec<&Value> {
        let may_fail = |result: &Value| {
            let kind = result["call"].as_str().and_then(|id| self.kinds.get(id));
            kind == Some(&Kind::Fails)
        };
        self.of_type("tool_result")
            .filter(|result| {
                result["ok"] == false && result["status"] != "denied" && !may_fail(result)
            })
            .collect()
    }

    fn of_type(&self, kind: &'static str) -> impl Iterator<Item = &Value> {
        self.events
            .iter()
            .filter(move |event| event["type"] == kind)
    }
}
