//! `tenon mock-llm`: the scripted model server in the foreground.

use crate::args::MockArgs;
use crate::error::CliError;
use crate::signals::Signals;
use crate::{CommandResult, assemble, screen};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Duration;
use tenon_mock::{Options, Scenarios, Server, Strictness};

pub fn run(args: &MockArgs) -> CommandResult {
    let scenarios = match &args.scenarios {
        Some(path) => Scenarios::load(path).map_err(|error| CliError::usage(error.to_string()))?,
        None => Scenarios::built_in(),
    };
    let options = Options {
        strict: if args.strict {
            Strictness::Strict
        } else {
            Strictness::Lenient
        },
        delay: Duration::from_millis(args.delay),
        record: args
            .record_requests
            .clone()
            .map(tenon_mock::Recording::from),
        ..Options::default()
    };
    let runtime = assemble::runtime()?;
    runtime.block_on(async {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, args.port));
        let server = Server::bind(address, scenarios, options)
            .await
            .map_err(|error| {
                CliError::runtime(format!("{address} cannot be used: {error}"))
                    .with_hint("Choose another --port; 0 takes a free one.")
            })?;
        screen::print(&format!("listening on {}", server.base_url()))?;
        let mut signals = Signals::new()?;
        server
            .run_until(async move {
                signals.next().await;
            })
            .await;
        Ok(ExitCode::SUCCESS)
    })
}
