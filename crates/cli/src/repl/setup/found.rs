//! Which model servers run on this machine: those that Tenon knows by name are
//! asked for their models at their usual ports, on 127.0.0.1 and nowhere else.
//! No key, no proxy and no name lookup takes part (decision 0027).

use crate::error::CliError;
use crate::place::Place;
use crate::{assemble, provider};
use futures_util::future::join_all;
use std::time::Duration;
use tenon_config::{KeySource, Loaded, Proxy, provider_named};
use tenon_model::{Auth, Kind, Model, ModelEntry, Preset, Reach, presets};
use tenon_tools::Jobs;

/// All of them together: a newcomer waits for it.
const PATIENCE: Duration = Duration::from_millis(400);

/// Where a server of this machine would listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Door {
    pub preset: &'static Preset,
    pub port: u16,
}

/// A server that answered.
#[derive(Debug, Clone)]
pub struct Found {
    pub door: Door,
    pub models: Vec<ModelEntry>,
}

/// The usual ports, as the presets have them.
pub fn doors() -> Vec<Door> {
    let local = |preset: &&Preset| preset.reach == Reach::Local && preset.kind == Kind::Chat;
    presets()
        .iter()
        .filter(local)
        .filter_map(|preset| {
            let port = port(preset.base_url?)?;
            Some(Door { preset, port })
        })
        .collect()
}

/// Of an address on this machine.
fn port(base_url: &str) -> Option<u16> {
    let rest = base_url.strip_prefix("http://localhost:")?;
    rest.split('/').next()?.parse().ok()
}

/// Those that answer in time, the ones with models first.
pub async fn ask(place: &Place, loaded: &Loaded, doors: &[Door]) -> Vec<Found> {
    let Ok(scratch) = tempfile::tempdir() else {
        return Vec::new();
    };
    let jobs = assemble::jobs(scratch.path());
    let asked = doors.iter().map(|door| {
        let models = models(place, loaded, *door, &jobs);
        async { tokio::time::timeout(PATIENCE, models).await }
    });
    let answers = join_all(asked).await;
    let mut found: Vec<Found> = doors
        .iter()
        .zip(answers)
        .filter_map(|(door, answer)| {
            let models = answer.ok()?.ok()?;
            Some(Found {
                door: *door,
                models,
            })
        })
        .collect();
    found.sort_by_key(|found| found.models.is_empty());
    found
}

/// Whatever listens there may be no model server at all, so it gets nothing that
/// it could keep.
async fn models(
    place: &Place,
    loaded: &Loaded,
    door: Door,
    jobs: &Jobs,
) -> Result<Vec<ModelEntry>, CliError> {
    let mut asked = provider_named(loaded, door.preset.name)?;
    asked.base_url = format!("http://127.0.0.1:{}/v1", door.port);
    asked.proxy = Proxy::None;
    asked.key = KeySource::None;
    asked.auth = Auth::None;
    asked.headers.clear();
    Ok(provider::http(place, &asked, "", None, jobs)?
        .models()
        .await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::RootFrom;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::path::Path;
    use std::time::Instant;
    use tenon_config::{Env, Paths};
    use tenon_mock::{Options, Scenarios, Server};
    use tenon_model::preset;

    fn place(home: &Path) -> Place {
        // A proxy that nobody may ask, and a key that nobody may get.
        let env = Env::default()
            .with("TENON_HOME", &home.to_string_lossy())
            .with("HTTP_PROXY", "http://127.0.0.1:1")
            .with("http_proxy", "http://127.0.0.1:1")
            .with("VLLM_API_KEY", "secret-of-vllm");
        Place {
            paths: Paths::from_env(&env).unwrap(),
            env,
            root: home.to_owned(),
            root_from: RootFrom::Flag,
            config: None,
        }
    }

    fn door(name: &str, port: u16) -> Door {
        let preset = preset(name).unwrap();
        Door { preset, port }
    }

    async fn found(doors: &[Door]) -> Vec<Found> {
        let home = tempfile::tempdir().unwrap();
        let place = place(home.path());
        let loaded = crate::trust::read(&place, Vec::new()).unwrap();
        ask(&place, &loaded, doors).await
    }

    /// Says this to everyone, or nothing at all.
    fn says(answer: Option<&'static str>) -> (u16, TcpListener) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let accepting = listener.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut silent = Vec::new();
            while let Ok((mut socket, _)) = accepting.accept() {
                match answer {
                    None => silent.push(socket),
                    Some(answer) => {
                        let _ = socket.read(&mut [0; 4096]);
                        let _ = socket.write_all(answer.as_bytes());
                    }
                }
            }
        });
        (port, listener)
    }

    #[test]
    fn the_ports_are_those_of_the_presets() {
        let found: Vec<(&str, u16)> = doors()
            .iter()
            .map(|door| (door.preset.name, door.port))
            .collect();
        for known in [
            ("ollama", 11434),
            ("lmstudio", 1234),
            ("vllm", 8000),
            ("llamacpp", 8080),
            ("litellm", 4000),
        ] {
            assert!(found.contains(&known), "{known:?}: {found:?}");
        }
        assert_eq!(found.len(), 5, "{found:?}");
    }

    #[tokio::test]
    async fn a_server_that_lists_its_models_is_found_and_gets_no_key() {
        let address = ([127, 0, 0, 1], 0).into();
        let server = Server::bind(address, Scenarios::built_in(), Options::default());
        let server = server.await.unwrap().spawn();
        let found = found(&[door("vllm", server.address().port())]).await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].models[0].id, "mock-model");
        for request in server.requests() {
            assert!(request.headers.get("authorization").is_none());
            let told = format!("{:?}", request.headers);
            assert!(!told.contains("secret"), "{told}");
        }
    }

    #[tokio::test]
    async fn what_is_no_model_server_is_not_found_and_what_is_silent_costs_little() {
        let page =
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 13\r\n\r\n<html></html>";
        let moved = "HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: http://example.invalid/v1/models\r\ncontent-length: 0\r\n\r\n";
        let refused = "HTTP/1.1 401 Unauthorized\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
        let rubbish = "SSH-2.0-OpenSSH_9.9\r\n";
        let (silent, _keep) = says(None);
        let closed = {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap().port()
        };
        let mut doors = vec![door("ollama", silent), door("vllm", closed)];
        let listeners: Vec<(u16, TcpListener)> = [page, moved, refused, rubbish]
            .into_iter()
            .map(|answer| says(Some(answer)))
            .collect();
        doors.extend(listeners.iter().map(|(port, _)| door("llamacpp", *port)));
        let begin = Instant::now();
        assert!(found(&doors).await.is_empty());
        // Twice the patience: the machine may be busy, but nothing adds up.
        assert!(begin.elapsed() < PATIENCE * 2 + Duration::from_secs(2));
    }

    #[tokio::test]
    async fn a_server_without_models_comes_after_those_that_have_some() {
        let empty = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{\"data\":[]}";
        let one = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 21\r\n\r\n{\"data\":[{\"id\":\"m\"}]}";
        let ((first, _a), (second, _b)) = (says(Some(empty)), says(Some(one)));
        let found = found(&[door("ollama", first), door("vllm", second)]).await;
        let names: Vec<(&str, usize)> = found
            .iter()
            .map(|found| (found.door.preset.name, found.models.len()))
            .collect();
        assert_eq!(names, [("vllm", 1), ("ollama", 0)]);
    }
}
