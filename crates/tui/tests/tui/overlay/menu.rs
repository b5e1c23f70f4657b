use super::{control, key, letter, plain, with};
use crate::stage::Stage;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_tui::composer::Token;
use tenon_tui::house::{Entry, Row};
use tenon_tui::input::{Effect, Input};
use tenon_tui::overlay::menu::{Chosen, Menu};
use tenon_tui::text::Role;
use tenon_vocab::slash::Group;
use tenon_vocab::{Command, Query, Reply};

fn entry(name: &str, aliases: &[&str], argument: &str, what: &str) -> Entry {
    Entry {
        name: name.into(),
        aliases: aliases.iter().map(|alias| (*alias).into()).collect(),
        argument: argument.into(),
        what: what.into(),
        group: (name == "exit").then_some(Group::Conversation),
    }
}

pub fn commands() -> Vec<Entry> {
    vec![
        entry("help", &["?"], "", "show these commands"),
        entry("models", &["model"], "[NAME]", "list the models"),
        entry("mode", &[], "[MODE]", "what runs without a question"),
        entry("skill", &[], "NAME [TEXT]", "load a skill"),
        entry("exit", &["quit"], "", "leave"),
    ]
}

pub fn files(paths: &[&str]) -> Arc<[Row]> {
    paths
        .iter()
        .map(|path| Row {
            id: (*path).into(),
            label: (*path).into(),
            detail: String::new(),
        })
        .collect()
}

fn slash(word: &str) -> Menu {
    let mut menu = Menu::new(commands());
    menu.follow(Some(Token::Slash(word.into())));
    menu
}

fn at(menu: &mut Menu, word: &str) {
    menu.follow(Some(Token::Mention(word.into())));
    while menu.work() {}
}

fn mention(paths: &[&str], word: &str) -> Menu {
    let mut menu = Menu::new(commands());
    menu.files(files(paths));
    at(&mut menu, word);
    menu
}

fn shown(menu: &Menu) -> Vec<String> {
    let rows = plain(&menu.view(60, 8)).into_iter();
    // The bar of the chosen row is as wide as the list.
    rows.map(|row| row.trim_end().to_owned()).collect()
}

const ENTER: KeyCode = KeyCode::Enter;

#[test]
fn commands_that_begin_so_come_first() {
    let menu = slash("mod");
    let lines = shown(&menu);
    assert!(lines[0].starts_with("▸ /models [NAME]"), "{lines:?}");
    assert!(lines[1].starts_with("  /mode [MODE]"), "{lines:?}");
    assert_eq!(lines.len(), 2);
    // Whole words before beginnings.
    assert!(shown(&slash("mode"))[0].starts_with("▸ /mode ["));
    assert_eq!(shown(&slash("")).len(), 5);
    assert!(!slash("nothing").is_open());
}

#[test]
fn a_command_is_found_by_its_other_name() {
    let menu = slash("qui");
    assert!(
        shown(&menu)[0].starts_with("▸ /exit (quit)  leave"),
        "{:?}",
        shown(&menu)
    );
    let line = menu.view(60, 8)[0].clone();
    assert!(with(Role::Match, &line).contains("(<qui>t)"));
}

#[test]
fn enter_sends_what_needs_no_argument() {
    assert_eq!(slash("he").key(key(ENTER)), Chosen::Send("help".into()));
    assert_eq!(
        slash("models").key(key(ENTER)),
        Chosen::Send("models".into())
    );
    assert_eq!(slash("ski").key(key(ENTER)), Chosen::Word("skill".into()));
    assert_eq!(
        slash("he").key(key(KeyCode::Tab)),
        Chosen::Word("help".into())
    );
}

#[test]
fn a_guess_is_shown_before_it_is_done() {
    assert_eq!(slash("xt").key(key(ENTER)), Chosen::Word("exit".into()));
}

#[test]
fn only_keys_that_choose_are_taken() {
    let mut menu = slash("");
    let newline = KeyEvent::new(ENTER, KeyModifiers::SHIFT);
    for passed in [letter('x'), key(KeyCode::Left), control('c'), newline] {
        assert_eq!(menu.key(passed), Chosen::Passed);
    }
    assert_eq!(menu.key(key(KeyCode::Down)), Chosen::Stay);
    assert_eq!(menu.key(control('n')), Chosen::Stay);
    assert_eq!(menu.key(control('p')), Chosen::Stay);
    assert_eq!(menu.key(key(KeyCode::Tab)), Chosen::Word("models".into()));
    assert_eq!(Menu::new(commands()).key(key(ENTER)), Chosen::Passed);
}

#[test]
fn escape_closes_it_until_the_word_changes() {
    let mut menu = slash("m");
    assert_eq!(menu.key(key(KeyCode::Esc)), Chosen::Closed);
    menu.follow(Some(Token::Slash("m".into())));
    assert!(!menu.is_open());
    assert_eq!(menu.key(key(KeyCode::Esc)), Chosen::Passed);
    menu.follow(Some(Token::Slash("mo".into())));
    assert!(menu.is_open());
    menu.follow(None);
    assert!(!menu.is_open());
}

#[test]
fn files_are_asked_for_when_they_are_first_wanted() {
    let mut menu = Menu::new(commands());
    assert!(!menu.wants_files());
    menu.follow(Some(Token::Mention("ma".into())));
    assert!(menu.wants_files() && menu.is_open());
    assert!(shown(&menu)[0].contains("reading the files"));
    assert_eq!(menu.key(key(ENTER)), Chosen::Passed);
    menu.asked();
    assert!(!menu.wants_files() && menu.is_open());
    menu.files(files(&["src/main.rs"]));
    assert_eq!(shown(&menu), ["▸ src/main.rs"]);
    menu.stale();
    assert!(menu.wants_files() && shown(&menu)[0].contains("main.rs"));
    menu.failed("no such folder");
    assert!(!menu.wants_files());
    menu.follow(None);
    menu.stale();
    assert!(!menu.wants_files());
}

#[test]
fn a_list_that_cannot_be_made_says_why() {
    let mut menu = Menu::new(commands());
    menu.follow(Some(Token::Mention(String::new())));
    menu.failed("no such folder");
    assert!(shown(&menu)[0].contains("can't list the files: no such folder"));
}

#[test]
fn exact_names_come_first() {
    let paths = [
        "src/main_menu.rs",
        "docs/main.rs.md",
        "a/b/c/main.rs",
        "main_loop.rs",
    ];
    let menu = mention(&paths, "main.rs");
    assert_eq!(shown(&menu)[0], "▸ a/b/c/main.rs");
    // A name that begins so comes before letters here and there.
    let menu = mention(&["s/r/c/x.rs", "lib/src.rs"], "src");
    assert_eq!(shown(&menu)[0], "▸ lib/src.rs");
}

#[test]
fn an_empty_word_shows_what_lies_on_top() {
    let menu = mention(&["src/", "src/a/b.rs", "src/main.rs", "Cargo.toml"], "");
    assert_eq!(
        shown(&menu),
        ["▸ src/", "  Cargo.toml", "  src/main.rs", "  src/a/b.rs"]
    );
}

#[test]
fn a_folder_is_entered_and_then_shows_what_is_in_it() {
    let paths = ["src/", "src/main.rs", "src/a/", "src/a/b.rs", "xs/rc/d.rs"];
    let mut menu = mention(&paths, "sr");
    assert_eq!(menu.key(key(ENTER)), Chosen::Word("src/".into()));
    at(&mut menu, "src/");
    let lines = shown(&menu);
    assert_eq!(lines[..3], ["▸ src/a/", "  src/main.rs", "  src/a/b.rs"]);
    assert!(menu.is_open());
}

#[test]
fn a_path_that_is_typed_whole_leaves_enter_to_the_line() {
    let mut menu = mention(&["src/main.rs", "src/main.rs.bak"], "src/main.rs");
    assert_eq!(menu.key(key(ENTER)), Chosen::Passed);
    assert_eq!(
        menu.key(key(KeyCode::Tab)),
        Chosen::Word("src/main.rs".into())
    );
    menu.key(key(KeyCode::Down));
    assert_eq!(menu.key(key(ENTER)), Chosen::Word("src/main.rs.bak".into()));
}

#[test]
fn letters_that_fit_are_marked_and_long_paths_keep_their_end() {
    let long = format!("{}/main.rs", "folder/".repeat(20).trim_end_matches('/'));
    let menu = mention(&[&long], "main");
    let line = menu.view(30, 8)[0].clone();
    assert!(line.width() <= 30);
    let marked = with(Role::Match, &line);
    assert!(
        marked.ends_with("/<main>.rs") && marked.contains('…'),
        "{marked}"
    );
}

#[test]
fn quotes_and_dots_before_a_path_are_no_part_of_it() {
    assert_eq!(shown(&mention(&["a b.txt"], "\"a b")), ["▸ a b.txt"]);
    assert_eq!(
        mention(&["a b.txt"], "\"a b.txt").key(key(ENTER)),
        Chosen::Passed
    );
    assert_eq!(shown(&mention(&["src/x.rs"], "./src")), ["▸ src/x.rs"]);
    assert!(!mention(&["src/x.rs"], "../nope").is_open());
}

fn many(count: usize) -> Arc<[Row]> {
    (0..count)
        .map(|at| {
            let id = format!(
                "crates/part{}/src/module_{}/file_{at}.rs",
                at % 97,
                at % 1_013
            );
            Row {
                label: id.clone(),
                id,
                detail: String::new(),
            }
        })
        .collect()
}

#[test]
fn a_hundred_thousand_paths_are_searched_in_slices() {
    let mut menu = Menu::new(commands());
    menu.files(many(100_000));
    let (mut slowest, mut all) = (Duration::ZERO, Duration::ZERO);
    let mut slices = 0;
    let word = "file_99321";
    for end in 0..=word.len() {
        let mut start = Instant::now();
        menu.follow(Some(Token::Mention(word[..end].into())));
        loop {
            slowest = slowest.max(start.elapsed());
            all += start.elapsed();
            slices += 1;
            start = Instant::now();
            if !menu.work() {
                break;
            }
        }
    }
    println!(
        "100,000 paths, {} words: {slices} slices, the slowest {slowest:?}, all {all:?}",
        word.len() + 1
    );
    assert_eq!(
        shown(&menu)[0],
        "▸ crates/part90/src/module_47/file_99321.rs"
    );
}

#[test]
fn a_word_that_grew_in_the_middle_of_the_work_finds_the_same() {
    let rows = many(30_000);
    let (mut hasty, mut calm) = (Menu::new(Vec::new()), Menu::new(Vec::new()));
    hasty.files(Arc::clone(&rows));
    calm.files(rows);
    for word in ["", "f", "f2", "f2m", "f2m1", "f2m12"] {
        hasty.follow(Some(Token::Mention(word.into())));
    }
    while hasty.work() {}
    at(&mut calm, "f2m12");
    assert_eq!(shown(&hasty), shown(&calm));
    // And back again.
    for menu in [&mut hasty, &mut calm] {
        menu.follow(Some(Token::Mention("f2m1".into())));
        menu.follow(Some(Token::Mention("f29".into())));
    }
    while hasty.work() {}
    while calm.work() {}
    assert_eq!(shown(&hasty), shown(&calm));
    let mut fresh = Menu::new(Vec::new());
    fresh.files(many(30_000));
    at(&mut fresh, "f29");
    assert_eq!(shown(&hasty), shown(&fresh));
}

#[test]
fn what_still_fits_stays_until_the_work_is_done() {
    let mut menu = Menu::new(Vec::new());
    menu.files(many(100_000));
    at(&mut menu, "file_9");
    menu.follow(Some(Token::Mention("file_99".into())));
    let lines = shown(&menu);
    assert_eq!(lines.len(), 8);
    // The last one counts what is not shown.
    for line in lines.iter().take(7) {
        let mut letters = line.chars();
        let fits = "file_99".chars().all(|c| letters.any(|letter| letter == c));
        assert!(fits, "{line}");
    }
}

#[test]
fn the_mark_stays_on_its_path_while_the_work_goes_on() {
    let mut menu = Menu::new(Vec::new());
    menu.files(many(100_000));
    menu.follow(Some(Token::Mention("file".into())));
    menu.key(key(KeyCode::Down));
    let marked = |menu: &Menu| shown(menu).into_iter().find(|line| line.starts_with('▸'));
    let before = marked(&menu);
    menu.work();
    assert_eq!(marked(&menu), before);
}

#[test]
fn no_more_than_eight_lines() {
    let mut menu = Menu::new(Vec::new());
    menu.files(many(50));
    at(&mut menu, "file");
    assert_eq!(menu.view(60, 40).len(), 8);
    for _ in 0..9 {
        menu.key(key(KeyCode::Down));
    }
    let lines = plain(&menu.view(60, 3));
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().any(|line| line.starts_with('▸')), "{lines:?}");
    // What does not fit is counted.
    let all = menu.view(60, 40);
    assert_eq!(plain(&all)[7], "  10 of 50 · 35 more below");
    at(&mut menu, "nothing like it");
    assert!(menu.view(60, 40).len() < 8);
}

fn behind(menu: &mut Menu, line: &str) -> Option<String> {
    let word = line.rsplit(' ').next().unwrap_or_default();
    menu.follow(Some(Token::Argument {
        line: line.into(),
        word: word.into(),
    }));
    menu.ask()
}

fn offered(menu: &mut Menu, line: &str, words: &[&str]) {
    menu.words(line, words.iter().map(|word| (*word).into()).collect());
}

#[test]
fn what_may_follow_a_command_is_asked_for_shown_and_taken() {
    let mut menu = Menu::new(commands());
    assert_eq!(behind(&mut menu, "/models s"), Some("/models s".into()));
    assert!(!menu.is_open());
    offered(&mut menu, "/models s", &["small", "large/small"]);
    assert_eq!(shown(&menu), ["▸ small", "  large/small"]);
    let line = menu.view(60, 8)[0].clone();
    assert_eq!(with(Role::Match, &line), "▸ <s>mall");
    assert_eq!(menu.key(key(KeyCode::Tab)), Chosen::Word("small".into()));
    assert_eq!(menu.key(key(ENTER)), Chosen::Word("small".into()));
    menu.key(key(KeyCode::Down));
    assert_eq!(menu.key(key(ENTER)), Chosen::Word("large/small".into()));
    // By its other name, too.
    assert!(behind(&mut Menu::new(commands()), "/model s").is_some());
}

#[test]
fn a_word_that_is_there_and_none_at_all_leave_enter_to_the_line() {
    let mut menu = Menu::new(commands());
    behind(&mut menu, "/models ");
    offered(&mut menu, "/models ", &["large", "small"]);
    assert_eq!(menu.key(key(ENTER)), Chosen::Passed);
    assert_eq!(menu.key(key(KeyCode::Tab)), Chosen::Word("large".into()));
    behind(&mut menu, "/models small");
    offered(&mut menu, "/models small", &["smallest", "small"]);
    assert_eq!(menu.key(key(ENTER)), Chosen::Passed);
    menu.key(key(KeyCode::Down));
    assert_eq!(menu.key(key(ENTER)), Chosen::Word("small".into()));
}

#[test]
fn a_reply_about_another_line_is_not_shown_and_the_right_one_is_asked_for_next() {
    let mut menu = Menu::new(commands());
    assert!(behind(&mut menu, "/models s").is_some());
    // One question at a time.
    assert_eq!(behind(&mut menu, "/models sm"), None);
    assert_eq!(behind(&mut menu, "/skill s"), None);
    offered(&mut menu, "/models s", &["small"]);
    assert!(!menu.is_open());
    assert_eq!(menu.ask(), Some("/skill s".into()));
    menu.follow(None);
    offered(&mut menu, "/skill s", &["sums"]);
    assert!(!menu.is_open());
}

#[test]
fn what_was_offered_serves_until_more_is_known() {
    let mut menu = Menu::new(commands());
    behind(&mut menu, "/models ");
    offered(&mut menu, "/models ", &["large", "Small"]);
    assert_eq!(behind(&mut menu, "/models sm"), Some("/models sm".into()));
    assert_eq!(shown(&menu), ["▸ Small"]);
    offered(&mut menu, "/models sm", &["Small", "smaller"]);
    assert_eq!(shown(&menu), ["▸ Small", "  smaller"]);
    // Not for another command.
    behind(&mut menu, "/mode s");
    assert!(!menu.is_open());
}

#[test]
fn nobody_asks_what_follows_where_nothing_does() {
    let mut menu = Menu::new(commands());
    for line in ["/help m", "/unknown m", "/usr/bin m"] {
        assert_eq!(behind(&mut menu, line), None, "{line}");
    }
    assert!(behind(&mut menu, "/skill ").is_some());
    offered(&mut menu, "/skill ", &[]);
    // What had no beginning has no end.
    assert_eq!(behind(&mut menu, "/skill wr"), None);
    assert!(!menu.is_open());
}

#[test]
fn the_screen_completes_what_follows_a_command() {
    let mut stage = Stage::new(60, 12);
    stage.state.menu = Menu::new(vec![entry("effort", &[], "[LEVEL]", "how hard to think")]);
    let asked = |effects: &[Effect]| {
        effects.iter().find_map(|effect| match effect {
            Effect::Ask(query @ Query::Completion { .. }) => Some(query.clone()),
            _ => None,
        })
    };
    let words = |words: &[&str]| Reply::Words {
        words: words.iter().map(|word| (*word).into()).collect(),
    };
    stage.write("/effort");
    let first = asked(&stage.key(KeyCode::Char(' '))).expect("a question");
    assert_eq!(asked(&stage.key(KeyCode::Char('h'))), None);
    // Too late: the line is another one by now.
    let effects = stage.input(Input::Replied(first, words(&["low", "high"])));
    assert!(!stage.shown().contains("low"), "{}", stage.shown());
    let second = asked(&effects).expect("the next question");
    stage.input(Input::Replied(second, words(&["high"])));
    assert!(stage.shown().contains("▸ high"), "{}", stage.shown());
    assert!(stage.key(KeyCode::Tab).is_empty());
    assert_eq!(stage.state.composer.text(), "/effort high ");
    let effects = stage.key(KeyCode::Enter);
    let sent = |effect: &Effect| matches!(effect, Effect::Send(Command::Switch(_)));
    assert!(effects.iter().any(sent), "{effects:?}");
}

#[test]
fn what_cannot_be_completed_is_not_complained_about() {
    let mut stage = Stage::new(60, 12);
    stage.state.menu = Menu::new(commands());
    stage.write("/models s");
    let before = stage.shown();
    let line = String::from("/models ");
    let reason = String::from("the session is busy");
    stage.input(Input::Replied(
        Query::Completion { line },
        Reply::Unavailable { reason },
    ));
    assert_eq!(stage.shown(), before);
}
