//! What lies in a home folder: credentials that commands never see, files that
//! run or configure something and stay as they are, and the caches without
//! which no build works. Reviewed lists; a path that is missing here is
//! readable and, outside of the project, not writable.

use std::path::{Path, PathBuf};

/// Keys, tokens, passwords, cookies.
const CREDENTIALS: [&str; 63] = [
    ".ssh",
    ".gnupg/private-keys-v1.d",
    ".gnupg/secring.gpg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".docker/run",
    ".docker/desktop",
    ".colima",
    ".config/containers/auth.json",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".yarnrc.yml",
    ".pypirc",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".composer/auth.json",
    ".config/composer/auth.json",
    ".config/gh",
    ".config/glab-cli",
    ".config/hub",
    ".config/git/credentials",
    ".git-credentials",
    ".config/github-copilot",
    ".pgpass",
    ".my.cnf",
    ".mylogin.cnf",
    ".config/rclone",
    ".config/doctl",
    ".config/op",
    ".config/sops",
    ".config/age",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".password-store",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".cache/huggingface/token",
    ".cache/huggingface/stored_tokens",
    ".claude/.credentials.json",
    ".codex/auth.json",
    ".gemini/oauth_creds.json",
    ".local/share/opencode/auth.json",
    ".Xauthority",
    ".bash_history",
    ".zsh_history",
    ".mozilla",
    ".thunderbird",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/microsoft-edge",
    ".config/1Password",
    ".config/Bitwarden",
    "snap/firefox",
    "snap/chromium",
    "Library/Keychains",
];

/// What starts or steers programs of the user.
const PROTECTED: [&str; 55] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xprofile",
    ".xsessionrc",
    ".xinitrc",
    ".pam_environment",
    ".config/fish",
    ".config/nushell",
    ".config/environment.d",
    ".config/systemd",
    ".config/autostart",
    ".local/share/applications",
    ".local/bin",
    "bin",
    ".gitconfig",
    ".config/git",
    ".ssh",
    ".gnupg",
    ".vimrc",
    ".vim",
    ".config/nvim",
    ".emacs",
    ".emacs.d",
    ".config/emacs",
    ".tmux.conf",
    ".config/tmux",
    ".config/Code/User",
    ".cargo/bin",
    ".cargo/env",
    ".cargo/config",
    ".cargo/config.toml",
    ".rustup",
    ".npmrc",
    ".yarnrc",
    ".config/pip",
    ".pip",
    ".gradle/init.d",
    ".gradle/init.gradle",
    ".gradle/gradle.properties",
    ".m2/settings.xml",
    ".pub-cache/bin",
];

/// Caches below the home, and those whose place a variable names.
const CACHES: [&str; 27] = [
    ".cache",
    ".cargo/registry",
    ".cargo/git",
    ".cargo/.package-cache",
    ".cargo/.package-cache-mutate",
    ".cargo/.global-cache",
    ".npm",
    ".yarn/berry",
    ".local/share/pnpm/store",
    ".bun/install/cache",
    "go/pkg",
    ".gradle",
    ".m2/repository",
    ".ivy2",
    ".sbt/boot",
    ".nuget/packages",
    ".local/share/NuGet",
    ".pub-cache",
    ".composer/cache",
    ".hex",
    ".cabal/packages",
    ".conan2/p",
    ".ccache",
    ".swiftpm/cache",
    ".terraform.d/plugin-cache",
    ".julia/registries",
    "Library/Caches",
];
const CACHE_VARIABLES: [&str; 16] = [
    "XDG_CACHE_HOME",
    "NPM_CONFIG_CACHE",
    "npm_config_cache",
    "YARN_CACHE_FOLDER",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "POETRY_CACHE_DIR",
    "GOCACHE",
    "GOMODCACHE",
    "GRADLE_USER_HOME",
    "NUGET_PACKAGES",
    "CCACHE_DIR",
    "SCCACHE_DIR",
    "COMPOSER_CACHE_DIR",
    "CARGO_TARGET_DIR",
    "DENO_DIR",
];
/// Where `CARGO_HOME` says otherwise, these of it.
const CARGO: [&str; 5] = [
    "registry",
    "git",
    ".package-cache",
    ".package-cache-mutate",
    ".global-cache",
];

pub(super) fn credentials(home: &Path) -> Vec<PathBuf> {
    CREDENTIALS.iter().map(|path| home.join(path)).collect()
}

pub(super) fn protected(home: &Path) -> Vec<PathBuf> {
    PROTECTED.iter().map(|path| home.join(path)).collect()
}

pub(super) fn caches(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let below_home = home
        .into_iter()
        .flat_map(|home| CACHES.iter().map(|path| home.join(path)));
    let named = CACHE_VARIABLES.iter().filter_map(|name| variable(name));
    let cargo = variable("CARGO_HOME")
        .into_iter()
        .flat_map(|folder| CARGO.map(|name| folder.join(name)));
    let go = variable("GOPATH")
        .into_iter()
        .map(|folder| folder.join("pkg"));
    below_home.chain(named).chain(cargo).chain(go).collect()
}
