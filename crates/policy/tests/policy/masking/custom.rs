//! Patterns of the user.

use std::borrow::Cow;
use tenon_policy::{Findings, Masker, PatternError};

#[test]
fn a_pattern_masks_what_it_matches_or_only_its_group() {
    let masker = Masker::with_patterns([
        ("ticket", r"TCK-[0-9]{6}"),
        ("pin", r"PIN (?<secret>[0-9]{4}) end"),
    ])
    .unwrap();
    let mut found = Findings::default();
    let masked = masker.mask_noting("TCK-123456 and PIN 1234 end, TCK-1", &mut found);
    assert_eq!(masked, "[masked:ticket] and PIN [masked:pin] end, TCK-1");
    assert_eq!(found.to_string(), "2 secrets masked: pin, ticket");
}

#[test]
fn a_text_that_no_pattern_matches_stays_where_it_is() {
    let masker = Masker::with_patterns([("ticket", r"TCK-[0-9]{6}")]).unwrap();
    let text = "{ \"a\":1 }\nTCK-1\n";
    assert!(matches!(masker.mask(text), Cow::Borrowed(same) if same == text));
}

#[test]
fn a_stream_with_patterns_gives_what_the_whole_gives() {
    let masker =
        Masker::with_patterns([("ticket", r"TCK-[0-9]{6}"), ("word", r"\bhush\b")]).unwrap();
    let text = format!(
        "a TCK-123456 b\n{}TCK-654321 hush{}\nhush",
        "x ".repeat(9000),
        "y".repeat(9000)
    );
    let whole = masker.mask(&text).into_owned();
    assert!(!whole.contains("TCK-1") && !whole.contains("TCK-6"));
    for step in [1, 13, 8191, 8192, 8193] {
        let mut stream = masker.stream();
        let mut out = String::new();
        for piece in text.as_bytes().chunks(step) {
            out.push_str(&stream.push(std::str::from_utf8(piece).unwrap()));
            assert!(stream.held() <= 9 * 1024 + step);
        }
        out.push_str(&stream.finish());
        assert_eq!(out, whole, "in steps of {step}");
    }
}

#[test]
fn a_pattern_that_cannot_be_used_is_refused_with_a_reason() {
    let refused = |name, pattern| Masker::with_patterns([(name, pattern)]).unwrap_err();
    assert!(matches!(refused("My Name", "x"), PatternError::Name(_)));
    assert!(matches!(refused("a", "("), PatternError::Syntax { .. }));
    assert!(matches!(refused("a", "x*"), PatternError::Empty(_)));
    assert!(matches!(
        refused("a", r"(?:\w{1000}){1000}"),
        PatternError::Syntax { .. }
    ));
}
