use super::menu::commands;
use super::plain;
use tenon_tui::house::Entry;
use tenon_tui::overlay::{chart, help};
use tenon_vocab::{Meter, TableReply};

#[test]
fn help_names_every_command_once_and_the_keys() {
    let mut entries = commands();
    entries.push(Entry {
        name: "mine".into(),
        what: "my own \x1b[2J".into(),
        ..Entry::default()
    });
    let lines = plain(&help::lines(&entries, 80));
    let all = lines.join("\n");
    for entry in &entries {
        let named = format!("/{}", entry.name);
        let count = lines
            .iter()
            .filter(|line| line.trim_start().split([',', ' ']).next() == Some(named.as_str()))
            .count();
        assert_eq!(count, 1, "{named} in\n{all}");
    }
    for part in [
        "Conversation",
        "More commands",
        "my own ␛[2J",
        "/exit, /quit",
        "/models, /model [NAME]",
        "Keys: Writing",
        "shift+enter",
        "Keys: Pages",
    ] {
        assert!(all.contains(part), "no {part} in\n{all}");
    }
    assert!(all.find("Keys: Pages") < all.find("Conversation"), "{all}");
}

#[test]
fn help_fits_any_width() {
    for columns in 1..120 {
        for line in help::lines(&commands(), columns) {
            assert!(line.width() <= columns, "{columns}: {}", line.plain());
        }
    }
}

fn table() -> TableReply {
    let row = |part: &str, tokens: &str, source: &str| {
        vec![part.to_owned(), tokens.to_owned(), source.to_owned()]
    };
    TableReply {
        columns: vec!["part".into(), "tokens".into(), "source".into()],
        rows: vec![
            row("base", "~2000", "built-in"),
            row("rules", "~500", "AGENTS.md"),
            row("tools", "~4000", "built-in, 12"),
            row("results", "~1500", "7"),
            row("prompt", "full", "the window has 32768 tokens"),
            row("used", "8192", "as the server counted the last request"),
            row("limit", "32768", "as the server says"),
        ],
        note: Some("25 % of 32768 tokens (as the server says)".into()),
    }
}

#[test]
fn the_context_is_a_chart_by_part() {
    let lines = plain(&chart::context(&table(), None, 80));
    let all = lines.join("\n");
    assert!(all.contains("25 %  8,192 of 32,768 tokens"), "{all}");
    let line = |name: &str| lines.iter().find(|line| line.starts_with(name)).cloned();
    let tools = line("tools").unwrap_or_default();
    assert!(
        tools.contains(&"█".repeat(24)) && tools.contains("~4,000") && tools.contains("12 %"),
        "{all}"
    );
    assert!(tools.ends_with("built-in, 12"), "{tools}");
    let base = line("base").unwrap_or_default();
    assert!(
        base.contains(&format!("{}  ", "█".repeat(12))) && base.contains("6.1 %"),
        "{base}"
    );
    assert!(all.contains("prompt full  the window has"), "{all}");
    assert!(all.contains("used 8,192  as the server counted"), "{all}");
    assert!(all.contains("limit 32,768  as the server says"), "{all}");
}

#[test]
fn the_bar_and_the_rows_below_it_say_the_same() {
    // As it was for the status line, before the answer that is being written.
    let meter = Meter {
        used: 30_000,
        estimated: true,
        limit: Some(32_000),
        ..Meter::default()
    };
    let all = plain(&chart::context(&table(), Some(&meter), 80)).join("\n");
    assert!(all.contains("25 %  8,192 of 32,768 tokens"), "{all}");
    let mut short = table();
    short.rows.truncate(4);
    let all = plain(&chart::context(&short, Some(&meter), 80)).join("\n");
    assert!(all.contains("~93 %  ~30,000 of 32,000 tokens"), "{all}");
}

#[test]
fn a_chart_of_anything_fits_any_width_and_shows_all_of_it() {
    let mut odd = table();
    odd.rows.push(vec!["x".into()]);
    odd.rows.push(Vec::new());
    odd.rows.push(vec![
        "漢字漢字漢字".into(),
        "18446744073709551615".into(),
        "very ".repeat(40),
    ]);
    for table in [table(), odd, TableReply::default()] {
        for columns in 0..120 {
            let lines = chart::context(&table, None, columns);
            for line in &lines {
                assert!(line.width() <= columns, "{columns}: {}", line.plain());
            }
        }
    }
    let narrow = plain(&chart::context(&table(), None, 40)).join("\n");
    for part in ["base", "rules", "tools", "built-in, 12", "AGENTS.md"] {
        assert!(narrow.contains(part), "{part} in\n{narrow}");
    }
}
