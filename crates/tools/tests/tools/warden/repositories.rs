//! Repositories inside the project that a command makes or changes: the git of
//! the user follows nothing that the command has written into them.

use super::{told, yards};

/// Each makes a repository in `lib`, or changes it, so that git would run the
/// program at `$EVIL`.
const ATTACKS: &[&str] = &[
    "git init -q lib; git -C lib config core.fsmonitor $EVIL",
    "git init -q lib; printf '[CORE] FsMonitor=%s' $EVIL >> lib/.git/config",
    "git init -q lib; mkdir lib/h; cp $EVIL lib/h/pre-commit; cp $EVIL lib/h/post-index-change; git -C lib config core.hooksPath h",
    "git init -q lib; cp $EVIL lib/.git/hooks/pre-commit; cp $EVIL lib/.git/hooks/post-index-change",
    "git init -q lib; rm -r lib/.git/hooks; mkdir lib/h; cp $EVIL lib/h/pre-commit; ln -s ../h lib/.git/hooks",
    "git init -q lib; printf '[core]\\nfsmonitor=%s\\n' $EVIL > lib/more; git -C lib config include.path ../more",
    "git init -q lib; printf '[core]\\nfsmonitor=%s\\n' $EVIL > lib/more; git -C lib config 'includeIf.gitdir:/.path' $PWD/lib/more",
    "git init -q lib; git -C lib config extensions.worktreeConfig true; git -C lib config --worktree core.fsmonitor $EVIL",
    "git init -q lib; git -C lib config filter.x.clean $EVIL; echo '* filter=x' > lib/.gitattributes; echo a > lib/a",
    "git init -q lib; echo a > lib/a; git -C lib add a; git -C lib commit -qm a; git -C lib config diff.x.textconv $EVIL; echo '* diff=x' > lib/.git/info/attributes; echo b > lib/a",
    "git init -q lib; git -C lib config diff.external $EVIL; echo a > lib/a; git -C lib add a; echo b > lib/a",
    "git init -q lib; git -C lib remote add o ssh://127.0.0.1:1/x; git -C lib config core.sshCommand $EVIL",
    "git init -q lib; git -C lib config remote.o.url \"ext::$EVIL\"; git -C lib config protocol.ext.allow always",
    "git init -q lib; git -C lib config remote.o.url $PWD; git -C lib config remote.o.uploadpack $EVIL",
    "git init -q --separate-git-dir=$TOP/open/g lib; git -C lib config core.fsmonitor $EVIL",
    "git init -q store; git -C store config core.fsmonitor $EVIL; mkdir lib; mv store/.git lib/inner; echo 'gitdir: inner' > lib/.git",
    "git init -q $TOP/open/g; git -C $TOP/open/g config core.fsmonitor $EVIL; mkdir lib; ln -s $TOP/open/g/.git lib/.git",
    "git init -q store; git -C store config core.fsmonitor $EVIL; mkdir lib; mv store/.git lib/x; ln -s x lib/.git",
    "git init -q --bare lib; git -C lib config core.bare false; git -C lib config core.worktree $PWD; git -C lib config core.fsmonitor $EVIL",
    "git init -q lib; mv lib/.git/config lib/c; git config -f lib/c core.fsmonitor $EVIL; ln -s ../c lib/.git/config",
    "git init -q other; git -C other config core.fsmonitor $EVIL; git init -q lib; rm lib/.git/config; echo $PWD/other/.git > lib/.git/commondir",
    "git init -q $TOP/open/o; git -C $TOP/open/o config core.fsmonitor $EVIL; git init -q lib; rm -r lib/.git/config lib/.git/objects lib/.git/refs; echo $TOP/open/o/.git > lib/.git/commondir",
    "mkdir -p node_modules; git init -q node_modules/lib; git -C node_modules/lib config core.fsmonitor $EVIL; mv node_modules/lib/.git /tmp/never-$$ 2>/dev/null; mv /tmp/never-$$ node_modules/lib/.git; ln -s node_modules/lib lib",
    "echo node_modules > .gitignore; mkdir -p node_modules/a/b; git init -q node_modules/a/b; git -C node_modules/a/b config core.fsmonitor $EVIL; git add -f node_modules/a/b; ln -s node_modules/a/b lib",
    "git init -q deep/er/and/deeper; git -C deep/er/and/deeper config core.fsmonitor $EVIL; ln -s deep/er/and/deeper lib",
];

/// In two steps: the first is harmless, the second is another command.
const LATER: &[(&str, &str)] = &[
    ("git init -q lib", "git -C lib config core.fsmonitor $EVIL"),
    (
        "git init -q lib",
        "cp $EVIL lib/.git/hooks/pre-commit; cp $EVIL lib/.git/hooks/post-index-change",
    ),
    (
        "git init -q lib; rm -r lib/.git/hooks",
        "mkdir lib/.git/hooks; cp $EVIL lib/.git/hooks/post-index-change",
    ),
    (
        "mkdir -p lib/.git",
        "git init -q lib; git -C lib config core.fsmonitor $EVIL",
    ),
    (
        "git init -q lib",
        "mv lib moved; git -C moved config core.fsmonitor $EVIL; mv moved lib",
    ),
    (
        "git init -q lib",
        "rm -r lib/.git; git init -q $TOP/open/g; git -C $TOP/open/g config core.fsmonitor $EVIL; echo gitdir: $TOP/open/g/.git > lib/.git",
    ),
    (
        "git init -q lib; cd lib; git commit -q --allow-empty -m a; cd ..; git -c protocol.file.allow=always submodule -q add ./lib sub 2>/dev/null; git init -q sub",
        "git -C sub config core.fsmonitor $EVIL; cp $EVIL .git/modules/sub/hooks/post-index-change 2>/dev/null; ln -s sub lib2",
    ),
];

#[tokio::test]
async fn the_git_of_the_user_runs_nothing_out_of_a_repository_that_a_command_made() {
    for yard in yards() {
        let mut script = String::new();
        for (number, attack) in ATTACKS.iter().enumerate() {
            script.push_str(&format!(
                "mkdir case{number}; (cd case{number}; {attack}\n(cd lib && git commit -q --allow-empty -m a)\ngit add -f lib) 2>/dev/null\n"
            ));
        }
        let outcome = yard.sh(&script).await;
        let _ = std::fs::remove_file(yard.top.join("home/ran"));
        let case = yard.case(&outcome);
        yard.uses_git(&yard.root);
        assert!(!yard.has_run(), "in the top folder: {case}");
        for (number, attack) in ATTACKS.iter().enumerate() {
            let name = format!("case{number}");
            yard.uses_git(&yard.root.join(&name).join("lib"));
            assert!(!yard.has_run(), "{name} {attack}: {case}");
            let part = format!("/{name}/");
            let is_told = told(&outcome).iter().any(|told| told.contains(&part));
            assert!(
                is_told || attack.contains("$TOP/open/o"),
                "{name} {attack}: {case}"
            );
        }
    }
}

#[tokio::test]
async fn nor_out_of_one_that_another_command_changed() {
    for yard in yards() {
        let (mut first, mut second) = (String::new(), String::new());
        for (number, (one, two)) in LATER.iter().enumerate() {
            first.push_str(&format!("mkdir case{number}; (cd case{number}; {one})\n"));
            second.push_str(&format!("(cd case{number}; {two})\n"));
        }
        let outcome = yard.sh(&first).await;
        let none: [&String; 0] = [];
        assert_eq!(told(&outcome), none, "{}", yard.case(&outcome));
        let outcome = yard.sh(&second).await;
        let _ = std::fs::remove_file(yard.top.join("home/ran"));
        let case = yard.case(&outcome);
        for number in 0..LATER.len() {
            let name = format!("case{number}");
            for folder in ["", "lib", "sub"] {
                let folder = yard.root.join(&name).join(folder);
                if folder.is_dir() {
                    yard.uses_git(&folder);
                }
            }
            assert!(!yard.has_run(), "{name}: {case}");
            let part = format!("/{name}");
            let is_told = told(&outcome).iter().any(|told| told.contains(&part));
            assert!(is_told, "{name}: {case}");
        }
    }
}

#[tokio::test]
async fn the_settings_of_a_repository_that_was_there_stay_and_harmless_ones_may_be_added() {
    for yard in yards() {
        yard.put("deep/er/lib/x", "x");
        let lib = yard.root.join("deep/er/lib");
        yard.git(&lib, &["init", "-q"]);
        yard.git(&lib, &["config", "core.editor", "mine"]);
        yard.give();
        let outcome = yard
            .sh("cd deep/er/lib; git config user.name me; git remote add o https://example.com/a; git config core.pager $EVIL")
            .await;
        let config = yard.text("deep/er/lib/.git/config").unwrap();
        let case = format!("{config}\n{}", yard.case(&outcome));
        for kept in ["mine", "me", "https://example.com/a"] {
            assert!(config.contains(kept), "{case}");
        }
        assert!(!config.contains("evil"), "{case}");
        let told = outcome.repairs.join("\n");
        assert!(told.contains("(core.pager)"), "{case}");
        // Nothing is lost.
        let aside = told.rsplit('`').nth(1).unwrap();
        assert!(
            std::fs::read_to_string(aside).unwrap().contains("evil"),
            "{case}"
        );
    }
}

#[tokio::test]
async fn a_module_that_names_a_program_is_set_aside_and_an_ordinary_one_stays() {
    let plain = "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n";
    for yard in yards() {
        let outcome = yard
            .sh(&format!("cat > .gitmodules <<'X'\n{plain}X\n"))
            .await;
        assert_eq!(
            outcome.repairs,
            Vec::<String>::new(),
            "{}",
            yard.case(&outcome)
        );
        let outcome = yard.sh("echo 'update = !evil' >> .gitmodules").await;
        assert!(!yard.exists(".gitmodules"), "{}", yard.case(&outcome));
        assert_eq!(outcome.repairs.len(), 1, "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn what_the_configuration_opens_of_a_git_folder_is_left_alone() {
    for yard in yards() {
        let mut policy = yard.jobs.sandbox().unwrap().as_ref().clone();
        policy.read_only = vec![yard.root.join(".git/commondir")];
        let opened = [".git/hooks", ".git/config"].map(|name| yard.root.join(name));
        let _shared = yard
            .jobs
            .clone()
            .with_sandbox(Some(policy))
            .with_opened(opened.to_vec());
        let outcome = yard
            .sh("echo mine > .git/hooks/pre-push; git config core.pager mine")
            .await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.repairs, Vec::<String>::new(), "{case}");
        assert!(yard.exists(".git/hooks/pre-push"), "{case}");
        assert!(yard.text(".git/config").unwrap().contains("mine"), "{case}");
    }
}

#[tokio::test]
async fn repositories_that_were_there_are_moved_removed_and_configured_and_run_nothing() {
    for yard in yards() {
        for folder in ["gone", "from", "kept"] {
            yard.git(&yard.root, &["init", "-q", folder]);
        }
        yard.git(&yard.root, &["worktree", "add", "-q", "tree"]);
        yard.git(&yard.root, &["worktree", "add", "-q", "stays"]);
        yard.give();
        let script = "set -e; rm -rf gone; mv from to; git worktree remove tree
            git worktree add -q other; git worktree remove other
            git -C kept config user.name me; git -C kept config core.fsmonitor $EVIL
            git -C to config core.fsmonitor $EVIL
            cp $EVIL kept/.git/hooks/post-index-change; cp $EVIL to/.git/hooks/post-index-change
            git init -q bad; git -C bad config core.fsmonitor $EVIL
            echo ../../../bad/.git > .git/worktrees/stays/commondir";
        let outcome = yard.sh(script).await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        for path in ["gone", "from", "tree", "other", ".git/worktrees/tree"] {
            assert!(!yard.exists(path), "{path} {case}");
        }
        for folder in ["kept", "to", "stays", "."] {
            yard.uses_git(&yard.root.join(folder));
        }
        assert!(!yard.has_run(), "{case}");
        let config = yard.text("kept/.git/config").unwrap();
        assert!(config.contains("name = me"), "{config} {case}");
        let common = yard.text(".git/worktrees/stays/commondir");
        assert_eq!(common.as_deref(), Some("../..\n"), "{case}");
    }
}
