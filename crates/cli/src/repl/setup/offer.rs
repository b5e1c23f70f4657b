//! What the first start offers to begin with, as a numbered list, and what an
//! answer to it means. Nothing here asks anybody.

use super::address;
use super::found::Found;
use crate::provider::{self, usable};
use tenon_config::Env;
use tenon_model::{Kind, Preset, presets};
use tenon_vocab::{Printable, Reply, TableReply};

/// One line of the list.
#[derive(Debug, Clone)]
pub enum Offer {
    /// A server of this machine that answered.
    Found(Found),
    /// A service whose key is in this variable.
    Keyed(&'static Preset, &'static str),
    Demo,
    Other,
}

/// What was meant.
#[derive(Debug)]
pub enum Meant {
    Offered(Offer),
    /// The names of all servers.
    List,
    Preset(&'static Preset),
    Address(String),
    No(String),
}

/// What is ready first; the demo and the free choice are always there.
pub fn offers(env: &Env, found: Vec<Found>) -> Vec<Offer> {
    let answers = |preset: &Preset| found.iter().any(|found| found.door.preset == preset);
    let keyed: Vec<Offer> = provider::keyed(env)
        .filter(|(preset, _)| !answers(preset))
        .map(|(preset, variable)| Offer::Keyed(preset, variable))
        .collect();
    let found = found.into_iter().map(Offer::Found);
    found
        .chain(keyed)
        .chain([Offer::Demo, Offer::Other])
        .collect()
}

impl Offer {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Found(found) => found.door.preset.name,
            Self::Keyed(preset, _) => preset.name,
            Self::Demo => "demo",
            Self::Other => "other",
        }
    }

    fn what(&self) -> String {
        match self {
            Self::Found(found) => {
                let models = match found.models.len() {
                    0 => String::from("no model yet"),
                    1 => String::from("1 model"),
                    more => format!("{more} models"),
                };
                format!("runs here, 127.0.0.1:{}: {models}", found.door.port)
            }
            Self::Keyed(_, variable) => format!("its key is in {variable}"),
            Self::Demo => String::from("try it without a server: scripted model, real tools"),
            Self::Other => String::from("a name or an address"),
        }
    }
}

pub fn lines(offers: &[Offer]) -> Vec<String> {
    let line = |(n, offer): (usize, &Offer)| {
        format!("  {:>2}  {:<14}  {}", n + 1, offer.name(), offer.what())
    };
    offers.iter().enumerate().map(line).collect()
}

/// What to propose to somebody who has seen the demo.
pub fn after_demo(offers: &[Offer]) -> usize {
    let is_other = |offer: &Offer| !matches!(offer, Offer::Demo);
    offers.iter().position(is_other).unwrap_or_default()
}

/// A number of the list, a name, or an address; Enter is what is proposed.
pub fn meant(answer: &str, offers: &[Offer], proposed: usize) -> Meant {
    let offered = |at: usize| offers.get(at).cloned().map(Meant::Offered);
    let by_number = match answer.parse::<usize>() {
        _ if answer.is_empty() => offered(proposed),
        Ok(number) => number.checked_sub(1).and_then(offered),
        Err(_) => {
            let at = offers.iter().position(|offer| offer.name() == answer);
            at.and_then(offered)
        }
    };
    by_number.unwrap_or_else(|| named(answer))
}

/// The name of any server, or an address.
pub fn named(answer: &str) -> Meant {
    if answer == "?" {
        return Meant::List;
    }
    let near = || {
        let names: Vec<&str> = usable().map(|preset| preset.name).collect();
        tenon_tools::input::suggest_name(answer, &names)
            .map(|near| format!(" Did you mean `{near}`?"))
            .unwrap_or_default()
    };
    match presets().iter().find(|preset| preset.name == answer) {
        Some(preset) if preset.kind != Kind::External => Meant::Preset(preset),
        Some(_) => Meant::No(format!("{answer} is not available in this version.")),
        None => match address::complete(answer) {
            Some(url) => Meant::Address(url),
            None if answer.contains("://") => Meant::No(format!(
                "`{}` isn't the address of a model server. One looks like http://127.0.0.1:8080/v1.",
                Printable::line(answer)
            )),
            None => Meant::No(format!(
                "There is no server named `{}`.{} ? lists the names; an address looks like 127.0.0.1:8080 or https://host.example/v1.",
                Printable::line(answer),
                near()
            )),
        },
    }
}

/// All servers that have a name.
pub fn all() -> Reply {
    let rows = usable()
        .map(|preset| vec![preset.name.to_owned(), preset.note.to_owned()])
        .collect();
    Reply::Table(TableReply {
        columns: vec![String::from("name"), String::from("what")],
        rows,
        note: Some(String::from("Or an address: http://127.0.0.1:8080/v1")),
    })
}

#[cfg(test)]
mod tests {
    use super::super::found::Door;
    use super::*;
    use tenon_model::{ModelEntry, preset};

    fn found(name: &str, models: usize) -> Found {
        let preset = preset(name).unwrap();
        let model = |n| ModelEntry {
            id: format!("m{n}"),
            context_window: None,
        };
        Found {
            door: Door { preset, port: 9 },
            models: (0..models).map(model).collect(),
        }
    }

    fn names(offers: &[Offer]) -> Vec<&str> {
        offers.iter().map(Offer::name).collect()
    }

    #[test]
    fn servers_that_run_come_before_keys_and_these_before_the_demo() {
        assert_eq!(names(&offers(&Env::default(), vec![])), ["demo", "other"]);
        let env = Env::default()
            .with("OPENAI_API_KEY", "sk-secret")
            .with("GROQ_API_KEY", " ")
            .with("VLLM_API_KEY", "x");
        let offers = offers(&env, vec![found("ollama", 3), found("vllm", 1)]);
        assert_eq!(
            names(&offers),
            ["ollama", "vllm", "openai", "demo", "other"]
        );
        let page = lines(&offers).join("\n");
        assert!(page.contains("   1  ollama          runs here, 127.0.0.1:9: 3 models"));
        assert!(page.contains("its key is in OPENAI_API_KEY"), "{page}");
        assert!(!page.contains("sk-secret"), "{page}");
    }

    #[test]
    fn an_answer_is_a_number_a_name_or_an_address_and_enter_the_first() {
        let offers = offers(&Env::default(), vec![found("ollama", 1)]);
        for (answer, name) in [
            ("", "ollama"),
            ("1", "ollama"),
            ("ollama", "ollama"),
            ("2", "demo"),
            ("demo", "demo"),
            ("3", "other"),
        ] {
            let Meant::Offered(offer) = meant(answer, &offers, 0) else {
                panic!("{answer:?}");
            };
            assert_eq!(offer.name(), name, "{answer:?}");
        }
        assert!(matches!(meant("?", &offers, 0), Meant::List));
        assert!(
            matches!(meant("groq", &offers, 0), Meant::Preset(preset) if preset.name == "groq")
        );
        assert!(matches!(
            meant("http://a/v1", &offers, 0),
            Meant::Address(_)
        ));
        assert!(matches!(
            meant("127.0.0.1:8080", &offers, 0),
            Meant::Address(url) if url == "http://127.0.0.1:8080/v1"
        ));
        for wrong in ["0", "4", "99999999999999999999", "nosuch", "claudecode"] {
            assert!(matches!(meant(wrong, &offers, 0), Meant::No(_)), "{wrong}");
        }
    }

    #[test]
    fn who_has_seen_the_demo_is_not_led_to_it_again_by_enter() {
        for found in [vec![], vec![found("ollama", 1)]] {
            let offers = offers(&Env::default(), found);
            let Meant::Offered(offer) = meant("", &offers, after_demo(&offers)) else {
                panic!("{offers:?}");
            };
            assert_ne!(offer.name(), "demo");
        }
    }
}
