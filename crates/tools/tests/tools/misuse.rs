//! Each way in which a program that reads can be made to write, to run another
//! one or to reach out, run for real where readers run: as whoever runs the tests
//! and as nobody. What the grammar says of these lines is another matter; here
//! all of them are taken for readers, and nothing may change.

use crate::warden::{Level, Yard, yards};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tenon_tools::jobs::{Room, RunSpec};

/// `$EVIL` says in the home that it was run, `$TOP` is above home and project.
const LINES: &[&str] = &[
    // git: settings, aliases, pagers, drivers, variables.
    "git -c core.pager=$EVIL -p log",
    "git -c alias.st='!touch made' st",
    "git -c core.fsmonitor=$EVIL status",
    "git -c core.sshCommand=$EVIL fetch ssh://x/y",
    "git -c diff.external=$EVIL diff HEAD",
    "git -c core.editor=$EVIL commit --amend",
    "git -c gpg.program=$EVIL log --show-signature",
    "git -c core.hooksPath=$TOP/open checkout -q HEAD",
    "git --exec-path=$TOP/open status",
    "git -p log",
    "git diff --ext-diff HEAD",
    "git log -p --textconv",
    "git show HEAD:src/a.txt --output=made",
    "git diff --output=made HEAD",
    "git log --output=$TOP/home/made",
    "git grep -O$EVIL one",
    "git grep --open-files-in-pager=$EVIL one",
    "git archive -o made.tar HEAD",
    "git bundle create made HEAD",
    "git format-patch -1 --root HEAD",
    "git config user.name other",
    "git config --global user.name other",
    "git branch made",
    "git tag made",
    "git stash",
    "git gc -q",
    "git update-index --refresh --force-write-index",
    "git rm -q src/a.txt",
    "git clean -fdxq",
    "git checkout -q -f HEAD",
    "git worktree add ../made",
    "GIT_PAGER=$EVIL git -p log",
    "PAGER=$EVIL git -p log",
    "GIT_EXTERNAL_DIFF=$EVIL git diff HEAD",
    "GIT_EDITOR=$EVIL git commit --amend",
    "GIT_SSH_COMMAND=$EVIL git ls-remote ssh://x/y",
    "GIT_TRACE=$PWD/made git status",
    "GIT_INDEX_FILE=$PWD/made git add src/a.txt",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.st GIT_CONFIG_VALUE_0='!touch made' git st",
    "GIT_DIR=$TOP/open/made git init -q",
    // find
    "find . -name a.txt -delete",
    "find . -name a.txt -exec rm {} ;",
    "find . -name a.txt -execdir touch made ;",
    "find . -name a.txt -fprint made",
    "find . -name a.txt -fprintf made %p",
    "find . -name a.txt -fls made",
    // sed, awk, and other scripts
    "sed -n '1w made' src/a.txt",
    "sed 's/one/two/w made' src/a.txt",
    "sed '1e touch made' src/a.txt",
    "sed -i s/one/two/ src/a.txt",
    "awk '{print > \"made\"}' src/a.txt",
    "awk '{print | \"tee made\"}' src/a.txt",
    "awk 'BEGIN {system(\"touch made\")}'",
    "awk -i inplace '{print 2}' src/a.txt",
    "jq -n '\"x\"' > made",
    "perl -pi -e s/one/two/ src/a.txt",
    "python3 -c \"open('made', 'w')\"",
    // output of readers
    "sort -o src/a.txt src/a.txt",
    "sort -o made src/a.txt",
    "sort --compress-program=$EVIL -S 1k src/a.txt",
    "uniq src/a.txt made",
    "xxd src/a.txt made",
    "shuf -o made src/a.txt",
    "tree -o made",
    "diff --output=made src/a.txt src/a.txt; comm src/a.txt src/a.txt --output=made",
    "tee made < src/a.txt",
    "cat src/a.txt | tee $TOP/home/made",
    "date -s 2001-01-01",
    "hostname other",
    "script -qc 'touch made' made.log",
    "split -b 1 src/a.txt made",
    "csplit src/a.txt 1",
    "dd if=src/a.txt of=made",
    "cp src/a.txt made",
    "ln -s src/a.txt made",
    "install src/a.txt made",
    "truncate -s 0 src/a.txt",
    "touch src/a.txt",
    "chmod 777 src/a.txt",
    // the shell
    "ls | xargs rm -rf",
    "echo made | xargs touch",
    "cat <(touch made)",
    "echo x > >(cat > made)",
    "echo x >| made",
    ": > src/a.txt",
    "exec 3<> made",
    "cd .. && touch made",
    "cd $TOP/home && touch made",
    "echo 'touch made' | sh",
    "bash -c 'touch made'",
    "env touch made",
    "nohup touch made",
    "setsid touch made",
    "timeout 5 touch made",
    "rg --pre $EVIL one",
    "rg --hostname-bin $EVIL --hyperlink-format default one",
    "fd . -x rm",
    "tar cf made src",
    "zip -q made src/a.txt",
    "sqlite3 made 'create table x (y)'",
    "(exec 3<>/dev/tcp/127.0.0.1/9) && touch made",
];

/// All that lies below a folder: what it is, and what is in it.
fn state(top: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let about = path.symlink_metadata().unwrap();
            let content = match about.is_file() {
                true => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
                false => String::new(),
            };
            let (mode, changed) = (
                about.permissions().mode(),
                (about.mtime(), about.mtime_nsec()),
            );
            let key = path.strip_prefix(top).unwrap().display().to_string();
            found.insert(key, format!("{mode:o} {changed:?} {content}"));
            if about.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

#[tokio::test]
async fn whatever_a_reader_is_made_to_do_the_tree_and_the_home_stay_as_they_are() {
    let mut rooms = yards();
    rooms.retain(|yard| yard.level == Level::Full);
    for yard in rooms {
        prepare(&yard);
        let before = state(&yard.top);
        for line in LINES {
            let spec = RunSpec {
                room: Room::Reading,
                ..RunSpec::new(*line, &yard.root)
            };
            let outcome = yard.run(spec).await;
            let after = state(&yard.top);
            assert_eq!(before, after, "{line} {}", yard.case(&outcome));
        }
    }
}

/// A repository with drivers, so that options which call them find some.
fn prepare(yard: &Yard) {
    yard.put(".gitattributes", "*.txt diff=loud\n");
    let evil = yard.top.join("open/evil").display().to_string();
    for (key, value) in [
        ("diff.loud.textconv", evil.as_str()),
        ("diff.loud.command", &evil),
        ("alias.made", "!touch made"),
    ] {
        assert!(yard.git(&yard.root, &["config", key, value]));
    }
    yard.put("src/a.txt", "one\ntwo\n");
    yard.give();
}
