//! What another user, or a repository, can put in the place of a file: a named
//! pipe is never waited for, and nobody else's file decides for this user.

use crate::model::Model;
use crate::program::{Program, Ran};
use rustix::fs::{CWD, Mode, mkfifoat};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// In the place of whatever stands there.
fn pipe(path: &Path) {
    if path.symlink_metadata().is_ok() {
        std::fs::remove_file(path).unwrap();
    }
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).unwrap();
}

fn exec(program: &Program, model: &Model, flags: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(["exec", "-p", "hi"]).args(flags);
    Ran::of(command.output().unwrap())
}

#[test]
fn a_pipe_in_the_project_or_in_the_state_is_never_waited_for() {
    let model = Model::says("hello");
    for place in [
        "project/.git/HEAD",
        "project/AGENTS.md",
        "project/.tenon/tenon.jsonc",
        "project/.tenon/skills/x/SKILL.md",
        "project/.claude/commands/x.md",
        "tenon/AGENTS.md",
        "tenon/skills/x/SKILL.md",
        "tenon/commands/x.md",
        "tenon/choices.json",
        "tenon/trust.json",
        "tenon/trust.lock",
        "tenon/learned.json",
        "tenon/windows.json",
        "tenon/told.json",
        "tenon/history",
        "tenon/sessions/list",
        "home/.npmrc",
        "home/.netrc",
    ] {
        let program = Program::new();
        let (folder, name) = place.split_once('/').unwrap();
        let folder = match folder {
            "project" => program.home.project(),
            "home" => program.home.home(),
            _ => program.home.tenon(),
        };
        pipe(&folder.join(name));
        let ran = exec(&program, &model, &[]);
        assert!(ran.code == 0 || !ran.err.is_empty(), "{place}: {ran:?}");
        program.run(&["sessions", "list"]);
        program.run(&["doctor"]);
    }
}

#[test]
fn a_pipe_in_the_place_of_a_configuration_is_said_to_be_none() {
    let program = Program::new();
    let path = program.home.tenon().join("tenon.jsonc");
    pipe(&path);
    let model = Model::says("hello");
    exec(&program, &model, &[])
        .ended(2)
        .complains("tenon.jsonc: it isn't a regular file");
    std::fs::remove_file(&path).unwrap();
    let extra = program.home.project().join("extra.json");
    pipe(&extra);
    exec(&program, &model, &["--config", extra.to_str().unwrap()])
        .ended(2)
        .complains("it isn't a regular file");
    assert!(model.asked().is_empty());
}

fn logs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(logs(&path));
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_pipe_in_the_place_of_a_session_is_an_error_and_no_wait() {
    let program = Program::new();
    let model = Model::says("hello");
    exec(&program, &model, &[]).ended(0);
    let log = logs(&program.home.tenon().join("sessions")).remove(0);
    let id = log.file_stem().unwrap().to_str().unwrap().to_owned();
    for file in [
        log.clone(),
        log.with_extension("d").join("lock"),
        log.with_extension("d").join("digest"),
    ] {
        pipe(&file);
        for line in [
            &["sessions", "list"][..],
            &["sessions", "show", &id],
            &["sessions", "verify"],
            &["sessions", "export", &id],
            &["sessions", "search", "hello"],
            &["cost"],
        ] {
            program.run(line);
        }
        exec(&program, &model, &["--session", &id]);
        exec(&program, &model, &["--session", &id, "--fork"]);
    }
    pipe(&log);
    let ran = exec(&program, &model, &["--session", &id]);
    assert_ne!(ran.code, 0, "{ran:?}");
}

#[test]
fn what_others_may_write_does_not_decide_for_the_user() {
    let model = Model::says("hello");
    let program = Program::new();
    let path = program.home.tenon().join("tenon.jsonc");
    let extra = program.home.project().join("extra.json");
    let extra_flag = ["--config", extra.to_str().unwrap()];
    for (file, flags) in [(&path, &[][..]), (&extra, &extra_flag[..])] {
        std::fs::write(file, "{}").unwrap();
        exec(&program, &model, flags).ended(0);
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o666)).unwrap();
        exec(&program, &model, flags)
            .ended(2)
            .complains(": other users can write to it")
            .complains("chmod go-w");
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o644)).unwrap();
        exec(&program, &model, flags).ended(0);
    }
    // Only root can give a file away.
    if rustix::process::geteuid().is_root() {
        for (file, flags) in [(&path, &[][..]), (&extra, &extra_flag[..])] {
            std::os::unix::fs::chown(file, Some(12345), None).unwrap();
            exec(&program, &model, flags)
                .ended(2)
                .complains(": it belongs to another user (number 12345; you are 0)");
            std::os::unix::fs::chown(file, Some(0), None).unwrap();
        }
    }
}

#[test]
fn answers_about_trust_that_another_user_wrote_do_not_count() {
    let program = Program::new();
    let model = Model::says("hello");
    let folder = program.home.project().join(".tenon");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("tenon.jsonc"),
        r#"{"append_system_prompt": "PROJECT-WORD"}"#,
    )
    .unwrap();
    exec(&program, &model, &["--trust-project"]).ended(0);
    exec(&program, &model, &[]).ended(0);
    let is_used = || {
        let last = model.asked().pop().unwrap();
        String::from_utf8_lossy(&last.body).contains("PROJECT-WORD")
    };
    assert!(is_used());
    let trust = program.home.tenon().join("trust.json");
    let refused = |why: &str| {
        let asked = model.asked().len();
        let ran = exec(&program, &model, &[]);
        assert!(ran.err.contains(why), "{ran:?}");
        assert!(model.asked().len() == asked || !is_used(), "{ran:?}");
    };
    std::fs::set_permissions(&trust, PermissionsExt::from_mode(0o606)).unwrap();
    refused("other users can write to it");
    std::fs::set_permissions(&trust, PermissionsExt::from_mode(0o600)).unwrap();
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::chown(&trust, Some(12345), None).unwrap();
        refused("it belongs to another user");
    }
}
