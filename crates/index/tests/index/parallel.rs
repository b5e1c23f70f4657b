//! Many who write sessions and many who search them, at the same time. Each
//! thread opens the database for itself, as a process would.

use crate::build::{Home, ids, session};
use std::sync::atomic::{AtomicBool, Ordering};
use tenon_index::{Filter, Query};

const WRITERS: u32 = 20;
const TURNS: usize = 30;

#[test]
fn twenty_writers_and_four_searchers_do_not_disturb_each_other() {
    let home = Home::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (1..=WRITERS)
            .map(|n| {
                let home = &home;
                scope.spawn(move || {
                    let mut writer = home.begin(n);
                    for turn in 0..TURNS {
                        writer.said(&[&format!("writer{n} turn{turn} common"), "answer"]);
                    }
                })
            })
            .collect();
        for _ in 0..4 {
            scope.spawn(|| {
                let mut seen = 0;
                while !done.load(Ordering::Relaxed) {
                    let answer = home.look_up("common");
                    assert_eq!(answer.notes, [""; 0]);
                    let now = answer.found.hits.len();
                    assert!(now >= seen, "what was found once is found again");
                    seen = now;
                }
            });
        }
        for writer in writers {
            writer.join().unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let hits = home.find("common");
    assert_eq!(hits.len(), WRITERS as usize);
    for hit in &hits {
        assert_eq!(hit.passages as usize, TURNS, "each passage is there once");
    }
    for n in 1..=WRITERS {
        let last = format!("writer{n} turn{}", TURNS - 1);
        assert_eq!(home.found(&format!("\"{last} common\"")), [session(n)]);
    }
}

#[test]
fn many_who_build_the_index_at_once_build_one() {
    let home = Home::new();
    for n in 1..=40 {
        home.said(n, &["alpha beta", "gamma", "delta"]);
    }
    std::thread::scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| {
                let mut index = home.index();
                index.update().unwrap();
                let query = Query::parse("alpha gamma").unwrap();
                let found = index.search(&query, &Filter::default()).unwrap();
                assert_eq!(found.hits.len(), 40);
            });
        }
    });
    let hits = home.find("gamma");
    assert_eq!(ids(&hits).len(), 40);
    assert!(hits.iter().all(|hit| hit.passages == 1));
}
