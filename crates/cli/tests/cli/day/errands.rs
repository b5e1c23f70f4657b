//! What a programmer asks for on a day, and the calls with which a model does it.

use serde_json::{Value, json};

/// What a call does, as a person sees it: this says whether a question about it
/// is one too many, and nothing of it is told to the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Only looks.
    Reads,
    /// Reads files whose names only another command knows, which may be anywhere.
    ReadsUnnamed,
    /// Changes files of the project with a file tool.
    Edits,
    /// Runs something that stays in the project.
    Runs,
    /// Needs the network, or leaves the project by it.
    Leaves,
    /// Destroys something, or changes what runs code later.
    Destroys,
    /// Reads a secret.
    Secret,
    /// Cannot succeed.
    Fails,
}

pub struct Call {
    pub kind: Kind,
    pub tool: &'static str,
    pub input: Value,
}

/// How the user comes to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    Prompt,
    /// `!command`
    Shell,
    /// A prompt in the mode `plan`.
    Plan,
}

pub struct Errand {
    pub manner: Manner,
    pub prompt: &'static str,
    /// The calls of one reply after the other.
    pub replies: Vec<Vec<Call>>,
}

use Kind::{Destroys, Edits, Fails, Leaves, Reads, ReadsUnnamed, Runs, Secret};

impl Errand {
    fn new(prompt: &'static str) -> Self {
        Self {
            manner: Manner::Prompt,
            prompt,
            replies: Vec::new(),
        }
    }

    fn plan(prompt: &'static str) -> Self {
        Self {
            manner: Manner::Plan,
            ..Self::new(prompt)
        }
    }

    fn shell(line: &'static str) -> Self {
        Self {
            manner: Manner::Shell,
            ..Self::new(line)
        }
    }

    fn calls(mut self, calls: Vec<Call>) -> Self {
        self.replies.push(calls);
        self
    }

    fn call(self, kind: Kind, tool: &'static str, input: Value) -> Self {
        self.calls(vec![Call { kind, tool, input }])
    }

    fn bash(self, kind: Kind, line: &str) -> Self {
        self.call(kind, "bash", json!({"command": line}))
    }

    /// One command in a reply of its own for each line.
    fn looks(self, lines: &[&str]) -> Self {
        lines
            .iter()
            .fold(self, |errand, line| errand.bash(Reads, line))
    }

    fn read(self, path: &str) -> Self {
        self.call(Reads, "read", json!({"path": path}))
    }

    fn edit(self, path: &str, old: &str, new: &str) -> Self {
        self.calls(vec![edit(path, old, new)])
    }

    fn write(self, path: &str, content: &str) -> Self {
        self.call(Edits, "write", json!({"path": path, "content": content}))
    }
}

fn edit(path: &str, old: &str, new: &str) -> Call {
    let input = json!({"path": path, "old": old, "new": new});
    Call {
        kind: Edits,
        tool: "edit",
        input,
    }
}

pub fn day() -> Vec<Errand> {
    let parts = [morning(), fixing(), changing(), serving(), evening()];
    parts.into_iter().flatten().collect()
}

/// Looking around.
fn morning() -> Vec<Errand> {
    vec![
        Errand::new("What is this repository?")
            .call(Reads, "list", json!({}))
            .read("README.md")
            .looks(&[
                "git log --oneline -10",
                "ls -la && cat Cargo.toml package.json",
            ]),
        Errand::new("Is my tree clean?").looks(&["git status --short", "git diff --stat"]),
        Errand::new("What did I change yesterday?").looks(&[
            "git diff HEAD -- README.md | head -40",
            "git log --since=yesterday --format='%h %an %s' --stat",
            "git show HEAD~1 --stat",
        ]),
        Errand::new("Who wrote the rounding in price.rs?").looks(&[
            "git blame -L 3,6 src/price.rs",
            "git log -3 --follow --format='%h %an %ad' -- src/price.rs",
        ]),
        Errand::new("Where is total used?")
            .call(Reads, "grep", json!({"pattern": "total"}))
            .looks(&[
                "grep -rn 'total' src web tools",
                "find . -name '*.rs' -not -path './build/*' | sort",
                "git grep -n total -- web",
            ]),
        Errand::new("How large is the code?")
            .looks(&["wc -l src/*.rs web/*.js tools/*.py"])
            .bash(ReadsUnnamed, "find . -name '*.py' | xargs wc -l")
            .bash(
                ReadsUnnamed,
                "git ls-files | xargs wc -l | sort -rn | head -5",
            )
            .looks(&["du -sh . && ls src | wc -l"]),
        Errand::new("Show me how the price is made.").looks(&[
            "sed -n '1,40p' src/price.rs",
            "head -20 web/cart.js; tail -5 tools/tax.py",
            "cd src && cat price.rs cart.rs",
        ]),
        Errand::new("Which versions do we have here?").looks(&[
            "python3 --version",
            "git --version; uname -s",
            "which cargo npm",
        ]),
    ]
}

/// Tests that fail, and what follows.
fn fixing() -> Vec<Errand> {
    vec![
        Errand::new("Run the tests.").bash(Runs, "cargo test"),
        Errand::new("Fix the rounding.")
            .read("src/price.rs")
            .edit(
                "src/price.rs",
                "sum.floor()",
                "(sum * 100.0).round() / 100.0",
            )
            .bash(Runs, "cargo test"),
        Errand::new("Do the Python tests pass?")
            .bash(Runs, "pytest -q")
            .looks(&["cat tools/test_tax.py", "grep -n RATE tools/*.py"]),
        Errand::new("Set the right rate.")
            .read("tools/tax.py")
            .call(
                Fails,
                "edit",
                json!({"path": "tools/tax.py", "old": "RATE = 0.18\n", "new": "RATE = 0.19\n"}),
            )
            .edit("tools/tax.py", "RATE = 0.17", "RATE = 0.19")
            .bash(Runs, "pytest tools/test_tax.py -q"),
        Errand::new("Now the tests of the web part.").bash(Runs, "npm test"),
        Errand::new("Run everything once more.").bash(Runs, "make test 2>&1 | tail -20"),
        Errand::new("What does @src/cart.rs do?"),
        Errand::shell("git diff --stat"),
        Errand::new("Does it also build without warnings?")
            .bash(Runs, "cargo clippy --all-targets 2>&1 | tail -5")
            .bash(Runs, "cargo fmt --check"),
    ]
}

/// Larger changes.
fn changing() -> Vec<Errand> {
    vec![
        Errand::new("Rename total to sum_of in Rust.")
            .looks(&["grep -rnw total src"])
            .calls(vec![
                edit("src/price.rs", "pub fn total(", "pub fn sum_of("),
                edit("src/cart.rs", "use crate::price::total;", "use crate::price::sum_of;"),
                edit("src/cart.rs", "        total(&self.prices)", "        sum_of(&self.prices)"),
            ])
            .bash(Runs, "cargo test 2>&1 | tail -3"),
        Errand::new("Describe the rate in the documentation.")
            .read("docs/prices.md")
            .write("docs/rates.md", "# Rates\n\nThe rate is 19 %.\n")
            .call(Edits, "patch", json!({"patch": "*** Begin Patch\n*** Update File: docs/prices.md\n@@\n # Prices\n \n-Totals are rounded.\n+Totals are rounded to cents.\n*** End Patch\n"})),
        Errand::new("Add a test for zero.")
            .write("tools/test_zero.py", "from tax import tax\n\n\ndef test_zero():\n    assert tax(0) == 0\n")
            .bash(Runs, "pytest -q tools/test_zero.py"),
        Errand::new("Move the web tests to a folder of their own.")
            .bash(Runs, "mkdir -p web/test && git mv web/cart.test.js web/test/")
            .bash(Runs, "sed -i 's#./cart.js#../cart.js#' web/test/cart.test.js")
            .bash(Runs, "npm test"),
        Errand::plan("How would you cache the totals?")
            .read("src/price.rs")
            .call(Reads, "grep", json!({"pattern": "sum_of"})),
        Errand::new("Which words come up most in the docs?").looks(&[
            "cat docs/*.md | tr -cs A-Za-z '\\n' | sort | uniq -c | sort -rn | head -5",
            "awk '{n += NF} END {print n}' docs/prices.md",
        ]),
        Errand::new("Install left-pad.").bash(Leaves, "npm install left-pad"),
        Errand::new("Delete the build folder.")
            .looks(&["ls build"])
            .bash(Destroys, "rm -rf build"),
    ]
}

/// What goes on beside the work.
fn serving() -> Vec<Errand> {
    vec![
        // Both at once, as a model does that is in a hurry.
        Errand::new("Start the dev server.").calls(vec![
            Call {
                kind: Runs,
                tool: "bash",
                input: json!({"command": "npm run dev", "background": true}),
            },
            Call {
                kind: Reads,
                tool: "process",
                input: json!({"action": "wait", "id": "proc_1", "until": "listening"}),
            },
        ]),
        Errand::new("Is it still running?")
            .call(Reads, "process", json!({"action": "list"}))
            .call(Reads, "process", json!({"action": "read", "id": "proc_1"})),
        Errand::new("Any errors in the log?").looks(&[
            "tail -n 20 logs/server.log",
            "grep -c ERROR logs/server.log",
            "grep ERROR logs/server.log | awk '{print $1}' | sort | uniq -c",
        ]),
        Errand::new("Stop the server.").call(
            Runs,
            "process",
            json!({"action": "kill", "id": "proc_1"}),
        ),
        Errand::new("Is the key set in .env?").call(Secret, "read", json!({"path": ".env"})),
        Errand::new("How are other shops configured?").call(
            Fails,
            "read",
            json!({"path": "../other/config.toml"}),
        ),
        Errand::new("Is the example site up?").bash(Leaves, "curl -sS https://shop.example/health"),
        Errand::shell("cat notes.txt"),
    ]
}

/// What is kept of it.
fn evening() -> Vec<Errand> {
    vec![
        Errand::new("Show me all that changed today.").looks(&[
            "git status",
            "git diff",
            "git diff HEAD --stat | tail -1",
        ]),
        Errand::new("Commit the fix.")
            .bash(Runs, "git add src tools")
            .bash(
                Runs,
                "git commit -m 'Round to cents, and use the right rate'",
            )
            .looks(&["git log --oneline -3 && git status --short"]),
        Errand::new("And the documentation.")
            .bash(Runs, "git add docs && git commit -m 'Describe the rate'"),
        Errand::new("Push it.").bash(Leaves, "git push origin main"),
        Errand::new("Start a branch for the cache.")
            .looks(&["git branch -a", "git stash list"])
            .bash(Runs, "git switch -c cache"),
        Errand::new("Try the cache.")
            .write("src/cache.rs", "pub struct Cache;\n")
            .bash(Runs, "cargo test"),
        Errand::new("Throw what is not committed away.")
            .looks(&["git status --short"])
            .bash(Destroys, "git reset --hard HEAD"),
    ]
}
