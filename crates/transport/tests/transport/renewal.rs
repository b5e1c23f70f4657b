//! A credential that the server refuses is renewed at most once for a request.

use crate::server::{self, Log, Received, good, with_status};
use crate::{answer, ask, endpoint, model_with};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tenon_model::{Model as _, ModelErrorKind};
use tenon_transport::{Credential, CredentialError, CredentialSource, HttpModel, Renewal, Secret};
use tenon_vocab::port::BoxFuture;

/// What a login does when its token was refused.
#[derive(Clone, Copy)]
enum Then {
    Renews,
    HasNoOther,
    Fails,
}

struct Login {
    token: Mutex<&'static str>,
    then: Then,
    refused: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
}

impl CredentialSource for Login {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let token = *self.token.lock().unwrap();
        Box::pin(async move {
            Ok(Some(Credential {
                secret: Secret::new(token),
                headers: vec![(
                    String::from("x-account"),
                    String::from("account-hunter2-77"),
                )],
                warning: None,
            }))
        })
    }

    fn renew<'a>(
        &'a self,
        refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        let token = refused.secret.expose().to_owned();
        self.refused.lock().unwrap().push(token);
        let renewal = match self.then {
            Then::Renews => {
                *self.token.lock().unwrap() = "new-token";
                Ok(Renewal::Renewed)
            }
            Then::HasNoOther => Ok(Renewal::Unchanged),
            Then::Fails => {
                Err(CredentialError::new("The login is over").with_hint("Log in again."))
            }
        };
        Box::pin(std::future::ready(renewal))
    }

    fn describe(&self) -> String {
        String::from("a login")
    }
}

struct Case {
    model: HttpModel,
    refused: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
}

fn login(address: SocketAddr, then: Then) -> Case {
    let refused = Arc::default();
    let asked = Arc::default();
    let login = Login {
        token: Mutex::new("old-token"),
        then,
        refused: Arc::clone(&refused),
        asked: Arc::clone(&asked),
    };
    Case {
        model: model_with(endpoint(format_args!("http://{address}/v1")), login),
        refused,
        asked,
    }
}

/// Knows only the new token.
fn checked(received: &Received) -> String {
    match received.header("authorization") {
        Some("Bearer new-token") if received.line.starts_with("GET") => {
            with_status("200 OK", "", "one")
        }
        Some("Bearer new-token") => good("welcome"),
        _ => with_status("401 Unauthorized", "", "no"),
    }
}

fn tokens(log: &Log) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter()
        .map(|received| received.header("authorization").unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_refused_token_is_renewed_and_the_same_request_sent_once_more() {
    let (address, log) = server::serving(checked).await;
    let case = login(address, Then::Renews);
    assert_eq!(answer(&case.model).await, "welcome");
    assert_eq!(tokens(&log), ["Bearer old-token", "Bearer new-token"]);
    assert_eq!(*case.refused.lock().unwrap(), ["old-token"]);
    let bodies: Vec<String> = {
        let log = log.lock().unwrap();
        log.iter().map(|received| received.body.clone()).collect()
    };
    assert_eq!(bodies[0], "model small\nfirst\nsecond\n");
    assert_eq!(bodies[0], bodies[1]);

    // The new one is used at once from then on.
    assert_eq!(answer(&case.model).await, "welcome");
    assert_eq!(log.lock().unwrap().len(), 3);
    assert_eq!(case.asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn the_list_of_models_renews_as_well() {
    let (address, log) = server::serving(checked).await;
    let case = login(address, Then::Renews);
    assert_eq!(case.model.models().await.unwrap()[0].id, "one");
    assert_eq!(tokens(&log), ["Bearer old-token", "Bearer new-token"]);
}

#[tokio::test]
async fn a_renewed_token_that_is_refused_too_is_an_error_and_no_loop() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let (address, log) = server::serving(move |_| with_status(status, "", "no")).await;
        let case = login(address, Then::Renews);
        let error = ask(&case.model).await.error();
        assert_eq!(error.kind, ModelErrorKind::Auth, "{status}");
        assert_eq!(log.lock().unwrap().len(), 2, "{status}");
        assert_eq!(case.refused.lock().unwrap().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn without_another_token_the_refusal_is_the_error_and_nothing_is_sent_again() {
    let (address, log) = server::serving(checked).await;
    let case = login(address, Then::HasNoOther);
    let error = ask(&case.model).await.error();
    assert_eq!(error.kind, ModelErrorKind::Auth);
    assert!(error.hint.unwrap().contains("a login"));
    assert_eq!(log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_renewal_that_fails_says_what_to_do() {
    let (address, log) = server::serving(checked).await;
    let error = ask(&login(address, Then::Fails).model).await.error();
    assert_eq!(error.message, "The login is over");
    assert_eq!(error.hint.as_deref(), Some("Log in again."));
    assert_eq!(log.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn other_errors_renew_nothing() {
    for status in ["400 Bad Request", "429 Too Many", "500 Oh"] {
        let (address, log) = server::serving(move |_| with_status(status, "", "no")).await;
        let case = login(address, Then::Renews);
        ask(&case.model).await.error();
        assert!(case.refused.lock().unwrap().is_empty(), "{status}");
        assert_eq!(log.lock().unwrap().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn headers_of_a_login_are_sent_and_never_shown() {
    let (address, log) = server::serving(|received| {
        let account = received.header("x-account").unwrap().to_owned();
        with_status("400 Bad Request", "", &format!("bad account {account}"))
    })
    .await;
    let error = ask(&login(address, Then::Renews).model).await.error();
    assert!(
        error.message.ends_with("bad account ***"),
        "{}",
        error.message
    );
    assert_eq!(log.lock().unwrap().len(), 1);
}
