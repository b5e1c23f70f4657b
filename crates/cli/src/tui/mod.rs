//! The terminal interface, from the side of the program around it: when it is
//! used, what it is started with, and what it asks of the program.

mod acts;
mod editor;
mod house;
mod images;
mod lists;
mod open;
mod wishes;

use crate::CommandResult;
use crate::args::{RunArgs, Shared};
use crate::assemble::{self, Options, Session};
use crate::drive::Desk;
use crate::error::{CliError, code};
use crate::place::Place;
use crate::prompt;
use crate::repl;
use crate::screen::Paint;
use crate::talk::{self, Wanted};
use crate::trust::{self, Asking};
use futures_util::FutureExt;
use house::{Door, Program};
use std::io::IsTerminal;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::rc::Rc;
use tenon_config::{Env, TuiInterface};
use tenon_tui::input::Leaving;
use tenon_tui::terminal::{self, Environment};
use tenon_tui::theme::{Ground, Theme};
use tenon_tui::{Left, Start};

/// What an interactive session is drawn with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// The terminal interface.
    Screen,
    /// Line by line: for a screen reader, a dumb terminal, a pipe.
    Lines,
}

/// Lines where the user says so, or where the terminal can do no more.
pub fn front(args: &RunArgs, place: &Place) -> Front {
    let env = &place.env;
    let set = |name: &str| env.get(name).is_some_and(|value| !value.is_empty());
    let able = std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && env
            .get("TERM")
            .is_some_and(|term| !matches!(term, "" | "dumb" | "unknown"));
    let lines = || {
        let options = Options::from_args(args, Desk::Nobody);
        wishes::interface(place, &options) == TuiInterface::Lines
    };
    if args.plain || set("ACCESSIBLE") || !able || lines() {
        Front::Lines
    } else {
        Front::Screen
    }
}

/// An interactive session on the screen.
pub fn talk(shared: &Shared, place: Place, args: &RunArgs, session: Session) -> CommandResult {
    let runtime = assemble::runtime()?;
    let paint = Paint::for_stderr(shared.color);
    // The screen asks, wherever standard error goes.
    let mut options = Options::from_args(args, Desk::Terminal(paint));
    let prompt = prompt::first(args)?;
    let images = crate::images::of_flags(&place, &options, session, &args.image)?;
    let place = talk::place_of(&place, session)?;
    // It is asked on standard error. Where nobody would see it, what it is about
    // is left out, and that is said on the screen.
    let mut asking = Asking::default();
    if std::io::stderr().is_terminal() {
        trust::ask_at_terminal(&mut asking, &place, &options, paint)?;
    }
    if repl::set_up(shared, &place, &mut options, session)? == repl::Completed::Interrupted {
        return Ok(repl::interrupted());
    }
    runtime.block_on(async {
        let environment = environment(&place.env, paint);
        let colours = place.env.get("COLORFGBG").unwrap_or_default().to_owned();
        let program = Rc::new(Program::new(place, options, asking));
        let opened = program.open(Wanted::first(session)).await?;
        let wishes = wishes::read(&program);
        let ground = match terminal::ground_by(&colours) {
            Some(ground) => ground,
            None if Theme::asks_ground(&wishes.theme) => terminal::ground(),
            None => Ground::Dark,
        };
        let start = Start {
            house: Rc::new(Door(Rc::clone(&program))),
            opened,
            wishes,
            environment,
            ground,
            attachments: images,
            prompt,
        };
        // By then the terminal is as it was, and the message is on it.
        let left = AssertUnwindSafe(tenon_tui::run(start)).catch_unwind().await;
        let left = left.unwrap_or_else(|_| Err(std::io::Error::other("an internal error")));
        leave(&program, left, paint).await
    })
}

/// Ends the session, says how to come back to it.
async fn leave(program: &Program, left: std::io::Result<Left>, paint: Paint) -> CommandResult {
    let (leaving, error) = match left {
        Ok(Left { leaving, handle }) => {
            // What listens to the log keeps it open.
            drop(handle);
            (leaving, None)
        }
        Err(error) => (Leaving::Killed, Some(error)),
    };
    talk::come_back("Resume with", program.end().await, paint);
    match (error, leaving) {
        (Some(error), _) => Err(CliError::runtime(format!("the screen failed: {error}"))),
        (None, Leaving::Asked) => Ok(ExitCode::SUCCESS),
        (None, Leaving::Killed) => Ok(ExitCode::from(code::INTERRUPTED)),
    }
}

fn environment(env: &Env, paint: Paint) -> Environment {
    let text = |name: &str| env.get(name).map(ToString::to_string).unwrap_or_default();
    let set = |name: &str| !text(name).is_empty();
    Environment {
        term: text("TERM"),
        colorterm: text("COLORTERM"),
        tmux: set("TMUX"),
        xterm: set("XTERM_VERSION"),
        colourless: paint == Paint::Plain,
    }
}
