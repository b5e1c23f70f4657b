//! When something is drawn, and what.

use super::App;
use crate::state::Overlay;
use crate::terminal;
use crate::text::{Frame, Line};
use crate::theme::Theme;
use crate::view;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// The shortest time between two frames.
pub(super) const FRAME: Duration = Duration::from_millis(16);
/// A sign of life while something goes on, and what shows only seconds.
const SPIN: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);

impl App {
    pub(super) fn is_due(&self) -> bool {
        let now = Instant::now();
        self.dirty && now >= self.drawn + FRAME && self.rests.is_none_or(|until| now >= until)
    }

    /// When something is to be drawn next, if anything is.
    pub(super) fn next_frame(&self) -> Option<Instant> {
        if matches!(&self.state.overlay, Some(Overlay::Page(page)) if page.has_work()) {
            return Some(Instant::now());
        }
        if self.dirty {
            let frame = self.drawn + FRAME;
            return Some(self.rests.map_or(frame, |until| frame.max(until)));
        }
        if !self.state.is_moving() {
            return None;
        }
        let step = match self.state.wishes.motion {
            crate::house::Motion::Full if self.state.run.is_some() => SPIN,
            _ => SECOND,
        };
        Some(self.drawn + step)
    }

    pub(super) fn draw(&mut self) -> io::Result<()> {
        self.rests = None;
        if let Some(size) = terminal::size() {
            self.state.size = size;
        }
        self.state.now = Instant::now();
        self.drawn = self.state.now;
        self.dirty = false;
        if self.themed != self.state.wishes.theme {
            self.themed.clone_from(&self.state.wishes.theme);
            self.screen
                .set_theme(Theme::named(&self.themed, self.ground));
        }
        let size = self.state.size;
        if let Some(page) = view::page(&mut self.state) {
            return self.screen.page(size, &page);
        }
        self.screen.unpage()?;
        let finished = self.state.flow.take(size.columns);
        let live = view::live(&self.state);
        let shown = self.screen.draw(self.drawn, size, &finished, &live)?;
        self.state.reached(shown);
        Ok(())
    }

    /// The live area goes; what was said stays.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.keys = None;
        self.screen.unpage()?;
        let finished: Vec<Line> = self.state.flow.take(self.state.size.columns);
        let size = self.state.size;
        let drawn = self
            .screen
            .draw(Instant::now(), size, &finished, &Frame::default());
        let cleared = self.screen.clear();
        self.modes.pause();
        io::stdout().flush()?;
        drawn.and(cleared)
    }
}
