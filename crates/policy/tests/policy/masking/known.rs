//! Keys that are known to the letter.

use std::sync::Arc;
use tenon_policy::{Findings, Masker};

fn knowing(secrets: &[&str]) -> Arc<Masker> {
    Masker::standard().knowing(secrets.iter().map(|&secret| secret.to_owned()))
}

#[test]
fn a_known_key_is_masked_whatever_its_shape_and_cut_anywhere() {
    let masker = knowing(&["plain-k3y", "plain-k3y-and-longer", "pl4in-pl4in"]);
    for (text, masked) in [
        ("it is plain-k3y.", "it is [masked:api-key]."),
        ("plain-k3y-and-longer!", "[masked:api-key]!"),
        ("plain-k3y-and-l", "[masked:api-key]-and-l"),
        ("ü plain-k3plain-k3y", "ü plain-k3[masked:api-key]"),
        ("plain-k3", "plain-k3"),
        ("pl4in-pl4in-pl4in", "[masked:api-key]-pl4in"),
    ] {
        assert_eq!(masker.mask(text), masked);
        let mut found = Findings::default();
        assert_eq!(masker.mask_plain(text, &mut found), masked);
        for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
            let mut stream = masker.stream();
            let (one, two) = text.split_at(cut);
            let mut out = stream.push(one);
            out.push_str(&stream.push(two));
            out.push_str(&stream.finish());
            assert_eq!(out, masked, "cut at {cut}");
        }
    }
    assert!(!format!("{masker:?}").contains("k3y"));
}

#[test]
fn a_stand_in_for_a_key_is_a_word_and_stays() {
    let masker = knowing(&["not-needed", "lm-studio", "sk-no-key-required", "1234567"]);
    let text = "not-needed lm-studio sk-no-key-required 1234567";
    assert_eq!(masker.mask(text), text);
}

#[test]
fn other_text_is_not_held_back_for_the_sake_of_a_key() {
    let masker = knowing(&["plain-k3y"]);
    let mut stream = masker.stream();
    assert_eq!(stream.push("some words "), "some words ");
    assert_eq!(stream.held(), 0);
    assert_eq!(stream.push("plain-"), "");
    assert_eq!(stream.push("text"), "plain-text");
}

#[test]
fn who_switched_masking_off_gets_everything() {
    let masker = Masker::none().knowing([String::from("plain-k3y")]);
    assert_eq!(masker.mask("plain-k3y"), "plain-k3y");
}

#[test]
fn a_key_that_is_learned_later_is_masked_from_then_on_also_in_a_stream_under_way() {
    let masker = Masker::standard();
    let shared = Arc::clone(&masker);
    let mut stream = masker.stream();
    assert_eq!(stream.push("plain-k3y "), "plain-k3y ");
    shared.learn(" plain-k3y\n");
    shared.learn("plain-k3y");
    shared.learn("word");
    assert_eq!(masker.mask("plain-k3y word"), "[masked:api-key] word");
    let mut out = stream.push("plain-");
    out.push_str(&stream.push("k3y!"));
    out.push_str(&stream.finish());
    assert_eq!(out, "[masked:api-key]!");
    let more = masker.knowing([String::from("0ther-key")]);
    assert_eq!(
        more.mask("plain-k3y 0ther-key"),
        "[masked:api-key] [masked:api-key]"
    );
    assert!(!format!("{masker:?}").contains("k3y"));
}

/// What many letters are drawn from, put together here.
const LOT: &str = "k3J9x0Q2mZ71aB4c8D5e";

#[test]
fn credentials_of_requests_and_of_elements_are_masked() {
    let masker = Masker::standard();
    let uuid = "3f2b9c1e-7d4a-4e6b-9a21-5c8d7e6f0a1b";
    for (text, expected) in [
        (
            format!("Authorization: token {LOT}"),
            "Authorization: token [masked:token]",
        ),
        (
            format!("curl -H 'authorization: token {LOT}' https://h"),
            "curl -H 'authorization: token [masked:token]' https://h",
        ),
        (
            format!("client_secret={uuid}"),
            "client_secret=[masked:secret]",
        ),
        (
            format!("\"clientSecret\": \"{uuid}\""),
            "\"clientSecret\": \"[masked:secret]\"",
        ),
        (
            format!("<password>{LOT}</password>"),
            "<password>[masked:password]</password>",
        ),
        (
            "curl -u me:hunter-two https://h".into(),
            "curl -u me:[masked:basic-auth] https://h",
        ),
        (
            "curl -s --user 'me:hunter-two' https://h".into(),
            "curl -s --user 'me:[masked:basic-auth]' https://h",
        ),
        (
            format!("Cookie: theme=dark; session={LOT}\nHost: h"),
            "Cookie: [masked:cookie]\nHost: h",
        ),
        (
            format!("Set-Cookie: sid={LOT}; Path=/\n"),
            "Set-Cookie: [masked:cookie]\n",
        ),
    ] {
        assert_eq!(masker.mask(&text), expected);
        let mut stream = masker.stream();
        let mut out = String::new();
        for at in 0..text.len() {
            out.push_str(&stream.push(&text[at..=at]));
        }
        out.push_str(&stream.finish());
        assert_eq!(out, expected);
    }
    for text in [
        format!("request_id={uuid}"),
        format!("secret_id={uuid}"),
        "curl -u $USER:$PASSWORD https://h".into(),
        "curl -u me https://h".into(),
        "docker run -u 1000:1000 image".into(),
        "ps -u root:wheel-group".into(),
        "Cookie: theme=dark; lang=en\n".into(),
        "the authorization token that is used".into(),
        "<password>changeme</password>".into(),
    ] {
        assert_eq!(masker.mask(&text), text);
    }
}
