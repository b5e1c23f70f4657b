//! Attempts to write, read and move files past the walls. Each runs as root
//! and as nobody at each level; where one succeeds, the report must have named
//! it.

use crate::stage::{CASES, Case, Kind, Ran, Stage};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use tenon_sandbox::{Level, Mode};

/// Runs a script in every case that can be had here.
pub async fn everywhere(script: &str, check: impl Fn(&Stage, &Ran)) {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let ran = stage.run(script).await;
        check(&stage, &ran);
    }
}

pub fn describe(case: Case, ran: &Ran) -> String {
    format!("{case:?} {ran:#?}")
}

#[tokio::test]
async fn every_level_says_what_it_is() {
    everywhere("true", |stage, ran| {
        let told = (ran.confinement.adapter, ran.confinement.level);
        let expected = match stage.case.kind {
            Kind::Full | Kind::Direct => ("native", Level::Full),
            Kind::Partial => ("landlock", Level::Partial),
            Kind::Bubblewrap => ("bubblewrap", Level::Full),
        };
        assert_eq!(told, expected, "{}", describe(stage.case, ran));
        assert_eq!(ran.code, Some(0));
        assert!(ran.names(".tenon"));
    })
    .await;
}

#[tokio::test]
async fn ordinary_work_in_the_root_goes_on() {
    let script = "set -e
        echo one > new; mkdir -p a/b; mv new a/b/moved; ln a/b/moved hard; ln -s a link
        cat a/b/moved; rm hard; chmod 700 a; touch -d yesterday a; echo x >> .git/index
        mkfifo pipe; truncate -s 10 big; cat <(echo sub); 
        # Nobody's pipes were made by root here.
        if [ $EUID != 65534 ]; then echo err > /dev/stderr; echo ok > /dev/stdout; else echo ok; fi
        echo gone > /dev/null; head -c1 /dev/urandom > /dev/null";
    everywhere(script, |stage, ran| {
        assert_eq!(ran.code, Some(0), "{}", describe(stage.case, ran));
        assert_eq!(ran.out, "one\nsub\nok\n");
        assert_eq!(ran.repairs, Vec::<String>::new());
        assert!(stage.root.join("a/b/moved").exists());
    })
    .await;
}

#[tokio::test]
async fn nothing_outside_the_root_can_be_written() {
    let script = r#"
        echo x > $TOP/outside/new
        echo x > $TOP/outside/file
        echo x >> $TOP/outside/file
        rm $TOP/outside/file
        mv $TOP/outside/file moved
        ln $TOP/outside/file hard && echo x > hard
        ln -s $TOP/outside link && echo x > link/new
        echo x > /proc/self/root$TOP/outside/new
        echo x > /proc/1/root$TOP/outside/new
        echo x > /proc/$PPID/root$TOP/outside/new
        mkdir $TOP/outside/folder
        truncate -s 0 $TOP/outside/file
        cp src/main.rs $TOP/outside/file
        mv src $TOP/outside/
        mv -T src $TOP/outside
        cd ..; echo x > new; cd outside; echo x > new
        python3 -c 'import os; os.rename("src/main.rs", "'$TOP'/outside/file")'
        python3 -c 'import os; os.unlink("'$TOP'/outside/file")'
        exec 7<$TOP/outside; echo x > /proc/self/fd/7/new
        exec 8<$TOP/outside/file; echo x > /proc/self/fd/8
        true"#;
    everywhere(script, |stage, ran| {
        let context = describe(stage.case, ran);
        assert_eq!(
            stage.text("outside/file").unwrap(),
            "outside\n",
            "{context}"
        );
        let left: Vec<_> = std::fs::read_dir(stage.top.join("outside"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["file"], "{context}");
        assert!(!stage.top.join("new").exists(), "{context}");
    })
    .await;
}

#[tokio::test]
async fn permissions_and_times_outside_hold_or_are_named() {
    let script = "chmod 777 $TOP/outside/file; touch -d '2001-01-01' $TOP/outside/file; true";
    everywhere(script, |stage, ran| {
        let facts = std::fs::metadata(stage.top.join("outside/file")).unwrap();
        let held = facts.permissions().mode() & 0o777 != 0o777 && facts.mtime() > 1_000_000_000;
        let named = ran.is_partial() && ran.names("permissions, owners, times");
        assert!(held || named, "{}", describe(stage.case, ran));
        assert!(held || !stage.case.has_mounts());
    })
    .await;
}

/// Every trick against what is protected inside the root.
const AGAINST_PROTECTED: &[&str] = &[
    "echo evil > .git/hooks/pre-commit",
    "echo evil > .git/hooks/post-commit",
    "echo evil >> .git/config",
    "rm -f .git/config .git/hooks/pre-commit",
    "echo evil > fresh; mv -f fresh .git/config",
    "echo evil > fresh; python3 -c 'import os; os.rename(\"fresh\", \".git/config\")'",
    "ln -f .git/config hard; echo evil > hard",
    "ln .git/hooks/pre-commit hard; echo evil > hard",
    "chmod 777 .git/hooks .git/hooks/pre-commit; echo evil > .git/hooks/pre-commit",
    "mv .git/hooks .git/old; mkdir .git/hooks; echo evil > .git/hooks/pre-commit",
    "mv .git .old; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo evil > .git/config",
    "rm -rf .git; mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; echo evil > .git/config",
    "mkdir evil; echo evil > evil/pre-commit; rm -rf .git/hooks; ln -s ../evil .git/hooks",
    "echo evil > /proc/self/root$PWD/.git/config",
    "cd .git/hooks; echo evil > pre-commit; rm pre-commit",
    "exec 7<.git/config; echo evil > /proc/self/fd/7",
    "mkdir evil; echo evil > evil/pre-commit; mount --bind evil .git/hooks; umount .git/hooks; umount -l .git",
    "umount .git/config; umount -l .git/hooks; mount -o remount,rw,bind .git/hooks; echo evil > .git/hooks/pre-commit",
    "unshare -Urm sh -c 'mount -o remount,rw,bind .git/hooks; umount .git/hooks; echo evil > .git/hooks/pre-commit'",
    "truncate -s 0 .git/config; truncate -s 0 .git/hooks/pre-commit",
    "sed -i s/core/evil/ .git/config",
    "echo evil > .git/hooks/pre-commit; chmod 000 .git/hooks",
    "echo evil > .git/hooks/pre-commit; chmod 000 .git/hooks/pre-commit; chmod 000 .git",
    "echo evil > .git/config; rm .git/hooks/pre-commit; chmod 555 .git .git/hooks",
    "mv ../root ../other; mkdir -p ../root/.git; echo evil > ../root/.git/config",
];

#[tokio::test]
async fn protected_paths_are_as_before_after_every_trick() {
    for script in AGAINST_PROTECTED {
        everywhere(&format!("{script}; true"), |stage, ran| {
            let context = format!("{script}\n{}", describe(stage.case, ran));
            // As the user would to get at it again.
            let git = stage.root.join(".git");
            std::fs::set_permissions(&git, PermissionsExt::from_mode(0o755)).unwrap();
            let config = stage.text("root/.git/config");
            let hook = stage.text("root/.git/hooks/pre-commit");
            assert_eq!(config.as_deref(), Some("[core]\n"), "{context}");
            assert_eq!(hook.as_deref(), Some("#!/bin/sh\n"), "{context}");
            assert!(
                !stage.root.join(".git/hooks/post-commit").exists(),
                "{context}"
            );
            assert!(
                stage.case.has_mounts() || ran.names("protected paths in writable folders"),
                "{context}"
            );
            assert!(
                !stage.case.has_mounts() || ran.repairs.is_empty(),
                "{context}"
            );
        })
        .await;
    }
}

#[tokio::test]
async fn at_the_partial_level_a_repair_is_told() {
    for case in CASES.into_iter().filter(|case| case.kind == Kind::Partial) {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let ran = stage
            .run("echo evil > .git/config; echo evil > .git/hooks/new; rm .git/hooks/pre-commit")
            .await;
        assert_eq!(ran.code, Some(0));
        assert_eq!(ran.repairs.len(), 3, "{ran:#?}");
        assert_eq!(stage.text("root/.git/config").unwrap(), "[core]\n");
        assert_eq!(
            stage.text("root/.git/hooks/pre-commit").unwrap(),
            "#!/bin/sh\n"
        );
        let aside = std::fs::read_dir(stage.root.join(".git"))
            .unwrap()
            .filter(|entry| {
                let name = entry.as_ref().unwrap().file_name();
                name.to_string_lossy().starts_with("new.set-aside-")
            })
            .count();
        assert_eq!(aside, 1);
    }
}

#[tokio::test]
async fn a_protected_path_that_appears_is_set_aside_and_told() {
    let script = "mkdir .tenon; echo evil > .tenon/config.jsonc";
    everywhere(script, |stage, ran| {
        let context = describe(stage.case, ran);
        assert!(!stage.root.join(".tenon").exists(), "{context}");
        assert_eq!(ran.repairs.len(), 1, "{context}");
        assert!(ran.names(".tenon"), "{context}");
        let (before, after) = renamed(&ran.repairs[0]);
        assert_eq!(before, stage.root.join(".tenon"), "{context}");
        // The file in it may have come too late: it was moved at once.
        assert!(after.is_dir(), "{context}");
    })
    .await;
}

/// The old and the new name in what is told of a thing that was set aside.
fn renamed(told: &str) -> (PathBuf, PathBuf) {
    let mut names = told.split('`').skip(1).step_by(2).map(PathBuf::from);
    (names.next().unwrap(), names.next().unwrap())
}

#[tokio::test]
async fn what_is_set_aside_is_told_by_both_of_its_own_names() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.read_only.push(stage.root.join("on/the/way"));
        for (script, moved) in [
            ("echo x > on", "on"),
            ("mkdir on; ln -s /tmp on/the", "on/the"),
            ("mkdir -p on/the; echo x > on/the/way", "on/the/way"),
        ] {
            let ran = stage.run(script).await;
            let context = describe(case, &ran);
            assert_eq!(ran.repairs.len(), 1, "{context}");
            let (before, after) = renamed(&ran.repairs[0]);
            assert_eq!(before, stage.root.join(moved), "{context}");
            assert!(before.symlink_metadata().is_err(), "{context}");
            assert!(after.symlink_metadata().is_ok(), "{context}");
        }
    }
}

#[tokio::test]
async fn a_repair_is_told_while_the_command_still_runs() {
    let (case, script) = (CASES[0], "mkdir .tenon; sleep 600");
    if !case.is_possible() {
        return;
    }
    let stage = Stage::new(case);
    let mut command = stage.start(script).await;
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    command.on_repair(move |repair| tell.send(repair.text.clone()).unwrap());
    let first = crate::support::soon(async {
        tokio::select! {
            what = told.recv() => what,
            exit = command.exited() => panic!("it ended first: {exit:?}"),
        }
    });
    let (before, _) = renamed(&first.await.unwrap());
    assert_eq!(before, stage.root.join(".tenon"));
    command.kill();
    crate::stage::finish(command).await;
}

#[tokio::test]
async fn a_link_in_place_of_a_missing_protected_path_does_not_lead_the_repair_astray() {
    let script = "ln -s $TOP/outside .tenon";
    everywhere(script, |stage, ran| {
        assert!(stage.root.join(".tenon").symlink_metadata().is_err());
        assert_eq!(stage.text("outside/file").unwrap(), "outside\n");
        assert_eq!(ran.repairs.len(), 1);
    })
    .await;
}

/// Every way to the bytes of something hidden.
const AGAINST_HIDDEN: &[&str] = &[
    "cat $TOP/home/.ssh/id $TOP/home/.netrc",
    "cat /proc/self/root$TOP/home/.ssh/id; cat /proc/1/root$TOP/home/.netrc",
    "cat /proc/$PPID/root$TOP/home/.netrc; cat /proc/$TENON/root$TOP/home/.netrc",
    "ln $TOP/home/.ssh/id hard; cat hard; ln $TOP/home/.netrc hard2; cat hard2",
    "cp -r $TOP/home copy; cat copy/.ssh/id copy/.netrc",
    "mv $TOP/home/.ssh moved; cat moved/id",
    "cd $TOP/home/.ssh; cat id; cd ..; cat .netrc",
    "ln -s $TOP/home link; cat link/.ssh/id link/.netrc",
    "exec 7<$TOP/home; cat /proc/self/fd/7/.ssh/id /proc/self/fd/7/.netrc",
    "umount $TOP/home/.ssh; umount -l $TOP/home/.netrc; cat $TOP/home/.ssh/id $TOP/home/.netrc",
    "unshare -Urm sh -c 'umount -l $TOP/home/.ssh; cat $TOP/home/.ssh/id $TOP/home/.netrc'",
    "for p in /proc/[0-9]*; do cat $p/root$TOP/home/.netrc $p/cwd/../home/.netrc; done",
    "python3 - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
class Handle(ctypes.Structure):
    _fields_ = [('bytes', ctypes.c_uint), ('type', ctypes.c_int), ('data', ctypes.c_ubyte * 128)]
handle = Handle(); handle.bytes = 128; mount = ctypes.c_int()
top = os.environ['TOP'].encode()
libc.name_to_handle_at(-100, top + b'/home/.netrc', ctypes.byref(handle), ctypes.byref(mount), 0)
place = os.open(top, os.O_RDONLY)
found = libc.open_by_handle_at(place, ctypes.byref(handle), os.O_RDONLY)
if found >= 0: print(os.read(found, 100))
END",
];

#[tokio::test]
async fn hidden_files_outside_the_root_cannot_be_read_by_any_way() {
    for script in AGAINST_HIDDEN {
        everywhere(&format!("{script}; true"), |stage, ran| {
            let context = format!("{script}\n{}", describe(stage.case, ran));
            assert!(!ran.out.contains("SECRET"), "{context}");
            assert!(stage.text("home/.ssh/id").unwrap().contains("SECRET"));
            assert!(stage.text("home/.netrc").unwrap().contains("SECRET"));
        })
        .await;
    }
}

#[tokio::test]
async fn what_is_beside_a_hidden_path_stays_readable() {
    everywhere(
        "cat $TOP/home/plain/file $TOP/outside/file; ls $TOP/home",
        |stage, ran| {
            assert_eq!(
                ran.out,
                "plain\noutside\nplain\n",
                "{}",
                describe(stage.case, ran)
            );
        },
    )
    .await;
}

#[tokio::test]
async fn a_hidden_file_inside_the_root_is_hidden_or_named() {
    everywhere("cat .env; echo changed > .env; true", |stage, ran| {
        let context = describe(stage.case, ran);
        let seen = ran.out.contains("SECRET");
        assert!(!(seen && stage.case.has_mounts()), "{context}");
        assert!(!seen || ran.names(".env"), "{context}");
        assert_eq!(
            stage.text("root/.env").unwrap(),
            "SECRET=in-root\n",
            "{context}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_hidden_file_is_not_read_by_moving_its_folder_in_an_earlier_command() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        let secret = stage.root.join("config/deep/.env");
        std::fs::create_dir_all(secret.parent().unwrap()).unwrap();
        std::fs::write(&secret, "SECRET=deep\n").unwrap();
        if case.who == crate::stage::Who::Nobody {
            stage.give_to_nobody();
        }
        stage.policy.hidden.push(secret);
        let earlier = stage.run("mv config zz; mv config/deep yy; true").await;
        let ran = stage
            .run("cat zz/deep/.env yy/.env config/deep/.env; true")
            .await;
        let seen = ran.out.contains("SECRET");
        assert!(
            !seen || (!case.has_mounts() && earlier.names("config/deep/.env")),
            "{}",
            describe(case, &ran)
        );
    }
}

#[tokio::test]
async fn in_read_only_mode_the_root_is_not_writable_and_a_named_folder_is() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.mode = Mode::ReadOnly;
        stage.policy.writable = vec![stage.top.join("outside")];
        let ran = stage
            .run("echo x > src/new; rm src/main.rs; mkdir .tenon; echo x > $TOP/outside/new; true")
            .await;
        let context = describe(case, &ran);
        assert!(!stage.root.join("src/new").exists(), "{context}");
        assert!(stage.root.join("src/main.rs").exists(), "{context}");
        assert!(!stage.root.join(".tenon").exists(), "{context}");
        assert!(stage.top.join("outside/new").exists(), "{context}");
    }
}

#[tokio::test]
async fn a_command_cannot_have_its_next_one_write_elsewhere_by_a_link() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        std::fs::create_dir(stage.root.join("cache")).unwrap();
        if case.who == crate::stage::Who::Nobody {
            stage.give_to_nobody();
        }
        stage.policy.writable = vec![stage.root.join("cache")];
        stage.run("rmdir cache; ln -s $TOP/outside cache").await;
        let ran = stage
            .run("echo x > cache/new; echo x > $TOP/outside/new; true")
            .await;
        let context = describe(case, &ran);
        assert!(!stage.top.join("outside/new").exists(), "{context}");
    }
}

#[tokio::test]
async fn a_folder_closed_by_one_command_does_not_lose_its_protection_in_the_next() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        stage.run("chmod 000 .git").await;
        let script = "chmod 755 .git; echo evil > .git/hooks/pre-commit; true";
        // Either nobody but root could look, and then it does not run at all.
        if let Ok(command) = case.supervisor().spawn(stage.spec(script)).await {
            crate::stage::finish(command).await;
        }
        std::fs::set_permissions(stage.root.join(".git"), PermissionsExt::from_mode(0o755))
            .unwrap();
        assert_eq!(
            stage.text("root/.git/hooks/pre-commit").unwrap(),
            "#!/bin/sh\n",
            "{case:?}"
        );
    }
}

#[tokio::test]
async fn a_protected_path_that_appears_is_set_aside_while_the_command_still_runs() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        let command = stage
            .start("mkdir .tenon; while [ -e .tenon ]; do sleep 0.01; done; echo gone > gone; sleep 600")
            .await;
        crate::support::until("it is set aside", || stage.root.join("gone").exists());
        command.kill();
        let ran = crate::stage::finish(command).await;
        assert_eq!(ran.repairs.len(), 1, "{}", describe(case, &ran));
    }
}

#[tokio::test]
async fn a_root_inside_a_writable_folder_keeps_its_protection() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.writable = vec![stage.top.clone()];
        let script = "mv ../root ../other; mkdir -p ../root/.git/hooks; cd ../root
            echo evil > .git/config; echo evil > .git/hooks/pre-commit; echo x > ../outside/new; true";
        let ran = stage.run(script).await;
        let context = describe(case, &ran);
        assert_eq!(
            stage.text("root/.git/config").as_deref(),
            Some("[core]\n"),
            "{context}"
        );
        assert_eq!(
            stage.text("root/.git/hooks/pre-commit").as_deref(),
            Some("#!/bin/sh\n"),
            "{context}"
        );
        assert!(stage.top.join("outside/new").exists(), "{context}");
    }
}

#[tokio::test]
async fn a_root_turned_into_a_link_gives_the_next_command_nothing() {
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        stage.policy.read_only.clear();
        stage.policy.writable = vec![stage.top.join("root")];
        stage.policy.root = stage.top.join("root/src");
        stage.run("mv src old; ln -s $TOP/outside src").await;
        let spec = stage.spec("echo x > $TOP/outside/new");
        assert!(case.supervisor().spawn(spec).await.is_err(), "{case:?}");
        assert!(!stage.top.join("outside/new").exists());
    }
}
