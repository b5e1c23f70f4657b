//! Skills in real folders: what is found, what is left out and said, and the
//! verdicts of the validator beside those of the reference.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use tenon_config::skills::{Found, Level, Places, discover, folders, validate};

/// A home, a project in it, and a folder of configuration.
struct World {
    folder: tempfile::TempDir,
    paths: Vec<String>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "config"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self {
            folder,
            paths: Vec::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn skill(&self, folder: &str, text: &str) -> &Self {
        let folder = self.path(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), text).unwrap();
        self
    }

    fn named(&self, folder: &str, name: &str, description: &str) -> &Self {
        self.skill(
            folder,
            &format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n"),
        )
    }

    fn find(&self) -> Found {
        discover(&Places {
            root: &self.path("project"),
            config: &self.path("config"),
            home: Some(self.folder.path()),
            paths: &self.paths,
        })
    }

    fn names(&self) -> Vec<(String, String)> {
        let found = self.find().skills.into_iter();
        found
            .map(|skill| (skill.source.name().to_owned(), skill.name))
            .collect()
    }
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    let own = |(source, name): &(&str, &str)| ((*source).to_owned(), (*name).to_owned());
    all.iter().map(own).collect()
}

#[test]
fn every_folder_is_looked_into_and_the_project_comes_first() {
    let mut world = World::new();
    world
        .named("project/.claude/skills/c", "c", "x")
        .named("project/.agents/skills/b", "b", "x")
        .named("project/.tenon/skills/a", "a", "x")
        .named("config/skills/d", "d", "x")
        .named(".agents/skills/e", "e", "x")
        .named(".claude/skills/f", "f", "x")
        .named("elsewhere/g", "g", "x")
        .named("project/more/h", "h", "x")
        .named("tilde/group/i", "i", "x");
    world.paths = vec![
        world.path("elsewhere").display().to_string(),
        String::from("more"),
        String::from("~/tilde"),
        String::from("nowhere"),
    ];
    let project = ["a", "b", "c", "h"].map(|name| ("project", name));
    let user = ["d", "e", "f", "g", "i"].map(|name| ("user", name));
    assert_eq!(world.names(), pairs(&[&project[..], &user[..]].concat()));
    let remarks = world.find().remarks;
    assert_eq!(remarks.len(), 1, "{remarks:?}");
    assert!(
        remarks[0].starts_with("skills.paths: ") && remarks[0].ends_with("nowhere isn't a folder")
    );
}

#[test]
fn the_nearest_of_two_wins_and_the_other_is_told() {
    let world = World::new();
    world
        .named("project/.agents/skills/pdf", "pdf", "second")
        .named("project/.tenon/skills/pdf", "pdf", "first")
        .named("config/skills/PDF", "PDF", "third")
        .named(".claude/skills/other", "pdf", "fourth");
    let found = world.find();
    assert_eq!(found.skills.len(), 1);
    assert_eq!(found.skills[0].description, "first");
    assert_eq!(
        found.skills[0].folder,
        world
            .path("project/.tenon/skills/pdf")
            .canonicalize()
            .unwrap()
    );
    let told = &found.remarks[0];
    assert!(told.starts_with("skills found more than once"), "{told}");
    for place in [
        "project/.agents/skills/pdf",
        "config/skills/PDF",
        ".claude/skills/other",
    ] {
        assert!(told.contains(place), "{told}");
    }
}

#[test]
fn one_folder_under_two_names_is_no_conflict() {
    let world = World::new();
    world.named(".agents/skills/a", "a", "x");
    fs::create_dir(world.path(".claude")).unwrap();
    symlink("../.agents/skills", world.path(".claude/skills")).unwrap();
    fs::create_dir_all(world.path("config/skills")).unwrap();
    symlink("../../.agents/skills/a", world.path("config/skills/b")).unwrap();
    let found = world.find();
    assert_eq!(found.skills.len(), 1);
    assert_eq!(found.remarks, [""; 0]);
}

#[test]
fn a_link_out_of_the_project_is_refused_and_one_of_the_user_is_not() {
    let world = World::new();
    world
        .named("outside/s", "s", "x")
        .named("project/inside/t", "t", "x");
    let skills = world.path("project/.tenon/skills");
    fs::create_dir_all(skills.join("u")).unwrap();
    symlink(world.path("outside/s"), skills.join("s")).unwrap();
    symlink("../../inside/t", skills.join("t")).unwrap();
    symlink(world.path("outside/s/SKILL.md"), skills.join("u/SKILL.md")).unwrap();
    symlink(world.path("outside"), world.path("project/.agents")).unwrap();
    fs::create_dir_all(world.path("outside/skills")).unwrap();
    fs::create_dir_all(world.path("project/.claude")).unwrap();
    symlink(world.path("outside"), world.path("project/.claude/skills")).unwrap();
    assert_eq!(world.names(), pairs(&[("project", "t")]));
    let remarks = world.find().remarks;
    let out: Vec<&String> = remarks
        .iter()
        .filter(|remark| remark.contains("a link out of"))
        .collect();
    assert_eq!(out.len(), 4, "{remarks:?}");

    let world = World::new();
    world.named("dotfiles/s", "s", "x");
    fs::create_dir_all(world.path("config/skills")).unwrap();
    symlink(world.path("dotfiles/s"), world.path("config/skills/s")).unwrap();
    assert_eq!(world.names(), pairs(&[("user", "s")]));
}

#[test]
fn a_project_cannot_show_a_secret_by_linking_to_it() {
    let world = World::new();
    fs::write(world.path("project/.env"), "KEY=s3cret\n").unwrap();
    let folder = world.path("project/.tenon/skills/x");
    fs::create_dir_all(&folder).unwrap();
    symlink("../../../.env", folder.join("SKILL.md")).unwrap();
    let found = world.find();
    assert_eq!(found.skills, []);
    assert!(
        found.remarks[0].ends_with("it is a link to a file with another name"),
        "{:?}",
        found.remarks
    );
}

#[test]
fn a_bad_skill_is_told_and_the_others_are_used() {
    let world = World::new();
    world
        .named("config/skills/good", "good", "x")
        .skill("config/skills/empty", "")
        .skill(
            "config/skills/endless",
            &format!("---\nname: a\n{}", "x: y\n".repeat(40_000)),
        );
    fs::create_dir_all(world.path("config/skills/folder/SKILL.md")).unwrap();
    fs::create_dir_all(world.path("config/skills/loose")).unwrap();
    symlink("nowhere", world.path("config/skills/loose/SKILL.md")).unwrap();
    symlink("circle", world.path("config/skills/circle")).unwrap();
    fs::create_dir_all(world.path("config/skills/pipe")).unwrap();
    let pipe = world.path("config/skills/pipe/SKILL.md");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(world.names(), pairs(&[("user", "good")]));
    let remarks = world.find().remarks;
    assert_eq!(remarks.len(), 5, "{remarks:#?}");
    for name in ["empty", "endless", "folder", "loose", "pipe"] {
        let told = |remark: &&String| remark.contains(&format!("/{name}/SKILL.md is ignored: "));
        assert!(
            remarks.iter().any(|remark| told(&remark)),
            "{name}: {remarks:#?}"
        );
    }
}

#[test]
fn what_is_not_by_the_letter_loads_nevertheless() {
    let world = World::new();
    world
        .skill("config/skills/bare", "# Bare\n\nHelps with bare things.\n")
        .named("config/skills/colon", "colon", "Use it when: asked: at all")
        .named("config/skills/Shout", "SHOUT ALOUD", "x")
        .skill(
            "config/skills/mine",
            "---\nname: mine\ndescription: x\ndisable-model-invocation: true\nversion: [1, 2]\n---\n",
        );
    let found = world.find();
    let read: BTreeMap<&str, (&str, bool)> = found
        .skills
        .iter()
        .map(|skill| {
            (
                skill.name.as_str(),
                (skill.description.as_str(), skill.user_only),
            )
        })
        .collect();
    assert_eq!(
        read,
        BTreeMap::from([
            ("bare", ("Helps with bare things.", false)),
            ("colon", ("Use it when: asked: at all", false)),
            ("SHOUT-ALOUD", ("x", false)),
            ("mine", ("x", true)),
        ])
    );
    assert_eq!(found.remarks, [""; 0]);
}

#[test]
fn the_number_of_folders_and_of_skills_is_bounded() {
    let world = World::new();
    for number in 0..1100 {
        world.named(
            &format!("config/skills/s{number}"),
            &format!("s{number}"),
            "x",
        );
    }
    let found = world.find();
    assert_eq!(found.skills.len(), 1000);
    assert_eq!(found.remarks.len(), 1);
    assert!(
        found.remarks[0].contains("more than 1000 skills"),
        "{:?}",
        found.remarks
    );

    let world = World::new();
    for number in 0..4200 {
        fs::create_dir_all(world.path(&format!("config/skills/{number}"))).unwrap();
    }
    let found = world.find();
    assert!(
        found.remarks[0].contains("more than 4000 folders"),
        "{:?}",
        found.remarks
    );
}

#[test]
fn a_folder_that_holds_itself_ends() {
    let world = World::new();
    world.named("config/skills/a/b/c", "c", "x");
    symlink("..", world.path("config/skills/a/up")).unwrap();
    symlink("/", world.path("config/skills/a/top")).unwrap();
    fs::create_dir_all(world.path("config/skills/1/2/3/4/5/6")).unwrap();
    world.named("config/skills/1/2/3/4/5/6/deep", "deep", "x");
    let names = world.names();
    assert!(names.contains(&(String::from("user"), String::from("c"))));
    assert!(!names.iter().any(|(_, name)| name == "deep"));
}

/// Names of folders and whether the reference finds them valid, as recorded.
fn recorded() -> BTreeMap<String, bool> {
    let table = fs::read_to_string(corpus().join("verdicts.txt")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| {
        let (verdict, name) = line.split_once(' ').unwrap();
        (name.to_owned(), verdict == "valid")
    })
    .collect()
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/skills")
}

fn ours(folder: &Path) -> bool {
    validate(folder)
        .iter()
        .all(|finding| finding.level != Level::Wrong)
}

#[test]
fn our_verdicts_are_those_of_the_reference() {
    let recorded = recorded();
    let (good, bad): (Vec<bool>, Vec<bool>) = recorded.values().partition(|valid| **valid);
    assert!(good.len() >= 40 && bad.len() >= 40);
    let there: Vec<String> = fs::read_dir(corpus())
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    assert_eq!(there.len(), recorded.len(), "each skill has its verdict");
    let mut different = Vec::new();
    for (name, valid) in &recorded {
        let findings = validate(&corpus().join(name));
        if findings.iter().all(|finding| finding.level != Level::Wrong) != *valid {
            different.push(format!("{name}: reference {valid}, ours {findings:?}"));
        }
    }
    assert_eq!(different, [""; 0], "{different:#?}");
}

/// `cargo xtask test` makes an interpreter that has the package; without one
/// the table above is all there is.
#[test]
fn the_reference_itself_says_what_was_recorded() {
    const SCRIPT: &str = "
import sys, pathlib
from skills_ref.validator import validate
for folder in sorted(pathlib.Path(sys.argv[1]).iterdir()):
    if folder.is_dir():
        try:
            valid = not validate(folder)
        except Exception:
            valid = False
        print(('valid' if valid else 'invalid'), folder.name)
";
    let Some(python) = std::env::var_os("TENON_OPENAI_PYTHON") else {
        println!("skipped: TENON_OPENAI_PYTHON names no Python with skills-ref");
        return;
    };
    let ran = Command::new(python)
        .env("PYTHONIOENCODING", "utf-8")
        .args(["-c", SCRIPT])
        .arg(corpus())
        .output()
        .unwrap();
    let said = String::from_utf8(ran.stdout).unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let said: BTreeMap<String, bool> = said
        .lines()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(verdict, name)| (name.to_owned(), verdict == "valid"))
        .collect();
    assert_eq!(said, recorded());
    for (name, valid) in said {
        assert_eq!(ours(&corpus().join(&name)), valid, "{name}");
    }
}

#[test]
fn every_bad_skill_loads_or_is_passed_over_with_a_word() {
    let mut world = World::new();
    world.paths = vec![corpus().display().to_string()];
    let found = world.find();
    let with_a_file = recorded().len() - 2; // mixed-file, other-file
    let shadowed = found
        .remarks
        .iter()
        .filter(|remark| remark.contains("more than once"));
    assert_eq!(shadowed.count(), 0, "{:?}", found.remarks);
    assert_eq!(
        found.skills.len() + found.remarks.len(),
        with_a_file,
        "{:#?}",
        found.remarks
    );
    assert!(found.remarks.len() < 8, "{:#?}", found.remarks);
}

#[test]
fn a_finding_names_its_field_and_what_to_do() {
    let of = |name: &str| -> Vec<String> {
        validate(&corpus().join(name))
            .into_iter()
            .map(|finding| format!("{:?} {}: {}", finding.level, finding.field, finding.message))
            .collect()
    };
    assert_eq!(
        of("upper-name"),
        [
            "Wrong name: `Upper-name` must be lower case",
            "Wrong name: `Upper-name` must be the same as the folder's name, `upper-name`",
        ]
    );
    assert_eq!(
        of("unknown-field"),
        [
            "Wrong version: not a skill field; the fields are: name, description, license, compatibility, metadata, allowed-tools"
        ]
    );
    assert_eq!(of("plain"), [""; 0]);
    assert!(of("colon-unquoted")[0].ends_with("; put quotes around text that contains a colon"));
    assert!(of("tools-flow")[0].starts_with("Wrong frontmatter: line 4: `[…]`"));
    assert!(of("dashes-quoted")[1].contains("in the middle of line 3"));
}

#[test]
fn a_folder_of_skills_means_those_in_it() {
    let world = World::new();
    world.named("all/b", "b", "x").named("all/a", "a", "x");
    fs::create_dir(world.path("all/none")).unwrap();
    let all = world.path("all");
    assert_eq!(folders(&all), [all.join("a"), all.join("b")]);
    assert_eq!(folders(&all.join("a")), [all.join("a")]);
    assert_eq!(folders(&all.join("none")), [all.join("none")]);
    assert!(ours(&all.join("a/SKILL.md")));
    assert!(!ours(&all.join("none")));
    assert!(!ours(&world.path("gone")));
}

/// Not a test of speed: prints what `discover` takes. Run it with
/// `cargo test -p tenon-config --release -- --ignored three_hundred --nocapture`.
#[test]
#[ignore = "prints a figure"]
fn three_hundred_skills() {
    let world = World::new();
    for number in 0..300 {
        let folder = format!("config/skills/s{number}");
        world.named(&folder, &format!("s{number}"), &"about ".repeat(40));
        let file = world.path(&folder).join("SKILL.md");
        let mut text = fs::read_to_string(&file).unwrap();
        text.push_str(&"A long line of instructions.\n".repeat(400));
        fs::write(file, text).unwrap();
    }
    let started = std::time::Instant::now();
    let found = world.find();
    let took = started.elapsed();
    assert_eq!(found.skills.len(), 300);
    println!("300 skills: {took:?}");
}
