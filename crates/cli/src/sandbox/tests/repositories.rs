//! What of a repository commands may write, and what they may not.

use super::{Ground, git, opened, settings};
use crate::sandbox::Walls;
use std::path::PathBuf;
use tenon_config::SandboxSettings;

#[test]
fn hooks_and_settings_of_a_repository_are_protected_and_a_folder_without_one_can_get_one() {
    let ground = Ground::new();
    let root = ground.root();
    let none = ground.policy(&settings()).read_only;
    assert!(!none.iter().any(|path| path.starts_with(root.join(".git"))));
    git(&root, &["init", "-q"]);
    let policy = ground.policy(&settings());
    assert!(policy.read_only.contains(&root.join(".git/hooks")));
    assert!(policy.read_only.contains(&root.join(".git/config")));
    assert!(!policy.read_only.contains(&root.join(".git")));
}

#[test]
fn a_protected_path_opens_only_to_who_names_it() {
    let ground = Ground::new();
    let root = ground.root();
    git(&root, &["init", "-q"]);
    let with = |path: &str| {
        let writable = vec![String::from(path)];
        ground
            .policy(&SandboxSettings {
                writable,
                ..settings()
            })
            .read_only
    };
    assert!(with(".git").contains(&root.join(".git/config")));
    assert!(with(".").contains(&root.join(".git/config")));
    let named = with(".git/config");
    assert!(!named.contains(&root.join(".git/config")));
    assert!(named.contains(&root.join(".git/hooks")));
}

#[test]
fn a_linked_worktree_may_write_where_git_keeps_it() {
    let ground = Ground::new();
    let main = ground.home().join("main");
    std::fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "x"]);
    std::fs::remove_dir(ground.root()).unwrap();
    git(&main, &["worktree", "add", "-q", "../project"]);
    let policy = ground.policy(&settings());
    assert!(policy.writable.contains(&main.join(".git")));
    assert!(
        policy
            .writable
            .contains(&main.join(".git/worktrees/project"))
    );
    assert!(policy.read_only.contains(&main.join(".git/hooks")));
    assert!(policy.read_only.contains(&main.join(".git/config")));
}

#[test]
fn what_leads_git_to_other_settings_is_protected_with_every_working_tree() {
    let ground = Ground::new();
    let root = ground.root();
    git(&root, &["init", "-q"]);
    git(&root, &["commit", "-q", "--allow-empty", "-m", "x"]);
    git(&root, &["worktree", "add", "-q", "../linked"]);
    let protected = ground.policy(&settings()).read_only;
    assert!(protected.contains(&root.join(".git/commondir")));
    // A mount would keep `git worktree remove` from its work.
    let trees = root.join(".git/worktrees");
    assert!(!protected.iter().any(|path| path.starts_with(&trees)));
    let linked = ground.home().join("linked");
    let place = ground.place(linked.clone());
    let protected = Walls::find(&place, &settings(), None)
        .policy
        .unwrap()
        .read_only;
    for path in [
        linked.join(".git"),
        root.join(".git/hooks"),
        root.join(".git/worktrees/linked/commondir"),
    ] {
        assert!(protected.contains(&path), "{}", path.display());
    }
}

#[test]
fn a_git_folder_elsewhere_in_the_root_is_protected_and_one_outside_opens_nothing() {
    let ground = Ground::new();
    let root = ground.root();
    git(&root, &["init", "-q", "--separate-git-dir", "kept"]);
    let protected = ground.policy(&settings()).read_only;
    for path in [".git", "kept/hooks", "kept/config", "kept/commondir"] {
        assert!(protected.contains(&root.join(path)), "{path}");
    }
    std::fs::remove_file(root.join(".git")).unwrap();
    std::os::unix::fs::symlink("kept", root.join(".git")).unwrap();
    let protected = ground.policy(&settings()).read_only;
    assert!(protected.contains(&root.join(".git/hooks")));
    assert!(!protected.contains(&root.join(".git")));

    let outside = ground.home().join("outside");
    std::fs::rename(root.join("kept"), &outside).unwrap();
    std::fs::remove_file(root.join(".git")).unwrap();
    std::os::unix::fs::symlink(&outside, root.join(".git")).unwrap();
    assert!(!opened(&ground.policy(&settings()), &outside));
}

#[test]
fn no_mount_keeps_a_clone_in_a_root_from_being_moved() {
    let ground = Ground::new();
    let root = ground.root();
    for path in ["one", "group/two"] {
        std::fs::create_dir_all(root.join(path)).unwrap();
        git(&root.join(path), &["init", "-q"]);
    }
    let protected = ground.policy(&settings()).read_only;
    for path in ["one", "group"] {
        let below = root.join(path);
        assert!(
            !protected.iter().any(|path| path.starts_with(&below)),
            "{path}"
        );
    }
}

#[test]
fn a_root_below_its_repository_may_commit() {
    let ground = Ground::new();
    let root = ground.root();
    git(&root, &["init", "-q"]);
    let inner = root.join("crates/a");
    std::fs::create_dir_all(&inner).unwrap();
    let place = ground.place(inner);
    let policy = Walls::find(&place, &settings(), None).policy.unwrap();
    assert!(policy.writable.contains(&root.join(".git")));
    assert!(policy.read_only.contains(&root.join(".git/hooks")));
    assert!(!policy.writable.contains(&root));
}

#[test]
fn a_git_file_that_names_a_foreign_folder_opens_nothing() {
    let ground = Ground::new();
    let victim = ground.home().join("victim");
    std::fs::create_dir(&victim).unwrap();
    git(&victim, &["init", "-q"]);
    for target in [
        victim.join(".git"),
        victim.clone(),
        ground.home(),
        PathBuf::from("/"),
    ] {
        let text = format!("gitdir: {}\n", target.display());
        std::fs::write(ground.root().join(".git"), text).unwrap();
        assert_eq!(
            crate::sandbox::git::around(&ground.root()),
            None,
            "{}",
            target.display()
        );
    }
    // Not even when the project brings a folder that looks right.
    let fake = ground.root().join("fake/worktrees/x");
    std::fs::create_dir_all(&fake).unwrap();
    std::fs::write(fake.join("commondir"), victim.to_string_lossy().as_bytes()).unwrap();
    std::fs::write(fake.join("gitdir"), "../../../.git\n").unwrap();
    std::fs::write(ground.root().join(".git"), "gitdir: fake/worktrees/x\n").unwrap();
    let policy = ground.policy(&settings());
    assert!(!opened(&policy, &victim));
}
