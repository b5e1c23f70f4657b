//! Asks a server how large its window is. Metadata only, never a completion;
//! on the configured host only; small answers, little time, and no error: a
//! server that does not say is one of many.

use crate::Credential;
use crate::request::Shared;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use std::time::Duration;
use tenon_model::{ModelErrorKind, Probe, ProbePlace, Reach, Survey, Window, is_private};

/// One question, and all of them together.
const ONE: Duration = Duration::from_secs(2);
const ALL: Duration = Duration::from_secs(3);
/// The longest list of models in use is below a tenth of this.
const BODY_BYTES: usize = 4 * 1024 * 1024;

pub(crate) async fn served_window(shared: &Shared) -> Option<Window> {
    let target = &shared.target;
    let reach = match is_private(&target.host) {
        true => Reach::Local,
        false => Reach::Remote,
    };
    // Without a limit and never dropped by one: a login may be renewed in it.
    let credential = shared.credential().await.ok()?;
    let mut survey = Survey::new(shared.identity.model.as_str(), reach, target.port);
    let asking = async {
        while let Some(probe) = survey.next_probe() {
            let asked = ask(shared, &probe, credential.as_ref());
            match tokio::time::timeout(ONE, asked).await {
                Ok(Asked::Answered(path, body)) => survey.answer(&probe, &path, &body),
                Ok(Asked::Unanswered) | Err(_) => {}
                Ok(Asked::Unreachable) => break,
            }
        }
    };
    // When the time is up, what was said so far is what there is.
    let _elapsed = tokio::time::timeout(ALL, asking).await;
    survey.finish()
}

enum Asked {
    /// The path that answered, and the body.
    Answered(String, Vec<u8>),
    Unanswered,
    /// Nobody is there, so that no other question helps.
    Unreachable,
}

async fn ask(shared: &Shared, probe: &Probe, credential: Option<&Credential>) -> Asked {
    let url = match probe.place {
        ProbePlace::Base => shared.target.at(probe.path),
        ProbePlace::Root => shared.target.beside(probe.path),
    };
    let Ok(client) = shared.client() else {
        return Asked::Unreachable;
    };
    let path = url.path().to_owned();
    let builder = match &probe.body {
        None => client.get(url),
        Some(body) => client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string()),
    };
    // No renewal here: the request that runs beside this one does that.
    match shared.attempt(builder, credential, None).await {
        Ok(opened) => match read(opened.response).await {
            Some(body) => Asked::Answered(path, body),
            None => Asked::Unanswered,
        },
        Err(error) if error.kind == ModelErrorKind::Network => Asked::Unreachable,
        Err(_) => Asked::Unanswered,
    }
}

/// The whole body, unless it is larger than any honest one.
async fn read(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > BODY_BYTES {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}
