//! Files whose change runs code or leaks: writing them needs a yes each time.
//!
//! Names are compared as the most forgiving file system would: without case,
//! without invisible characters, without trailing dots and blanks (T17).

use crate::guard::is_secret_path;

/// Where a write needs a person's yes each time (T21).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sensitive {
    Settings,
    ShellStart,
    Editor,
    BuildTool,
    Pipeline,
    Hook,
    Secret,
}

impl Sensitive {
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Settings => "a settings file of a coding agent or of the environment",
            Self::ShellStart => "a shell start-up file",
            Self::Editor => "a file that an editor runs commands from",
            Self::BuildTool => "a file that a build tool runs commands from",
            Self::Pipeline => "a file that a CI server runs commands from",
            Self::Hook => "a file that git runs commands from",
            Self::Secret => "a file with secrets",
        }
    }
}

/// One component as the most forgiving file system would see it.
pub(crate) fn fold(component: &str) -> String {
    let visible: String = component
        .chars()
        .filter(|c| !is_ignorable(*c))
        .flat_map(char::to_lowercase)
        .collect();
    // NTFS: `name::$DATA` is the file itself.
    let name = visible.split(':').next().unwrap_or_default();
    let name = name.trim_end_matches(['.', ' ']);
    match name {
        "git~1" => ".git".to_owned(),
        "" => visible,
        name => name.to_owned(),
    }
}

fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{E0000}'..='\u{E0FFF}')
}

pub(crate) fn components(path: &str) -> Vec<String> {
    path.split(['/', '\\'])
        .filter(|part| !part.is_empty())
        .map(fold)
        .collect()
}

/// Whether any component is git's own folder.
pub(crate) fn is_git_internal(path: &str) -> bool {
    components(path).iter().any(|part| part == ".git")
}

/// Whether `path` is `folder` or below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    if path.starts_with(['/', '\\']) != folder.starts_with(['/', '\\']) {
        return false;
    }
    let (path, folder) = (components(path), components(folder));
    !folder.is_empty() && path.len() >= folder.len() && path[..folder.len()] == folder[..]
}

pub(crate) fn sensitive(path: &str) -> Option<Sensitive> {
    let parts = components(path);
    let name = parts.last().map_or("", String::as_str);
    let inside = |folder: &str| parts.iter().any(|part| part == folder);
    let pair = |first: &str, second: &str| {
        parts
            .windows(2)
            .any(|two| two[0] == first && two[1] == second)
    };
    if is_settings(name, &inside, &pair) {
        return Some(Sensitive::Settings);
    }
    if is_shell_start(name) || pair(".config", "fish") {
        return Some(Sensitive::ShellStart);
    }
    if is_editor(name, &inside) || pair(".config", "nvim") {
        return Some(Sensitive::Editor);
    }
    if is_build_tool(name, &pair) {
        return Some(Sensitive::BuildTool);
    }
    if is_pipeline(name, &inside, &pair) {
        return Some(Sensitive::Pipeline);
    }
    if inside(".husky")
        || inside(".githooks")
        || matches!(
            name,
            ".gitconfig"
                | ".pre-commit-config.yaml"
                | "lefthook.yml"
                | "lefthook.yaml"
                | ".lefthook.yml"
                | ".lefthook.yaml"
        )
    {
        return Some(Sensitive::Hook);
    }
    is_secret_path(&parts).then_some(Sensitive::Secret)
}

/// What a file is that runs code later, by its path from the root: the same list
/// as for what is asked about, for the walls around commands. A build server
/// reads only what lies at the top.
#[must_use]
pub fn runs_later(path: &str) -> Option<&'static str> {
    let kind = sensitive(path)?;
    let is_deep = || components(path).first().is_some_and(|top| !is_host(top));
    match kind {
        Sensitive::Secret => None,
        Sensitive::Pipeline if is_deep() => None,
        kind => Some(kind.what()),
    }
}

/// Whether a build server looks for its files here.
fn is_host(top: &str) -> bool {
    const HOSTS: &[&str] = &[".github", ".forgejo", ".gitea", ".gitlab"];
    HOSTS.contains(&top) || is_pipeline(top, &|folder| folder == top, &|_, _| false)
}

/// Whether a file steers the agent itself. A change asks as any other does, but
/// no grant for a folder reaches it.
pub(crate) fn is_steering(path: &str) -> bool {
    let parts = components(path);
    let name = parts.last().map_or("", String::as_str);
    matches!(name, "agents.md" | "claude.md")
}

fn is_settings(
    name: &str,
    inside: &dyn Fn(&str) -> bool,
    pair: &dyn Fn(&str, &str) -> bool,
) -> bool {
    const FOLDERS: &[&str] = &[
        ".tenon", ".direnv", ".claude", ".cursor", ".codex", ".gemini",
    ];
    const NAMES: &[&str] = &[
        ".envrc",
        ".mcp.json",
        "mise.toml",
        ".mise.toml",
        "mise.local.toml",
        ".mise.local.toml",
    ];
    FOLDERS.iter().any(|folder| inside(folder)) || NAMES.contains(&name) || pair(".config", "mise")
}

fn is_build_tool(name: &str, pair: &dyn Fn(&str, &str) -> bool) -> bool {
    matches!(name, ".yarnrc" | ".yarnrc.yml" | ".npmrc" | ".bazelrc")
        || pair(".cargo", "config")
        || pair(".cargo", "config.toml")
}

fn is_shell_start(name: &str) -> bool {
    const NAMES: &[&str] = &[
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".zlogout",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".inputrc",
        ".xinitrc",
        ".xprofile",
        ".xsession",
        "profile.ps1",
        "microsoft.powershell_profile.ps1",
    ];
    NAMES.contains(&name)
}

fn is_editor(name: &str, inside: &dyn Fn(&str) -> bool) -> bool {
    const FOLDERS: &[&str] = &[
        ".vscode",
        ".idea",
        ".zed",
        ".fleet",
        ".helix",
        ".devcontainer",
    ];
    const NAMES: &[&str] = &[
        ".vimrc",
        ".exrc",
        ".nvimrc",
        ".nvim.lua",
        ".dir-locals.el",
        ".emacs",
    ];
    FOLDERS.iter().any(|folder| inside(folder))
        || NAMES.contains(&name)
        || name.ends_with(".code-workspace")
        || name.ends_with(".sublime-project")
}

fn is_pipeline(
    name: &str,
    inside: &dyn Fn(&str) -> bool,
    pair: &dyn Fn(&str, &str) -> bool,
) -> bool {
    const NAMES: &[&str] = &[
        ".gitlab-ci.yml",
        ".gitlab-ci.yaml",
        ".travis.yml",
        "jenkinsfile",
        "azure-pipelines.yml",
        "azure-pipelines.yaml",
        "bitbucket-pipelines.yml",
        ".drone.yml",
        ".woodpecker.yml",
        "appveyor.yml",
        ".appveyor.yml",
        "cloudbuild.yaml",
        "buildspec.yml",
        ".cirrus.yml",
    ];
    const FOLDERS: &[&str] = &[".circleci", ".buildkite", ".woodpecker", ".teamcity"];
    NAMES.contains(&name)
        || FOLDERS.iter().any(|folder| inside(folder))
        || [".github", ".forgejo", ".gitea"]
            .iter()
            .any(|host| pair(host, "workflows") || pair(host, "actions"))
        || pair(".gitlab", "ci")
}
