use tenon_policy::{Parts, analyse};

fn argv(text: &str) -> Option<Vec<String>> {
    analyse(text).argv().map(<[String]>::to_vec)
}

#[test]
fn splits_words_as_a_posix_shell_does() {
    let cases: &[(&str, &[&str])] = &[
        ("ls", &["ls"]),
        ("  ls\t-l  src ", &["ls", "-l", "src"]),
        ("ls\n", &["ls"]),
        (
            r#"git commit -m "two words""#,
            &["git", "commit", "-m", "two words"],
        ),
        (r"echo 'it is $HOME `x`'", &["echo", "it is $HOME `x`"]),
        (r#"echo a"b"'c'd"#, &["echo", "abcd"]),
        (r#"echo "a\"b\\c\d""#, &["echo", r#"a"b\c\d"#]),
        (r"echo a\ b \$x", &["echo", "a b", "$x"]),
        ("echo '' x", &["echo", "", "x"]),
        ("ls *.rs src/?.rs [ab]", &["ls", "*.rs", "src/?.rs", "[ab]"]),
        ("echo a#b", &["echo", "a#b"]),
        ("echo x=1", &["echo", "x=1"]),
        ("cat ~/notes", &["cat", "~/notes"]),
        ("git commit -m 'a\n\nb'", &["git", "commit", "-m", "a\n\nb"]),
    ];
    for (text, expected) in cases {
        assert_eq!(
            argv(text).as_deref(),
            Some(
                &expected
                    .iter()
                    .map(|word| (*word).to_owned())
                    .collect::<Vec<_>>()[..]
            ),
            "{text}"
        );
    }
}

#[test]
fn says_unknown_of_everything_that_is_not_one_plain_command() {
    for text in [
        "",
        "   ",
        "ls; rm x",
        "ls && rm x",
        "ls & rm x",
        "ls | sh",
        "ls > out",
        "cat < in",
        "(ls)",
        "{ ls; }",
        "echo $HOME",
        "echo \"$HOME\"",
        "echo `id`",
        "echo \"`id`\"",
        "ls\nrm x",
        "ls\r\nrm x",
        "A=1 ls",
        "PATH=/x ls",
        "! ls",
        "cat ~root/x",
        "ls # x",
        "echo 'open",
        "echo \"open",
        "echo \\",
        "ls \\\nrm",
        "if true",
        "while x",
        "time ls",
        "[[ x ]]",
        "l* x",
        "echo <(id)",
        "echo $'x'",
        "ls\u{a0}x",
        "ls \u{7}",
        "ls {a,b}",
        "'' x",
        "%1",
        "ls\0x",
        "~/bin/x",
        "coproc x",
    ] {
        assert!(matches!(analyse(text).parts, Parts::Unknown(_)), "{text:?}");
    }
}

#[test]
fn a_very_long_line_is_unknown_and_not_read() {
    let text = format!("echo {}", "a".repeat(1 << 20));
    assert!(analyse(&text).argv().is_none());
}

#[test]
fn loose_words_see_through_quotes_operators_and_separators() {
    let words = analyse("cd x&&g\"i\"t pu\\sh;$(rm -rf${IFS}y)").loose_words();
    assert_eq!(words, ["cd", "x", "git", "push", "rm", "-rf", "y"]);
}
