//! Masking of secrets: every kind that is known is found, wherever it stands;
//! ordinary text comes out byte for byte; a stream gives what the whole gives.

mod corpus;
mod custom;
mod keys;
mod known;
mod ordinary;
mod streams;

use corpus::{Sample, samples};
use serde_json::json;
use std::borrow::Cow;
use tenon_policy::{Findings, Masker, holds_marker};

#[test]
fn every_kind_of_secret_is_masked_and_named() {
    let masker = Masker::standard();
    for Sample {
        text,
        secrets,
        name,
    } in samples()
    {
        let masked = masker.mask(&text);
        assert!(
            masked.contains(&format!("[masked:{name}]")),
            "{name}: {text}\n  became {masked}"
        );
        for secret in secrets {
            assert!(!masked.contains(&secret), "{name}: {masked}");
        }
    }
}

#[test]
fn a_secret_is_found_in_every_surrounding() {
    let masker = Masker::standard();
    let frames: &[(&str, &str)] = &[
        ("", ""),
        ("key=", "\n"),
        ("\"", "\""),
        ("{\"text\":\"first line\\n", "\\nlast line\"}"),
        ("  12\u{2192}", "\n"),
        ("src/main.rs:7:const K: &str = \"", "\";"),
        ("+", ""),
        ("(see ", ")."),
        ("curl 'https://x.test/?q=1&k=", "&page=2'"),
        ("https%3A%2F%2Fx.test%2F%3Fk%3D", "%26p"),
        ("日本語", "日本語"),
        ("`", "`"),
        ("${KEY:-", "}"),
    ];
    for token in corpus::tokens() {
        for (before, after) in frames {
            let text = format!("{before}{token}{after}");
            let masked = masker.mask(&text);
            assert!(!masked.contains(&token), "{text}\n  became {masked}");
            assert!(masked.starts_with(before), "{masked}");
            assert!(masked.ends_with(after), "{masked}");
        }
    }
}

#[test]
fn masking_what_was_masked_changes_nothing() {
    let masker = Masker::standard();
    for sample in samples() {
        let once = masker.mask(&sample.text).into_owned();
        assert_eq!(masker.mask(&once), once);
    }
}

#[test]
fn text_without_a_secret_is_not_even_copied() {
    let masker = Masker::standard();
    let text = "let password = read_password(prompt)?; // see https://example.com/a@b";
    assert!(matches!(masker.mask(text), Cow::Borrowed(_)));
}

#[test]
fn only_the_password_of_an_address_is_masked() {
    let masker = Masker::standard();
    assert_eq!(
        masker.mask("DATABASE_URL=postgres://app:h0rse-b4ttery@db.internal:5432/prod?ssl=1"),
        "DATABASE_URL=postgres://app:[masked:url-password]@db.internal:5432/prod?ssl=1"
    );
}

#[test]
fn a_private_key_without_an_end_is_masked_and_the_text_after_it_stays() {
    let masker = Masker::standard();
    let key = corpus::private_key("RSA PRIVATE KEY", 12);
    let head: String = key
        .lines()
        .take(6)
        .map(|line| format!("{line}\n"))
        .collect();
    let text = format!("{head}total 8\ndrwxr-xr-x 2 me me 4096 src\n");
    assert_eq!(
        masker.mask(&text),
        "[masked:private-key]total 8\ndrwxr-xr-x 2 me me 4096 src\n"
    );
}

#[test]
fn a_private_key_longer_than_is_held_is_masked_to_its_end() {
    let masker = Masker::standard();
    for lines in [300, 600, 2000] {
        let key = corpus::private_key("PGP PRIVATE KEY BLOCK", lines);
        let text = format!("before\n{key}\nafter\n");
        assert_eq!(masker.mask(&text), "before\n[masked:private-key]\nafter\n");
        let escaped = format!("{{\"k\":\"{}\"}}", key.replace('\n', "\\n"));
        let masked = masker.mask(&escaped);
        assert!(masked.len() < 200, "{}", masked.len());
    }
}

#[test]
fn a_number_shown_before_each_line_does_not_hide_a_key() {
    let key = corpus::private_key("OPENSSH PRIVATE KEY", 20);
    let numbered: String = key
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{:>6}\u{2192}{line}\n", at + 1))
        .collect();
    let masked = Masker::standard().mask(&numbered).into_owned();
    assert_eq!(masked, "     1\u{2192}[masked:private-key]\n");
}

#[test]
fn a_command_between_the_lines_of_a_key_does_not_vanish_with_it() {
    let key = corpus::private_key("PRIVATE KEY", 3);
    let (head, tail) = key.split_once("-----END").unwrap();
    let text = format!(": '{}'\ntouch EVIL\n: '-----END{tail}'\n", head.trim_end());
    let masked = Masker::standard().mask(&text).into_owned();
    assert!(
        masked.contains("[masked:private-key]\ntouch EVIL\n"),
        "{masked}"
    );
    for command in ["make; x", "a && b", "\"$x\"", "x | sh", "rm -rf ."] {
        let text = format!("{head}{command}\n-----END{tail}");
        let masked = Masker::standard().mask(&text).into_owned();
        assert!(masked.contains(command), "{masked}");
    }
}

#[test]
fn an_address_hides_no_command() {
    let text = "echo http://u:pQ9;make;x@h";
    assert_eq!(Masker::standard().mask(text), text);
}

#[test]
fn plain_masking_takes_single_words_and_nothing_that_a_shell_could_run() {
    let masker = Masker::standard();
    let plain = |text: &str| {
        masker
            .mask_plain(text, &mut Findings::default())
            .into_owned()
    };
    let key = corpus::private_key("PRIVATE KEY", 3);
    for text in [
        key.as_str(),
        "echo http://u:pQ9;make;x@h",
        "mysql --password='a8Kd$(make)Zq93Lx'",
        "PASSWORD=/tmp/x7Kd9/Zq93LxEvil",
    ] {
        assert_eq!(plain(text), text);
    }
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(
        plain(&format!("curl -H 'x: {token}' a && make")),
        "curl -H 'x: [masked:github-token]' a && make"
    );
}

#[test]
fn the_name_of_a_field_counts_as_the_name_in_a_line() {
    let masker = Masker::standard();
    let mut value = json!({
        "db_password": "Sup3rS3cretV4lue",
        "nested": [{"access_token": "3f786850e387550fdab836ed7e6dc881de23001b"}],
        "next_page_token": "3f786850e387550fdab836ed7e6dc881de23001b",
        "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
        "count": 3
    });
    let mut found = Findings::default();
    masker.mask_value(&mut value, &mut found);
    assert_eq!(value["db_password"], "[masked:password]");
    assert_eq!(value["nested"][0]["access_token"], "[masked:token]");
    assert_eq!(value["commit"], "3f786850e387550fdab836ed7e6dc881de23001b");
    assert_eq!(
        value["next_page_token"],
        "3f786850e387550fdab836ed7e6dc881de23001b"
    );
    assert_eq!(found.to_string(), "2 secrets masked: password, token");
}

#[test]
fn the_field_of_a_header_betrays_what_follows_bearer() {
    let letters = "Bearer abcdefghijklmnopqrstuvwxyz";
    let mut value = json!({"headers": {"Authorization": letters}, "title": letters});
    Masker::standard().mask_value(&mut value, &mut Findings::default());
    let masked = &value["headers"]["Authorization"];
    assert_eq!(masked, "Bearer [masked:bearer-token]");
    assert_eq!(value["title"], letters);
}

#[test]
fn a_marker_is_recognised_and_what_only_looks_like_one_is_not() {
    assert!(holds_marker("x = \"[masked:aws-key]\""));
    for text in [
        "[masked:]",
        "[masked:A]",
        "[masked: x]",
        "[masked",
        "masked:x]",
    ] {
        assert!(!holds_marker(text), "{text}");
    }
    for sample in samples() {
        assert!(holds_marker(&Masker::standard().mask(&sample.text)));
    }
}

#[test]
fn nothing_is_masked_when_it_is_switched_off() {
    let masker = Masker::none();
    for sample in samples() {
        assert_eq!(masker.mask(&sample.text), sample.text);
        let mut stream = masker.stream();
        assert_eq!(stream.push(&sample.text), sample.text);
        assert_eq!(stream.finish(), "");
    }
}
