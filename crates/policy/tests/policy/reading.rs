//! What `cat`, `grep` and `ls` may read unasked.

use crate::support::{bash, class, default_class, inside, user_rules, verdict};
use tenon_policy::{Access, Facts, Foreign, PathFact, Rules, Subject, analyse};
use tenon_vocab::Class;

fn observed(command: &str, fact: PathFact) -> Facts {
    Facts {
        subject: Subject::Command(analyse(command).with_facts(vec![fact])),
        ..bash(command)
    }
}

#[test]
fn a_built_in_allow_holds_only_while_it_is_certain_what_is_read() {
    for command in [
        "cat /proc/self/environ",
        "cat /etc/shadow",
        "cat ~/.aws/*",
        "cat '~/x'",
        "cat x/.s*/*",
        "cat src/?",
        "cat a/../b",
        "cat --files0-from=x",
        "cat src/prod.env",
        "grep -r \"\" .",
        "grep \"\" -r .",
        "grep -rn x src",
        "grep -nR x src",
        "grep -d recurse x src",
        "grep -drecurse x src",
        "grep --directories=recurse x src",
        "grep --recursive x src",
        "grep --rec x src",
        "grep -f patterns a",
        "grep --file=patterns a",
        "grep -e x -f patterns a",
        "grep --include=x x a",
        "grep --exclude-from=x x a",
        "grep .* a",
        "grep -e x /etc/passwd",
        "grep x -e y /etc/passwd",
        "grep /etc/passwd -e x",
        "grep -- x /etc/passwd",
        "grep -A 3 x /etc/passwd",
        "ls /root",
        "ls ~",
        "ls --dired=x",
        "ls -L src",
        "ls -RL",
        "ls -laRL src",
        "ls -R -L .",
        "ls --dereference -R",
        "du -L",
        "du -aL src",
        "du -L -a .",
        "du --dereference .",
        "find -L .",
        "find . -follow",
        "grep -R x .",
        "rg -L x",
        "rg --follow x src",
        "tree -l",
    ] {
        assert_eq!(default_class(&bash(command)), Class::Ask, "{command}");
    }
    for command in [
        "cat",
        "cat -n a src/b",
        "cat -- -r",
        "grep x",
        "grep -in 'a.*[b]' src/a.rs",
        "grep -e -r src/a.rs",
        "grep -nA3 -e x -e y src/a.rs",
        "grep -A 3 --color=never x src/a.rs",
        "grep /api/users src/a.rs",
        "grep process.env src/a.js",
        "grep -- -r src/a.rs",
        "ls -laR src",
        "ls --recursive --color=never src docs",
    ] {
        assert_eq!(default_class(&bash(command)), Class::Allow, "{command}");
    }
}

#[test]
fn the_reason_says_what_would_be_read() {
    let reason = |command: &str| verdict(&bash(command), &Rules::built_in()).reason;
    assert_eq!(
        reason("cat /etc/shadow"),
        "cat would read /etc/shadow, which is outside the project"
    );
    assert_eq!(
        reason("grep -rn x ."),
        "with `-rn`, grep may do more than read"
    );
    assert!(reason("cat x/.s*/*").contains("`x/.s*/*`"));
}

#[test]
fn a_link_that_leads_out_is_not_read_unasked_and_one_that_stays_is() {
    let link = |inside_root: bool, path: &str| PathFact {
        symlink: true,
        inside: inside_root,
        ..inside(path, Access::Read)
    };
    let out = observed("cat link", link(false, "/etc/passwd"));
    assert_eq!(default_class(&out), Class::Ask);
    let secret = observed("cat link", link(true, ".env"));
    assert_eq!(default_class(&secret), Class::Ask);
    let stays = observed("cat link", link(true, "src/a.rs"));
    assert_eq!(default_class(&stays), Class::Allow);
}

#[test]
fn what_nobody_has_looked_at_is_not_certain() {
    let facts = Facts {
        subject: Subject::Command(analyse("cat a")),
        ..bash("cat a")
    };
    assert_eq!(default_class(&facts), Class::Ask);
}

#[test]
fn rules_for_read_hold_for_a_command_that_names_the_file() {
    let denied = user_rules(r#"{"read": {"secrets/**": "deny"}}"#);
    let found = verdict(&bash("cat secrets/a.txt"), &denied);
    assert_eq!(found.class, Class::Deny);
    assert!(
        found.reason.contains("read: \"secrets/**\" = deny"),
        "{}",
        found.reason
    );
    assert_eq!(class(&bash("cat public/a.txt"), &denied), Class::Allow);
    let asks = user_rules(r#"{"read": {"secrets/**": "ask"}}"#);
    assert_eq!(class(&bash("cat secrets/a.txt"), &asks), Class::Ask);
    let all = user_rules(r#"{"read": "ask"}"#);
    assert_eq!(class(&bash("cat a.txt"), &all), Class::Ask);
}

#[test]
fn a_users_own_allow_stays_but_for_what_a_read_denies() {
    let rules = user_rules(
        r#"{"bash": {"cat *": "allow", "git *": "allow", "tool *": "allow"}, "read": {"secrets/**": "deny", "*.bak": "deny", "ask/**": "ask"}}"#,
    );
    for command in [
        "cat /etc/shadow",
        "cat src/*.rs",
        "cat ~/x",
        "cat ask/a",
        "git commit -m secrets",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
    for command in [
        "cat secrets/a.txt",
        "cat a secrets/b",
        "cat secrets/*",
        "git add old.bak",
        "tool --file=secrets/a",
        "tool -fsecrets/a",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Deny, "{command}");
    }
    let message = "git commit -m 'remove old.bak'";
    let missing = PathFact {
        exists: false,
        ..inside("remove old.bak", Access::Read)
    };
    assert_eq!(class(&observed(message, missing), &rules), Class::Allow);
}

#[test]
fn a_fallback_deny_of_reading_says_nothing_of_commands() {
    let rules = user_rules(r#"{"*": "deny", "bash": {"make *": "allow"}}"#);
    assert_eq!(class(&bash("make all"), &rules), Class::Allow);
}

#[test]
fn a_glob_that_could_become_a_secret_asks_although_the_program_is_allowed() {
    let rules = user_rules(r#"{"bash": {"cat *": "allow", "git *": "allow"}}"#);
    for command in [
        "cat .pgpass",
        "cat .pgp*",
        "cat x.p1?",
        "cat server*.pem",
        "cat *.k[e]y",
        "cat .git-cred*",
        "cat .ht*",
        "cat .aws/cred*",
        "cat .s?h/x",
        "cat *",
        "cat src/*",
        "cat .*",
        "cat **/*",
        "cat *.*",
        "git add .pg*",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Ask, "{command}");
    }
    for command in [
        "cat *.rs",
        "cat src/*.md",
        "cat a*",
        "cat '*'",
        "git add *",
        "git add src/*",
    ] {
        assert_eq!(class(&bash(command), &rules), Class::Allow, "{command}");
    }
}

#[test]
fn what_runs_free_asks_where_its_program_could_be_the_projects() {
    let with = |command: &str, foreign: &[(&str, &str)]| {
        let mut facts = bash(command);
        if let Subject::Command(script) = facts.subject {
            let foreign = foreign.iter().map(|(name, path)| Foreign::new(name, path));
            facts.subject = Subject::Command(script.with_foreign(foreign.collect()));
        }
        facts
    };
    let ls = [("ls", "/p/node_modules/.bin/ls")];
    assert_eq!(default_class(&with("ls src", &[])), Class::Allow);
    for command in ["ls src", "cat a | ls"] {
        assert_eq!(default_class(&with(command, &ls)), Class::Ask, "{command}");
    }
    assert_eq!(
        verdict(&with("ls", &ls), &Rules::built_in()).reason,
        "`ls` is /p/node_modules/.bin/ls here, and a command could have written that file"
    );
    let rules = user_rules(r#"{"bash": {"ls *": "allow"}}"#);
    assert_eq!(class(&with("ls src", &ls), &rules), Class::Allow);
}

#[test]
fn programs_are_looked_up_by_the_names_that_the_shell_would_look_for() {
    for (command, names) in [
        ("ls src | head -3", &["bash", "ls", "head"][..]),
        ("echo a; pwd; test -f a", &["bash"]),
        ("env echo a", &["bash", "env", "echo"]),
        ("timeout 5 cat a", &["bash", "timeout", "cat"]),
        ("nice -n 5 ls", &["bash", "nice", "ls"]),
        ("git status", &["bash", "git"]),
        ("/bin/ls", &["bash"]),
        ("make", &["bash"]),
        ("ls $(pwd)", &[]),
    ] {
        assert_eq!(analyse(command).looked_up(), names, "{command}");
    }
}
