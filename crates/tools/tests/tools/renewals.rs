//! A look that is kept true is what a new look would be, whatever happens in the
//! tree; and where it cannot be known, that is said.

use crate::support::World;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use tenon_tools::workspace::{EntryKind, Noticed, Renewed, Scan, ScanLimits, Scanned, Sentry};

struct Watched<'a> {
    world: &'a World,
    scan: Scan,
    sentry: Sentry,
}

fn with_limits<T>(world: &World, act: impl FnOnce(&ScanLimits<'_>) -> T) -> T {
    act(&ScanLimits {
        entries: 10_000,
        deadline: None,
        threads: 2,
        stop: &AtomicBool::new(false),
        without: &[world.root().join("own")],
    })
}

impl<'a> Watched<'a> {
    fn new(world: &'a World) -> Self {
        let (scan, sentry) = with_limits(world, |limits| world.workspace.scan_watched(limits));
        Self {
            world,
            scan,
            sentry: sentry.expect("a local file system"),
        }
    }

    fn renewed(&self) -> Renewed {
        let workspace = &self.world.workspace;
        with_limits(self.world, |limits| {
            workspace.renewed(&self.scan, &self.sentry, limits)
        })
    }

    /// Brings it up to date, and compares with a new look. Gives the paths of
    /// which the content is not known any more.
    fn is_true(&mut self, what: &str) -> Vec<String> {
        let mut touched = Vec::new();
        match self.renewed() {
            Renewed::Same => {}
            Renewed::Anew(renewal) => {
                self.scan = renewal.scan;
                touched.extend(renewal.touched);
            }
            Renewed::Lost => *self = Self::new(self.world),
        }
        let fresh = with_limits(self.world, |limits| self.world.workspace.scan(limits));
        let (left, right) = (seen(&self.scan), seen(&fresh));
        let differ = |a: &[String], b: &[String]| -> Vec<String> {
            a.iter().filter(|one| !b.contains(one)).cloned().collect()
        };
        assert!(
            left == right,
            "{what}\nonly kept: {:?}\nonly new: {:?}",
            differ(&left, &right),
            differ(&right, &left)
        );
        touched
    }
}

/// The times of a folder change with what it holds, and count for nothing.
fn seen(scan: &Scan) -> Vec<String> {
    let one = |entry: &Scanned| match entry.kind {
        EntryKind::Folder => {
            let stamp = entry.stamp;
            format!("{} {:?} {:o}", entry.path, stamp.identity(), stamp.mode)
        }
        _ => format!("{} {:?}", entry.path, entry.stamp),
    };
    let ignored = scan.ignored().iter();
    let ignored = ignored.map(|entry| format!("ignored {}", one(entry)));
    scan.entries().iter().map(one).chain(ignored).collect()
}

fn small() -> World {
    let world = World::new();
    for name in ["a", "b/c", "b/d/e", "own/log", "~/tilde", " /space"] {
        world.file(name, "1");
    }
    world
}

#[test]
fn where_nothing_happens_nothing_is_looked_at_again() {
    let world = small();
    let watched = Watched::new(&world);
    let _ = fs::read(world.root().join("a")).unwrap();
    let _ = fs::read_dir(world.root().join("b")).unwrap().count();
    world.file("own/log", "grows");
    assert!(matches!(watched.renewed(), Renewed::Same));
}

#[test]
fn only_the_folder_of_a_change_is_looked_at_again() {
    let world = small();
    let watched = Watched::new(&world);
    world.file("b/d/e", "2");
    let Renewed::Anew(renewal) = watched.renewed() else {
        panic!("not seen");
    };
    assert_eq!(renewal.seen, ["b/d/e"]);
    assert_eq!(Vec::from_iter(renewal.touched), ["b/d/e"]);
}

#[test]
fn what_is_ignored_is_known_where_it_stands_beside_what_is_not() {
    let world = small();
    world.file(".gitignore", "*.db\nproducts/\n");
    let mut watched = Watched::new(&world);
    for path in [
        "x.db",
        "b/y.db",
        "products/a",
        "products/b/c",
        "node_modules/x",
    ] {
        world.file(path, "1");
        watched.is_true(path);
    }
    let ignored = watched.scan.ignored().iter();
    let ignored: Vec<&str> = ignored.map(|entry| entry.path.as_str()).collect();
    assert_eq!(ignored, ["b/y.db", "node_modules", "products", "x.db"]);
    world.file("x.db", "longer");
    watched.is_true("x.db is written");
    fs::remove_file(world.root().join("b/y.db")).unwrap();
    fs::remove_dir_all(world.root().join("node_modules")).unwrap();
    watched.is_true("two are removed");
    world.file("new/z.db", "1");
    fs::rename(world.root().join("b"), world.root().join("new/b")).unwrap();
    watched.is_true("a folder is new, and another is moved into it");
    fs::remove_dir_all(world.root().join("new")).unwrap();
    watched.is_true("both are gone");
    assert_eq!(watched.scan.ignored().len(), 2, "products and x.db");
}

/// Or somebody else's file is taken for one of the command that has ended.
#[test]
fn what_comes_while_folders_are_listed_is_told_as_late_too() {
    let world = small();
    let mut watched = Watched::new(&world);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let names = (0..4_000).map(|number| world.root().join(format!("b/new-{number}")));
            for name in names.take_while(|_| !is_over.load(Ordering::Relaxed)) {
                fs::write(name, "1").unwrap();
            }
        });
        for _ in 0..200 {
            let Renewed::Anew(renewal) = watched.renewed() else {
                continue;
            };
            for suspect in Scan::suspects(&watched.scan, &renewal.scan) {
                let path = suspect.path();
                let is_told = !suspect.stamped || renewal.later.contains(path);
                assert!(is_told, "{path}");
            }
            watched.scan = renewal.scan;
        }
        is_over.store(true, Ordering::Relaxed);
    });
    watched.is_true("in the end");
}

#[test]
fn a_content_of_the_same_size_and_times_is_not_taken_for_known() {
    let world = small();
    let mut watched = Watched::new(&world);
    let path = world.root().join("a");
    let times = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "2").unwrap();
    let file = fs::File::options().append(true).open(&path).unwrap();
    file.set_modified(times).unwrap();
    assert_eq!(watched.is_true("same size"), ["a"]);
}

#[test]
fn a_file_that_is_written_through_memory_is_seen_when_it_is_let_go() {
    let world = small();
    let mut watched = Watched::new(&world);
    // Opened for writing and closed: all that is known of such a writer.
    drop(
        fs::File::options()
            .append(true)
            .open(world.root().join("b/c"))
            .unwrap(),
    );
    assert_eq!(watched.is_true("closed"), ["b/c"]);
}

#[test]
fn a_change_through_a_name_outside_is_seen() {
    let world = small();
    fs::create_dir_all(world.outside()).unwrap();
    let other = world.outside().join("other-name");
    fs::hard_link(world.root().join("b/c"), &other).unwrap();
    let mut watched = Watched::new(&world);
    fs::write(&other, "changed from outside").unwrap();
    assert_eq!(watched.is_true("linked"), ["b/c"]);
}

#[test]
fn rules_that_change_need_a_new_look() {
    let world = small();
    world.file("b/.gitignore", "x\n");
    fs::create_dir_all(world.root().join(".git/info")).unwrap();
    let watched = Watched::new(&world);
    world.file("b/.gitignore", "c\n");
    assert!(matches!(watched.renewed(), Renewed::Lost));
    assert!(matches!(watched.renewed(), Renewed::Lost), "for good");
    let watched = Watched::new(&world);
    world.file(".git/info/exclude", "a\n");
    assert!(matches!(watched.renewed(), Renewed::Lost));
}

#[test]
fn more_than_the_queue_holds_is_not_passed_over() {
    let world = small();
    let mut watched = Watched::new(&world);
    for round in 0..6_000 {
        world.file(&format!("b/{}", round % 3), "x");
        world.file(&format!("b/d/{}", round % 2), "x");
    }
    watched.is_true("overflow");
}

#[test]
fn a_folder_that_can_be_read_again_is_looked_at() {
    let world = small();
    world.set_mode("b", 0o000);
    let mut watched = Watched::new(&world);
    world.set_mode("b", 0o755);
    world.file("b/d/e", "2");
    watched.is_true("readable again");
    world.file("b/d/e", "3");
    assert_eq!(watched.is_true("and watched"), ["b/d/e"]);
}

/// Small and repeatable.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn path(&mut self, root: &std::path::Path) -> PathBuf {
        const NAMES: &[&str] = &["a", "b", "c", "x.log", "a.b", "keep"];
        let mut path = root.to_owned();
        for _ in 0..=self.roll(3) {
            path.push(NAMES[self.roll(NAMES.len())]);
        }
        path
    }
}

/// What cannot be done is not done.
fn act(dice: &mut Dice, world: &World, count: usize) -> String {
    let (one, two) = (dice.path(world.root()), dice.path(world.root()));
    let make = |path: &std::path::Path| fs::create_dir_all(path.parent().unwrap());
    let told = format!("{} {}", one.display(), two.display());
    let (what, _) = match dice.roll(12) {
        0..=2 => (
            "write",
            make(&one).and_then(|()| fs::write(&one, format!("{count}"))),
        ),
        3 => ("remove", fs::remove_file(&one)),
        4 => ("clear", fs::remove_dir_all(&one)),
        5 | 6 => ("move", make(&two).and_then(|()| fs::rename(&one, &two))),
        7 => ("folder", fs::create_dir_all(&one)),
        8 => (
            "mode",
            fs::set_permissions(
                &one,
                fs::Permissions::from_mode(if dice.roll(2) == 0 { 0o700 } else { 0o755 }),
            ),
        ),
        9 => (
            "link",
            make(&two).and_then(|()| std::os::unix::fs::symlink(&one, &two)),
        ),
        // A name that nobody looks at gives no sign; that is a known limit.
        10 if told.contains(".log") => ("nothing", Ok(())),
        10 => ("name", make(&two).and_then(|()| fs::hard_link(&one, &two))),
        _ => {
            let aside = world.root().join("aside");
            let swapped = fs::rename(&one, &aside)
                .and_then(|()| fs::rename(&two, &one))
                .and_then(|()| fs::rename(&aside, &two));
            ("swap", swapped)
        }
    };
    format!("{what} {told}")
}

#[test]
fn a_look_that_is_kept_true_is_what_a_new_one_sees_in_100_histories() {
    for seed in 0..100 {
        let world = World::new();
        world.file(".gitignore", "*.log\n");
        let mut dice = Dice(seed * 31 + 7);
        for count in 0..10 {
            act(&mut dice, &world, count);
        }
        let mut watched = Watched::new(&world);
        let mut told = format!("seed {seed}");
        for step in 0..12 {
            for count in 0..=dice.roll(4) {
                told = format!("{told}\n{}", act(&mut dice, &world, step * 10 + count));
            }
            told.push_str("\n--");
            watched.is_true(&told);
        }
    }
}

#[test]
fn what_came_after_the_sentry_was_asked_is_told_from_what_came_before() {
    let world = small();
    let watched = Watched::new(&world);
    world.file("a", "2");
    world.file("b/c", "2");
    let earlier = world.workspace.noticed(&watched.scan, &watched.sentry);
    let Noticed::Changes(earlier) = earlier else {
        panic!("not seen");
    };
    world.file("b/c", "3");
    world.file("b/new", "3");
    let renewed = with_limits(&world, |limits| {
        let (scan, sentry) = (&watched.scan, &watched.sentry);
        world.workspace.renewed_since(scan, sentry, earlier, limits)
    });
    let Renewed::Anew(renewal) = renewed else {
        panic!("not seen");
    };
    assert_eq!(Vec::from_iter(renewal.touched), ["a", "b/c", "b/new"]);
    assert_eq!(Vec::from_iter(renewal.later), ["b/c", "b/new"]);
    let fresh = with_limits(&world, |limits| world.workspace.scan(limits));
    assert_eq!(seen(&renewal.scan), seen(&fresh));
}
