//! The repository of a working day: three languages, a history, failing tests, a
//! dirty tree, and small programs in place of toolchains, so that every machine
//! has the same ones and none of them is slow.

use crate::sandbox::home;
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tenon_testing::TestHome;

const PRICE: &str = "//! What a cart costs.\n\npub fn total(prices: &[f64]) -> f64 {\n    let sum: f64 = prices.iter().sum();\n    sum.floor()\n}\n\npub fn with_tax(price: f64) -> f64 {\n    price * 1.19\n}\n";
const CART: &str = "use crate::price::total;\n\npub struct Cart {\n    prices: Vec<f64>,\n}\n\nimpl Cart {\n    pub fn total(&self) -> f64 {\n        total(&self.prices)\n    }\n}\n";
const TAX: &str = "RATE = 0.17\n\n\ndef tax(price):\n    return round(price * RATE, 2)\n";
const TEST_TAX: &str = "from tax import tax\n\n\ndef test_tax():\n    assert tax(100) == 19\n";
const JS: &str =
    "export function total(prices) {\n  return prices.reduce((a, b) => a + b, 0);\n}\n";
const JS_TEST: &str = "import { total } from './cart.js';\n\nif (total([1, 2]) !== 3) {\n  throw new Error('total');\n}\n";
const FILES: &[(&str, &str)] = &[
    (
        "README.md",
        "# Shop\n\nA small shop. Run `make test` before you commit.\n",
    ),
    (
        "Makefile",
        "test:\n\tcargo test\n\tpytest -q\n\tnpm test\n\n.PHONY: test\n",
    ),
    (
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n",
    ),
    ("src/main.rs", "mod cart;\nmod price;\n\nfn main() {}\n"),
    ("src/price.rs", PRICE),
    ("src/cart.rs", CART),
    ("tools/tax.py", TAX),
    ("tools/test_tax.py", TEST_TAX),
    (
        "package.json",
        "{\n  \"name\": \"shop\",\n  \"scripts\": {\"test\": \"node web/cart.test.js\", \"dev\": \"node web/dev.js\"}\n}\n",
    ),
    ("web/cart.js", JS),
    ("web/cart.test.js", JS_TEST),
    (".gitignore", ".env\nbuild/\nlogs/\nnode_modules/\n"),
];
const LATER: &[(&str, &str)] = &[
    ("docs/prices.md", "# Prices\n\nTotals are rounded.\n"),
    ("web/index.html", "<title>Shop</title>\n"),
    ("tools/report.py", "print('report')\n"),
];

/// What each stands in for is its name. They print what the real ones would, and
/// fail as long as the fault is in the sources.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "cargo",
        "case \"$1\" in\n\
         test) if grep -q floor src/price.rs; then echo 'test total_rounds ... FAILED'; exit 101; fi\n\
         echo 'test result: ok. 3 passed';;\n\
         fmt) exit 0;;\n\
         *) echo '    Finished `dev` profile';;\n\
         esac\n",
    ),
    (
        "pytest",
        "if grep -q 0.17 tools/tax.py; then echo '1 failed'; exit 1; fi; echo '1 passed'\n",
    ),
    ("make", "cargo test && pytest -q && npm test\n"),
    // Where no registry is reached it says what the real one does without a network.
    (
        "npm",
        "case \"$1\" in\n\
         install) if (exec 3<>/dev/tcp/127.0.0.1/REGISTRY) 2>/dev/null; then\n\
         mkdir -p node_modules/$2; echo 'added 1 package'; else\n\
         echo 'npm error code EAI_AGAIN' >&2\n\
         echo 'npm error request to https://packages.example/left-pad failed, reason: getaddrinfo EAI_AGAIN packages.example' >&2\n\
         exit 1; fi;;\n\
         run) echo 'listening on :5173'; exec sleep 1000;;\n\
         *) echo '1 passing';;\n\
         esac\n",
    ),
    (
        "curl",
        "if (exec 3<>/dev/tcp/127.0.0.1/REGISTRY) 2>/dev/null; then echo ok; else\n\
         echo 'curl: (6) Could not resolve host: shop.example' >&2; exit 6; fi\n",
    ),
];

/// The project with its history, and a registry that answers.
pub struct Ground {
    pub home: TestHome,
    registry: TcpListener,
}

impl Ground {
    pub fn new() -> Self {
        let ground = Self {
            home: home(),
            registry: TcpListener::bind("127.0.0.1:0").unwrap(),
        };
        ground.programs();
        ground.history();
        ground.today();
        ground
    }

    /// Where the programs are that stand in for toolchains: none of the project's.
    pub fn path(&self) -> std::ffi::OsString {
        let mut folders = vec![self.bin()];
        folders.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        std::env::join_paths(folders).unwrap()
    }

    pub fn exists(&self, path: &str) -> bool {
        self.home.project().join(path).exists()
    }

    pub fn content(&self, path: &str) -> String {
        std::fs::read_to_string(self.home.project().join(path)).unwrap_or_default()
    }

    pub fn git(&self, words: &[&str]) -> String {
        let done = self
            .home
            .command(Path::new("git"))
            .args(words)
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    /// How often somebody connected to the registry so far.
    pub fn installs(&self) -> usize {
        self.registry.set_nonblocking(true).unwrap();
        let mut count = 0;
        while let Ok((mut socket, _)) = self.registry.accept() {
            let _ = socket.read(&mut [0]);
            count += 1;
        }
        count
    }

    fn bin(&self) -> PathBuf {
        self.home.home().join("bin")
    }

    fn programs(&self) {
        std::fs::create_dir_all(self.bin()).unwrap();
        let port = self.registry.local_addr().unwrap().port().to_string();
        for (name, lines) in PROGRAMS {
            let text = format!("#!/bin/bash\n{}", lines.replace("REGISTRY", &port));
            let path = self.bin().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
    }

    fn put(&self, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = self.home.project().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    fn history(&self) {
        let config =
            "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";
        std::fs::write(self.home.home().join(".gitconfig"), config).unwrap();
        self.git(&["init", "-q"]);
        self.put(FILES);
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "A shop that adds up"]);
        for (name, text) in LATER {
            self.put(&[(name, text)]);
            self.git(&["add", "."]);
            self.git(&["commit", "-qm", &format!("Add {name}")]);
        }
        self.git(&["remote", "add", "origin", "https://git.example/shop.git"]);
        self.git(&["branch", "topic"]);
    }

    /// What lies about this morning: a change that is not committed, what was
    /// built, what was logged, and a secret.
    fn today(&self) {
        let log: String = (1..=60)
            .map(|n| {
                format!(
                    "10:{n:02} {} GET /cart\n",
                    if n % 7 == 0 { "ERROR" } else { "INFO" }
                )
            })
            .collect();
        self.put(&[
            (
                "README.md",
                "# Shop\n\nA small shop. Run `make test` before you push.\n",
            ),
            ("notes.txt", "ask Grace about rounding\n"),
            ("build/shop.bin", "binary\n"),
            ("logs/server.log", &log),
            (".env", "STRIPE_KEY=placeholder\n"),
        ]);
    }
}
