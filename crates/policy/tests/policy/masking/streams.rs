//! Text in pieces: cut anywhere, it comes out as the whole does, at once where it
//! can be nothing secret, and never more than a bounded piece is held.

use super::corpus::{base64, private_key, samples};
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use std::sync::Arc;
use tenon_policy::Masker;

fn streamed(masker: &Arc<Masker>, text: &str, cuts: &[usize]) -> String {
    let mut stream = masker.stream();
    let mut out = String::new();
    let mut from = 0;
    let mut cuts: Vec<usize> = cuts
        .iter()
        .map(|cut| text.floor_char_boundary(cut % (text.len() + 1)))
        .collect();
    cuts.sort_unstable();
    for cut in cuts {
        out.push_str(&stream.push(&text[from..cut]));
        from = cut;
    }
    out.push_str(&stream.push(&text[from..]));
    out.push_str(&stream.finish());
    out
}

#[test]
fn every_sample_cut_at_every_byte_comes_out_as_the_whole() {
    let masker = Masker::standard();
    for sample in samples() {
        let text = format!("x {} y\n", sample.text);
        let whole = masker.mask(&text).into_owned();
        for cut in 0..=text.len() {
            assert_eq!(streamed(&masker, &text, &[cut]), whole, "cut at {cut}");
        }
        let letters: Vec<usize> = (0..=text.len()).collect();
        assert_eq!(streamed(&masker, &text, &letters), whole);
    }
}

/// Pieces of secrets and of what stands around them, in any order.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(pieces()),
        2 => "[ -~]{0,12}",
        1 => "[A-Za-z0-9+/=_-]{0,70}",
        1 => any::<char>().prop_map(String::from),
        1 => Just(String::from("\n")),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn pieces() -> Vec<String> {
    let mut all: Vec<String> = samples().into_iter().map(|sample| sample.text).collect();
    for part in [
        "password",
        "token",
        "secret",
        "_access_key",
        "api",
        "_key",
        "=",
        ": ",
        "\"",
        "\\\"",
        "\\n",
        "Bearer ",
        "Basic ",
        "sk-",
        "sk",
        "ant-",
        "ghp_",
        "eyJ",
        ".",
        "://",
        "user:",
        "@host",
        "-----BEGIN",
        " RSA PRIVATE KEY",
        "-----",
        "\n-----END",
        "AGE-SECRET-",
        "KEY-1",
        "\"auth\"",
        "machine ",
        "login ",
        "123456789:AA",
        "b'",
        "[masked:x]",
    ] {
        all.push(part.to_owned());
    }
    all.push(base64(9, 40));
    all.push(base64(10, 64));
    all
}

proptest! {
    #[test]
    fn any_text_cut_anywhere_comes_out_as_the_whole(
        text in fragments(),
        cuts in proptest::collection::vec(any::<usize>(), 0..40),
    ) {
        let masker = Masker::standard();
        let whole = masker.mask(&text).into_owned();
        prop_assert_eq!(streamed(&masker, &text, &cuts), whole);
    }

    #[test]
    fn masking_twice_is_masking_once(text in fragments()) {
        let masker = Masker::standard();
        let once = masker.mask(&text).into_owned();
        let twice = masker.mask(&once).into_owned();
        prop_assert_eq!(twice, once);
    }
}

#[test]
fn long_texts_are_streamed_as_the_whole() {
    let masker = Masker::standard();
    let key = private_key("RSA PRIVATE KEY", 900);
    let text = format!("{}\n{key}\n{}", "word ".repeat(5000), samples()[0].text);
    let whole = masker.mask(&text).into_owned();
    for step in [1, 7, 64, 1000, 4096, 20_000] {
        let cuts: Vec<usize> = (0..text.len()).step_by(step).collect();
        assert_eq!(streamed(&masker, &text, &cuts), whole, "in steps of {step}");
    }
}

#[test]
fn ordinary_words_go_out_at_once() {
    let masker = Masker::standard();
    let mut stream = masker.stream();
    for word in [
        "Hello",
        ", this",
        " is ",
        "a line.\n",
        "Password: ",
        "token = ",
        "- item ",
    ] {
        assert_eq!(stream.push(word), word);
        assert_eq!(stream.held(), 0);
    }
}

#[test]
fn what_is_held_back_is_bounded_whatever_comes() {
    let masker = Masker::standard();
    let starts = [
        "-----BEGIN PRIVATE KEY-----\n",
        "ghp_",
        "eyJ",
        "password=\"",
        "https://me:",
        "token: ",
        "sk-",
        "Bearer ",
        "123456789:AA",
    ];
    for start in starts {
        let mut stream = masker.stream();
        stream.push(start);
        for round in 0..400 {
            stream.push(&base64(round, 100));
            assert!(stream.held() <= 17 * 1024, "{start}: {}", stream.held());
        }
    }
}

#[test]
fn the_end_of_a_stream_lets_go_of_what_was_held() {
    let masker = Masker::standard();
    let mut stream = masker.stream();
    assert_eq!(stream.push("ask a risk, sk"), "ask a risk, ");
    assert_eq!(stream.finish(), "sk");
    assert_eq!(stream.push("next"), "next");
}

#[test]
fn a_stream_says_what_it_masked() {
    let masker = Masker::standard();
    let mut stream = masker.stream();
    for sample in samples().into_iter().take(2) {
        stream.push(&sample.text);
    }
    stream.finish();
    assert_eq!(stream.take_found().to_string(), "2 secrets masked: aws-key");
    assert!(stream.take_found().is_empty());
}

/// Not a test of a limit: prints what a delta costs. `cargo nextest run -p
/// tenon-policy --run-ignored all cost_of --no-capture`
#[test]
#[ignore = "prints a measurement"]
fn cost_of_a_delta() {
    let begun = std::time::Instant::now();
    let masker = Masker::standard();
    assert_eq!(masker.mask("x"), "x");
    let built = begun.elapsed();
    let words = [
        "Hello",
        ", this is",
        " a piece",
        " of text about tokens",
        "\nand a path src/main.rs",
    ];
    let begun = std::time::Instant::now();
    let mut stream = masker.stream();
    let mut bytes = 0;
    for at in 0..20_000 {
        bytes += stream.push(words[at % words.len()]).len();
    }
    let streamed = begun.elapsed();
    let text = include_str!("../../../src/decide.rs").repeat(50);
    let begun = std::time::Instant::now();
    let masked = masker.mask(&text).len();
    let whole = begun.elapsed();
    let report = format!(
        "built: {built:?}; 20000 deltas, {bytes} bytes: {streamed:?}; {masked} bytes at once: {whole:?} ({:.2} ns/byte)",
        whole.as_secs_f64() * 1e9 / text.len() as f64
    );
    eprintln!("{report}");
}
