//! The words keep their shape: what is written can be read, by this version
//! and, for kinds it does not know, without loss.

use serde_json::json;
use tenon_vocab::{
    Durability, Envelope, ErrorCode, Event, EventKind, Message, Notice, NoticeLevel, Part,
    Printable, SessionId, Timestamp, ToolOutput, Usage,
};

fn event(kind: EventKind) -> Event {
    Event {
        seq: 7,
        sub: None,
        ts: "2026-11-15T10:00:00Z".parse::<Timestamp>().unwrap(),
        session: "01890000-0000-7000-8000-000000000001".parse().unwrap(),
        run: None,
        parent: None,
        agent: String::from("build"),
        kind,
    }
}

#[test]
fn an_event_is_one_flat_object() {
    let line = serde_json::to_value(event(
        Notice {
            level: NoticeLevel::Warning,
            kind: String::from("truncated"),
            message: String::from("cut"),
            hint: None,
        }
        .into(),
    ))
    .unwrap();
    assert_eq!(
        line,
        json!({
            "seq": 7, "ts": "2026-11-15T10:00:00Z",
            "session": "01890000-0000-7000-8000-000000000001",
            "agent": "build", "type": "notice",
            "level": "warning", "kind": "truncated", "message": "cut",
        })
    );
}

#[test]
fn every_kind_survives_a_round_trip() {
    for (name, fields) in samples() {
        let mut line = json!({
            "seq": 7, "ts": "2026-11-15T10:00:00Z",
            "session": "01890000-0000-7000-8000-000000000001",
            "agent": "build", "type": name,
        });
        for (key, value) in fields.as_object().unwrap() {
            line[key] = value.clone();
        }
        let event: Event =
            serde_json::from_value(line.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(event.kind.name(), name);
        assert!(
            !matches!(event.kind, EventKind::Other(_)),
            "{name} is unknown"
        );
        let again: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        assert_eq!(event, again, "{name}");
    }
}

#[test]
fn the_samples_cover_every_kind() {
    let sampled: Vec<_> = samples().into_iter().map(|(name, _)| name).collect();
    for name in EventKind::NAMES {
        assert!(sampled.contains(name), "no sample of `{name}`");
    }
}

#[test]
fn a_kind_of_a_newer_version_keeps_all_its_fields() {
    let line = json!({
        "seq": 7, "ts": "2026-11-15T10:00:00Z",
        "session": "01890000-0000-7000-8000-000000000001",
        "agent": "build", "type": "teleported", "to": {"x": 1}, "list": [1, 2],
    });
    let event: Event = serde_json::from_value(line.clone()).unwrap();
    assert!(matches!(&event.kind, EventKind::Other(o) if o.name == "teleported"));
    assert_eq!(event.kind.durability(), Durability::Durable);
    assert_eq!(serde_json::to_value(&event).unwrap(), line);
}

#[test]
fn a_known_kind_with_a_wrong_field_is_an_error_that_names_it() {
    let line = json!({
        "seq": 7, "ts": "2026-11-15T10:00:00Z",
        "session": "01890000-0000-7000-8000-000000000001",
        "agent": "build", "type": "notice", "level": "loud", "kind": "k", "message": "m",
    });
    let error = serde_json::from_value::<Event>(line)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("notice") && error.contains("loud"),
        "{error}"
    );
}

#[test]
fn an_envelope_has_the_two_shapes_of_the_contract() {
    let ok = Envelope::Ok(json!({"bytes": 3}));
    assert_eq!(
        serde_json::to_value(&ok).unwrap(),
        json!({"ok": true, "data": {"bytes": 3}})
    );
    let failed = ToolOutput::error(ErrorCode::PathOutsideRoot, "no").envelope;
    let wire = json!({"ok": false, "error": {"code": "path_outside_root", "message": "no"}});
    assert_eq!(serde_json::to_value(&failed).unwrap(), wire);
    assert_eq!(serde_json::from_value::<Envelope>(wire).unwrap(), failed);
}

#[test]
fn arguments_are_kept_as_the_exact_string() {
    let message: Message = serde_json::from_value(json!({
        "role": "assistant",
        "parts": [{"type": "tool_call", "id": "c", "name": "read", "arguments": "{\"a\": 1,, "}],
    }))
    .unwrap();
    assert!(message.in_context);
    assert_eq!(
        message.tool_calls().next().unwrap().arguments,
        "{\"a\": 1,, "
    );
}

#[test]
fn an_id_that_is_none_is_refused_by_name() {
    let error = "last".parse::<SessionId>().unwrap_err();
    assert_eq!(error.to_string(), "`last` is not a UUID");
}

#[test]
fn printable_shows_what_would_deceive_and_leaves_the_rest() {
    assert_eq!(Printable::line("a\x1b[2Jb").as_str(), "a␛[2Jb");
    assert_eq!(Printable::line("ok\rrm -rf").as_str(), "ok␍rm -rf");
    assert_eq!(Printable::line("x\u{202e}y").as_str(), "x⟨U+202E⟩y");
    assert_eq!(Printable::block("a\n\tb").as_str(), "a\n\tb");
    assert_eq!(Printable::line("a\n\tb").as_str(), "a␊␉b");
    assert_eq!(Printable::line("漢字 👨‍👩‍👧 é").as_str(), "漢字 👨‍👩‍👧 é");
    assert_eq!(Printable::line("\u{9b}31m").as_str(), "⟨U+009B⟩31m");
}

#[test]
fn what_looks_like_nothing_is_seen_in_a_command_or_a_path() {
    let blanks = [
        '\u{ad}',
        '\u{34f}',
        '\u{115f}',
        '\u{1160}',
        '\u{17b4}',
        '\u{17b5}',
        '\u{180b}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2060}',
        '\u{2065}',
        '\u{206f}',
        '\u{2800}',
        '\u{3164}',
        '\u{ffa0}',
        '\u{fe00}',
        '\u{fe0e}',
        '\u{fe0f}',
        '\u{feff}',
        '\u{fff0}',
        '\u{1d173}',
        '\u{e0001}',
        '\u{e0041}',
        '\u{e0100}',
        '\u{e01ef}',
        '\u{e0fff}',
    ];
    for blank in blanks {
        let code = format!("⟨U+{:04X}⟩", blank as u32);
        for (before, behind) in [
            ("rm", "-rf"),
            ("", "x"),
            ("a/", ""),
            ("x ", " y"),
            ("1", "2"),
        ] {
            let shown = Printable::line(&format!("{before}{blank}{behind}")).into_string();
            assert_eq!(shown, format!("{before}{code}{behind}"));
        }
        let twice = Printable::line(&format!("a{blank}{blank}b")).into_string();
        assert_eq!(twice, format!("a{code}{code}b"));
    }
}

#[test]
fn what_is_invisible_and_has_work_to_do_passes() {
    for whole in [
        "👨‍👩‍👧",
        "❤️",
        "🏳️‍🌈",
        "👩🏽‍💻",
        "1️⃣",
        "™️",
        "می‌خواهم",
        "क्‍ष",
        "葛\u{e0100}",
        "⠀⠀⣿⠀⣿⠀",
        "\u{1820}\u{180b}",
    ] {
        assert_eq!(Printable::line(whole).as_str(), whole);
    }
    // A text that streams may come in two pieces.
    assert_eq!(Printable::block("\u{fe0f} x").as_str(), "\u{fe0f} x");
    assert_eq!(Printable::block("👨\u{200d}").as_str(), "👨\u{200d}");
}

proptest::proptest! {
    #[test]
    fn printable_never_lets_a_control_character_pass(text in "\\PC*|.*") {
        let shown = Printable::line(&text).into_string();
        proptest::prop_assert!(!shown.chars().any(char::is_control), "{:?}", shown);
    }
}

#[test]
fn usage_adds_up_and_remembers_that_it_was_estimated() {
    let mut sum = Usage {
        input: 10,
        output: 2,
        ..Usage::default()
    };
    sum += Usage {
        input: 5,
        output: 1,
        estimated: true,
        ..Usage::default()
    };
    assert_eq!((sum.input, sum.output, sum.estimated), (15, 3, true));
}

#[test]
fn an_image_part_names_its_source() {
    let part: Part = serde_json::from_value(json!({
        "type": "image", "url": "https://x/y.png", "media_type": "image/png",
    }))
    .unwrap();
    assert_eq!(
        serde_json::to_value(&part).unwrap()["url"],
        "https://x/y.png"
    );
}

/// One sample of each kind: its own fields only.
fn samples() -> Vec<(&'static str, serde_json::Value)> {
    let blob = json!({"sha256": "ab", "bytes": 2});
    vec![
        (
            "meta",
            json!({"schema_version": 1, "id": "01890000-0000-7000-8000-000000000001", "cwd": "/p", "program_version": "0.1.0"}),
        ),
        ("run_started", json!({"prompt": "hi", "origin": "prompt"})),
        (
            "run_finished",
            json!({"outcome": "completed", "steps": 1, "calls": 0, "failed_calls": 0, "denied_calls": 0, "usage": {"input": 1, "output": 2}, "duration_ms": 5}),
        ),
        ("state", json!({"state": "tool_running"})),
        (
            "message",
            json!({"role": "user", "parts": [{"type": "text", "text": "hi"}], "status": "complete", "in_context": true, "origin": "user"}),
        ),
        (
            "model_request",
            json!({"purpose": "step", "model": "m", "endpoint": "e", "messages": 2, "estimated_tokens": 900}),
        ),
        ("message_delta", json!({"channel": "text", "text": "h"})),
        (
            "tool_delta",
            json!({"call": "c", "stream": "stdout", "text": "h"}),
        ),
        (
            "tool_use",
            json!({"call": "c", "name": "read", "input": {"path": "a"}, "explanation": {"class": "allow", "reason": "r"}, "batch": 0}),
        ),
        (
            "tool_result",
            json!({"call": "c", "name": "read", "ok": true, "envelope": {"ok": true, "data": {}}, "model_text": "t", "duration_ms": 1}),
        ),
        (
            "question",
            json!({"id": "q_1", "kind": "permission", "title": "t", "body": "b", "choices": [{"id": "once", "key": "y", "label": "once"}]}),
        ),
        (
            "answer",
            json!({"question": "q_1", "choice": "once", "by": "user"}),
        ),
        (
            "context",
            json!({"change": "compiled", "system": blob, "tools": blob, "model": "m", "endpoint": "e", "dialect": "native", "reason": "start"}),
        ),
        (
            "snapshot",
            json!({"settings": null, "compiled": null, "todo": [], "usage": {"input": 0, "output": 0}, "runs": 1, "compactions": 0, "prompt": "hi", "checkpoint_head": null, "history": [{"seq": 1, "offset": 2}]}),
        ),
        (
            "checkpoint",
            json!({"action": "saved", "files": [{"path": "a", "mode": 420, "before": blob}]}),
        ),
        (
            "review",
            json!({"kind": "validation", "state": "passed", "round": 1}),
        ),
        (
            "hook",
            json!({"event": "PreToolUse", "hook": "h", "result": "pass", "duration_ms": 1}),
        ),
        (
            "retry",
            json!({"attempt": 1, "of": 5, "delay_ms": 1000, "reason": "429"}),
        ),
        (
            "job",
            json!({"id": "proc_1", "action": "detached", "command": "sleep 1"}),
        ),
        ("mcp", json!({"server": "s", "state": "ready"})),
        (
            "todo",
            json!({"items": [{"text": "a", "status": "pending"}]}),
        ),
        (
            "settings",
            json!({"provider": "p", "model": "m", "agent_name": "build", "mode": "single", "permission_mode": "ask", "pinned": false}),
        ),
        (
            "notice",
            json!({"level": "info", "kind": "k", "message": "m"}),
        ),
        ("interrupted", json!({"by": "user"})),
    ]
}
