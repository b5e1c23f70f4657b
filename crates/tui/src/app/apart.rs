//! The terminal in other hands: of the user's editor, of the shell, of a question
//! to the terminal itself. Nobody else reads keys or writes meanwhile.

use super::App;
use crate::input::{Input, Signal};
use crate::stderr::Captured;
use crate::terminal;
use crossterm::event::EventStream;
use futures_util::FutureExt;
use std::io;
use std::time::{Duration, Instant};

/// How long the reader of keys is waited for, which is a thread: it was told to
/// let go and does not say when it has.
const LETTING_GO: Duration = Duration::from_millis(50);

/// Who gets the terminal.
#[derive(Debug)]
pub(super) enum Away {
    /// The user's editor, with this text.
    Edit(String),
    /// The shell: the program stops.
    Stop,
}

impl App {
    pub(super) async fn apart(&mut self, away: Away) -> io::Result<()> {
        self.keys = None;
        self.screen.clear()?;
        self.modes.pause();
        self.stderr.iter().for_each(Captured::pause);
        let back = match away {
            Away::Edit(text) => Some(self.edit(text).await),
            Away::Stop => {
                terminal::stop();
                terminal::size().map(Input::Resized)
            }
        };
        self.stderr.iter().for_each(Captured::resume);
        self.modes.resume();
        // What was typed meanwhile was for the other one.
        terminal::forget_typed();
        self.state.disturb(&[], Instant::now());
        self.keys = Some(EventStream::new());
        match back {
            Some(input) => self.take(input),
            None => Ok(()),
        }
    }

    /// The session goes on meanwhile; what it says waits. Whoever ends the
    /// program ends the editor: the terminal is to be as it was.
    async fn edit(&mut self, text: String) -> Input {
        let mut editing = self.house.edit(text);
        if let Some(edited) = (&mut editing).now_or_never() {
            return Input::Edited(edited);
        }
        // It is started and has the terminal; ours is not to write over it.
        self.stderr.iter().for_each(Captured::resume);
        loop {
            tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    Signal::End => return Input::Signal(Signal::End),
                    // Ctrl+C was pressed in the editor.
                    Signal::Interrupt => {}
                },
                edited = &mut editing => return Input::Edited(edited),
            }
        }
    }

    /// Whether the background is dark may have changed since the start. A
    /// terminal that does not say so is as it was. What is typed meanwhile is
    /// lost: to be done when a theme is chosen, not while one is looked for.
    pub(super) fn look_at_ground(&mut self) {
        self.keys = None;
        std::thread::sleep(LETTING_GO);
        if let Some(ground) = terminal::ground_now() {
            self.ground = ground;
        }
        self.keys = Some(EventStream::new());
    }
}
