//! Writes to the terminal: finished lines go up into its own scrollback, below
//! them stands the live area, which is redrawn in place.
//!
//! Nothing here knows what the lines mean.
//!
//! # What is assumed of a terminal
//!
//! - The cursor is where we left it. No other program writes meanwhile. It stood
//!   at the beginning of an empty row when we began, with nothing below.
//! - Which row of the screen that is, is not known and never asked: all moves are
//!   relative. Therefore nothing depends on how much was said before, on what
//!   the terminal does with its scrollback when it is resized, or on whether it
//!   answers questions.
//! - A line feed on the last row scrolls, and what leaves at the top goes into the
//!   scrollback, exactly once. `CSI n L` makes room inside the screen and keeps
//!   what it pushes down, as long as there are empty rows below: they are made
//!   first, by line feeds. So a finished line costs its own text and few bytes
//!   more, and the live area is not written again.
//! - On a screen that is narrower than we know, a line put in like this is wrapped
//!   into a live row and stands before what is left of that; it is written once
//!   more when we know. With the cursor hidden at the top of the live area nothing
//!   has to be written twice: all that is ours lies below it, whatever the width
//!   is. There the live area is erased before the lines and written again.
//! - A text that fills a row leaves the cursor on the last cell. Nothing is erased
//!   from there. Live rows are written with autowrap off: a row of uncertain width
//!   may be cut, but never becomes two. Finished lines are written with autowrap
//!   on, whole, so that the terminal knows where it wrapped them and joins them
//!   again, for copying and when it becomes wider.
//! - Widths: where terminals differ (emoji, joined sequences), whoever needs a
//!   count of rows does without or takes the bound that loses nothing.
//!
//! # When it is resized
//!
//! The terminal has moved everything before we know. If it wraps
//! ([`Reflow::Wraps`]), a live row that is longer than the new width became
//! several, and the cursor went with its cell; a cell behind the end of the text
//! goes with the last row, as tmux has it. Rows end with a line feed, so that
//! a wider screen does not join them. If it cuts ([`Reflow::Cuts`]), every row
//! is still one. Either way the top of the live area lies a number of rows above
//! the cursor that can be computed; from there all is erased and drawn anew, and
//! what was said above is the terminal's. What was written while it was being
//! resized is [`flight`]'s.
//!
//! Rows of the live area that a shrinking screen has pushed into the scrollback
//! are out of reach and stay there. The other choice would be to erase the
//! scrollback, which is not ours.

mod flight;
mod live;
mod measure;
mod page;
mod paint;

use crate::text::{Frame, Line, Size};
use crate::theme::{Depth, Theme};
use flight::{Arrival, Flight, Way, Weather};
use live::Live;
pub use live::room;
use page::Paged;
use paint::{Painter, Same};
use std::io::{self, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// For how long after a resize another one is reckoned with: tmux tells of the
/// next one up to a quarter of a second later.
pub(crate) const UNREST: Duration = Duration::from_millis(300);

/// What the terminal can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    pub theme: Theme,
    pub depth: Depth,
    pub reflow: Reflow,
}

/// What a terminal does with long lines when it gets narrower.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reflow {
    /// They are wrapped: most terminals, tmux.
    #[default]
    Wraps,
    /// They are cut: xterm, the Linux console, GNU screen.
    Cuts,
}

#[derive(Debug)]
pub struct Screen<W: Write> {
    out: W,
    size: Size,
    look: Look,
    live: Rc<Live>,
    flight: Flight,
    page: Option<Paged>,
    /// Whether rows have to be written though nothing about them changed.
    same: Same,
    resized: Resized,
    /// When the last resize was dealt with.
    moved: Option<Instant>,
    /// Rows below the live area on which nothing stands; at most.
    free: usize,
    /// Finished lines above it.
    said: usize,
}

/// How much of a live area came on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Whole,
    /// It was higher than the screen.
    Cut,
}

/// Whether the terminal may have moved its rows since the last draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resized {
    No,
    Perhaps,
}

impl<W: Write> Screen<W> {
    pub fn new(out: W, size: Size, look: Look) -> Self {
        Self {
            out,
            size,
            look,
            live: Rc::default(),
            flight: Flight::default(),
            page: None,
            same: Same::Rewritten,
            resized: Resized::No,
            moved: None,
            free: size.rows,
            said: 0,
        }
    }

    /// What is written to. Nothing may be written there that moves the cursor.
    pub fn out_mut(&mut self) -> &mut W {
        &mut self.out
    }

    pub fn set_theme(&mut self, theme: Theme) {
        if self.look.theme != theme {
            self.look.theme = theme;
            self.repaint();
        }
    }

    /// The next draw writes every live row, whatever stands there.
    pub fn repaint(&mut self) {
        self.same = Same::Rewritten;
        if let Some(page) = &mut self.page {
            page.forget();
        }
    }

    /// The terminal has said that it was resized. To be called as soon as that is
    /// known, if drawing waits for the end of it: what was written shortly before
    /// then may have met the new size already. The next draw is one after a
    /// resize, even to the size that it had.
    pub fn notice_resize(&mut self) {
        self.notice_resize_at(Instant::now());
    }

    /// The same at a given time.
    pub fn notice_resize_at(&mut self, now: Instant) {
        self.flight.notice(now);
        self.resized = Resized::Perhaps;
    }

    /// Puts finished lines above the live area, and draws the live area. A size
    /// other than the last one means that the terminal was resized meanwhile; what
    /// was written shortly before then is dealt with differently from what is old.
    /// Says whether all of the live area stands there now.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn draw(
        &mut self,
        now: Instant,
        size: Size,
        finished: &[Line],
        live: &Frame,
    ) -> io::Result<Shown> {
        self.unpage()?;
        let next = Live::fit(live, size);
        let shown = match next.rows.len() == live.lines.len() {
            true => Shown::Whole,
            false => Shown::Cut,
        };
        let resized = size != self.size || self.resized == Resized::Perhaps;
        if !resized && finished.is_empty() && self.same == Same::Kept && *self.live == next {
            return Ok(shown);
        }
        let finished: Vec<Line> = finished.iter().cloned().map(live::trimmed).collect();
        let before = Rc::clone(&self.live);
        let mut painter = Painter::begin(&self.look, before.cursor().0);
        let mut standing = before.rows.as_slice();
        let height = standing.len().max(1);
        let mut room = self.free + height;
        if resized {
            let way = self.way_up(size, now);
            room = self.room_after(size).saturating_sub(finished.len());
            painter.wipe(way.up);
            if way.arrival == Arrival::Below {
                painter.append(&[Line::empty()]);
            }
            painter.append(&way.again);
            painter.append(&finished);
            self.flight.wrote(way.again, size.columns, now);
            self.moved = Some(now);
            standing = &[];
        } else if finished.is_empty() {
        } else if before.caret.is_some()
            && self.weather(now) == Weather::Calm
            && can_insert(&finished, standing.len(), size)
        {
            room = self.free.saturating_sub(finished.len()) + height;
            painter.insert(&finished, standing.len());
        } else {
            room = room.saturating_sub(finished.len());
            painter.wipe(before.cursor().0);
            painter.append(&finished);
            standing = &[];
        }
        self.free = room.saturating_sub(next.rows.len().max(1));
        self.said = self.said.saturating_add(finished.len());
        painter.change(standing, &next.rows, self.same);
        painter.place(&next.rows, next.cursor());
        let bytes = painter.end(next.caret);
        self.flight.wrote(finished, size.columns, now);
        self.flight.replaced(before, now);
        self.live = Rc::new(next);
        self.size = size;
        self.same = Same::Kept;
        self.resized = Resized::No;
        self.write(&bytes)?;
        Ok(shown)
    }

    /// Whether a resize was lately. One seldom comes alone, and a screen that is
    /// narrower than we know must not wrap a finished line into live rows: for a
    /// while those are erased before.
    fn weather(&self, now: Instant) -> Weather {
        let passed = |moved| now.saturating_duration_since(moved);
        match self.moved {
            Some(moved) if passed(moved) <= UNREST => Weather::Unrest,
            _ => Weather::Calm,
        }
    }

    /// How far above the cursor the live area begins, now that the terminal has
    /// another size.
    fn way_up(&mut self, size: Size, now: Instant) -> Way {
        if self.look.reflow == Reflow::Wraps && size.columns < self.size.columns {
            self.flight.notice(now);
            // Whoever told us of it has not drawn since.
            let weather = match self.resized {
                Resized::Perhaps => Weather::Calm,
                Resized::No => self.weather(now),
            };
            return self.flight.back(&self.live, size, self.free, weather);
        }
        self.flight.settle();
        Way::certain(&self.live, Arrival::Top)
    }

    /// The most rows that may be free, from the top of the live area down, once
    /// that was wiped from a screen of another size. When there are more rows, or
    /// lines above need fewer, a terminal takes rows from its scrollback, as long
    /// as it has some.
    fn room_after(&self, size: Size) -> usize {
        let room = self.free + self.live.height(size.columns);
        let lacking = match size.columns > self.size.columns || size.rows > self.size.rows {
            true => size.rows.saturating_sub(self.said),
            false => 0,
        };
        room.max(lacking).min(size.rows)
    }

    /// The live area goes; what is written next stands where it began. For
    /// another program that gets the terminal, and for the end.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn clear(&mut self) -> io::Result<()> {
        self.unpage()?;
        let mut painter = Painter::begin(&self.look, self.live.cursor().0);
        painter.wipe(self.live.cursor().0);
        let bytes = painter.end(Some((0, 0)));
        self.forget();
        self.write(&bytes)
    }

    /// Someone else has written: what stands there stays, and the next draw begins
    /// where the cursor is, which has to be the start of an empty row.
    pub fn forget(&mut self) {
        self.page = None;
        self.live = Rc::default();
        self.free = self.size.rows;
        self.said = 0;
        self.same = Same::Rewritten;
        self.flight.land();
    }

    /// The whole screen, on its other page: for the pager. Each call draws it.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn page(&mut self, size: Size, frame: &Frame) -> io::Result<()> {
        let (page, bytes) = page::turn(self.page.as_ref(), &self.look, size, frame);
        self.page = Some(page);
        match bytes {
            Some(bytes) => self.write(&bytes),
            None => Ok(()),
        }
    }

    /// Back from the other page.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn unpage(&mut self) -> io::Result<()> {
        if self.page.take().is_none() {
            return Ok(());
        }
        let cursor = match self.live.caret {
            Some(_) => "\x1b[?25h",
            None => "\x1b[?25l",
        };
        self.write(&format!("{}{cursor}", page::LEAVE))
    }

    /// All of one draw at once, so that the terminal sees it whole.
    fn write(&mut self, bytes: &str) -> io::Result<()> {
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Drop for Screen<W> {
    /// On the way out of a panic: whoever goes on stands on the page from which
    /// we came.
    fn drop(&mut self) {
        let _ = self.unpage();
    }
}

/// Whether finished lines can be put above a live area of this height without
/// writing it again: each takes one row for certain, and all of them with the
/// live area find room on the screen.
fn can_insert(finished: &[Line], height: usize, size: Size) -> bool {
    height > 0
        && height + finished.len() <= size.rows
        && finished
            .iter()
            .all(|line| measure::is_one_row(line, size.columns))
}
