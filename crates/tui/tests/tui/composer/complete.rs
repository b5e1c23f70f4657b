//! The word that a menu completes.

use super::Desk;
use tenon_tui::composer::Token;
use tenon_tui::house::Keys;

fn slash(text: &str) -> Option<Token> {
    Some(Token::Slash(text.to_owned()))
}

fn mention(text: &str) -> Option<Token> {
    Some(Token::Mention(text.to_owned()))
}

fn argument(line: &str, word: &str) -> Option<Token> {
    Some(Token::Argument {
        line: line.to_owned(),
        word: word.to_owned(),
    })
}

#[test]
fn the_first_word_behind_a_command_counts_up_to_the_caret() {
    for (keys, token) in [
        ("/models ", argument("/models ", "")),
        ("/models na", argument("/models na", "na")),
        ("/models  na", argument("/models  na", "na")),
        ("/models name<Left><Left>", argument("/models na", "na")),
        ("/models\u{3000}源", argument("/models\u{3000}源", "源")),
        ("/models na more", None),
        ("/models na ", None),
        ("/models na<C-j>x", None),
        (" /models na", None),
        ("!/models na", None),
        ("/handoff @na", mention("na")),
    ] {
        let mut desk = Desk::new();
        desk.keys(keys);
        assert_eq!(desk.composer.token(), token, "{keys}");
    }
}

#[test]
fn a_slash_counts_at_the_very_beginning_and_in_the_first_word() {
    for (keys, token) in [
        ("/", slash("")),
        ("/mo", slash("mo")),
        ("/models<Left><Left>", slash("mode")),
        ("/models na<Home>", None),
        (" /mo", None),
        ("x<C-j>/mo", None),
        ("/mo<C-j>", None),
        ("", None),
        ("!/bin", None),
    ] {
        let mut desk = Desk::new();
        desk.keys(keys);
        assert_eq!(desk.composer.token(), token, "{keys}");
    }
}

#[test]
fn an_at_sign_counts_where_a_word_begins() {
    for (keys, token) in [
        ("@", mention("")),
        ("look at @src/ma", mention("src/ma")),
        ("(@a", mention("a")),
        ("看\u{3000}@源/文", mention("源/文")),
        ("看@源", None),
        ("me@example.org", None),
        ("@a b", None),
        ("@a\u{3000}b", None),
        ("@\"my fi", mention("my fi")),
        ("@\"my fi\" x", None),
        ("`@over", None),
        ("`x` @y", mention("y")),
        ("```rust @x", None),
        ("```<C-j>@over", None),
        ("```<C-j>x<C-j>```<C-j>@y", mention("y")),
        ("!cat @x", None),
        ("one<C-j>@tw", mention("tw")),
        ("@main.rs<Left><Left><Left>", mention("main")),
        ("/handoff @pl", mention("pl")),
    ] {
        let mut desk = Desk::new();
        desk.keys(keys);
        assert_eq!(desk.composer.token(), token, "{keys}");
    }
}

#[test]
fn a_choice_takes_the_place_of_the_word() {
    for (keys, choice, seen) in [
        ("/mo", "models", "/models |"),
        ("/mo", "/models", "/models |"),
        ("/mo now<C-a><Right>", "models", "/models |now"),
        ("see @ma", "src/main.rs", "see @src/main.rs |"),
        ("see @ma now<A-b><Left>", "main.rs", "see @main.rs |now"),
        ("see (@ma)<Left>", "main.rs", "see (@main.rs |)"),
        ("@main.rs<Home><Right><Right>", "max.rs", "@max.rs |"),
        ("@s", "src/", "@src/|"),
        ("@a", "a b.txt", "@\"a b.txt\" |"),
        ("@\"a b", "a b/c.txt", "@\"a b/c.txt\" |"),
        ("@\"a b\"<Left>", "a bc.txt", "@\"a bc.txt\" |"),
        ("@a", "a b/", "@\"a b/|"),
        ("@源", "源/文件.rs", "@源/文件.rs |"),
        ("@a", "全\u{3000}角.txt", "@\"全\u{3000}角.txt\" |"),
        ("/models na", "name", "/models name |"),
        ("/models ", "name", "/models name |"),
        (
            "/models nam now<A-b><Left><Left>",
            "name",
            "/models name |now",
        ),
        ("plain", "never", "plain|"),
    ] {
        let mut desk = Desk::new();
        desk.keys(keys);
        let before = desk.composer.text();
        desk.composer.complete(choice);
        assert_eq!(desk.seen(), seen, "{keys}");
        if desk.composer.text() != before {
            desk.keys("<C-_>");
            assert_eq!(desk.composer.text(), before, "one step to undo");
        }
    }
}

#[test]
fn a_folder_is_completed_further() {
    let mut desk = Desk::new();
    desk.keys("@my");
    desk.composer.complete("my dir/");
    assert_eq!(desk.composer.token(), mention("my dir/"));
    desk.keys("fi");
    assert_eq!(desk.composer.token(), mention("my dir/fi"));
    desk.composer.complete("my dir/file");
    assert_eq!(desk.composer.text(), "@\"my dir/file\" ");
}

#[test]
fn an_old_text_opens_no_menu_until_it_is_changed() {
    let mut desk = Desk::with(Keys::Emacs, &["/review", "see @src"]);
    desk.keys("<Up>");
    assert_eq!(desk.composer.token(), None);
    desk.keys("<Up>");
    assert_eq!(desk.composer.token(), None);
    desk.keys("<BS>");
    assert_eq!(desk.composer.token(), slash("revie"));
}
