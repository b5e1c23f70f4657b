//! What the strict walk takes as certain.

use tenon_policy::{Commands, Deed, analyse};

/// The argv of each command, where they are certain.
fn exact(text: &str) -> Option<Vec<Vec<String>>> {
    let script = analyse(text);
    let commands = script.exact()?;
    let argv = |words: Vec<&str>| words.into_iter().map(str::to_owned).collect();
    Some(commands.iter().map(|one| argv(one.argv())).collect())
}

#[test]
fn splits_words_as_a_posix_shell_does() {
    let cases: &[(&str, &[&str])] = &[
        ("ls", &["ls"]),
        ("  ls\t-l  src ", &["ls", "-l", "src"]),
        ("ls\n", &["ls"]),
        ("\n\nls\n\n", &["ls"]),
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
        ("[ -f x ]", &["[", "-f", "x", "]"]),
        ("cat 2>/dev/null x", &["cat", "x"]),
        (">/dev/null cat x 2>&1", &["cat", "x"]),
        ("cat x &>/dev/null", &["cat", "x"]),
        ("cat < x", &["cat"]),
    ];
    for (text, expected) in cases {
        assert_eq!(exact(text), Some(vec![owned(expected)]), "{text}");
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn takes_a_list_of_plain_commands_apart() {
    for text in [
        "cd p && git diff | head -3",
        "cd p; git diff; head -3",
        "cd p\ngit diff\nhead -3\n",
        "cd p || git diff 2>/dev/null | head -3 2>&1",
        "cd p &&\n git diff |\n head -3;",
    ] {
        let expected = [
            owned(&["cd", "p"]),
            owned(&["git", "diff"]),
            owned(&["head", "-3"]),
        ];
        assert_eq!(exact(text).as_deref(), Some(&expected[..]), "{text}");
    }
}

#[test]
fn takes_wrappers_off_only_where_all_their_words_are_understood() {
    for text in [
        "timeout 5 ls -l",
        "timeout -k 1 --signal=KILL 5s ls -l",
        "nice ls -l",
        "nice -n 5 ls -l",
        "env ls -l",
        "env LC_ALL=C ls -l",
        "command ls -l",
        "nohup ls -l",
        "time ls -l",
        "time -p nice timeout 1 ls -l",
    ] {
        assert_eq!(exact(text), Some(vec![owned(&["ls", "-l"])]), "{text}");
    }
    for text in [
        "timeout ls",
        "timeout 5",
        "timeout -x 5 ls",
        "nice -x ls",
        "env -i ls",
        "env -S 'ls -l'",
        "env PATH=. ls",
        "command -p ls",
        "time -o f ls",
        "nohup",
        "nice timeout x ls",
    ] {
        assert_eq!(exact(text), None, "{text}");
    }
    assert_eq!(exact("sudo ls"), Some(vec![owned(&["sudo", "ls"])]));
    assert_eq!(
        exact("command -v ls"),
        Some(vec![owned(&["command", "-v", "ls"])])
    );
}

#[test]
fn only_harmless_variables_may_be_set_before_a_command() {
    let script = analyse("LC_ALL=C TZ=Europe/Berlin ls");
    let commands = script.exact().unwrap();
    assert_eq!(commands[0].argv(), ["ls"]);
    assert_eq!(commands[0].assignments, ["LC_ALL=C", "TZ=Europe/Berlin"]);
    for text in [
        "PATH=. ls",
        "LD_PRELOAD=x ls",
        "IFS=x ls",
        "A=1 ls",
        "LC_ALL=/tmp/x ls",
        "TZ=:/etc/passwd date",
        "TZ=../x date",
        "LANG=$x ls",
        "LANG=~ ls",
        "LANG+=C ls",
        "LANG=C",
    ] {
        assert_eq!(exact(text), None, "{text}");
    }
}

#[test]
fn groups_and_conditions_are_their_commands_one_after_the_other() {
    let ls = || vec![owned(&["ls"]), owned(&["rm", "x"])];
    for text in [
        "(ls; rm x)",
        "( ls && rm x )",
        "(ls) && (rm x)",
        "{ ls; rm x; }",
        "{ ls\nrm x\n}",
        "! ls || ! rm x",
        "if ls; then rm x; fi",
        "if ls\nthen\n  rm x\nfi",
        "if (ls); then { rm x; }; fi",
        "{ ls; (rm x) 2>/dev/null; } 2>&1",
        "ls <<< y; rm x <<< 'z w'",
    ] {
        assert_eq!(exact(text), Some(ls()), "{text}");
    }
    let if_else = "if [ ! -f a ]; then ls; elif aa; then bb; else cc; fi | wc";
    let commands: Vec<Vec<String>> = vec![
        owned(&["[", "!", "-f", "a", "]"]),
        owned(&["ls"]),
        owned(&["aa"]),
        owned(&["bb"]),
        owned(&["cc"]),
        owned(&["wc"]),
    ];
    assert_eq!(exact(if_else), Some(commands));
    for text in [
        "()",
        "(ls",
        "ls)",
        "((ls))",
        "(ls) rm",
        "{ ls }",
        "{ls; }",
        "{ ls; } rm",
        "}",
        "!",
        "!ls",
        "ls (x)",
        "if ls; fi",
        "if ls; then fi",
        "then ls",
        "fi",
        "if ls; then rm x",
        "if ls; then rm x; fi ls",
        "(ls) > f",
        "{ ls; } > f",
        "cat <<< $x",
        "cat <<< \"`id`\"",
        "cat <<<",
        "(ls) <<EOF\nx\nEOF",
    ] {
        assert_eq!(exact(text), None, "{text}");
    }
}

#[test]
fn says_unknown_of_everything_that_is_not_plain() {
    for text in [
        "",
        "   ",
        "\n",
        "ls & rm x",
        "ls &",
        "ls |& cat",
        "ls > out",
        "ls >> out",
        "ls 2> out",
        "ls &> out",
        "ls >&out",
        "ls >&-",
        "ls <> f",
        "ls <&3",
        "cat 3< f",
        "cat < *",
        "cat <",
        "cat <<EOF\nx\nEOF",
        "echo $HOME",
        "echo \"$HOME\"",
        "echo `id`",
        "echo \"`id`\"",
        "ls\r\nrm x",
        "A=1 ls",
        "cat ~root/x",
        "ls # x",
        "echo 'open",
        "echo \"open",
        "echo \\",
        "ls \\\nrm",
        "while x; do y; done",
        "[[ x ]]",
        "l* x",
        "echo <(id)",
        "echo $'x'",
        "echo $\"x\"",
        "ls\u{a0}x",
        "ls \u{7}",
        "ls {a,b}",
        "'' x",
        "%1",
        "ls\0x",
        "~/bin/x",
        "coproc x",
        "f() { ls; }",
        "ls &&",
        "&& ls",
        "ls ;; ls",
        "ls | | ls",
        "| ls",
        "; ls",
        "ls && ; ls",
        "case x in esac",
        "select x",
        "> /dev/null",
        "< a",
    ] {
        let found = analyse(text).commands;
        assert!(matches!(found, Commands::Unknown(_)), "{text:?}: {found:?}");
    }
}

#[test]
fn groups_that_are_nested_too_deeply_are_said_to_be() {
    let text = format!("{}ls{}", "( ".repeat(120), " )".repeat(120));
    let why = Commands::Unknown("it is nested too deeply".into());
    assert_eq!(analyse(&text).commands, why);
}

#[test]
fn a_very_long_line_is_not_read_and_needs_a_yes() {
    let text = format!("echo {}", "a".repeat(1 << 20));
    let script = analyse(&text);
    assert!(script.exact().is_none());
    assert_eq!(script.verdicts()[0].class, tenon_vocab::Class::Confirm);
}

#[test]
fn loose_words_see_through_quotes_operators_and_separators() {
    let words = analyse("cd x&&g\"i\"t pu\\sh;$(rm -rf${IFS}y)").loose_words();
    assert_eq!(words, ["cd", "x", "git", "push", "rm", "-rf", "y"]);
}

/// Path, deed, certain, of each target.
fn targets(text: &str) -> Vec<(String, Deed, bool)> {
    let script = analyse(text);
    let all = script.targets.into_iter();
    all.map(|one| (one.path, one.deed, one.certain)).collect()
}

#[test]
fn says_what_would_be_done_with_which_file() {
    use Deed::{Append, Change, Delete, Move, Overwrite, Read};
    type Expected<'a> = &'a [(&'a str, Deed, bool)];
    let cases: &[(&str, Expected<'_>)] = &[
        ("cat a", &[("a", Read, true)]),
        ("cat < a", &[("a", Read, true)]),
        ("rm -f a b", &[("a", Delete, true), ("b", Delete, true)]),
        ("rm $x", &[("$x", Delete, false)]),
        ("rm *.o", &[("*.o", Delete, false)]),
        (
            "mv a b",
            &[
                ("a", Move, true),
                ("b/a", Overwrite, true),
                ("b", Overwrite, true),
            ],
        ),
        ("cp a d/", &[("a", Read, true), ("d/a", Overwrite, true)]),
        ("echo x > f", &[("f", Overwrite, true)]),
        ("echo x >> f", &[("f", Append, true)]),
        ("echo x > /dev/null", &[]),
        ("tee f", &[("f", Overwrite, true)]),
        ("tee -a f", &[("f", Append, true)]),
        ("chmod +x f", &[("f", Change, true)]),
        ("sed -i s/a/b/ f", &[("f", Change, true)]),
        ("sed s/a/b/ f", &[("f", Read, true)]),
        ("dd if=a of=b", &[("a", Read, true), ("b", Overwrite, true)]),
        ("cd d && rm f", &[("d", Read, true), ("d/f", Delete, true)]),
        (
            "cd d; rm f",
            &[
                ("d", Read, true),
                ("f", Delete, true),
                ("d/f", Delete, true),
            ],
        ),
        ("cd d && rm /f", &[("d", Read, true), ("/f", Delete, true)]),
        (
            "cd $x && rm f",
            &[("$x", Read, false), ("f", Delete, false)],
        ),
        (
            "(cd d && rm f); rm g",
            &[
                ("d", Read, true),
                ("d/f", Delete, true),
                ("g", Delete, true),
            ],
        ),
        (
            "sh -c 'cd d && rm f'",
            &[("d", Read, true), ("d/f", Delete, true)],
        ),
        ("ssh host rm f", &[]),
        ("git -C d checkout -- f", &[("d/f", Change, true)]),
        ("echo hello", &[]),
    ];
    for (text, expected) in cases {
        let expected: Vec<(String, Deed, bool)> = expected
            .iter()
            .map(|(path, deed, certain)| ((*path).to_owned(), *deed, *certain))
            .collect();
        assert_eq!(targets(text), expected, "{text}");
    }
}

#[test]
fn each_target_knows_its_command() {
    let script = analyse("cd d && cat a | grep x b");
    let parts: Vec<(usize, &str)> = script
        .targets
        .iter()
        .map(|target| (target.part, target.path.as_str()))
        .collect();
    assert_eq!(parts, [(0, "d"), (1, "d/a"), (2, "d/b")]);
}

#[test]
fn finds_commands_at_any_depth() {
    for text in [
        "git push",
        "A=1 git push",
        "/usr/bin/git push",
        "env git push",
        "sh -c 'git push'",
        "bash -c \"sh -c 'git push'\"",
        "echo $(git push)",
        "echo \"`git push`\"",
        "cat <(git push)",
        "echo 'git push' | sh",
        "bash <<< 'git push'",
        "sh <<EOF\ngit push\nEOF",
        "find . -exec git push \\;",
        "f() { git push; }",
        "x=git; $x push",
        "{git,push}",
        "g''it push",
        "timeout 5 sudo -u x nice git push",
        "if a; then git push; fi",
        "docker exec c git push",
        "ssh h git push",
        "cat <<'E'; git push\nx\nE",
    ] {
        let script = analyse(text);
        let found = script
            .found
            .iter()
            .any(|one| one.program() == "git" && one.argv().get(1) == Some(&"push"));
        assert!(found, "{text}: {:?}", script.found);
    }
    for text in ["echo git push", "echo 'git push'", "cat <<E\ngit push\nE"] {
        let found = analyse(text).found;
        assert!(found.iter().all(|one| one.program() != "git"), "{text}");
    }
}
