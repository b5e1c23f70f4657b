//! How the user wants the interface: from the configuration, and the theme that
//! was chosen by hand last, which is kept in the state folder.

use super::house::Program;
use crate::assemble::Options;
use crate::place::Place;
use crate::{plain_file, trust};
use tenon_config::{TuiInterface, TuiSettings, TuiTheme};
use tenon_tui::house::Wishes;
use tenon_tui::theme::Theme;

const FILE: &str = "theme";
const LONGEST: u64 = 64;

pub fn read(program: &Program) -> Wishes {
    let live = program.live.borrow();
    match live.as_ref() {
        Some(live) => wishes(&live.talk.configured.resolved.tui, &program.place()),
        None => Wishes::default(),
    }
}

/// What an interactive session is to be drawn with. Asked before the settings
/// are resolved; what is wrong with them is told by whoever uses them next.
pub fn interface(place: &Place, options: &Options) -> TuiInterface {
    trust::read(place, options.flags.clone())
        .map(|loaded| loaded.tui_interface())
        .unwrap_or_default()
}

fn wishes(settings: &TuiSettings, place: &Place) -> Wishes {
    // What somebody wrote down is meant for every start; a choice by hand is
    // above what nobody wrote.
    let theme = match &settings.theme {
        TuiTheme::Written(name) => name.clone(),
        TuiTheme::Suggested(name) => chosen(place).unwrap_or_else(|| name.clone()),
    };
    Wishes {
        theme,
        keys: settings.keys,
        status: settings.status.clone(),
        notify: settings.notify,
        motion: settings.motion,
        thinking: settings.thinking,
    }
}

/// The theme that was chosen by hand, if it is one.
fn chosen(place: &Place) -> Option<String> {
    let bytes = tenon_files::read(&place.paths.state.join(FILE), LONGEST).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let name = text.trim();
    Theme::NAMES
        .iter()
        .any(|(known, _)| *known == name)
        .then(|| name.to_owned())
}

/// That it cannot be kept is no reason to stop.
pub fn keep_theme(place: &Place, name: &str) {
    let _ = plain_file::replace_text(&place.paths.state.join(FILE), name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::RootFrom;
    use std::path::Path;
    use tenon_config::{Env, Kind, Paths, keys};
    use tenon_vocab::wishes::{Keys, Motion, Notify, Thinking};

    fn place(home: &Path) -> Place {
        let env = Env::default().with("TENON_HOME", &home.to_string_lossy());
        Place {
            paths: Paths::from_env(&env).unwrap(),
            env,
            root: home.to_owned(),
            root_from: RootFrom::Flag,
            config: None,
        }
    }

    fn settings(theme: TuiTheme) -> TuiSettings {
        TuiSettings {
            interface: TuiInterface::Screen,
            theme,
            keys: Keys::Vim,
            status: vec![String::from("cost")],
            notify: Notify::Always,
            motion: Motion::Reduced,
            thinking: Thinking::Hidden,
        }
    }

    #[test]
    fn the_configuration_knows_the_very_themes_of_the_interface() {
        let themes: Vec<&str> = Theme::NAMES.iter().map(|(name, _)| *name).collect();
        let Some(Kind::Word(words)) = keys::key("tui.theme").map(|key| key.kind) else {
            panic!("tui.theme is no word");
        };
        assert_eq!(words, themes);
        let default = keys::key("tui.theme").and_then(keys::Key::default_value);
        assert_eq!(default, Some(Wishes::default().theme.into()));
    }

    #[test]
    fn the_configuration_knows_the_very_parts_of_the_status_line() {
        let kind = keys::key("tui.status").map(|key| key.kind);
        assert_eq!(kind, Some(Kind::Words(tenon_tui::view::PARTS)));
    }

    #[test]
    fn a_written_theme_is_above_the_one_chosen_by_hand_and_that_above_the_default() {
        let home = tempfile::tempdir().unwrap();
        let place = place(home.path());
        std::fs::create_dir_all(&place.paths.state).unwrap();
        let theme = |theme| wishes(&settings(theme), &place).theme;
        let suggested = || TuiTheme::Suggested(String::from("ansi"));
        assert_eq!(theme(suggested()), "ansi");
        keep_theme(&place, "light");
        assert_eq!(theme(suggested()), "light");
        assert_eq!(theme(TuiTheme::Written(String::from("mono"))), "mono");
        keep_theme(&place, "nosuch");
        assert_eq!(theme(suggested()), "ansi");
        std::fs::write(place.paths.state.join(FILE), [b'\xff'; 9]).unwrap();
        assert_eq!(theme(suggested()), "ansi");
    }

    #[test]
    fn every_wish_reaches_the_interface() {
        let home = tempfile::tempdir().unwrap();
        let written = TuiTheme::Written(String::from("dark"));
        assert_eq!(
            wishes(&settings(written), &place(home.path())),
            Wishes {
                theme: String::from("dark"),
                keys: Keys::Vim,
                status: vec![String::from("cost")],
                notify: Notify::Always,
                motion: Motion::Reduced,
                thinking: Thinking::Hidden,
            }
        );
    }
}
