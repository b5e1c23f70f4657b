//! `tenon demo`: the whole loop without any model server. A scratch project with
//! a failing test, the scripted model, real tools, real policy, a real session.
//! On a terminal it is the interface that one works in, and its questions are the
//! user's to answer; by lines and on a pipe it runs through.

use crate::CommandResult;
use crate::args::{DemoArgs, Format, ModeChoice, RunArgs, Shared};
use crate::assemble::{self, Options, Session};
use crate::drive::{Desk, Prompt, drive};
use crate::error::CliError;
use crate::place::Place;
use crate::render::Renderer;
use crate::render::json::JsonLines;
use crate::render::text::{Answers, TextLines};
use crate::render::wrap;
use crate::screen::{Paint, complain};
use crate::tui::{self, Front};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use tenon_config::Env;
use tenon_engine::Engine;
use tenon_mock::{Options as MockOptions, Scenarios, Server, demo};

pub fn run(shared: &Shared, args: &DemoArgs) -> CommandResult {
    let folder = prepare(args.dir.as_deref())?;
    let shared = Shared {
        root: Some(folder.clone()),
        ..shared.clone()
    };
    let mut place = Place::find(&shared)?;
    let screen = RunArgs {
        words: vec![demo::PROMPT.to_owned()],
        permission_mode: Some(ModeChoice::Ask),
        plain: args.plain,
        ..RunArgs::default()
    };
    if args.format == Format::Text && tui::front(&screen, &place) == Front::Screen {
        return on_screen(&shared, place, &screen, &folder);
    }
    let paint = Paint::for_stderr(shared.color);
    let runtime = assemble::runtime()?;
    let (session, ended) = runtime.block_on(async {
        let server = scripted().await?;
        place.env = with_only(&place.env, &server.base_url());
        let server = server.spawn();
        let run = RunArgs {
            yes: true,
            ..RunArgs::default()
        };
        let mut options = Options::from_args(&run, Desk::Nobody);
        let none = serde_json::Value::from("");
        options.flags.push((String::from("small_model"), none));
        let assembled = assemble::open(&place, &options, Session::New(None)).await?;
        let session = assembled.session;
        introduce(args.format, &folder);
        let renderer: Box<dyn Renderer + Send> = match args.format {
            Format::Json => Box::new(JsonLines::of(&assembled.parts)),
            Format::Text => Box::new(TextLines::new(paint, Answers::Live)),
        };
        let handle = Engine::start(session, assembled.parts);
        let ended = drive(
            handle,
            Prompt::from(demo::PROMPT.to_owned()),
            renderer,
            Desk::Nobody,
        )
        .await;
        drop(server);
        ended.map(|ended| (session, ended))
    })?;
    if args.format == Format::Text {
        let short = session.to_string();
        complain(&wrap::paragraphs(
            "\nThat was a real session with real tools; only the model was scripted. Look at it:",
            wrap::columns(),
        ));
        complain(&format!(
            "  tenon sessions show {short}\n  tenon sessions export {short} --format md\n  ls {}",
            folder.display()
        ));
    }
    Ok(ended.code())
}

async fn scripted() -> Result<Server, CliError> {
    Server::bind(
        ([127, 0, 0, 1], 0).into(),
        Scenarios::built_in(),
        MockOptions::default(),
    )
    .await
    .map_err(|error| CliError::runtime(format!("can't start the scripted model: {error}")))
}

/// Only the scripted model counts here, whatever else is configured.
fn with_only(env: &Env, base_url: &str) -> Env {
    env.clone()
        .with("TENON_BASE_URL", base_url)
        .with("TENON_MODEL", "scripted")
        .with("TENON_PROVIDER", "")
        .with("TENON_API_KEY", "")
}

/// In the interface that one works in. The model answers from a thread of its own:
/// the screen has a runtime to itself.
fn on_screen(shared: &Shared, mut place: Place, args: &RunArgs, folder: &Path) -> CommandResult {
    let (address, found) = mpsc::channel();
    let (over, is_over) = tokio::sync::oneshot::channel::<()>();
    let model = std::thread::spawn(move || {
        let served = assemble::runtime().map(|runtime| {
            runtime.block_on(async {
                let server = scripted().await;
                let _ = address.send(server.as_ref().map(Server::base_url).map_err(|_| ()));
                if let Ok(server) = server {
                    let running = server.spawn();
                    let _ = is_over.await;
                    drop(running);
                }
            });
        });
        drop(served);
    });
    let Ok(Ok(base_url)) = found.recv() else {
        return Err(CliError::runtime("can't start the scripted model"));
    };
    place.env = with_only(&place.env, &base_url).with("TENON_SMALL_MODEL", "");
    let left = tui::talk(shared, place, args, Session::New(None));
    drop(over);
    let _ = model.join();
    let code = left?;
    complain(&wrap::paragraphs(
        "\nOnly the model was scripted; the tools, the session and the files are real. Next:",
        wrap::columns(),
    ));
    complain(&format!(
        "  ls {}    what it changed\n  cd YOUR-PROJECT && tenon    work there with your own model",
        folder.display()
    ));
    Ok(code)
}

fn introduce(format: Format, folder: &Path) {
    if format == Format::Text {
        complain(&format!(
            "A small project with a failing test is in {}.",
            folder.display()
        ));
        complain(&format!("> {}\n", demo::PROMPT));
    }
}

/// Makes the project. A folder that is named must be new or empty.
fn prepare(wanted: Option<&Path>) -> Result<PathBuf, CliError> {
    let folder = match wanted {
        Some(folder) => {
            let full = folder
                .read_dir()
                .is_ok_and(|mut entries| entries.next().is_some());
            if full {
                return Err(CliError::usage(format!(
                    "{} is not empty",
                    folder.display()
                )));
            }
            std::fs::create_dir_all(folder)?;
            folder.to_owned()
        }
        None => tempfile::Builder::new()
            .prefix("tenon-demo-")
            .tempdir()?
            .keep(),
    };
    for (path, content) in demo::files() {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, content)?;
    }
    Ok(folder)
}
