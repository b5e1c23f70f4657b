use std::path::PathBuf;
use tenon_config::{Env, Paths, Platform};

fn env(pairs: &[(&str, &str)]) -> Env {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn on(platform: Platform, pairs: &[(&str, &str)]) -> (String, String, String) {
    let paths = Paths::on(platform, &env(pairs)).unwrap();
    let text = |path: PathBuf| path.to_string_lossy().replace('\\', "/");
    (text(paths.config), text(paths.state), text(paths.cache))
}

fn three(config: &str, state: &str, cache: &str) -> (String, String, String) {
    (config.into(), state.into(), cache.into())
}

#[test]
fn each_platform_has_its_folders() {
    assert_eq!(
        on(Platform::Unix, &[("HOME", "/h")]),
        three(
            "/h/.config/tenon",
            "/h/.local/state/tenon",
            "/h/.cache/tenon"
        )
    );
    let xdg = [
        ("HOME", "/h"),
        ("XDG_CONFIG_HOME", "/c"),
        ("XDG_STATE_HOME", "relative"),
        ("XDG_CACHE_HOME", ""),
    ];
    assert_eq!(
        on(Platform::Unix, &xdg),
        three("/c/tenon", "/h/.local/state/tenon", "/h/.cache/tenon")
    );
    assert_eq!(
        on(Platform::MacOs, &[("HOME", "/h")]),
        three(
            "/h/Library/Application Support/tenon",
            "/h/Library/Application Support/tenon/state",
            "/h/Library/Caches/tenon"
        )
    );
    assert_eq!(
        on(
            Platform::Windows,
            &[("APPDATA", "C:/r"), ("LOCALAPPDATA", "C:/l")]
        ),
        three("C:/r/tenon", "C:/l/tenon/state", "C:/l/tenon/cache")
    );
}

#[test]
fn one_variable_puts_everything_into_one_folder() {
    for platform in [Platform::Unix, Platform::MacOs] {
        assert_eq!(
            on(platform, &[("TENON_HOME", "/t")]),
            three("/t", "/t", "/t/cache")
        );
    }
    assert_eq!(
        on(
            Platform::Unix,
            &[("TENON_HOME", "/t"), ("TENON_CACHE_DIR", "/c")]
        ),
        three("/t", "/t", "/c")
    );
}

#[test]
fn a_home_that_is_not_there_or_not_absolute_is_named() {
    let error = |pairs: &[(&str, &str)]| {
        Paths::on(Platform::Unix, &env(pairs))
            .unwrap_err()
            .to_string()
    };
    assert!(error(&[]).contains("`HOME` isn't set"));
    assert!(
        error(&[("TENON_HOME", "x")]).contains("`TENON_HOME` is `x`, which isn't an absolute path")
    );
}
