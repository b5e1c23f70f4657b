//! What lies in a home folder: credentials that commands never see, files that
//! run or configure something and stay as they are, and the caches without
//! which no build works. Reviewed lists; a path that is missing here is
//! readable and, outside of the project, not writable.

use super::sockets;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Keys, tokens, passwords, cookies.
const CREDENTIALS: [&str; 91] = [
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
    ".hex/hex.config",
    ".ivy2/.credentials",
    ".s3cfg",
    ".boto",
    ".oci",
    ".kaggle",
    ".fly",
    ".databrickscfg",
    ".dockercfg",
    ".claude.json",
    ".config/heroku",
    ".config/hcloud",
    ".config/stripe",
    ".config/netlify",
    ".env",
    ".history",
    ".sh_history",
    ".local/share/fish/fish_history",
    ".config/nushell/history.txt",
    ".python_history",
    ".node_repl_history",
    ".irb_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".mongosh",
    ".dbshell",
];

/// Settings that builds need, hidden only when one of these words is in them:
/// an empty file in their place stops a build.
const MIXED: [(&str, &[&str]); 5] = [
    (".m2/settings.xml", &["<password>", "<passphrase>"]),
    (".gradle/gradle.properties", PROPERTIES),
    (".config/pip/pip.conf", &["@"]),
    (".pip/pip.conf", &["@"]),
    (".config/pip.conf", &["@"]),
];
const PROPERTIES: &[&str] = &["password", "token", "secret", "apikey", "api_key"];

/// Variables that name a folder, what it stands for below the home, and so
/// which of the lists apply to it.
const MOVED: [(&str, &str); 13] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_CACHE_HOME", ".cache"),
    ("GNUPGHOME", ".gnupg"),
    ("DOCKER_CONFIG", ".docker"),
    ("CARGO_HOME", ".cargo"),
    ("GRADLE_USER_HOME", ".gradle"),
    ("HF_HOME", ".cache/huggingface"),
    ("AZURE_CONFIG_DIR", ".azure"),
    ("CLOUDSDK_CONFIG", ".config/gcloud"),
    ("GH_CONFIG_DIR", ".config/gh"),
    ("HEX_HOME", ".hex"),
    ("CODEX_HOME", ".codex"),
];

/// Variables that name credentials, or lists of them.
const CREDENTIAL_VARIABLES: [&str; 12] = [
    "NPM_CONFIG_USERCONFIG",
    "npm_config_userconfig",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_CONFIG_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "KUBECONFIG",
    "NETRC",
    "PGPASSFILE",
    "HISTFILE",
    "HF_TOKEN_PATH",
    "TF_CLI_CONFIG_FILE",
    "BOTO_CONFIG",
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

/// Below the home, and below the folders that variables name instead.
pub(super) fn placed(
    home: Option<&Path>,
    path: &str,
    variable: &impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let moved = MOVED.iter().filter_map(|(name, usual)| {
        let rest = Path::new(path).strip_prefix(usual).ok()?;
        let folder = variable(name)?;
        // Joined with nothing it would end in a slash.
        Some(folder.components().chain(rest.components()).collect())
    });
    home.map(|home| home.join(path))
        .into_iter()
        .chain(moved)
        .collect()
}

pub(super) fn credentials(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = CREDENTIALS
        .iter()
        .flat_map(|path| placed(home, path, &variable))
        .collect();
    for (path, words) in MIXED {
        let paths = placed(home, path, &variable);
        found.extend(paths.into_iter().filter(|path| holds(path, words)));
    }
    for name in CREDENTIAL_VARIABLES {
        let list = variable(name).unwrap_or_default();
        found.extend(std::env::split_paths(&list).filter(|path| {
            // `/` in such a variable is a slip, and would hide everything.
            path.is_absolute() && path.parent().is_some() && !path.starts_with("/dev")
        }));
    }
    found
}

/// The folders in which the agent of GnuPG listens.
pub(super) fn gnupg(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    placed(home, ".gnupg", &variable)
}

/// Whether a file has one of these words in it, or cannot be looked at.
fn holds(path: &Path, words: &[&str]) -> bool {
    const LOOKED_AT: u64 = 64 * 1024;
    let Ok(file) = tenon_files::open(path) else {
        return true;
    };
    let mut bytes = Vec::new();
    let _ = file.take(LOOKED_AT).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).to_lowercase();
    words.iter().any(|word| text.contains(word))
}

pub(super) fn protected(
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<PathBuf>,
) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = PROTECTED
        .iter()
        .flat_map(|path| placed(home, path, &variable))
        .collect();
    found.extend(super::stores::programs(home, &variable));
    // A cache that a shell runs at its start.
    for folder in placed(home, ".cache", &variable) {
        found.extend(sockets::named(&folder, |name| {
            name.starts_with("p10k-instant-prompt-")
        }));
    }
    found
}
