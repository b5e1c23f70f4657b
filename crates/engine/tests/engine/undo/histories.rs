//! Random histories: edits by tools, changes by commands, changes by the user in
//! between, undo, redo and revert at any point, resumes. After each step the tree
//! is what a simple model of it says, by content and mode.

use super::{Node, Op, Session, Tree};
use crate::whole::Dice;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tenon_vocab::Command;

const PATHS: &[&str] = &[
    "a.txt",
    "b.txt",
    "notes.md",
    "src/one.rs",
    "src/two.rs",
    "src/deep/three.rs",
    "lib/four.rs",
    "new/far/five.rs",
];

/// What one run did.
#[derive(Clone)]
struct Run {
    before: Tree,
    after: Tree,
    /// The number of its prompt.
    message: u32,
}

/// What an undo or a revert did: each path with what stood there and what then did.
struct TakenBack {
    moves: Vec<(String, Option<Node>, Option<Node>)>,
    runs: Vec<Run>,
}

#[derive(Default)]
struct Model {
    tree: Tree,
    done: Vec<Run>,
    undone: Vec<TakenBack>,
    messages: u32,
    /// Prompts that are still in the conversation.
    prompts: Vec<u32>,
    /// The mode of a folder that is made without a wish for one.
    made: u32,
}

impl Model {
    fn ran(&mut self, after: Tree) {
        self.messages += 1;
        let run = Run {
            before: std::mem::replace(&mut self.tree, after.clone()),
            after,
            message: self.messages,
        };
        self.prompts.push(self.messages);
        if run.before != run.after {
            self.undone.clear();
            self.done.push(run);
        }
    }

    /// Takes back so many runs from one on; those after them are back already.
    fn take_back(&mut self, from: usize, count: usize) {
        let all = self.done.split_off(from);
        let runs = &all[..count];
        let (mut moves, mut stays) = (Vec::new(), Vec::new());
        let paths: BTreeSet<String> = runs
            .iter()
            .flat_map(|run| run.before.keys().chain(run.after.keys()))
            .cloned()
            .collect();
        for path in paths {
            let changed = |run: &&Run| run.before.get(&path) != run.after.get(&path);
            let steps: Vec<&Run> = runs.iter().filter(changed).collect();
            let Some(last) = steps.last() else { continue };
            let mut first = steps.len() - 1;
            while first > 0 && same(&steps[first].before, &steps[first - 1].after, &path) {
                first -= 1;
            }
            let left = last.after.get(&path).cloned();
            let to = steps[first].before.get(&path).cloned();
            if left != to && self.tree.get(&path) == left.as_ref() {
                moves.push((path, left, to));
            } else if left != to && self.tree.get(&path) != to.as_ref() {
                stays.push(to);
            }
        }
        spare_moved(&mut moves, stays);
        let moves = self.apply(moves);
        self.undone.push(TakenBack { moves, runs: all });
    }

    /// Removes before it makes; a folder that still holds something stays.
    fn apply(
        &mut self,
        moves: Vec<(String, Option<Node>, Option<Node>)>,
    ) -> Vec<(String, Option<Node>, Option<Node>)> {
        let is_folder = |node: &Option<Node>| matches!(node, Some(Node::Folder(_)));
        let mut made = Vec::new();
        for (path, from, to) in &moves {
            if !is_folder(from) && !is_folder(to) && to.is_none() {
                self.tree.remove(path);
                made.push((path.clone(), from.clone(), to.clone()));
            }
        }
        for (path, from, to) in moves.iter().rev() {
            let holds = self
                .tree
                .keys()
                .any(|key| key.starts_with(&format!("{path}/")));
            if is_folder(from) && !is_folder(to) && !holds {
                self.tree.remove(path);
                made.push((path.clone(), from.clone(), to.clone()));
            }
        }
        for (path, from, to) in &moves {
            if let Some(node) = to
                && self.has_folders(path)
            {
                self.tree.insert(path.clone(), node.clone());
                made.push((path.clone(), from.clone(), to.clone()));
            }
        }
        made
    }

    /// The user may have taken the folders of a file away: they are made again.
    /// Where something else stands, there is no way.
    fn has_folders(&mut self, path: &str) -> bool {
        let above: Vec<&str> = path.match_indices('/').map(|(at, _)| &path[..at]).collect();
        let is_free =
            |folder: &&str| !matches!(self.tree.get(*folder), Some(Node::File(..) | Node::Link(_)));
        if !above.iter().all(is_free) {
            return false;
        }
        for folder in above {
            let made = Node::Folder(self.made);
            self.tree.entry(folder.to_owned()).or_insert(made);
        }
        true
    }

    fn undo(&mut self) {
        let is_left = |run: &Run| {
            let mut paths = run.before.keys().chain(run.after.keys());
            paths.any(|path| {
                !same(&run.before, &run.after, path) && !same(&run.before, &self.tree, path)
            })
        };
        // The user may have taken all of a run back by hand: it is passed over.
        if let Some(from) = self.done.iter().rposition(is_left) {
            self.take_back(from, 1);
        }
    }

    fn redo(&mut self) {
        let Some(taken) = self.undone.pop() else {
            return;
        };
        let (mut moves, mut stays) = (Vec::new(), Vec::new());
        for (path, from, to) in taken.moves {
            if self.tree.get(&path) == to.as_ref() {
                moves.push((path, to, from));
            } else if self.tree.get(&path) != from.as_ref() {
                stays.push(from);
            }
        }
        spare_moved(&mut moves, stays);
        moves.sort_by(|a, b| a.0.cmp(&b.0));
        moves.dedup_by(|a, b| a.0 == b.0);
        self.apply(moves);
        self.done.extend(taken.runs);
    }

    fn revert(&mut self, message: u32) {
        self.prompts.retain(|prompt| *prompt < message);
        let from = self.done.partition_point(|run| run.message < message);
        if from < self.done.len() {
            self.take_back(from, self.done.len() - from);
        }
    }
}

/// A content whose old place is left stays in its new one.
fn spare_moved(
    moves: &mut Vec<(String, Option<Node>, Option<Node>)>,
    mut stays: Vec<Option<Node>>,
) {
    while !stays.is_empty() {
        let given: Vec<Vec<u8>> = moves.iter().filter_map(|(_, _, to)| bytes(to)).collect();
        let missed: BTreeSet<Vec<u8>> = stays
            .iter()
            .filter_map(bytes)
            .filter(|bytes| !given.contains(bytes))
            .collect();
        let is_spared = |left: &Option<Node>| bytes(left).is_some_and(|b| missed.contains(&b));
        let all = std::mem::take(moves);
        let (spared, rest) = all.into_iter().partition(|(_, left, _)| is_spared(left));
        *moves = rest;
        let spared: Vec<(String, Option<Node>, Option<Node>)> = spared;
        stays = spared.into_iter().map(|(_, _, to)| to).collect();
    }
}

fn bytes(node: &Option<Node>) -> Option<Vec<u8>> {
    match node {
        Some(Node::File(bytes, _) | Node::Link(bytes)) => Some(bytes.clone()),
        _ => None,
    }
}

fn same(a: &Tree, b: &Tree, path: &str) -> bool {
    a.get(path) == b.get(path)
}

struct Story {
    dice: Dice,
    counter: u64,
    /// Where the last commands removed some files of many.
    swept: Option<String>,
}

impl Story {
    fn path(&mut self) -> String {
        self.dice.one(PATHS).to_owned()
    }

    fn text(&mut self) -> String {
        self.counter += 1;
        let lines = 1 + self.dice.roll(30) as usize;
        format!("text {}\n", self.counter).repeat(lines)
    }

    /// What file tools can do as well.
    fn plain(&mut self) -> Op {
        match self.dice.roll(6) {
            0 => Op::Delete(self.path()),
            1 => Op::Rename(self.path(), self.path()),
            _ => Op::Write(self.path(), self.text()),
        }
    }

    fn wild(&mut self) -> Op {
        self.counter += 1;
        match self.dice.roll(9) {
            8 => {
                let folder = self.dice.one(&["src", "lib", "."]).to_owned();
                self.swept = Some(folder.clone());
                Op::Sweep(folder, self.dice.one(&['a', 'b', 'o', 't']))
            }
            0 => Op::Mode(self.path(), self.dice.one(&[0o600, 0o644, 0o755, 0o444])),
            1 => Op::Folder(format!("made/{}", self.dice.roll(3))),
            2 => Op::Link(
                format!("link{}", self.dice.roll(2)),
                format!("to{}", self.counter),
            ),
            3 => Op::Clear(
                self.dice
                    .one(&["src", "lib", "src/deep", "made"])
                    .to_owned(),
            ),
            _ => self.plain(),
        }
    }

    /// What the user does: often it is to remove a file that a command could
    /// have removed and did not.
    fn users(&mut self) -> Op {
        let swept = self.swept.take();
        let is_there = |path: &&&str| match swept.as_deref() {
            Some(".") => !path.contains('/'),
            Some(folder) => path
                .strip_prefix(folder)
                .is_some_and(|rest| rest.matches('/').count() == 1),
            None => false,
        };
        let paths: Vec<&str> = PATHS.iter().filter(is_there).copied().collect();
        if paths.is_empty() {
            return self.wild();
        }
        Op::Delete(self.dice.one(&paths).to_owned())
    }

    fn calls(&mut self, shell: Shell) -> Vec<(&'static str, Value)> {
        let mut calls = Vec::new();
        for _ in 0..1 + self.dice.roll(3) {
            let count = 1 + self.dice.roll(3);
            if self.dice.roll(2) == 0 {
                let ops: Vec<Value> = (0..count).map(|_| self.plain().json()).collect();
                calls.push(("edits", json!({ "ops": ops })));
                continue;
            }
            let ops: Vec<Op> = (0..count).map(|_| self.wild()).collect();
            calls.push(match shell {
                Shell::Direct => {
                    let ops: Vec<Value> = ops.iter().map(Op::json).collect();
                    ("hand", json!({ "ops": ops }))
                }
                Shell::Real => {
                    let lines: Vec<String> = ops.iter().map(Op::by_shell).collect();
                    ("bash", json!({ "command": lines.join("\n") + "\ntrue" }))
                }
            });
        }
        calls
    }
}

#[derive(Clone, Copy)]
enum Shell {
    /// The changes alone, around which the engine looks as around any command.
    Direct,
    Real,
}

async fn history(seed: u64, shell: Shell) {
    let mut session = Session::new();
    let mut story = Story {
        dice: Dice(seed.wrapping_mul(7919) + 17),
        counter: seed * 1000,
        swept: None,
    };
    for path in PATHS.iter().take(6) {
        let text = story.text();
        session.write(path, &text);
    }
    let tree = session.tree();
    let made = match tree.get("src") {
        Some(Node::Folder(mode)) => *mode,
        other => panic!("{other:?}"),
    };
    let mut model = Model {
        tree,
        made,
        ..Model::default()
    };
    let mut story_so_far = Vec::new();
    for _ in 0..10 {
        let what = match story.dice.roll(12) {
            0..=4 => {
                let calls = story.calls(shell);
                session.run(&calls).await;
                model.ran(session.tree());
                // The assistant's replies have numbers too.
                model.messages += u32::try_from(calls.len()).unwrap() + 1;
                format!("run {calls:?}")
            }
            5 | 6 => {
                let op = story.users();
                op.by_hand(&session.root());
                model.tree = session.tree();
                format!("user {op:?}")
            }
            7 | 8 => {
                let said = session.ask(Command::Undo).await;
                model.undo();
                format!("undo: {}", said.message)
            }
            9 => {
                let mut said = session.ask(Command::Redo).await;
                if said.message.starts_with("Nothing was done yet") {
                    said = session.ask(Command::Redo).await;
                }
                model.redo();
                format!("redo: {}", said.message)
            }
            10 if !model.prompts.is_empty() => {
                let message = story.dice.one(&model.prompts.clone());
                let command = Command::Revert {
                    message: Some(message),
                };
                let said = session.ask(command).await;
                model.revert(message);
                format!("revert {message}: {}", said.message)
            }
            _ => {
                session.leave().await;
                String::from("resume")
            }
        };
        story_so_far.push(what);
        let now = session.tree();
        if now != model.tree {
            let differ: Vec<String> = now
                .keys()
                .chain(model.tree.keys())
                .filter(|path| now.get(*path) != model.tree.get(*path))
                .map(|path| {
                    format!(
                        "{path}: is {:?}, should be {:?}",
                        now.get(path),
                        model.tree.get(path)
                    )
                })
                .collect();
            panic!(
                "seed {seed}\n{}\n{}",
                story_so_far.join("\n"),
                differ.join("\n")
            );
        }
    }
    session.leave().await;
}

async fn histories(from: u64, shell: Shell) {
    for seed in from..from + 50 {
        history(seed, shell).await;
    }
}

macro_rules! seeds {
    ($($name:ident = $from:literal;)*) => {
        $(#[tokio::test]
        async fn $name() {
            histories($from, Shell::Direct).await;
        })*
    };
}

seeds! {
    the_tree_is_what_the_model_says_in_histories_0_to_49 = 0;
    the_tree_is_what_the_model_says_in_histories_50_to_99 = 50;
    the_tree_is_what_the_model_says_in_histories_100_to_149 = 100;
    the_tree_is_what_the_model_says_in_histories_150_to_199 = 150;
    the_tree_is_what_the_model_says_in_histories_200_to_249 = 200;
    the_tree_is_what_the_model_says_in_histories_250_to_299 = 250;
    the_tree_is_what_the_model_says_in_histories_300_to_349 = 300;
    the_tree_is_what_the_model_says_in_histories_350_to_399 = 350;
    the_tree_is_what_the_model_says_in_histories_400_to_449 = 400;
}

#[tokio::test]
async fn the_tree_is_what_the_model_says_in_50_histories_with_a_real_shell() {
    histories(1_000, Shell::Real).await;
}
