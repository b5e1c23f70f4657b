//! The caches without which no build works: stores of packages and of what was
//! compiled, by name. A cache folder as a whole is not among them: shells, hooks
//! and launchers keep programs in it, which the user runs later, outside of the
//! walls (`gitstatus`, `pre-commit`, `_npx`, the environments of poetry, the
//! wrapper of gradle).

use super::home::placed;
use super::sockets;
use std::path::{Path, PathBuf};

/// Below the home. What a package is, later builds run anyway; what is a
/// program of its own stays as it is.
const STORES: [&str; 89] = [
    ".cache/Cypress/cache",
    ".cache/NuGet",
    ".cache/bazel",
    ".cache/black",
    ".cache/buf",
    ".cache/cabal/packages",
    ".cache/ccache",
    ".cache/clangd",
    ".cache/conan",
    ".cache/composer",
    ".cache/coursier/v1",
    ".cache/deno",
    ".cache/dune",
    ".cache/electron",
    ".cache/elixir_make",
    ".cache/fontconfig",
    ".cache/go-build",
    ".cache/golangci-lint",
    ".cache/gopls",
    ".cache/helm",
    ".cache/hex",
    ".cache/huggingface/datasets",
    ".cache/huggingface/hub",
    ".cache/huggingface/xet",
    ".cache/jedi",
    ".cache/kotlin",
    ".cache/matplotlib",
    ".cache/mypy",
    ".cache/nix",
    ".cache/node-gyp",
    ".cache/pdm",
    ".cache/phpstan",
    ".cache/pip",
    ".cache/pip-tools",
    ".cache/pipenv",
    ".cache/pnpm",
    ".cache/pylint",
    ".cache/pypoetry/artifacts",
    ".cache/pypoetry/cache",
    ".cache/pytest",
    ".cache/rebar3/hex",
    ".cache/ruff",
    ".cache/sccache",
    ".cache/staticcheck",
    ".cache/swiftpm",
    ".cache/org.swift.swiftpm",
    ".cache/torch/hub/checkpoints",
    ".cache/trivy",
    ".cache/turbo",
    ".cache/typescript",
    ".cache/typst",
    ".cache/uv",
    ".cache/vcpkg",
    ".cache/yarn",
    ".cache/zig",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    ".npm/_cacache",
    ".npm/_locks",
    ".npm/_logs",
    ".npm/_prebuilds",
    ".npm/_update-notifier-last-checked",
    ".yarn/berry",
    ".local/share/pnpm/store",
    ".bun/install/cache",
    "go/pkg/mod",
    "go/pkg/sumdb",
    ".gradle/.tmp",
    ".gradle/caches",
    ".gradle/daemon",
    ".gradle/kotlin",
    ".gradle/native",
    ".gradle/notifications",
    ".gradle/workers",
    ".m2/repository",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt/boot/sbt.boot.lock",
    ".nuget/packages",
    ".local/share/NuGet/http-cache",
    ".local/share/NuGet/v3-cache",
    ".composer/cache",
    ".hex/packages",
    ".cabal/packages",
    ".conan2/p",
    ".ccache",
];
const MORE: [&str; 6] = [
    ".pub-cache",
    ".hex/cache.ets",
    ".ivy2/.sbt.ivy.lock",
    ".swiftpm/cache",
    ".terraform.d/plugin-cache",
    ".julia/registries",
];

/// Variables that name a store itself.
const VARIABLES: [&str; 11] = [
    "YARN_CACHE_FOLDER",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "NUGET_PACKAGES",
    "CCACHE_DIR",
    "SCCACHE_DIR",
    "COMPOSER_CACHE_DIR",
    "CARGO_TARGET_DIR",
    "DENO_DIR",
];
/// Variables that name a folder, and the stores in it.
const WITHIN: [(&str, &[&str]); 4] = [
    ("NPM_CONFIG_CACHE", NPM),
    ("npm_config_cache", NPM),
    ("POETRY_CACHE_DIR", &["artifacts", "cache"]),
    ("GOPATH", &["pkg/mod", "pkg/sumdb"]),
];
const NPM: &[&str] = &["_cacache", "_locks", "_logs", "_prebuilds"];

/// Programs in stores, which are no package: the first are folders by name, the
/// others are looked for.
const PROGRAMS: [&str; 2] = [".cache/pnpm/dlx", ".pub-cache/global_packages"];

/// Who stops without its store, and which that is.
const NEEDED: [(&str, &[&str]); 7] = [
    ("cargo", &[".cargo/registry", ".cargo/git"]),
    ("ccache", &[".cache/ccache"]),
    ("deno", &[".cache/deno"]),
    ("go", &[".cache/go-build"]),
    ("npm", &[".npm/_cacache", ".npm/_logs"]),
    ("uv", &[".cache/uv"]),
    ("zig", &[".cache/zig"]),
];
/// The files that it locks.
const LOCKS: [(&str, &str); 2] = [
    ("cargo", ".cargo/.package-cache"),
    ("cargo", ".cargo/.package-cache-mutate"),
];

/// What commands may write.
pub(super) fn find(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = STORES
        .iter()
        .chain(&MORE)
        .flat_map(|path| placed(home, path, &variable))
        .collect();
    found.extend(VARIABLES.iter().filter_map(|name| variable(name)));
    for (name, stores) in WITHIN {
        let folder = variable(name).into_iter();
        found.extend(folder.flat_map(|folder| stores.iter().map(move |store| folder.join(store))));
    }
    // The wrapper of gradle takes a lock before it starts what is there.
    for folder in placed(home, ".gradle/wrapper/dists", &variable) {
        let locks = below(&folder, 2, |name| name.ends_with(".lck"));
        found.extend(locks);
    }
    found
}

/// Of that, what the user runs as it lies there.
pub(super) fn programs(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = PROGRAMS
        .iter()
        .flat_map(|path| placed(home, path, &variable))
        .collect();
    let tools = [
        placed(home, "go/pkg/mod", &variable),
        variable("GOMODCACHE").into_iter().collect(),
    ];
    for folder in tools.concat() {
        let folder = folder.join("golang.org");
        found.extend(sockets::named(&folder, |name| {
            name.starts_with("toolchain@")
        }));
    }
    for folder in placed(home, ".cache/bazel", &variable) {
        let users = sockets::named(&folder, |_| true);
        found.extend(users.into_iter().map(|user| user.join("install")));
    }
    for folder in placed(home, ".gradle/native", &variable) {
        found.extend(below(&folder, 2, |name| name.ends_with(".so")));
    }
    found
}

/// Entries whose names fit, so many folders deep.
fn below(folder: &Path, depth: usize, fits: impl Fn(&str) -> bool + Copy) -> Vec<PathBuf> {
    let mut open = vec![folder.to_owned()];
    for _ in 0..depth {
        open = (open.iter())
            .flat_map(|folder| sockets::named(folder, |_| true))
            .filter(|path| path.is_dir())
            .collect();
    }
    (open.iter())
        .flat_map(|folder| sockets::named(folder, fits))
        .collect()
}

/// Makes, empty, the stores without which a program that is there stops: it
/// cannot make them itself, since the folder around them is not open.
pub(super) fn make(home: &Path, path: Option<&str>, variable: impl Fn(&str) -> Option<PathBuf>) {
    let folders: Vec<PathBuf> = std::env::split_paths(path.unwrap_or_default()).collect();
    let is_there = |program: &str| folders.iter().any(|folder| folder.join(program).exists());
    // The program looks where a variable says, which comes last.
    let place = |store: &str| placed(Some(home), store, &variable).pop();
    // What cannot be made is missed by its program, which says so.
    for (_, stores) in NEEDED.iter().filter(|(program, _)| is_there(program)) {
        for folder in stores.iter().filter_map(|store| place(store)) {
            let _ = std::fs::create_dir_all(folder);
        }
    }
    for (_, lock) in LOCKS.iter().filter(|(program, _)| is_there(program)) {
        if let Some(file) = place(lock) {
            let _ = std::fs::File::create_new(file);
        }
    }
}
