//! What the process's own environment does. Each case is a child process that
//! runs one ignored test of this binary: an environment cannot be changed
//! safely from inside.

use crate::server::{self, good, read_request, write};
use crate::tls::{self, Authority};
use crate::{ask, endpoint, model};
use tempfile::TempDir;

const URL: &str = "TENON_TEST_URL";

#[tokio::test]
#[ignore = "run by the others, with an environment"]
async fn asks_as_a_child() {
    let outcome = ask(&model(endpoint(std::env::var(URL).unwrap()))).await;
    match outcome.error {
        Some(error) => println!("<{error} ({})>", error.hint.as_deref().unwrap_or_default()),
        None => println!("<{}>", outcome.finished.unwrap()),
    }
}

/// What a process with this environment gets as an answer, or its error.
async fn child(url: &str, variables: &[(&str, &str)]) -> String {
    let mut command = tokio::process::Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "environment::asks_as_a_child",
            "--ignored",
            "--nocapture",
        ])
        .env_clear()
        .env(URL, url)
        .envs(variables.iter().copied());
    let output = command.output().await.unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let start = printed.find('<').expect(&printed);
    let end = printed.rfind('>').expect(&printed);
    printed[start + 1..end].to_owned()
}

#[tokio::test]
async fn http_does_not_care_about_a_broken_certificate_store() {
    let dir = TempDir::new().unwrap();
    let garbage = dir.path().join("garbage.pem");
    std::fs::write(&garbage, "garbage").unwrap();
    let address = server::answering(good("plain")).await;
    let variables = [("SSL_CERT_FILE", garbage.to_str().unwrap())];
    assert_eq!(
        child(&format!("http://{address}/v1"), &variables).await,
        "plain"
    );
}

#[tokio::test]
async fn https_without_any_trust_says_what_to_install() {
    let dir = TempDir::new().unwrap();
    let garbage = dir.path().join("garbage.pem");
    std::fs::write(&garbage, "garbage").unwrap();
    let variables = [("SSL_CERT_FILE", garbage.to_str().unwrap())];
    let said = child("https://localhost:1/v1", &variables).await;
    assert!(said.contains("no trusted certificates"), "{said}");
    assert!(
        said.contains("ca-certificates") && said.contains("SSL_CERT_FILE"),
        "{said}"
    );
}

#[tokio::test]
async fn https_trusts_what_ssl_cert_file_names() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let file = dir.path().join("ca.pem");
    std::fs::write(&file, authority.pem()).unwrap();
    let address = tls::serve(authority.acceptor(&["localhost"])).await;
    let url = format!("https://localhost:{}/v1", address.port());
    let by_file = [("SSL_CERT_FILE", file.to_str().unwrap())];
    assert_eq!(child(&url, &by_file).await, "secure");
}

#[tokio::test]
async fn the_proxy_variables_of_the_process_are_used() {
    let address = server::start(|mut stream| async move {
        let seen = read_request(&mut stream).await;
        write(&mut stream, &good(&seen.line)).await;
    })
    .await;
    let proxy = format!("http://{address}");
    let url = "http://models.example.com/v1";
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        let said = child(url, &[(name, &proxy)]).await;
        assert_eq!(
            said, "POST http://models.example.com/v1/ask HTTP/1.1",
            "{name}"
        );
    }
    let direct = format!("http://127.0.0.1:{}/v1", address.port());
    let said = child(&direct, &[("ALL_PROXY", "http://127.0.0.1:1")]).await;
    assert_eq!(said, "POST /v1/ask HTTP/1.1");
}
