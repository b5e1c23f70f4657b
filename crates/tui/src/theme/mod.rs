//! Roles become colours. The default theme has named colours only, so that it is
//! readable on every background that the terminal's owner chose.
//!
//! A theme knows nothing of lines or of the screen; [`Theme::sgr`] is all that
//! is asked of it.

mod colour;
mod palette;

use crate::text::{Band, Role, Ruled, Slant, Style, Weight};
use palette::{Ink, Palette};

/// How many colours the terminal shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// NO_COLOR, or a terminal without any: weight and slant remain.
    None,
    Sixteen,
    Many,
    True,
}

/// Whether the background is dark.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ground {
    #[default]
    Dark,
    Light,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme {
    /// As it was chosen: `auto` stays `auto`, whatever it became.
    pub name: &'static str,
    palette: Palette,
}

impl Theme {
    /// The names that may be chosen, with a word about each.
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("ansi", "the colours of your terminal"),
        ("auto", "dark or light, as the background is"),
        ("dark", "for a dark background"),
        ("light", "for a light background"),
        ("mono", "no colours, only weight and slant"),
    ];

    /// A theme by its name; an unknown one is the default.
    #[must_use]
    pub fn named(name: &str, ground: Ground) -> Self {
        let (name, palette) = match name {
            "auto" => match ground {
                Ground::Dark => ("auto", Palette::Dark),
                Ground::Light => ("auto", Palette::Light),
            },
            "dark" => ("dark", Palette::Dark),
            "light" => ("light", Palette::Light),
            "mono" => ("mono", Palette::Mono),
            _ => ("ansi", Palette::Ansi),
        };
        Self { name, palette }
    }

    /// Whether the background has to be known for this theme.
    #[must_use]
    pub fn asks_ground(name: &str) -> bool {
        name == "auto"
    }

    /// The same for the background of a band; empty where it has none.
    #[must_use]
    pub fn ground(&self, band: Band, depth: Depth) -> String {
        let palette = self.palette.of(depth);
        let ink = palette.within(band, Role::Text, palette.ink(Role::Text));
        ink.back
            .and_then(|colour| colour.parameter(colour::Plane::Back, depth))
            .unwrap_or_default()
    }

    /// The parameters of the escape sequence for a style; empty for plain text.
    #[must_use]
    pub fn sgr(&self, style: Style, depth: Depth) -> String {
        let palette = self.palette.of(depth);
        let ink = palette.within(style.band, style.role, palette.ink(style.role));
        let mut out = String::new();
        let mut put = |parameter: &str| {
            if !out.is_empty() {
                out.push(';');
            }
            out.push_str(parameter);
        };
        if style.bold == Weight::Bold || ink.bold {
            put("1");
        }
        if ink.faint {
            put("2");
        }
        if style.italic == Slant::Italic || ink.italic {
            put("3");
        }
        if style.line == Ruled::Under || ink.underlined {
            put("4");
        }
        if ink.inverse {
            put("7");
        }
        if style.line == Ruled::Through {
            put("9");
        }
        let Ink { front, back, .. } = ink;
        for (colour, plane) in [(front, colour::Plane::Front), (back, colour::Plane::Back)] {
            if let Some(parameter) = colour.and_then(|colour| colour.parameter(plane, depth)) {
                put(&parameter);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sgr(theme: &str, style: impl Into<Style>, depth: Depth) -> String {
        Theme::named(theme, Ground::Dark).sgr(style.into(), depth)
    }

    #[test]
    fn the_default_theme_has_named_colours_only() {
        for role in palette::ROLES {
            let parameters = sgr("ansi", *role, Depth::True);
            for parameter in parameters.split(';').filter(|part| !part.is_empty()) {
                let number: u8 = parameter.parse().expect("a number");
                assert!(
                    matches!(number, 1..=9 | 30..=37 | 90..=97),
                    "{role:?}: {parameters}"
                );
            }
        }
    }

    #[test]
    fn tools_are_bold_yellow_errors_red_success_green_thoughts_dim() {
        assert_eq!(sgr("ansi", Role::Tool, Depth::Sixteen), "1;33");
        assert_eq!(sgr("ansi", Role::Error, Depth::Sixteen), "31");
        assert_eq!(sgr("ansi", Role::Success, Depth::Sixteen), "32");
        assert_eq!(sgr("ansi", Role::Dim, Depth::Sixteen), "2");
        assert_eq!(sgr("ansi", Role::Text, Depth::Sixteen), "");
    }

    #[test]
    fn with_sixteen_colours_every_theme_keeps_what_they_mean() {
        for theme in ["dark", "light", "auto"] {
            for (role, parameters) in [
                (Role::Success, "32"),
                (Role::Added, "32"),
                (Role::Removed, "31"),
                (Role::Error, "31"),
                (Role::Warning, "33"),
                (Role::AddedWord, "7;32"),
                (Role::Tool, "1;33"),
            ] {
                let shown = sgr(theme, role, Depth::Sixteen);
                assert_eq!(shown, parameters, "{theme} {role:?}");
            }
        }
    }

    #[test]
    fn without_colours_weight_and_slant_remain() {
        for theme in ["ansi", "dark", "light", "mono", "auto"] {
            for role in palette::ROLES {
                let parameters = sgr(theme, *role, Depth::None);
                assert!(
                    parameters
                        .split(';')
                        .all(|part| part.is_empty() || part.len() == 1),
                    "{theme} {role:?}: {parameters}"
                );
            }
        }
        assert_eq!(sgr("dark", Role::Tool, Depth::None), "1");
        let style = Style::from(Role::Error)
            .bold()
            .italic()
            .ruled(Ruled::Through);
        assert_eq!(sgr("ansi", style, Depth::None), "1;3;9");
    }

    #[test]
    fn auto_is_dark_or_light_by_the_ground_and_keeps_its_name() {
        let dark = Theme::named("auto", Ground::Dark);
        let light = Theme::named("auto", Ground::Light);
        assert_eq!((dark.name, light.name), ("auto", "auto"));
        let error = Style::from(Role::Error);
        assert_eq!(
            dark.sgr(error, Depth::True),
            sgr("dark", error, Depth::True)
        );
        assert_ne!(dark.sgr(error, Depth::True), light.sgr(error, Depth::True));
        assert_eq!(Theme::named("no such", Ground::Dark).name, "ansi");
        for (name, _) in Theme::NAMES {
            assert_eq!(Theme::named(name, Ground::Dark).name, *name);
        }
    }
}
