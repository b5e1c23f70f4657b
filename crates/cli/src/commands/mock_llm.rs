//! `tenon mock-llm`: the scripted model server in the foreground, or a
//! recording of a real one, or the recorder of one.

mod upstream;

use crate::args::MockArgs;
use crate::error::CliError;
use crate::signals::Signals;
use crate::{CommandResult, assemble, screen};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tenon_mock::{Options, Pace, Playback, Scenarios, Server, Strictness, Tape};
use tenon_vocab::Printable;
use upstream::Real;

pub fn run(args: &MockArgs) -> CommandResult {
    let part = part(args)?;
    let options = Options {
        strict: if args.strict {
            Strictness::Strict
        } else {
            Strictness::Lenient
        },
        delay: match args.delay {
            Pace::Fixed(delay) => delay,
            Pace::Recorded => Duration::ZERO,
        },
        record: args
            .record_requests
            .clone()
            .map(tenon_mock::Recording::from),
        ..Options::default()
    };
    let runtime = assemble::runtime()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
        let server = bind(part, address, args, options).await?;
        let mut said = format!("listening on {}", server.base_url());
        if args.record.is_some() {
            said += &format!("\nrecording to {}", args.out.display());
        }
        screen::print(&said)?;
        let mut signals = Signals::new()?;
        server
            .run_until(async move {
                signals.next().await;
            })
            .await;
        Ok(ExitCode::SUCCESS)
    })
}

/// What the server plays.
enum Part {
    Script(Box<Scenarios>),
    Tape(Tape),
    Proxy { url: String, upstream: Arc<Real> },
}

fn part(args: &MockArgs) -> Result<Part, CliError> {
    if let Some(url) = &args.record {
        return Ok(Part::Proxy {
            url: url.clone(),
            upstream: Arc::new(Real::new(url)?),
        });
    }
    if let Some(path) = &args.replay {
        let tape = Tape::load(path).map_err(|error| CliError::usage(error.to_string()))?;
        return Ok(Part::Tape(tape));
    }
    if args.delay == Pace::Recorded {
        return Err(CliError::usage("--delay recorded only works with --replay")
            .with_hint("Otherwise, give the milliseconds between two deltas."));
    }
    let scenarios = match &args.scenarios {
        Some(path) => Scenarios::load(path).map_err(|error| CliError::usage(error.to_string()))?,
        None => Scenarios::built_in(),
    };
    Ok(Part::Script(Box::new(scenarios)))
}

async fn bind(
    part: Part,
    address: SocketAddr,
    args: &MockArgs,
    options: Options,
) -> Result<Server, CliError> {
    let bound = match part {
        Part::Script(scenarios) => Server::bind(address, *scenarios, options).await,
        Part::Tape(tape) => {
            let playback = Playback {
                slicing: args.chunk,
                pace: args.delay,
            };
            Server::replay(address, tape, playback, options).await
        }
        Part::Proxy { url, upstream } => {
            Server::record(address, &url, upstream, &args.out, options).await
        }
    };
    bound.map_err(|error| refused(&error, address, args))
}

fn refused(error: &io::Error, address: SocketAddr, args: &MockArgs) -> CliError {
    match (&args.record, error.kind()) {
        (Some(url), io::ErrorKind::InvalidInput) => {
            CliError::usage(format!("--record {}: {error}", Printable::line(url)))
        }
        (Some(_), kind) if kind != io::ErrorKind::AddrInUse => CliError::runtime(format!(
            "can't write the recording {} or use {address}: {error}",
            args.out.display()
        )),
        _ => CliError::runtime(format!("can't use {address}: {error}"))
            .with_hint("Choose another --port; 0 takes a free one."),
    }
}
