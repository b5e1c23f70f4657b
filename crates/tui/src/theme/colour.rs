//! A colour, and what of it a terminal of so many colours can show. Which text
//! has which colour is the palette's.

use super::Depth;

/// One colour of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    /// One of the terminal's own sixteen.
    Named(u8),
    Rgb(u8, u8, u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plane {
    Front,
    Back,
}

type Rgb = (u8, u8, u8);

/// The steps of the colour cube of 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

impl Colour {
    /// The parameter of the escape sequence; none without colours.
    pub(super) fn parameter(self, plane: Plane, depth: Depth) -> Option<String> {
        let long = match plane {
            Plane::Front => 38,
            Plane::Back => 48,
        };
        match (self, depth) {
            // The nearest of sixteen says something else, see `Palette::of`.
            (_, Depth::None) | (Self::Rgb(..), Depth::Sixteen) => None,
            (Self::Named(number), _) => Some(named(number, plane)),
            (Self::Rgb(r, g, b), Depth::Many) => Some(format!("{long};5;{}", indexed((r, g, b)))),
            (Self::Rgb(r, g, b), Depth::True) => Some(format!("{long};2;{r};{g};{b}")),
        }
    }
}

fn named(number: u8, plane: Plane) -> String {
    let first: u8 = match (plane, number) {
        (Plane::Front, ..=7) => 30,
        (Plane::Front, _) => 82,
        (Plane::Back, ..=7) => 40,
        (Plane::Back, _) => 92,
    };
    first.saturating_add(number).to_string()
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    let part = |x: u8, y: u8| u32::from(x.abs_diff(y)).pow(2);
    // The eye weighs green most and blue least.
    2 * part(a.0, b.0) + 4 * part(a.1, b.1) + part(a.2, b.2)
}

/// The number of the nearest of 256 colours. The first sixteen are the
/// terminal's own and therefore not counted on.
fn indexed(colour: Rgb) -> u8 {
    (16..=255)
        .min_by_key(|number| distance(rgb_of(*number), colour))
        .unwrap_or(15)
}

/// What a number of the 256 stands for, from 16 on.
pub(super) fn rgb_of(number: u8) -> Rgb {
    if number >= 232 {
        let grey = 8 + 10 * (number - 232);
        return (grey, grey, grey);
    }
    let at = number.saturating_sub(16);
    let step = |part: u8| STEPS.get(usize::from(part % 6)).copied().unwrap_or(0);
    (step(at / 36), step(at / 6), step(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_becomes_the_nearest_that_the_terminal_has() {
        let red = Colour::Rgb(250, 20, 10);
        let named = Colour::Named(1);
        assert_eq!(
            named.parameter(Plane::Front, Depth::Sixteen).as_deref(),
            Some("31")
        );
        assert_eq!(
            red.parameter(Plane::Front, Depth::Many).as_deref(),
            Some("38;5;196")
        );
        assert_eq!(
            red.parameter(Plane::Back, Depth::True).as_deref(),
            Some("48;2;250;20;10")
        );
        assert_eq!(red.parameter(Plane::Front, Depth::None), None);
        let grey = Colour::Rgb(129, 129, 129);
        assert_eq!(
            grey.parameter(Plane::Front, Depth::Many).as_deref(),
            Some("38;5;244")
        );
    }
}
