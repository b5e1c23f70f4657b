//! What Markdown looks like, and that a stream ends as the whole text does.

use crate::notation::all;
use proptest::prelude::*;
use tenon_tui::markdown::{Stream, render};
use tenon_tui::text::{Break, Line};

#[track_caller]
fn looks(text: &str, columns: usize, expected: &str) {
    let shown = all(&render(text, columns));
    assert_eq!(shown, expected.trim_matches('\n'), "\n{shown}");
}

#[test]
fn headings_and_paragraphs_have_room_and_line_breaks_stay() {
    looks(
        "# One `x`\ntext **bold** *it* ~~no~~\nName: a\n\n\n## Two\n\nthe words of a longer line are wrapped",
        24,
        "
[h*_ One ][c*_ x]
text [* bold] [/ it] [~ no]
Name: a

[h* Two]

the words of a longer
line are wrapped",
    );
}

#[test]
fn lists_hang_and_keep_the_room_that_was_written() {
    looks(
        "Do:\n- one two three four five\n- [ ] open\n- [x] done\n\n- far\n  1. inner\n  1. next\n\n     more\n\nend",
        20,
        "
Do:
[a • ]one two three four
  five
[a • ][a [ ] ]open
[a • ][ok [x] ]done

[a • ]far
  [a 1. ]inner
  [a 2. ]next

     more

end",
    );
}

#[test]
fn numbers_go_on_behind_code_inside_an_item() {
    looks(
        "1. a\n   ```sh\n   ls\n   ```\n1. b\n\ntext\n\n1. new",
        40,
        "
[a 1. ]a

     [f ls]¬

[a 2. ]b

text

[a 1. ]new",
    );
}

#[test]
fn quotes_have_a_bar_through_their_blank_lines() {
    looks(
        "> one\n>\n> > two\nlazy\n\nafter",
        40,
        "
[b │ ][q one]
[b │]
[b │ ][b │ ][q two]
[b │ ][b │ ][q lazy]

after",
    );
}

#[test]
fn code_is_set_in_and_never_broken() {
    looks(
        "x\n```rust\nlet a = 1; // a long line of code\n\n\tb\n```\ny",
        20,
        "
x

  [k let] a [p =] [n 1][p ;] [# // a long line of code]¬

      b¬

y",
    );
    looks("    a\n\n    b\n\nc", 20, "  a¬\n\n  b¬\n\nc");
}

#[test]
fn where_a_link_leads_is_always_seen() {
    looks(
        "[text](http://a.b/c) <http://x.y> ![alt](p.png) [m](mailto:m)",
        80,
        "[l text][d  (http://a.b/c)] [l http://x.y] [d [image: ]alt[d ]][d  (p.png)] [l m]",
    );
    looks(
        "[x]: http://hidden.example\n\n[y][x] [x]",
        80,
        "[d [x]: http://hidden.example]\n\n[y][x] [x]",
    );
}

#[test]
fn html_is_text() {
    looks(
        "<b>x</b> a<br>b\n\n<div>\nhi &amp; *x*\n</div>",
        40,
        "<b>x</b> a\nb\n\n<div>\nhi &amp; *x*\n</div>",
    );
}

const TABLE: &str = "| Name | n |\n|:-----|--:|\n| a `b` | 1 |\n| a long cell of words | 23 |\n";

#[test]
fn a_table_is_aligned_and_its_cells_are_wrapped() {
    looks(
        TABLE,
        40,
        "
[* Name]                [b  │ ] [* n]
[b ─────────────────────┼───]
a [c b]                 [b  │ ] 1
a long cell of words[b  │ ]23",
    );
}

#[test]
fn a_cell_without_a_heading_is_shown_all_the_same() {
    let table = "| a | b\n|---|---\n| 1 | 2 | 3 |\n| 4 |\n";
    let shown = all(&render(table, 40));
    assert!(shown.contains('3'), "{shown}");
    let usual = "| a | b |\n|---|---|\n| 1 | 2 |\n";
    let bare = "a | b\n---|---\n| 1 | 2 |\n";
    assert_eq!(all(&render(usual, 40)), all(&render(bare, 40)));
}

#[test]
fn a_table_too_wide_for_the_screen_is_a_list_of_values() {
    let wide = "| first | second | third |\n|---|---|---|\n| aaaaaaaa | bbbbbbbb | cccccccc |\n| d | e | f |\n";
    looks(
        wide,
        20,
        "
[* first: ]aaaaaaaa
[* second: ]bbbbbbbb
[* third: ]cccccccc

[* first: ]d
[* second: ]e
[* third: ]f",
    );
}

#[test]
fn what_is_half_written_looks_as_if_it_were_closed() {
    let open = |text: &str| {
        let mut stream = Stream::new();
        stream.push(text);
        let settled = stream.settled(40);
        (all(&settled), all(&stream.open(40)))
    };
    assert_eq!(open("a **b").1, "a [* b]");
    assert_eq!(open("a\n\n`co"), ("a".into(), "\n[c co]".into()));
    assert_eq!(
        open("```rs\nlet a\nfn"),
        ("  [k let] a¬".into(), "  [k fn]".into())
    );
    // Marks alone say nothing yet.
    assert_eq!(open("a\n``").1, "a");
    assert_eq!(open("a\n--").1, "a");
}

#[test]
fn a_block_settles_when_it_ends_and_code_with_each_line() {
    let mut stream = Stream::new();
    stream.push("one\ntwo");
    assert!(stream.settled(40).is_empty());
    stream.push("\n- a\n- b");
    assert_eq!(all(&stream.settled(40)), "one\ntwo");
    stream.push("\n```\nx\ny\nz");
    assert_eq!(all(&stream.settled(40)), "[a • ]a\n[a • ]b\n\n  x¬\n  y¬");
    assert_eq!(all(&stream.finish(40)), "  z¬");
    assert!(stream.is_empty());
}

#[test]
fn a_line_of_a_paragraph_settles_when_the_next_one_cannot_change_it() {
    let settled = |text: &str| {
        let mut stream = Stream::new();
        stream.push(text);
        all(&stream.settled(40))
    };
    assert_eq!(settled("one\ntwo\nthree\nfo"), "one\ntwo");
    // A mark, a link, a tag and code hold lines together, also marks of the
    // end of a line.
    assert_eq!(settled("a **b\nc\nd** e\nf\ng"), "a [* b]\n[* c]\n[* d] e");
    assert_eq!(settled("a [b\nc](u)\nd\ne\n"), "a [l b]\n[l c][d  (u)]\nd");
    assert_eq!(settled("a `b\nc` d\ne\n"), "a [c b c] d");
    assert_eq!(settled("a\\\nb  \nc\n"), "a\nb");
    // Nobody closes it: it was no mark.
    let stray = format!("use *args\n{}", "line\n".repeat(20));
    assert_eq!(settled(&stray).lines().count(), 20);
    // What begins a list elsewhere is text here, whichever line it is.
    let version = "It needs\n2. x, and\n3. y\nend\n";
    assert_eq!(settled(version), "It needs\n2. x, and\n3. y");
    assert_eq!(settled("a\n      b\nc\n"), "a\nb");
    // A heading is one line; a rule under more is one.
    looks("a\nb\n---\nc", 5, "a\nb\n\n[b ─────]\n\nc");
    looks("a\n---\nc", 5, "[h* a]\nc");
    looks("a\nb\n===\nc", 5, "a\n\n[h*_ b]\nc");
    // A table below a text is one, and stands apart.
    assert!(settled("so:\n| a | b |\n").starts_with("so:"));
    let below = format!("so:\n{TABLE}");
    assert_eq!(
        all(&render(&below, 40)),
        format!("so:\n\n{}", all(&render(TABLE, 40)))
    );
}

#[test]
fn a_full_row_of_a_long_line_settles_while_the_line_goes_on() {
    let settled = |text: &str| {
        let mut stream = Stream::new();
        stream.push(text);
        (all(&stream.settled(20)), all(&stream.open(20)))
    };
    let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
    assert_eq!(
        settled("one two three four five six seven eight ni"),
        pair("one two three four", "five six seven eight\nni")
    );
    // The word that is written may still be one that fits.
    assert_eq!(
        settled("one two three four five"),
        pair("", "one two three four\nfive")
    );
    // A mark holds rows together until it is closed, or for long.
    assert_eq!(
        settled("one **two three four five six seven ").0,
        String::new()
    );
    assert_eq!(
        settled("one **two three four five six** seven eight nine ").0,
        "one [* two][*  ][* three][*  ][* four]\n[* five][*  ][* six] seven eight"
    );
    // In a list it hangs; what is no paragraph is whole.
    assert_eq!(
        settled("- one two three four five six seven ").0,
        "[a • ]one two three four"
    );
    for other in ["# ", "| ", "    ", "<p> ", "- [ ] "] {
        let text = format!("{other}one two three four five six seven eight nine ten ");
        assert_eq!(settled(&text).0, String::new(), "{other}");
    }
}

/// A paragraph in one line, as models write it.
fn paragraph() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        8 => "[a-c]{1,9}",
        1 => prop::sample::select(vec![
            "**b c**", "`x y z`", "*e*", "[t](u)", "**b", "c**", "`", "1.", "-", "#", "a*b", "漢字",
            "e\u{301}", "x.", "(y)", "http://a.b/c", "snake_case", "~~o p~~", "2 * 3", "\\",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(word, 0..80).prop_map(|words| words.join(" "))
}

/// Text with all that has a meaning somewhere.
fn written() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-c]{1,5}",
        3 => Just(String::from("\n")),
        2 => Just(String::from("\n\n")),
        2 => Just(String::from(" ")),
        1 => prop::sample::select(vec![
            "- ", "* ", "1. ", "2) ", "> ", ">", "```", "```rs\n", "~~~", "# ", "## ", "---",
            "===", "***", "    ", "\t", "  ", "| a | b |\n|---|---|\n", "|", "**", "*", "_", "`",
            "~~", "[x](y)", "[", "](", "[a]: u\n", "<b>", "<!--", "&amp;", "\\", "\r\n", "\r",
            "\0", "\u{202e}", "漢字", "👨‍👩‍👧", "e\u{301}", "[ ] ", "[x] ", "  \n", "http://a.b",
        ]).prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn streamed(text: &str, cuts: &[usize], columns: usize) -> Vec<Line> {
    let mut stream = Stream::new();
    let mut lines = Vec::new();
    let mut rest = text;
    for cut in cuts.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (head, tail) = rest.split_at(
            rest.floor_char_boundary(*cut)
                .max(rest.chars().next().map_or(0, char::len_utf8)),
        );
        stream.push(head);
        lines.extend(stream.settled(columns));
        for line in stream.open(columns) {
            assert!(line.ends == Break::Made);
            assert!(line.width() <= columns, "{line:?}");
        }
        rest = tail;
    }
    lines.extend(stream.finish(columns));
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_stream_ends_as_the_whole_text(
        text in written(),
        cuts in prop::collection::vec(1_usize..30, 1..8),
        columns in 20_usize..100,
    ) {
        prop_assert_eq!(streamed(&text, &cuts, columns), render(&text, columns));
    }

    /// Cut or not, a row holds all words for which there is room.
    #[test]
    fn a_long_line_streams_as_it_is_wrapped_whole(
        text in paragraph(),
        cuts in prop::collection::vec(1_usize..30, 1..8),
        columns in 20_usize..100,
    ) {
        let whole = render(&text, columns);
        prop_assert_eq!(streamed(&text, &cuts, columns), whole.clone());
        for pair in whole.windows(2) {
            let next = pair[1].plain();
            let word = next.trim_start().split(' ').next().unwrap_or_default();
            let wide = pair[0].width() + 1 + tenon_tui::text::width(word);
            let is_broken = tenon_tui::text::width(word) > columns / 2;
            prop_assert!(is_broken || wide > columns, "{:?}", pair);
        }
    }

    #[test]
    fn every_made_line_fits_and_has_no_space_at_its_end(text in written(), columns in 20_usize..60) {
        for line in render(&text, columns) {
            if line.ends == Break::Made {
                prop_assert!(line.width() <= columns, "{:?}", line);
            }
            let plain = line.plain();
            prop_assert_eq!(plain.trim_end_matches(' '), plain.as_str());
        }
    }

    #[test]
    fn a_width_that_changes_loses_nothing(text in "[a-z \n*`>-]{0,200}", columns in prop::collection::vec(20_usize..80, 1..5)) {
        let mut stream = Stream::new();
        let mut lines = Vec::new();
        for (n, c) in text.chars().enumerate() {
            stream.push(c.encode_utf8(&mut [0; 4]));
            lines.extend(stream.settled(columns[n % columns.len()]));
        }
        lines.extend(stream.finish(30));
        let letters = |text: String| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        let streamed: String = lines.iter().map(Line::plain).collect();
        let whole: String = render(&text, 30).iter().map(Line::plain).collect();
        prop_assert_eq!(letters(streamed), letters(whole));
    }

    #[test]
    fn no_word_is_lost(text in "([a-z]{1,4}|[ \n*_>#-]|\n\n|1\\. |\\| |    ){0,60}") {
        let letters = |text: &str| text.chars().filter(char::is_ascii_lowercase).collect::<String>();
        let whole: String = render(&text, 40).iter().map(Line::plain).collect();
        prop_assert_eq!(letters(&whole), letters(&text));
    }
}

#[test]
fn long_things_are_cut_by_their_size_and_not_by_how_they_come() {
    let rows: String = (0..500).map(|n| format!("| a{n} | b |\n")).collect();
    let table = format!("| x | y |\n|---|---|\n{rows}");
    let words = "word ".repeat(20_000);
    let letters = "漢".repeat(20_000);
    let lines = "line\n".repeat(900);
    let code = format!("```\n{}\n```\n", "x".repeat(100_000));
    for text in [&table, &words, &letters, &lines, &code] {
        let whole = render(text, 80);
        for cut in [3_001, 16_384, 70_000] {
            assert_eq!(streamed(text, &[cut], 80), whole);
        }
    }
    let shown = all(&render(&table, 80));
    assert_eq!(shown.matches("[* x]").count(), 3, "the heading is repeated");
    let rows: Vec<&str> = shown
        .lines()
        .filter_map(|line| line.split([' ', '[']).next())
        .collect();
    assert!((0..500).all(|n| rows.iter().filter(|row| **row == format!("a{n}")).count() == 1));
    let plain: String = render(&words, 80).iter().map(Line::plain).collect();
    assert_eq!(plain.matches("word").count(), 20_000);
}

/// Nothing here is limited in time; what is quadratic never ends.
#[test]
fn hostile_text_is_drawn_without_haste_or_harm() {
    let deep = ">".repeat(10_000);
    for text in [
        format!("{deep} x\n{deep} y\n"),
        "> ".repeat(10_000),
        "- ".repeat(10_000),
        "1. ".repeat(10_000),
        "[".repeat(40_000),
        "![[](".repeat(15_000),
        "*a_ ".repeat(15_000),
        "**a ".repeat(15_000),
        "`".repeat(40_000),
        "a`` ` ".repeat(10_000),
        "<".repeat(40_000),
        "<!--".repeat(10_000),
        "&".repeat(40_000),
        "\\".repeat(40_000),
        "|".repeat(40_000),
        format!("{}\n{}\n", "|a".repeat(4_000), "|-".repeat(4_000)),
        "\0\u{202e}\u{7}".repeat(10_000),
        "x".repeat(300_000),
        "\n".repeat(60_000),
        format!("- a\n{}", "  - b\n".repeat(20_000)),
        "[a]: b\n".repeat(20_000),
        "e\u{301}\u{301}\u{301}".repeat(10_000),
    ] {
        for line in render(&text, 20) {
            assert!(line.plain().chars().all(|c| !c.is_control()));
        }
        let mut stream = Stream::new();
        for chunk in text.as_bytes().chunks(16_000) {
            stream.push(&String::from_utf8_lossy(chunk));
            stream.settled(20);
            let _ = stream.open(20);
        }
    }
}

/// What a delta costs, for the eye: printed, not judged.
#[test]
fn the_cost_of_a_delta_is_printed() {
    let prose = "Some **words** of an `answer` that goes on for a while, as models do.\n";
    let code = "    let value: Option<u32> = compute(&input)?; // a comment\n";
    let mixed = format!(
        "## Part\n\n{}\n\n- one\n- two [x](http://y)\n\n```rust\n{}```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
        prose.repeat(4),
        code.repeat(12)
    );
    for (name, unit) in [
        ("mixed", mixed.clone()),
        ("one paragraph", prose.replace('\n', " ")),
        ("code", code.to_owned()),
    ] {
        let mut text = if name == "code" {
            String::from("```rust\n")
        } else {
            String::new()
        };
        while text.len() < 100_000 {
            text.push_str(&unit);
        }
        let _ = render(&mixed, 80);
        let began = std::time::Instant::now();
        let mut stream = Stream::new();
        let mut deltas = 0_u32;
        for (n, chunk) in text.as_bytes().chunks(5).enumerate() {
            stream.push(&String::from_utf8_lossy(chunk));
            deltas += 1;
            // As if 10,000 came a second and each 16 ms were a frame.
            if n % 160 == 0 {
                stream.settled(80);
                let _ = stream.open(80);
            }
        }
        stream.finish(80);
        println!(
            "{name}: {deltas} deltas, {:?} each",
            began.elapsed() / deltas
        );
    }
}
