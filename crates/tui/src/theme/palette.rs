//! Which colour and weight each role has, theme by theme. Nothing else is
//! decided here.

use super::Depth;
use super::colour::Colour;
use crate::text::{Band, Role};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Palette {
    Ansi,
    Dark,
    Light,
    Mono,
}

/// How a role is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Ink {
    pub front: Option<Colour>,
    pub back: Option<Colour>,
    pub bold: bool,
    pub faint: bool,
    pub italic: bool,
    pub underlined: bool,
    pub inverse: bool,
}

impl Ink {
    fn named(number: u8) -> Self {
        Self {
            front: Some(Colour::Named(number)),
            ..Self::default()
        }
    }

    /// As `0xRRGGBB`.
    fn rgb(colour: u32) -> Self {
        Self {
            front: Some(rgb(colour)),
            ..Self::default()
        }
    }

    fn on(self, colour: u32) -> Self {
        Self {
            back: Some(rgb(colour)),
            ..self
        }
    }

    fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    fn faint(self) -> Self {
        Self {
            faint: true,
            ..self
        }
    }

    fn italic(self) -> Self {
        Self {
            italic: true,
            ..self
        }
    }

    fn underlined(self) -> Self {
        Self {
            underlined: true,
            ..self
        }
    }

    fn inverse(self) -> Self {
        Self {
            inverse: true,
            ..self
        }
    }
}

fn rgb(colour: u32) -> Colour {
    let [_, r, g, b] = colour.to_be_bytes();
    Colour::Rgb(r, g, b)
}

const RED: u8 = 1;
const GREEN: u8 = 2;
const YELLOW: u8 = 3;
const BLUE: u8 = 4;
const MAGENTA: u8 = 5;
const CYAN: u8 = 6;

impl Palette {
    /// What it is on a terminal of sixteen colours. The nearest of those to a soft
    /// green is white, and to a dark one black: what they mean would be lost.
    pub(super) fn of(self, depth: Depth) -> Self {
        match (self, depth) {
            (Self::Dark | Self::Light, Depth::Sixteen) => Self::Ansi,
            (palette, _) => palette,
        }
    }

    /// A piece of a changed line. Where there are backgrounds the line has one and
    /// code keeps its colours. The terminal's own colours have none that is safe:
    /// there the letters say what the line is, and words that mean something in
    /// the language keep their colour.
    pub(super) fn within(self, band: Band, role: Role, ink: Ink) -> Ink {
        let plain = matches!(role, Role::Text | Role::Punctuation | Role::Comment);
        match (self, band) {
            (_, Band::None) => ink,
            (_, Band::Chosen) => self.ink(Role::Selected).bold().underlined(),
            (Self::Ansi | Self::Mono, Band::Around) => Ink::default().faint(),
            (Self::Dark | Self::Light, Band::Around) => ink,
            (Self::Mono, _) => ink,
            (Self::Ansi, Band::Added) if plain => Ink::named(GREEN),
            (Self::Ansi, Band::Removed) if plain || role == Role::StringText => Ink::named(RED),
            (Self::Ansi, _) => ink,
            (Self::Dark, Band::Added) => on_tint(ink, role, (0xe4_e4e4, 0xa8_a8a8), 0x00_3a10),
            (Self::Dark, Band::Removed) => on_tint(ink, role, (0xe4_e4e4, 0xa8_a8a8), 0x3a_0008),
            (Self::Light, Band::Added) => on_tint(ink, role, (0x1c_1c1c, 0x4e_4e4e), 0xd7_ffd7),
            (Self::Light, Band::Removed) => on_tint(ink, role, (0x1c_1c1c, 0x4e_4e4e), 0xff_d7d7),
        }
    }

    pub(super) fn ink(self, role: Role) -> Ink {
        match self {
            Self::Ansi => ansi(role),
            Self::Dark => dark(role),
            Self::Light => light(role),
            Self::Mono => mono(role),
        }
    }
}

/// On a background that is ours, plain letters need a colour that is ours, too.
fn on_tint(ink: Ink, role: Role, (plain, quiet): (u32, u32), tint: u32) -> Ink {
    let ink = match role {
        Role::Comment => Ink {
            front: Some(rgb(quiet)),
            ..ink
        },
        _ if ink.front.is_none() => Ink {
            front: Some(rgb(plain)),
            ..ink
        },
        _ => ink,
    };
    match ink.back {
        None => ink.on(tint),
        Some(_) => ink,
    }
}

/// Neither black, white nor the bright ones: in well-known palettes these are
/// the background itself or greys.
fn ansi(role: Role) -> Ink {
    let plain = Ink::default();
    match role {
        Role::Text | Role::Punctuation => plain,
        Role::Dim | Role::Border | Role::Comment => plain.faint(),
        Role::User => plain.bold(),
        Role::Heading => Ink::named(BLUE).bold(),
        Role::Code | Role::Hunk | Role::TypeName => Ink::named(CYAN),
        Role::Link => plain.underlined(),
        Role::Quote => plain.italic(),
        Role::Tool => Ink::named(YELLOW).bold(),
        Role::Success | Role::Added | Role::StringText => Ink::named(GREEN),
        Role::Error | Role::Removed => Ink::named(RED),
        Role::Warning => Ink::named(YELLOW),
        Role::Accent => Ink::named(CYAN).bold(),
        Role::AddedWord => Ink::named(GREEN).inverse(),
        Role::RemovedWord => Ink::named(RED).inverse(),
        Role::Selected | Role::Caret => plain.inverse(),
        Role::Match => Ink::named(MAGENTA).bold(),
        Role::Keyword | Role::Literal => Ink::named(MAGENTA),
        Role::Function => Ink::named(BLUE),
    }
}

fn dark(role: Role) -> Ink {
    let plain = Ink::default();
    match role {
        Role::Text => plain,
        Role::Dim | Role::Border => Ink::rgb(0x8a_8a8a),
        Role::Comment => Ink::rgb(0x8a_8a8a).italic(),
        Role::Heading => Ink::rgb(0x5f_afff).bold(),
        Role::User => plain.bold(),
        Role::Code => Ink::rgb(0x87_d7d7),
        Role::Link => Ink::rgb(0x5f_afff).underlined(),
        Role::Quote => Ink::rgb(0xaf_afaf).italic(),
        Role::Tool => Ink::rgb(0xff_d75f).bold(),
        Role::Success | Role::Added => Ink::rgb(0x87_d787),
        Role::Error | Role::Removed => Ink::rgb(0xff_8787),
        Role::Warning => Ink::rgb(0xff_af5f),
        Role::Accent => Ink::rgb(0x5f_d7ff).bold(),
        Role::AddedWord => Ink::rgb(0xd7_ffd7).on(0x00_5f00),
        Role::RemovedWord => Ink::rgb(0xff_d7d7).on(0x87_0000),
        Role::Hunk => Ink::rgb(0x5f_afd7),
        Role::Selected => Ink::rgb(0xff_ffff).on(0x26_4f78).bold(),
        Role::Caret => plain.inverse(),
        Role::Match => Ink::rgb(0xff_d75f).bold(),
        Role::Keyword => Ink::rgb(0xd7_87ff),
        Role::Literal => Ink::rgb(0xff_af87),
        Role::StringText => Ink::rgb(0xaf_d787),
        Role::Function => Ink::rgb(0x87_afff),
        Role::TypeName => Ink::rgb(0x5f_d7d7),
        Role::Punctuation => Ink::rgb(0xaf_afaf),
    }
}

fn light(role: Role) -> Ink {
    let plain = Ink::default();
    match role {
        Role::Text => plain,
        Role::Dim | Role::Border => Ink::rgb(0x62_6262),
        Role::Comment => Ink::rgb(0x62_6262).italic(),
        Role::Heading => Ink::rgb(0x00_5faf).bold(),
        Role::User => plain.bold(),
        Role::Code => Ink::rgb(0x00_5f5f),
        Role::Link => Ink::rgb(0x00_5faf).underlined(),
        Role::Quote => Ink::rgb(0x4e_4e4e).italic(),
        Role::Tool => Ink::rgb(0x87_5f00).bold(),
        Role::Success | Role::Added => Ink::rgb(0x00_5f00),
        Role::Error | Role::Removed => Ink::rgb(0xaf_0000),
        Role::Warning => Ink::rgb(0x87_5f00),
        Role::Accent => Ink::rgb(0x00_5f87).bold(),
        Role::AddedWord => Ink::rgb(0x00_3b00).on(0xaf_ffaf),
        Role::RemovedWord => Ink::rgb(0x5f_0000).on(0xff_d7d7),
        Role::Hunk => Ink::rgb(0x00_5f87),
        Role::Selected => Ink::rgb(0x00_0000).on(0xaf_d7ff).bold(),
        Role::Caret => plain.inverse(),
        Role::Match => Ink::rgb(0xaf_005f).bold(),
        Role::Keyword => Ink::rgb(0x87_00af),
        Role::Literal => Ink::rgb(0xaf_0000),
        Role::StringText => Ink::rgb(0x00_5f00),
        Role::Function => Ink::rgb(0x00_00af),
        Role::TypeName => Ink::rgb(0x00_5f5f),
        Role::Punctuation => Ink::rgb(0x4e_4e4e),
    }
}

fn mono(role: Role) -> Ink {
    Ink {
        front: None,
        back: None,
        ..ansi(role)
    }
}

/// All of them, for the tests: none may be forgotten by a theme.
#[cfg(test)]
pub(super) const ROLES: &[Role] = &[
    Role::Text,
    Role::Dim,
    Role::Heading,
    Role::Code,
    Role::Link,
    Role::Quote,
    Role::User,
    Role::Tool,
    Role::Success,
    Role::Error,
    Role::Warning,
    Role::Accent,
    Role::Added,
    Role::Removed,
    Role::AddedWord,
    Role::RemovedWord,
    Role::Hunk,
    Role::Border,
    Role::Selected,
    Role::Match,
    Role::Caret,
    Role::Keyword,
    Role::Literal,
    Role::StringText,
    Role::Comment,
    Role::Function,
    Role::TypeName,
    Role::Punctuation,
];

/// What code is made of, and the sign before it.
#[cfg(test)]
const CODE: &[Role] = &[
    Role::Text,
    Role::Keyword,
    Role::Literal,
    Role::StringText,
    Role::Comment,
    Role::Function,
    Role::TypeName,
    Role::Punctuation,
];

#[cfg(test)]
mod tests {
    use super::super::colour::{Plane, rgb_of};
    use super::*;

    type Rgb = (u8, u8, u8);

    fn brightness((r, g, b): Rgb) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (brightness(a), brightness(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// What a terminal of 256 or of all colours shows.
    fn shown(colour: Colour, depth: Depth) -> Rgb {
        let parameter = colour.parameter(Plane::Front, depth).expect("a colour");
        let numbers: Vec<u8> = parameter
            .split(';')
            .map(|n| n.parse().expect("a number"))
            .collect();
        match numbers.as_slice() {
            [38, 5, number] => rgb_of(*number),
            [38, 2, r, g, b] => (*r, *g, *b),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn code_can_be_read_on_the_backgrounds_of_a_change() {
        for palette in [Palette::Dark, Palette::Light] {
            for band in [Band::Added, Band::Removed] {
                for role in CODE {
                    for depth in [Depth::Many, Depth::True] {
                        let ink = palette.within(band, *role, palette.ink(*role));
                        let (front, back) = (ink.front.unwrap(), ink.back.unwrap());
                        let ratio = contrast(shown(front, depth), shown(back, depth));
                        assert!(
                            ratio >= 4.5,
                            "{palette:?} {band:?} {role:?} {depth:?}: {ratio:.2}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_role_of_the_dark_and_the_light_theme_can_be_read() {
        for (palette, ground) in [
            (Palette::Dark, (0, 0, 0)),
            (Palette::Light, (255, 255, 255)),
        ] {
            for role in ROLES {
                for depth in [Depth::Many, Depth::True] {
                    let ink = palette.ink(*role);
                    let Some(front) = ink.front else { continue };
                    let back = ink.back.map_or(ground, |back| shown(back, depth));
                    let ratio = contrast(shown(front, depth), back);
                    assert!(ratio >= 4.5, "{palette:?} {role:?} {depth:?}: {ratio:.2}");
                }
            }
        }
    }
}
