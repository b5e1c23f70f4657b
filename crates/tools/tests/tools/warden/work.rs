//! Ordinary work goes on: git makes, clones and switches, folders move, and
//! nothing is told that nobody has to know.

use super::{told, yards};

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
        // With something beside it nobody knows who wrote.
        let outcome = yard
            .line(
                "git checkout -q main && sh -c 'mkdir -p .vscode; echo evil > .vscode/tasks.json'",
            )
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
