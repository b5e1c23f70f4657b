//! What the screen says of itself: what a key does now, what works, what goes on,
//! and how it ended.

use crate::stage::Stage;
use crate::talk::{finished, permission, sent};
use crossterm::event::KeyCode;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tenon_tui::input::{Effect, Input, Leaving};
use tenon_vocab::{
    Answer, AnsweredBy, CallForm, CallId, CallStatus, Choice, Class, Command, ErrorCode, Event,
    Explanation, Message, Outcome, Part, Question, QuestionId, RunFinished, RunOrigin, RunStarted,
    SessionId, Settings, Timestamp, ToolCallPart, ToolOutput, ToolResult,
};

fn status(stage: &Stage) -> String {
    stage.shown().lines().last().unwrap_or_default().to_owned()
}

fn later(stage: &mut Stage, seconds: u64) {
    stage.now += Duration::from_secs(seconds);
    stage.input(Input::Tick);
}

fn gives_up(effects: &[Effect]) -> bool {
    matches!(effects, [Effect::GiveUp])
}

#[test]
fn what_takes_long_shows_its_time_and_how_to_give_it_up() {
    let mut stage = Stage::new(70, 20);
    stage.send("/search it");
    let spinner = |stage: &Stage| {
        let shown = stage.shown();
        let line = shown.lines().find(|line| line.contains("searching"));
        line.unwrap().chars().next()
    };
    let first = spinner(&stage);
    later(&mut stage, 12);
    stage.now += Duration::from_millis(100);
    stage.input(Input::Tick);
    let shown = stage.shown();
    assert!(shown.contains("searching 12s · esc cancels"), "{shown}");
    assert_ne!(spinner(&stage), first, "{shown}");
    assert!(gives_up(&stage.key(KeyCode::Esc)));
    let shown = stage.shown();
    assert!(shown.contains("Cancelled: searching."), "{shown}");
    // The next one begins anew.
    stage.send("/diff");
    assert!(stage.shown().contains("comparing 0s"), "{}", stage.shown());
}

#[test]
fn ctrl_c_gives_up_what_takes_long_before_it_leaves() {
    let mut stage = Stage::new(70, 20);
    stage.send("/search it");
    assert!(gives_up(&stage.control('c')));
    let shown = stage.shown();
    assert!(shown.contains("Cancelled: searching."), "{shown}");
    assert!(!shown.contains("again leaves"), "{shown}");
    let effects = stage.control('c');
    assert!(
        matches!(effects[..], [Effect::Leave(Leaving::Asked)]),
        "{effects:?}"
    );
}

#[test]
fn a_session_that_opens_is_not_said_to_be_given_up() {
    let mut stage = Stage::new(70, 20);
    stage.send("/new");
    let shown = stage.shown();
    assert!(shown.contains("opening the session 0s"), "{shown}");
    assert!(!shown.contains("esc cancels"), "{shown}");
}

#[test]
fn a_long_prompt_is_folded_in_the_conversation_and_whole_on_the_page() {
    let mut stage = Stage::new(70, 30);
    let lines: Vec<String> = (1..=100).map(|n| format!("line {n}")).collect();
    stage.begin_run(&lines.join("\n"));
    let shown = stage.shown();
    assert!(shown.contains("… +86 lines (ctrl+t shows all)"), "{shown}");
    assert!(!shown.contains("line 50"), "{shown}");
    assert!(shown.contains("line 100"), "{shown}");
    let event = Event {
        seq: 1,
        sub: None,
        ts: Timestamp::UNIX_EPOCH,
        session: SessionId::generate(),
        run: None,
        parent: None,
        agent: "build".into(),
        kind: Message::user(lines.join("\n")).into(),
    };
    stage.input(Input::Transcript(Ok(vec![Arc::new(event)])));
    let page = tenon_tui::view::page(&mut stage.state).unwrap();
    let page: String = page.lines.iter().map(|line| line.plain() + "\n").collect();
    assert!(page.contains("line 95\n▌ line 96"), "{page}");
}

#[test]
fn at_a_question_no_other_line_says_what_esc_does() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    assert!(stage.shown().contains("esc stops"), "{}", stage.shown());
    stage.event(permission("q1"));
    let shown = stage.shown();
    assert!(shown.contains("ctrl+c stops"), "{shown}");
    assert!(!shown.contains("esc stops"), "{shown}");
    assert!(shown.contains("enter or esc deny"), "{shown}");
    let effects = stage.control('c');
    assert!(
        matches!(sent(&effects)[..], [Command::Interrupt]),
        "{effects:?}"
    );
}

#[test]
fn at_forty_columns_the_agent_is_there_and_the_model_is_cut_for_it() {
    let mut stage = Stage::new(40, 12);
    let long = "a-model-with-a-name-of-fifty-letters-or-so";
    stage.event(Settings {
        agent_name: "plan".into(),
        model: long.into(),
        ..crate::stage::settings()
    });
    let shown = status(&stage);
    assert!(shown.ends_with(" · plan"), "{shown}");
    assert!(shown.starts_with("ask · local/a-model-with"), "{shown}");
    assert!(shown.chars().count() <= 40, "{shown}");
}

#[test]
fn a_search_that_finds_nothing_says_so_at_every_width() {
    for columns in [40, 24] {
        let search = |rows| {
            let mut stage = Stage::new(columns, rows);
            stage.control('r');
            stage.write("a query of many words");
            stage
        };
        // In the rule above the input, where it has one.
        let framed = search(12).shown();
        let rule = framed.lines().find(|row| row.starts_with("── "));
        let rule = rule.unwrap_or_default();
        assert!(rule.contains("(nothing found) ─"), "{framed}");
        assert_eq!(rule.chars().count(), columns, "{framed}");
        let shown = status(&search(8));
        assert!(shown.ends_with(" (nothing found)"), "{shown}");
        assert!(shown.chars().count() <= columns, "{shown}");
    }
}

#[test]
fn what_a_second_press_would_do_is_unsaid_when_it_would_not() {
    let mut stage = Stage::new(70, 20);
    stage.control('c');
    assert!(stage.shown().contains("Ctrl+C again leaves"));
    stage.key(KeyCode::Char('a'));
    assert!(!stage.shown().contains("again"), "{}", stage.shown());
    stage.key(KeyCode::Esc);
    assert!(stage.shown().contains("Esc again clears the input"));
    stage.key(KeyCode::Backspace);
    assert!(!stage.shown().contains("again"), "{}", stage.shown());
    stage.key(KeyCode::Esc);
    assert!(stage.shown().contains("Esc again goes back"));
    // Nor is what was pasted in between cleared by the second one.
    stage.input(Input::Paste("pasted".into()));
    assert!(!stage.shown().contains("again"), "{}", stage.shown());
    stage.key(KeyCode::Esc);
    assert_eq!(stage.state.composer.text(), "pasted");
}

#[test]
fn a_hint_of_another_kind_outlives_a_key() {
    let mut stage = Stage::new(70, 20);
    stage.send("/new");
    stage.send("hello");
    assert!(stage.shown().contains("One moment"), "{}", stage.shown());
    stage.key(KeyCode::Left);
    assert!(stage.shown().contains("One moment"), "{}", stage.shown());
}

#[test]
fn a_run_that_went_on_after_a_refusal_is_done_and_counts_it() {
    for (denied_calls, steps, word) in [
        (1, 2, "Done; 1 call was not allowed."),
        (3, 2, "Done; 3 calls were not allowed."),
        (0, 0, "Not done, because something was not allowed."),
    ] {
        let mut stage = Stage::new(70, 20);
        stage.begin_run("go");
        stage.answer("So I did not.");
        stage.end_run(RunFinished {
            denied_calls,
            steps,
            ..finished(Outcome::Denied)
        });
        assert!(stage.shown().contains(word), "{}", stage.shown());
    }
}

fn refused(call: &str, explanation: Explanation) -> ToolResult {
    let output = ToolOutput::error(ErrorCode::PermissionDenied, "not allowed");
    ToolResult {
        call: CallId::new(call),
        name: "bash".into(),
        ok: false,
        status: CallStatus::Denied,
        envelope: output.envelope,
        model_text: output.model_text,
        display: output.display,
        duration_ms: 0,
        reads: Vec::new(),
        images: Vec::new(),
        sandbox: None,
        explanation: Some(explanation),
    }
}

fn denied(calls: u32) -> RunFinished {
    RunFinished {
        denied_calls: calls,
        steps: 2,
        ..finished(Outcome::Denied)
    }
}

fn asks(call: &str, command: &str) -> Message {
    let mut message = Message::assistant("");
    message.parts = vec![Part::ToolCall(ToolCallPart {
        id: CallId::new(call),
        name: "bash".into(),
        arguments: json!({ "command": command }).to_string(),
        form: CallForm::Native,
    })];
    message
}

#[test]
fn what_a_rule_refused_is_said_at_the_end_with_the_way_to_the_rule_once() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    for (call, command) in [("call_1", "curl a"), ("call_2", "curl b")] {
        stage.event(asks(call, command));
        let why = Explanation::new(Class::Deny, "the rule `bash curl` (user) denies `curl`");
        stage.event(refused(call, why));
    }
    stage.answer("So I did not.");
    stage.end_run(denied(2));
    let shown = stage.shown();
    let way = "Which rule that was: tenon policy explain bash 'curl b'";
    assert!(shown.contains("Done; 2 calls were not allowed."), "{shown}");
    assert_eq!(shown.matches(way).count(), 1, "{shown}");
    assert_eq!(shown.matches("policy explain").count(), 1, "{shown}");
    // Of one run nothing is said at the end of another.
    stage.begin_run("and now");
    stage.answer("All is well.");
    stage.end_run(finished(Outcome::Completed));
    assert_eq!(stage.shown().matches("policy explain").count(), 1);
}

#[test]
fn a_no_of_ones_own_is_not_told_again() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    stage.event(asks("call_1", "curl a"));
    let mut why = Explanation::new(Class::Ask, "`bash` asks by default");
    why.answered_by = Some(AnsweredBy::User.name().into());
    stage.event(refused("call_1", why));
    stage.answer("So I did not.");
    stage.end_run(denied(1));
    let shown = stage.shown();
    assert!(shown.contains("Done; you denied 1 call. "), "{shown}");
    assert!(!shown.contains("not allowed."), "{shown}");
    assert!(!shown.contains("policy explain"), "{shown}");
}

#[test]
fn a_command_of_ones_own_that_the_agent_may_not_run_is_named_with_the_way_out() {
    for (reason, way_out) in [
        ("the agent `plan` does not have `bash`", true),
        ("the rule `bash curl` (user) denies `curl`", false),
    ] {
        let mut stage = Stage::new(70, 20);
        stage.event(RunStarted {
            prompt: "!curl example.org".into(),
            origin: RunOrigin::Shell,
        });
        stage.event(refused("shell_1", Explanation::new(Class::Deny, reason)));
        stage.end_run(RunFinished {
            denied_calls: 1,
            steps: 0,
            ..finished(Outcome::Denied)
        });
        let shown = stage.shown();
        assert!(shown.contains("▸ bash curl example.org"), "{shown}");
        assert!(shown.contains(reason), "{shown}");
        assert_eq!(shown.contains("Shift+Tab"), way_out, "{shown}");
        assert!(!shown.contains("steps"), "{shown}");
    }
}

fn asked(id: &str, call: &str) -> Question {
    let mut question = permission(id);
    question.call = Some(CallId::new(call));
    let always = Choice {
        id: Choice::ALWAYS.into(),
        key: 'a',
        label: "allow in this project for 7 days".into(),
        rule: Some("bash cargo test = allow".into()),
        typed: None,
    };
    question.choices.push(always);
    question
}

fn answered(id: &str, choice: &str, text: Option<&str>) -> Answer {
    Answer {
        question: QuestionId::new(id),
        choice: choice.into(),
        text: text.map(String::from),
        by: AnsweredBy::User,
        call: None,
    }
}

#[test]
fn why_the_user_said_no_stands_where_the_call_would_have() {
    let mut stage = Stage::new(70, 20);
    stage.begin_run("go");
    stage.event(asked("q1", "call_1"));
    let no = answered("q1", Choice::DENY, Some("use another name"));
    stage.event(no);
    let mut why = Explanation::new(Class::Ask, "`bash` asks by default");
    why.answered_by = Some(AnsweredBy::User.name().into());
    stage.event(refused("call_1", why));
    let shown = stage.shown();
    assert!(shown.contains("Denied by you: use another name"), "{shown}");
    assert!(!shown.contains("by default"), "{shown}");
}

#[test]
fn a_permission_that_stays_is_said_with_the_way_to_take_it_back() {
    let mut stage = Stage::new(100, 20);
    stage.begin_run("go");
    stage.event(asked("q1", "call_1"));
    stage.event(answered("q1", Choice::ALWAYS, None));
    let shown = stage.shown();
    let line =
        "Allowed in this project for 7 days: bash cargo test (`tenon policy remove` takes it back)";
    assert!(shown.contains(line), "{shown}");
    stage.event(asked("q2", "call_2"));
    stage.event(answered("q2", Choice::ONCE, None));
    assert_eq!(stage.shown().matches("Allowed").count(), 1);
}
