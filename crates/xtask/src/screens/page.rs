//! A screen as a page of HTML: every cell in its column, with the colours that a
//! usual terminal gives it.

use std::fmt::Write;
use tenon_testing::screen::Cells;
use vt100::{Cell, Color, Screen};

/// Pixels of a cell and around the screen.
const WIDE: u32 = 9;
const HIGH: u32 = 19;
const AROUND: u32 = 14;

/// The colours of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Dark,
    Light,
}

const DARK: [u32; 16] = [
    0x1d_1f_28, 0xf2_77_7a, 0x9f_d3_7f, 0xf0_c6_74, 0x7a_a6_da, 0xc3_97_d8, 0x70_c0_b1, 0xd5_d8_df,
    0x73_78_88, 0xff_8d_8f, 0xb4_e5_95, 0xff_d9_8c, 0x92_bd_f0, 0xd8_ae_ec, 0x86_d8_c8, 0xff_ff_ff,
];
const LIGHT: [u32; 16] = [
    0x1f_23_28, 0xc6_28_28, 0x1a_7f_37, 0x9a_67_00, 0x09_56_c6, 0x82_50_df, 0x1b_7c_83, 0x6e_77_81,
    0x57_60_6a, 0xa4_0e_26, 0x11_63_29, 0x7d_4e_00, 0x03_3d_8b, 0x6e_40_c9, 0x0a_5f_66, 0x24_29_2f,
];

impl Look {
    pub fn pixels(self, cells: Cells) -> (u32, u32) {
        (
            u32::from(cells.columns) * WIDE + 2 * AROUND,
            u32::from(cells.rows) * HIGH + 2 * AROUND,
        )
    }

    fn palette(self) -> &'static [u32; 16] {
        match self {
            Self::Dark => &DARK,
            Self::Light => &LIGHT,
        }
    }

    fn ground(self) -> u32 {
        match self {
            Self::Dark => 0x16_18_20,
            Self::Light => 0xff_ff_ff,
        }
    }

    fn ink(self) -> u32 {
        match self {
            Self::Dark => 0xd5_d8_df,
            Self::Light => 0x1f_23_28,
        }
    }

    fn colour(self, colour: Color, default: u32) -> u32 {
        match colour {
            Color::Default => default,
            Color::Rgb(red, green, blue) => u32::from_be_bytes([0, red, green, blue]),
            Color::Idx(number) => match self.palette().get(usize::from(number)) {
                Some(colour) => *colour,
                None => indexed(number),
            },
        }
    }
}

/// The colours above sixteen: a cube, then greys.
fn indexed(number: u8) -> u32 {
    let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
    let (red, green, blue) = match number {
        232.. => {
            let grey = 8 + 10 * (number - 232);
            (grey, grey, grey)
        }
        _ => {
            let at = number.saturating_sub(16);
            (level(at / 36), level(at / 6 % 6), level(at % 6))
        }
    };
    u32::from_be_bytes([0, red, green, blue])
}

pub fn page(screen: &Screen, look: Look) -> String {
    let (ground, ink) = (look.ground(), look.ink());
    let mut html = format!(
        "<!doctype html><meta charset=utf-8><style>\
         *{{margin:0;padding:0}}\
         body{{background:#{ground:06x};color:#{ink:06x};padding:{AROUND}px;\
         font:15px/{HIGH}px 'DejaVu Sans Mono','Noto Sans Mono CJK JP',monospace}}\
         div{{height:{HIGH}px;white-space:pre;position:relative}}\
         b{{position:absolute;top:0;height:{HIGH}px;overflow:hidden;font-weight:normal}}\
         </style>"
    );
    let (rows, columns) = screen.size();
    for row in 0..rows.get() {
        html.push_str("<div>");
        for column in 0..columns.get() {
            if let Some(cell) = screen.cell(row, column) {
                let here = !screen.hide_cursor() && screen.cursor_position() == (row, column);
                write_cell(&mut html, cell, column, here, look);
            }
        }
        html.push_str("</div>");
    }
    html
}

fn write_cell(html: &mut String, cell: &Cell, column: u16, has_cursor: bool, look: Look) {
    if cell.is_wide_continuation() {
        return;
    }
    let mut front = look.colour(cell.fgcolor(), look.ink());
    let mut back = look.colour(cell.bgcolor(), look.ground());
    if cell.inverse() != has_cursor {
        std::mem::swap(&mut front, &mut back);
    }
    if !cell.has_contents() && back == look.ground() {
        return;
    }
    if cell.dim() {
        front = mixed(front, back);
    }
    let width = if cell.is_wide() { 2 * WIDE } else { WIDE };
    let left = u32::from(column) * WIDE;
    let mut style = format!("left:{left}px;width:{width}px;color:#{front:06x}");
    if back != look.ground() {
        // Writing to a string cannot fail.
        let _ = write!(style, ";background:#{back:06x}");
    }
    for (set, rule) in [
        (cell.bold(), ";font-weight:bold"),
        (cell.italic(), ";font-style:italic"),
        (cell.underline(), ";text-decoration:underline"),
    ] {
        if set {
            style.push_str(rule);
        }
    }
    let text = cell.contents().replace('&', "&amp;").replace('<', "&lt;");
    let _ = write!(html, "<b style=\"{style}\">{text}</b>");
}

/// Faint: most of the way from the ground to the ink.
fn mixed(front: u32, back: u32) -> u32 {
    let [_, r, g, b] = front.to_be_bytes();
    let [_, r2, g2, b2] = back.to_be_bytes();
    let mix = |a: u8, b: u8| {
        let sum = u16::from(a) * 62 + u16::from(b) * 38;
        u8::try_from(sum / 100).unwrap_or(u8::MAX)
    };
    u32::from_be_bytes([0, mix(r, r2), mix(g, g2), mix(b, b2)])
}

#[cfg(test)]
mod tests {
    use super::{indexed, mixed};

    #[test]
    fn colours_above_sixteen_are_those_of_every_terminal() {
        assert_eq!(indexed(16), 0);
        assert_eq!(indexed(196), 0xff_00_00);
        assert_eq!(indexed(231), 0xff_ff_ff);
        assert_eq!(indexed(244), 0x80_80_80);
    }

    #[test]
    fn faint_lies_between_ink_and_ground() {
        assert_eq!(mixed(0x0064_6464, 0), 0x003e_3e3e);
    }
}
