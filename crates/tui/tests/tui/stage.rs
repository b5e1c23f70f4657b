//! The interface without a terminal of its own: inputs go in, and what a
//! terminal emulator would show comes out.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_tui::house::{Facts, Opened, Wishes};
use tenon_tui::input::{Effect, Input};
use tenon_tui::screen::{Look, Reflow, Screen};
use tenon_tui::state::{Begin, State};
use tenon_tui::text::Size;
use tenon_tui::theme::{Depth, Ground, Theme};
use tenon_tui::update::{opened, update};
use tenon_tui::view;
use tenon_vocab::port::{BoxFuture, CommandSink, EventSource, Handle, QueryPort};
use tenon_vocab::slash::{Line, Local};
use tenon_vocab::{
    Command, Event, EventKind, Message, Part, Query, Reply, RunFinished, RunId, RunOrigin,
    RunStarted, SessionId, Settings, Switch, TextChannel, TextDelta, Timestamp,
};

/// A session in which nothing happens by itself: events come from the test.
struct Quiet;

impl EventSource for Quiet {
    fn next(&mut self) -> BoxFuture<'_, Option<Arc<Event>>> {
        Box::pin(async { None })
    }
}

impl CommandSink for Quiet {
    fn send(&self, _command: Command) {}
}

impl QueryPort for Quiet {
    fn ask(&self, _query: Query) -> BoxFuture<'_, Reply> {
        Box::pin(async {
            Reply::Unavailable {
                reason: String::new(),
            }
        })
    }
}

pub fn settings() -> Settings {
    Settings {
        provider: "local".into(),
        model: "small".into(),
        agent_name: "build".into(),
        mode: "single".into(),
        permission_mode: Default::default(),
        effort: None,
        title: None,
        pinned: false,
        add_dirs: Vec::new(),
        side: None,
    }
}

pub fn session() -> Opened {
    Opened {
        handle: Handle {
            session: SessionId::generate(),
            events: Box::new(Quiet),
            commands: Arc::new(Quiet),
            queries: Arc::new(Quiet),
        },
        settings: settings(),
        facts: Facts {
            version: "0.1.0".into(),
            root: "~/project".into(),
            branch: Some("main".into()),
            sandbox: "workspace-write".into(),
            sandboxes: [("plan".into(), "read-only".into())].into(),
            walls: None,
            flags: Vec::new(),
        },
        todo: Vec::new(),
        entries: Vec::new(),
        remarks: Vec::new(),
        past: Vec::new(),
        before: 0,
    }
}

/// Prompts and a few commands: enough to see who gets what.
fn read(line: &str) -> Line {
    match line.trim() {
        "" => Line::Nothing,
        "/help" => Line::Local(Local::Help),
        "/new" => Line::Local(Local::New),
        "/search it" => Line::Local(Local::Search("it".into())),
        "/diff" => Line::Local(Local::Diff),
        "/theme" => Line::Local(Local::Theme(None)),
        "/models" => Line::Query(Query::Models),
        "/agent" => Line::Query(Query::Agents),
        "/mode" => Line::Query(Query::Modes),
        "/provider" => Line::Query(Query::Providers),
        "/mcp" => Line::Query(Query::Mcp),
        "/undo" => Line::Command(Command::Undo),
        "/stop" => Line::Command(Command::Interrupt),
        "/effort high" => Line::Command(Command::Switch(Switch::default())),
        "/review it" => Line::Command(Command::Custom {
            name: "review".into(),
            arguments: "it".into(),
        }),
        "/context" => Line::Query(Query::Context),
        "/wrong" => Line::Wrong("There is no /wrong.".into()),
        text => Line::Command(Command::Prompt {
            text: text.into(),
            attachments: Vec::new(),
        }),
    }
}

fn cells(count: usize) -> NonZero<u16> {
    NonZero::new(count as u16).unwrap()
}

pub struct Stage {
    pub state: State,
    screen: Screen<Vec<u8>>,
    terminal: vt100::Parser,
    pub now: Instant,
    seq: u64,
}

impl Stage {
    pub fn new(columns: usize, rows: usize) -> Self {
        let size = Size { columns, rows };
        let now = Instant::now();
        let begin = Begin {
            size,
            now,
            wishes: Wishes::default(),
            history: Vec::new(),
            read: Box::new(read),
        };
        let session = session();
        let mut state = State::new(begin, &session);
        opened(&mut state, &session, &mut Vec::new());
        let look = Look {
            theme: Theme::named("ansi", Ground::Dark),
            depth: Depth::Sixteen,
            reflow: Reflow::Cuts,
        };
        let mut stage = Self {
            state,
            screen: Screen::new(Vec::new(), size, look),
            terminal: vt100::Parser::new(cells(rows), cells(columns), 10_000),
            now,
            seq: 0,
        };
        stage.draw();
        stage
    }

    pub fn input(&mut self, input: Input) -> Vec<Effect> {
        // Nobody types two keys in the same moment.
        self.now += Duration::from_millis(50);
        let effects = update(&mut self.state, input, self.now);
        self.draw();
        effects
    }

    /// The terminal gets another size, and says so.
    pub fn resize(&mut self, columns: usize, rows: usize) {
        let screen = self.terminal.screen_mut();
        screen.set_size(cells(rows), cells(columns));
        self.input(Input::Resized(Size { columns, rows }));
    }

    pub fn draw(&mut self) {
        let size = self.state.size;
        let finished = self.state.flow.take(size.columns);
        let live = view::live(&self.state);
        let shown = self.screen.draw(self.now, size, &finished, &live).unwrap();
        self.state.reached(shown);
        let bytes = std::mem::take(self.screen.out_mut());
        self.terminal.process(&bytes);
        if !self.state.is_facing() {
            self.state.face(self.now);
        }
    }

    pub fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
        self.input(Input::Key(KeyEvent::new(code, modifiers)))
    }

    pub fn key(&mut self, code: KeyCode) -> Vec<Effect> {
        self.press(code, KeyModifiers::NONE)
    }

    pub fn control(&mut self, c: char) -> Vec<Effect> {
        self.press(KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    pub fn write(&mut self, text: &str) {
        for c in text.chars() {
            self.key(KeyCode::Char(c));
        }
    }

    pub fn send(&mut self, text: &str) -> Vec<Effect> {
        self.write(text);
        self.key(KeyCode::Enter)
    }

    pub fn event(&mut self, kind: impl Into<EventKind>) -> Vec<Effect> {
        let kind = kind.into();
        self.seq += 1;
        let event = Event {
            seq: self.seq,
            sub: None,
            ts: Timestamp::UNIX_EPOCH,
            session: SessionId::generate(),
            run: Some(RunId::generate()),
            parent: None,
            agent: "build".into(),
            kind,
        };
        self.input(Input::Event(Arc::new(event)))
    }

    pub fn begin_run(&mut self, prompt: &str) {
        self.event(RunStarted {
            prompt: prompt.into(),
            origin: RunOrigin::Prompt,
        });
        self.event(Message::user(prompt));
    }

    pub fn say(&mut self, text: &str) {
        self.event(TextDelta {
            channel: TextChannel::Text,
            text: text.into(),
        });
    }

    pub fn end_run(&mut self, finished: RunFinished) {
        self.event(finished);
    }

    pub fn answer(&mut self, text: &str) {
        let mut message = Message::assistant(text);
        message.parts = vec![Part::text(text)];
        self.event(message);
    }

    /// What stands on the screen, without the rows that are empty at its end.
    pub fn shown(&self) -> String {
        self.terminal.screen().contents().trim_end().to_owned()
    }

    /// With its colours.
    pub fn emulated(&self) -> &vt100::Screen {
        self.terminal.screen()
    }

    pub fn caret(&self) -> (u16, u16) {
        self.terminal.screen().cursor_position()
    }
}
