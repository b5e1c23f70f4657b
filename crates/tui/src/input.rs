//! What comes in and what goes out: the two sides of [`crate::update::update`].

use crate::house::{Attached, ImageFrom, Listing, Outcome, Row};
use crate::text::Size;
use crossterm::event::KeyEvent;
use std::sync::Arc;
use tenon_vocab::slash::Local;
use tenon_vocab::{Answer, Command, Event, Query, Reply};

#[derive(Debug)]
pub enum Input {
    Key(KeyEvent),
    Paste(String),
    Resized(Size),
    Focus(Focus),
    /// Of the session.
    Event(Arc<Event>),
    /// The engine has ended by itself.
    Ended,
    Replied(Query, Reply),
    Listed(Listing, Result<Vec<Row>, String>),
    Transcript(Result<Vec<Arc<Event>>, String>),
    Acted(Outcome),
    /// The prompt that was taken back.
    Prompted(Option<String>),
    /// The branch that is checked out.
    Branch(Option<String>),
    /// What was there where an image was looked for.
    Image(ImageFrom, Result<Option<Attached>, String>),
    /// Back from the user's editor.
    Edited(Result<String, String>),
    /// A line that some part of the program wrote to standard error.
    Stderr(String),
    /// Time has passed: what shows seconds may move.
    Tick,
    Signal(Signal),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    Gained,
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT from outside: as Ctrl+C.
    Interrupt,
    /// SIGTERM, SIGHUP.
    End,
}

#[derive(Debug)]
pub enum Effect {
    Send(Command),
    Ask(Query),
    List(Listing),
    Transcript,
    Act(Local),
    /// What the program around is at is not wanted any more.
    GiveUp,
    /// The prompt at this place of the log.
    PromptAt(u64),
    Branch,
    Image(ImageFrom),
    /// To a question of the program around.
    Answered(Answer),
    Remember(String),
    /// In the user's editor.
    Edit(String),
    Themed(String),
    /// The window is to be looked at.
    Notify(String),
    Title(String),
    /// Something else wrote over the screen: draw all of the live area again.
    Repaint,
    Suspend,
    Leave(Leaving),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaving {
    Asked,
    Killed,
}
