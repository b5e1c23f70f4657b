//! Private keys of which only a part is in sight, or whose lines stand apart.

use super::corpus::{base64, private_key};
use serde_json::{Value, json};
use tenon_policy::{Findings, Masker};

fn masked(text: &str) -> String {
    Masker::standard().mask(text).into_owned()
}

/// Runs of letters of the key that are still there.
fn left_of(key: &str, text: &str) -> Vec<String> {
    let lines = key.lines().filter(|line| !line.starts_with("-----"));
    let inner = lines.filter(|line| line.len() > 20 && text.contains(&line[12..]));
    inner.map(str::to_owned).collect()
}

fn window(key: &str, from: usize, to: usize) -> String {
    let lines: Vec<&str> = key.lines().collect();
    lines[from..to].join("\n")
}

#[test]
fn every_window_of_a_key_is_masked_whether_its_ends_are_in_it_or_not() {
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = private_key(label, 26);
        let lines = key.lines().count();
        for from in 0..lines {
            for to in from + 1..=lines {
                let text = window(&key, from, to);
                // The last line alone is short and looks like anything.
                if (from, to) == (lines - 2, lines - 1) {
                    continue;
                }
                assert_eq!(left_of(&key, &masked(&text)), [""; 0], "{from}..{to}");
                let framed = format!("total 3\n{text}\nsome words follow\n");
                let out = masked(&framed);
                assert_eq!(left_of(&key, &out), [""; 0], "{from}..{to}");
                assert!(out.starts_with("total 3\n"), "{out}");
                assert!(out.ends_with("some words follow\n"), "{out}");
            }
        }
    }
}

#[test]
fn a_line_of_a_key_is_known_behind_a_number_a_file_name_and_in_quotes() {
    let line = base64(3, 64);
    let wide = base64(4, 70);
    for letters in [line.as_str(), wide.as_str()] {
        for (before, after) in [
            ("", ""),
            ("    12\u{2192}", ""),
            ("12:", ""),
            ("deploy/key.pem:12:", ""),
            ("deploy/key.pem-13-", ""),
            ("deploy/key.pem:", "\r"),
            ("    12\t", ""),
            ("+", ""),
            ("> ", ""),
            ("    ", "  "),
            ("  \"", "\","),
        ] {
            let text = format!("{before}{letters}{after}\n");
            let out = masked(&text);
            assert!(!out.contains(&letters[12..]), "{text}{out}");
            assert!(before == "+" || out.starts_with(before), "{out}");
        }
    }
    let escaped = format!("x{}\\n{line}\\n{wide}", base64(5, 30));
    assert!(!masked(&escaped).contains(&line[12..]));
}

#[test]
fn the_lines_of_certificates_and_other_base64_stay() {
    let body: Vec<String> = (0..20).map(|at| base64(at, 64)).collect();
    let body = body.join("\n");
    for text in [
        format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n"),
        format!("{body}\n-----END CERTIFICATE-----\n"),
        format!("{body}\n{}==\n-----END PUBLIC KEY-----\n", base64(9, 20)),
        format!("-----BEGIN CERTIFICATE-----\n{body}\n"),
        (0..20).map(|at| base64(at, 76) + "\n").collect(),
        (0..400).map(|at| base64(at, 64) + "\n").collect(),
        format!("integrity sha384-{}\n", base64(2, 64)),
        format!("{}\n", "3f786850e387550fdab836ed7e6dc881".repeat(2)),
        format!("ssh-rsa {}\n", base64(2, 64)),
        "Internationalization\nAbstractSingletonProxyFactoryBean\n".repeat(40),
    ] {
        assert_eq!(masked(&text), text);
    }
}

#[test]
fn a_key_whose_lines_are_the_entries_of_a_list_is_masked_in_each_of_them() {
    for label in ["OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        let key = private_key(label, 5);
        let entries: Vec<Value> = (key.lines().enumerate())
            .map(|(at, line)| json!({"path": "key.pem", "line": at + 1, "text": line}))
            .collect();
        let rows: Vec<Value> = key.lines().map(|line| json!(["1", line])).collect();
        let plain: Vec<Value> = key.lines().map(Value::from).collect();
        let mut value = json!({"entries": entries, "rows": rows, "plain": plain, "n": 3});
        let mut found = Findings::default();
        Masker::standard().mask_value(&mut value, &mut found);
        assert_eq!(left_of(&key, &value.to_string()), [""; 0]);
        assert!(!value.to_string().contains(&base64(7, 20)), "{value}");
        assert_eq!(value["entries"][3]["path"], "key.pem");
        assert_eq!(value["entries"][3]["text"], "[masked:private-key]");
        assert_eq!(value["rows"][2][0], "1");
        assert_eq!(found.to_string(), "3 secrets masked: private-key");
    }
}

#[test]
fn the_last_line_of_a_key_is_masked_when_its_end_is_the_next_entry() {
    let last = base64(1, 40);
    let mut value = json!([last, "-----END RSA PRIVATE KEY-----"]);
    Masker::standard().mask_value(&mut value, &mut Findings::default());
    assert!(!value.to_string().contains(&last[12..]), "{value}");
}

#[test]
fn a_key_in_pieces_of_a_stream_is_masked_from_wherever_it_begins() {
    let masker = Masker::standard();
    let key = private_key("RSA PRIVATE KEY", 12);
    for from in [0, 1, 4, 12] {
        let text = format!("$ sed -n 5,20p key\n{}\nnext\n", window(&key, from, 15));
        let whole = masked(&text);
        for step in [1, 3, 64, 65, 1000] {
            let mut stream = masker.stream();
            let mut out = String::new();
            for part in text.as_bytes().chunks(step) {
                out.push_str(&stream.push(std::str::from_utf8(part).unwrap()));
                assert!(stream.held() < 2048, "{}", stream.held());
            }
            out.push_str(&stream.finish());
            assert_eq!(out, whole, "from {from} in steps of {step}");
        }
    }
}
