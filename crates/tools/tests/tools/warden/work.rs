//! Ordinary work goes on: git makes, clones and switches, folders move, and
//! nothing is told that nobody has to know.

use super::{Yard, told, yards};

#[tokio::test]
async fn repositories_are_made_cloned_and_used_without_a_word() {
    let script = "set -e
        git init -q lib; cd lib; git config user.name me; git config commit.gpgsign false
        echo a > a; git add a; git commit -qm a; git remote add up https://example.com/a.git; cd ..
        git clone -q lib copy; git -C copy checkout -q -b topic
        git init -q --bare store.git; git -C lib push -q ../store.git HEAD:main
        git -c protocol.file.allow=always submodule --quiet add ./lib sub
        git -C copy worktree add -q ../tree; git worktree add -q inner; git commit -qm sub
        mv lib moved";
    for yard in yards() {
        let outcome = yard.sh(script).await;
        let case = yard.case(&outcome);
        let none: [&String; 0] = [];
        assert_eq!(told(&outcome), none, "{case}");
        let outcome = yard.sh("git -C moved status --short; git -C moved commit -q --allow-empty -m b && git -C moved log --oneline | wc -l").await;
        assert!(outcome.repairs.is_empty(), "{}", yard.case(&outcome));
        assert_eq!(outcome.exit_code(), Some(0), "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn git_goes_from_one_commit_to_another_with_the_files_that_run_code() {
    for yard in yards() {
        yard.put(".github/workflows/ci.yml", "one\n");
        yard.git(&yard.root, &["add", "-A"]);
        yard.git(&yard.root, &["commit", "-qm", "two"]);
        yard.git(&yard.root, &["branch", "-M", "main"]);
        yard.git(&yard.root, &["checkout", "-qb", "topic"]);
        yard.put(".github/workflows/ci.yml", "two\n");
        yard.put(".vscode/tasks.json", "two\n");
        yard.git(&yard.root, &["add", "-A"]);
        yard.git(&yard.root, &["commit", "-qm", "three"]);
        yard.git(&yard.root, &["checkout", "-q", "main"]);
        yard.give();
        let outcome = yard.line("git checkout -q topic").await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        assert_eq!(
            yard.text(".vscode/tasks.json").as_deref(),
            Some("two\n"),
            "{case}"
        );
        assert_eq!(
            yard.text(".github/workflows/ci.yml").as_deref(),
            Some("two\n"),
            "{case}"
        );
        assert!(
            outcome.repairs.join("").contains("look at them before"),
            "{case}"
        );
        // What does not come first may have been told by what does.
        let outcome = yard
            .line("sh -c 'mkdir -p .vscode; echo evil > .vscode/tasks.json'; git checkout -qf main")
            .await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        assert_eq!(
            yard.text(".github/workflows/ci.yml").as_deref(),
            Some("two\n"),
            "{case}"
        );
        assert_ne!(
            yard.text(".vscode/tasks.json").as_deref(),
            Some("evil\n"),
            "{case}"
        );
    }
}

/// A project with a branch `topic` that has other files that run code later,
/// checked out is `main`.
fn fork(yard: &Yard, folder: &str) {
    let whole = yard.root.join(folder);
    let file = |name: &str| format!("{folder}{name}");
    yard.put(&file(".github/workflows/ci.yml"), "one\n");
    yard.put(&file(".gitlab-ci.yml"), "one\n");
    yard.git(&whole, &["init", "-q"]);
    yard.git(&whole, &["add", "-A"]);
    yard.git(&whole, &["commit", "-qm", "two"]);
    yard.git(&whole, &["branch", "-M", "main"]);
    yard.git(&whole, &["checkout", "-qb", "topic"]);
    yard.put(&file(".gitlab-ci.yml"), "two\n");
    yard.put(&file(".vscode/tasks.json"), "two\n");
    yard.git(&whole, &["add", "-A"]);
    yard.git(&whole, &["commit", "-qm", "three"]);
    yard.git(&whole, &["checkout", "-q", "main"]);
    yard.give();
}

/// What a build may do: it writes such files, and commits them.
const BUILD: &str = "echo evil > .envrc; echo evil > .gitlab-ci.yml; echo evil > .vscode/tasks.json
    git add -f .envrc .gitlab-ci.yml .vscode; git commit -qm evil --no-verify; git branch -f other
    git update-ref ORIG_HEAD HEAD; echo built";

#[tokio::test]
async fn what_git_brings_stays_and_what_the_rest_of_the_line_writes_does_not() {
    for line in [
        "git pull -q ../open/up topic && sh $TOP/open/build.sh",
        "git switch -q topic && sh $TOP/open/build.sh | cat",
        "git merge -q topic; sh $TOP/open/build.sh",
        "git fetch -q ../open/up topic && git rebase -q FETCH_HEAD\nsh $TOP/open/build.sh",
        "cd src && git reset -q --hard topic && cd .. && sh $TOP/open/build.sh",
    ] {
        for yard in yards() {
            fork(&yard, "");
            std::fs::write(yard.top.join("open/build.sh"), BUILD).unwrap();
            yard.git(
                &yard.root,
                &["bundle", "create", "-q", "../open/up", "topic"],
            );
            yard.give();
            let outcome = yard.line(line).await;
            let case = format!("{line} {}", yard.case(&outcome));
            for file in [".gitlab-ci.yml", ".vscode/tasks.json"] {
                assert_eq!(yard.text(file).as_deref(), Some("two\n"), "{file} {case}");
            }
            assert!(!yard.exists(".envrc"), "{case}");
            assert!(outcome.repairs.join("").contains("git fetched"), "{case}");
            assert!(outcome.output.stdout.head.contains("built"), "{case}");
        }
    }
}

#[tokio::test]
async fn a_stash_comes_back_with_its_files_before_a_build() {
    for yard in yards() {
        fork(&yard, "");
        yard.put(".vscode/tasks.json", "mine\n");
        yard.git(&yard.root, &["stash", "-q", "-u"]);
        std::fs::write(yard.top.join("open/build.sh"), BUILD).unwrap();
        yard.give();
        let outcome = yard.line("git stash pop -q && sh $TOP/open/build.sh").await;
        let case = yard.case(&outcome);
        let text = yard.text(".vscode/tasks.json");
        assert_eq!(text.as_deref(), Some("mine\n"), "{case}");
        assert!(!yard.exists(".envrc"), "{case}");
    }
}

#[tokio::test]
async fn a_merge_in_a_repository_below_stands_when_a_build_follows() {
    for line in [
        "cd lib && git merge -q topic && sh $TOP/open/build.sh",
        "git -C lib merge -q topic && cd lib && sh $TOP/open/build.sh",
    ] {
        for yard in yards() {
            fork(&yard, "lib/");
            std::fs::write(yard.top.join("open/build.sh"), BUILD).unwrap();
            yard.give();
            let outcome = yard.line(line).await;
            let case = format!("{line} {}", yard.case(&outcome));
            let text = yard.text("lib/.vscode/tasks.json");
            assert_eq!(text.as_deref(), Some("two\n"), "{case}");
            assert!(!yard.exists("lib/.envrc"), "{case}");
        }
    }
}

#[tokio::test]
async fn a_line_in_two_parts_is_one_command_to_who_asked() {
    for yard in yards() {
        fork(&yard, "");
        for (line, code, printed) in [
            ("git switch -q topic && pwd", 0, ""),
            ("git switch -q nowhere && echo no", 128, ""),
            ("git switch -q nowhere; echo $?", 0, "128"),
            ("git switch -q nowhere && echo no || echo yes", 0, "yes"),
            ("git switch main && sh -c 'echo b; exit 7'", 7, "b"),
            ("cd src && git switch topic && sh -c 'pwd'", 0, "/src"),
            ("cd nowhere && git switch main; sh -c 'pwd'", 0, "project"),
        ] {
            let outcome = yard.line(line).await;
            let case = format!("{line} {}", yard.case(&outcome));
            assert_eq!(outcome.exit_code(), Some(code), "{case}");
            let out = outcome.output.stdout.head.trim_end();
            assert!(out.ends_with(printed), "{out} {case}");
            assert!(!out.contains("no\n") && out != "no", "{out} {case}");
        }
    }
}

#[tokio::test]
async fn folders_with_such_files_can_be_moved_and_removed() {
    for yard in yards() {
        yard.put("packages/a/.vscode/tasks.json", "mine\n");
        yard.put("packages/b/lib/x", "mine\n");
        yard.git(&yard.root.join("packages/b/lib"), &["init", "-q"]);
        yard.give();
        let outcome = yard
            .sh("set -e; rm -r packages/b; mkdir other; mv src/a.txt other/; mv other packages/")
            .await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        assert_eq!(outcome.repairs, Vec::<String>::new(), "{case}");
        assert!(
            yard.exists("packages/other/a.txt") && !yard.exists("packages/b"),
            "{case}"
        );
    }
}

#[tokio::test]
async fn packages_bring_along_what_they_like() {
    for yard in yards() {
        let outcome = yard
            .sh("mkdir -p node_modules/a/.vscode .venv/lib/.github; echo a > node_modules/a/.npmrc; echo a > node_modules/a/.vscode/x; mkdir -p sub; echo a > sub/.travis.yml")
            .await;
        assert_eq!(
            outcome.repairs,
            Vec::<String>::new(),
            "{}",
            yard.case(&outcome)
        );
        assert!(yard.exists("node_modules/a/.npmrc") && yard.exists("sub/.travis.yml"));
    }
}

#[tokio::test]
async fn what_only_reads_beside_git_does_not_undo_what_git_brings() {
    const LINES: [&str; 7] = [
        "git switch topic && ls",
        "git merge topic 2>&1 | tail -3",
        "git checkout topic >/dev/null 2>&1; git --no-pager log --oneline | head -n 1 | cat",
        "git reset --hard topic && test -d .vscode && wc -l .github/workflows/ci.yml",
        "git stash list; git rebase topic | grep -c x || echo done",
        "cd src && git restore --source=topic --worktree --staged :/ && git diff --stat",
        "git status --short; git read-tree -u -m topic | cat",
    ];
    for yard in yards() {
        yard.put(".github/workflows/ci.yml", "one\n");
        yard.git(&yard.root, &["add", "-A"]);
        yard.git(&yard.root, &["commit", "-qm", "two"]);
        yard.git(&yard.root, &["branch", "-M", "main"]);
        yard.git(&yard.root, &["checkout", "-qb", "topic"]);
        yard.put(".github/workflows/ci.yml", "two\n");
        yard.put(".vscode/tasks.json", "two\n");
        yard.git(&yard.root, &["add", "-A"]);
        yard.git(&yard.root, &["commit", "-qm", "three"]);
        for line in LINES {
            for words in [
                &["checkout", "-qf", "topic"] as &[&str],
                &["checkout", "-qf", "-B", "main", "topic~1"],
            ] {
                assert!(yard.git(&yard.root, words), "{line}");
            }
            yard.give();
            let outcome = yard.line(line).await;
            let case = yard.case(&outcome);
            for file in [".vscode/tasks.json", ".github/workflows/ci.yml"] {
                assert_eq!(yard.text(file).as_deref(), Some("two\n"), "{line} {case}");
            }
            let told = outcome.repairs.join("");
            assert!(told.contains("git fetched"), "{line} {case}");
            assert!(!told.contains("was moved to"), "{line} {case}");
        }
    }
}

#[tokio::test]
async fn what_may_write_beside_git_is_still_held() {
    for yard in yards() {
        yard.git(&yard.root, &["branch", "topic"]);
        yard.give();
        for line in [
            "git checkout -q topic && git log --output=.envrc",
            "git checkout -q topic | tee .envrc",
            "git checkout -q topic; cp src/a.txt .envrc",
            "git checkout -q topic; sort -o .envrc src/a.txt",
            "git rebase --exe 'echo evil > .envrc' HEAD~0",
        ] {
            let outcome = yard.line(line).await;
            assert!(!yard.exists(".envrc"), "{line} {}", yard.case(&outcome));
        }
    }
}

#[tokio::test]
async fn a_new_folder_is_a_project_of_its_own_and_keeps_what_it_holds() {
    for yard in yards() {
        let seed = yard.top.join("open/seed");
        for (file, text) in [(".vscode/tasks.json", "{}\n"), (".npmrc", "a=b\n")] {
            std::fs::create_dir_all(seed.join(".vscode")).unwrap();
            std::fs::write(seed.join(file), text).unwrap();
        }
        yard.git(&seed, &["init", "-q"]);
        yard.git(&seed, &["add", "-A"]);
        yard.git(&seed, &["commit", "-qm", "one"]);
        yard.give();
        let script = "set -e; git clone -q $TOP/open/seed s2; ls s2; cp -r s2 src/s4
            mkdir -p build/_deps; cp -r s2 build/_deps/s5; cp s2/.npmrc src/
            mkdir .s6; cp s2/.npmrc .s6; mv src/s4 s7; cp -r s7 src/s4";
        let outcome = yard.sh(script).await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        for folder in ["s2", "src/s4", "build/_deps/s5", "s7"] {
            for file in [".vscode/tasks.json", ".npmrc"] {
                assert!(yard.exists(&format!("{folder}/{file}")), "{folder} {case}");
            }
        }
        let told = outcome.repairs.join("\n");
        assert!(told.contains("a new folder contains"), "{case}");
        for file in ["src/.npmrc", ".s6/.npmrc"] {
            assert!(!yard.exists(file), "{file} {case}");
        }
        // When the command has ended, it is a folder that is there.
        let outcome = yard
            .sh("mkdir -p s2; echo evil > s2/.envrc; rm -r s7; mkdir s7; echo evil > s7/.envrc")
            .await;
        let case = yard.case(&outcome);
        for file in ["s2/.envrc", "s7/.envrc"] {
            assert!(!yard.exists(file), "{file} {case}");
        }
    }
}
