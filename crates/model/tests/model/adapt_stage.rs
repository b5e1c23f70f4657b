//! A server that refuses as a test says, and what the tests of learning ask of it.

use futures_util::{FutureExt as _, StreamExt as _};
use std::sync::{Arc, Mutex};
use tenon_model::{
    Adapted, Adaptive, Build, Configured, Delivery, Delta, DeltaStream, Dialect, Entry, Finished,
    Holds, Identity, Memory, Model, ModelEntry, ModelError, ModelErrorKind, Parameters, Prefix,
    Remedy, Request, Variant, Window,
};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Message, StopReason};

/// What a server does with one request.
pub enum Reaction {
    Answers,
    /// Refuses, with this remedy.
    Refuses(Remedy),
    RefusesAs(ModelErrorKind, Option<Remedy>),
    /// Fails in words of which nobody knows whose they are.
    Fails(Remedy),
    /// Says something first.
    BreaksAfter(&'static str, Remedy),
}

pub type Rule = Box<dyn Fn(&Variant, &Request) -> Reaction + Send + Sync>;

pub struct Server {
    pub rule: Rule,
    pub asked: Mutex<Vec<(Variant, Request)>>,
    pub built: Mutex<Vec<Variant>>,
}

impl Server {
    pub fn new(rule: impl Fn(&Variant, &Request) -> Reaction + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self {
            rule: Box::new(rule),
            asked: Mutex::default(),
            built: Mutex::default(),
        })
    }

    pub fn requests(&self) -> usize {
        self.asked.lock().expect("asked").len()
    }

    pub fn variants(&self) -> Vec<Variant> {
        let asked = self.asked.lock().expect("asked");
        asked.iter().map(|(variant, _)| variant.clone()).collect()
    }

    pub fn last(&self) -> Request {
        let asked = self.asked.lock().expect("asked");
        asked.last().expect("a request").1.clone()
    }
}

/// One form of asking the server.
pub struct Voice {
    pub server: Arc<Server>,
    pub variant: Variant,
}

impl Model for Voice {
    fn identity(&self) -> Arc<Identity> {
        let mut identity = Identity::new("test", "m");
        identity.dialect = format!("{:?}", self.variant.dialect).to_lowercase();
        identity.quirks = self.variant.quirks.names();
        Arc::new(identity)
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let reaction = (self.server.rule)(&self.variant, &request);
        let mut asked = self.server.asked.lock().expect("asked");
        asked.push((self.variant.clone(), request));
        let refusal = |kind, remedy: Option<Remedy>| {
            let mut error = ModelError::new(kind, "refused").with_hint("start it with --tools");
            error.remedy = remedy.map(Box::new);
            Err(error)
        };
        let items = match reaction {
            Reaction::Answers => vec![Ok(Delta::Text(String::from("yes"))), Ok(finished("yes"))],
            Reaction::Refuses(remedy) => vec![refusal(ModelErrorKind::Rejected, Some(remedy))],
            Reaction::RefusesAs(kind, remedy) => vec![refusal(kind, remedy)],
            Reaction::Fails(remedy) => vec![
                refusal(ModelErrorKind::Rejected, Some(remedy)).map_err(|mut error| {
                    error.holds = Holds::Session;
                    error
                }),
            ],
            Reaction::BreaksAfter(text, remedy) => vec![
                Ok(Delta::Text(text.to_owned())),
                refusal(ModelErrorKind::Rejected, Some(remedy)),
            ],
        };
        Box::pin(futures_util::stream::iter(items))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        Box::pin(async { None })
    }
}

pub fn finished(text: &str) -> Delta {
    Delta::Finished(Finished {
        message: Message::assistant(text),
        stop: StopReason::EndTurn,
        usage: None,
        repairs: Vec::new(),
        todo: None,
    })
}

#[derive(Default)]
pub struct Notes {
    pub known: Vec<Remedy>,
    pub learned: Mutex<Vec<Remedy>>,
}

impl Notes {
    pub fn learned(&self) -> Vec<Remedy> {
        self.learned.lock().expect("learned").clone()
    }
}

impl Memory for Notes {
    fn recall(&self) -> Vec<Remedy> {
        self.known.clone()
    }

    fn learn(&self, remedy: &Remedy) {
        self.learned.lock().expect("learned").push(remedy.clone());
    }
}

pub fn build(server: &Arc<Server>) -> Build {
    let server = Arc::clone(server);
    Box::new(move |variant| {
        assert_ne!(variant.dialect, Dialect::Auto, "a variant is decided");
        let mut built = server.built.lock().expect("built");
        built.push(variant.clone());
        Ok(Arc::new(Voice {
            server: Arc::clone(&server),
            variant: variant.clone(),
        }))
    })
}

pub fn adaptive(server: &Arc<Server>, dialect: Dialect, memory: &Arc<Notes>) -> Adaptive {
    let memory: Arc<dyn Memory> = Arc::clone(memory) as Arc<dyn Memory>;
    let configured = Configured {
        dialect,
        ..Configured::default()
    };
    Adaptive::new(build(server), configured, memory).expect("a model")
}

pub fn request_of(entries: Vec<Arc<Entry>>) -> Request {
    Request {
        prefix: Arc::new(Prefix {
            system: String::new(),
            tools: Vec::new(),
        }),
        entries,
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

pub fn request() -> Request {
    request_of(vec![Arc::new(Entry::new(Arc::new(Message::user("hi"))))])
}

pub struct Outcome {
    pub told: Vec<Adapted>,
    pub text: String,
    pub error: Option<ModelError>,
}

/// Reads to the end, and checks what holds for every stream.
pub fn ask(model: &Adaptive, request: Request) -> Outcome {
    let mut stream = model.stream(request);
    let mut outcome = Outcome {
        told: Vec::new(),
        text: String::new(),
        error: None,
    };
    let mut ended = false;
    while let Some(item) = stream.next().now_or_never().expect("never waits") {
        assert!(!ended, "something came after the end");
        match item {
            Ok(Delta::Adapted(adapted)) => {
                assert!(outcome.text.is_empty(), "told after content");
                outcome.told.push(adapted);
            }
            Ok(Delta::Finished(_)) => ended = true,
            Ok(Delta::Text(text)) => outcome.text.push_str(&text),
            Ok(other) => panic!("{other:?}"),
            Err(error) => {
                ended = true;
                outcome.error = Some(error);
            }
        }
    }
    assert!(ended, "no end");
    outcome
}

pub fn omit(field: &str) -> Remedy {
    Remedy::Omit {
        field: field.to_owned(),
    }
}

/// Refuses a field for as long as it is not left out.
pub fn wants_without(fields: &'static [&'static str]) -> Arc<Server> {
    Server::new(
        move |variant, _| match fields.iter().find(|field| !variant.quirks.omits(field)) {
            Some(field) => Reaction::Refuses(omit(field)),
            None => Reaction::Answers,
        },
    )
}
