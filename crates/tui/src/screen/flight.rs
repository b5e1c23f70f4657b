//! What may not have reached the terminal yet when it was resized.
//!
//! A program learns of a new size after the terminal has wrapped its rows. What
//! was written in between went to a screen of the new width while it was made
//! for the old one. Whether that happened cannot be seen; but the sum of rows is
//! the same either way, and this is the reckoning:
//!
//! - The last finished lines were written *before* the terminal wrapped. From the
//!   cursor upwards lie the live rows, wrapped, and then those lines, wrapped.
//! - They were written *after*. Then they were put where we thought that the live
//!   area began, below the first of its wrapped rows. Upwards lie the live rows
//!   as we think, those lines, wrapped, and then what was left of the live area.
//!
//! So going up over all of it, erasing, and writing the lines again is right in
//! both cases: nothing twice, nothing lost. When some of them may be out of reach,
//! we go up only as far as is certain: a rest of the live area stays above, which
//! is ugly, but no finished line is lost.

use super::live::Live;
use super::measure;
use crate::text::{Line, Size};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// How long lines may be under way, also over a slow line.
const LINES: Duration = Duration::from_millis(80);
/// How long the live area before the last one counts. Shorter, for it makes us
/// careful where it is seldom needed.
const STATES: Duration = Duration::from_millis(60);
/// More are not kept: they would not fit a screen.
const MOST: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Flight {
    states: VecDeque<Past>,
    lines: VecDeque<Written>,
    noticed: Option<Instant>,
}

#[derive(Debug)]
struct Written {
    at: Instant,
    line: Line,
    /// The fewest that the screen has had since.
    columns: usize,
}

#[derive(Debug)]
struct Past {
    until: Instant,
    live: Rc<Live>,
    /// Rows that have been gone up for it already.
    gone: usize,
}

/// The way to the top, after the terminal has wrapped its rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub up: usize,
    /// Finished lines that are erased with the live area.
    pub again: Vec<Line>,
    pub arrival: Arrival,
}

/// Whether there was a resize lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weather {
    Calm,
    Unrest,
}

/// Where the way ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    /// At the top of the live area.
    Top,
    /// Perhaps inside of a row that was wrapped: what is written there would be
    /// joined to its beginning.
    Below,
}

impl Way {
    pub(super) fn certain(live: &Live, arrival: Arrival) -> Self {
        Self {
            up: live.cursor().0,
            again: Vec::new(),
            arrival,
        }
    }
}

impl Flight {
    /// The terminal has said that its size changed: what is to be known of the
    /// time before is kept until it is dealt with.
    pub(super) fn notice(&mut self, now: Instant) {
        if self.noticed.is_none() {
            self.forget_old(now);
            self.noticed = Some(now);
        }
    }

    /// Another live area takes the place of this one.
    pub(super) fn replaced(&mut self, live: Rc<Live>, now: Instant) {
        self.states.push_back(Past {
            until: now,
            live,
            gone: 0,
        });
        self.forget_old(now);
    }

    pub(super) fn wrote(&mut self, lines: Vec<Line>, columns: usize, now: Instant) {
        let beyond = lines.len().saturating_sub(MOST + 1);
        let lines = lines.into_iter().skip(beyond);
        self.lines.extend(lines.map(|line| Written {
            at: now,
            line,
            columns,
        }));
        self.forget_old(now);
    }

    /// The resize that was noticed moved no row.
    pub(super) fn settle(&mut self) {
        self.noticed = None;
    }

    /// Nothing that was written before matters any more.
    pub(super) fn land(&mut self) {
        *self = Self::default();
    }

    /// The way to the top of the live area when the screen became narrower. Below
    /// the live area there are at most so many free rows.
    pub(super) fn back(&mut self, live: &Live, size: Size, free: usize, weather: Weather) -> Way {
        if let (Some(noticed), Weather::Calm) = (self.noticed, weather) {
            let is_old = |at| noticed.saturating_duration_since(at) > LINES;
            self.lines.retain(|written| !is_old(written.at));
        }
        let way = self.find(live, size, free);
        self.noticed = None;
        for written in &mut self.lines {
            written.columns = written.columns.min(size.columns);
        }
        if way.arrival == Arrival::Below {
            // Whatever was left lies between the lines before and what comes.
            self.land();
        }
        way
    }

    fn find(&mut self, live: &Live, size: Size, free: usize) -> Way {
        let row = live.cursor().0;
        let own = live.deeper(size.columns);
        let rests = self
            .states
            .iter()
            .map(|past| past.live.deeper(size.columns).saturating_sub(past.gone));
        let deeper = rests.min().map_or(own, |rest| rest.min(own));
        // Terminals keep free rows below and push rows out of reach instead; those
        // have a wrapped end, too.
        let height = live.height(size.columns);
        let arrival = match deeper < own || own > 0 && height + free > size.rows {
            true => Arrival::Below,
            false => Arrival::Top,
        };
        if deeper == 0 {
            return Way::certain(live, arrival);
        }
        let up = match self.rows_of_lines(size.columns) {
            Some(0) => row + deeper,
            // All down to the last row is on the screen, so that nothing of it is
            // out of reach; and there is no doubt about the live area.
            Some(written) if arrival == Arrival::Top && height + written + free <= size.rows => {
                row + deeper + written
            }
            _ => return Way::certain(live, Arrival::Below),
        };
        for past in &mut self.states {
            past.gone += deeper;
        }
        let again = self.lines.drain(..).map(|written| written.line).collect();
        Way { up, again, arrival }
    }

    /// The rows of all of them, if that is certain. A terminal that has wrapped a
    /// line before a wide character may keep the gap as a cell of its own.
    fn rows_of_lines(&self, columns: usize) -> Option<usize> {
        if self.lines.len() > MOST {
            return None;
        }
        let mut lines = self.lines.iter();
        lines.try_fold(
            0,
            |sum,
             Written {
                 line,
                 columns: made,
                 ..
             }| {
                if measure::has_wide(line) && !measure::is_one_row(line, *made) {
                    return None;
                }
                Some(sum + measure::rows(line, columns)?)
            },
        )
    }

    fn forget_old(&mut self, now: Instant) {
        if self.noticed.is_some() {
            return;
        }
        let is_old = |at: Instant, span| now.saturating_duration_since(at) > span;
        while self.lines.len() > MOST + 1
            || self
                .lines
                .front()
                .is_some_and(|written| is_old(written.at, super::UNREST))
        {
            self.lines.pop_front();
        }
        while self.states.len() > MOST
            || self
                .states
                .front()
                .is_some_and(|past| is_old(past.until, STATES))
        {
            self.states.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Frame, Role};

    fn line(text: &str) -> Line {
        Line::new(Role::Text, text)
    }

    fn live(width: usize) -> Live {
        let lines = vec![line(&"-".repeat(width)), line("> ")];
        let frame = Frame {
            lines,
            caret: Some((1, 2)),
        };
        Live::fit(
            &frame,
            Size {
                columns: width,
                rows: 24,
            },
        )
    }

    fn back(flight: &mut Flight, free: usize, now: Instant) -> Way {
        const NARROW: Size = Size {
            columns: 10,
            rows: 24,
        };
        flight.notice(now);
        flight.back(&live(20), NARROW, free, Weather::Calm)
    }

    #[test]
    fn lines_just_written_are_written_again_and_old_ones_stay() {
        let start = Instant::now();
        let mut flight = Flight::default();
        flight.wrote(vec![line("a"), line("123456789012")], 20, start);
        let soon = start + Duration::from_millis(50);
        let way = back(&mut flight, 0, soon);
        assert_eq!((way.up, way.again.len()), (1 + 1 + 3, 2));
        flight.wrote(way.again, 20, start);
        let late = start + Duration::from_millis(500);
        let way = back(&mut flight, 0, late);
        assert_eq!((way.up, way.again.len()), (1 + 1, 0));
    }

    #[test]
    fn what_counts_is_the_time_when_the_new_size_was_noticed() {
        let start = Instant::now();
        let mut flight = Flight::default();
        flight.wrote(vec![line("a")], 20, start);
        flight.notice(start + Duration::from_millis(50));
        let late = start + Duration::from_millis(500);
        assert_eq!(back(&mut flight, 0, late).again.len(), 1);
    }

    #[test]
    fn lines_that_do_not_fit_are_left_and_nothing_beyond_the_certain_is_erased() {
        let start = Instant::now();
        let mut flight = Flight::default();
        let many: Vec<Line> = (0..30).map(|_| line("x")).collect();
        flight.wrote(many, 20, start);
        let way = back(&mut flight, 0, start);
        assert_eq!((way.up, way.again.len()), (1, 0));
        let mut flight = Flight::default();
        flight.wrote(vec![line("x")], 20, start);
        let way = back(&mut flight, 23, start);
        assert_eq!((way.up, way.arrival), (1, Arrival::Below));
    }

    #[test]
    fn no_more_is_gone_up_than_any_of_the_last_states_allows() {
        let start = Instant::now();
        let mut flight = Flight::default();
        flight.replaced(Rc::new(live(8)), start);
        assert_eq!(back(&mut flight, 0, start).up, 1);
    }
}
