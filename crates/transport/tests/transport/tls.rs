//! https with authorities made for the test.

use crate::server::{self, good, read_request, write};
use crate::{answer, ask, endpoint, model};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tenon_model::Verify;
use tenon_model::{ModelError, ModelErrorKind};
use tenon_transport::Endpoint;
use tokio_rustls::TlsAcceptor;

pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// Names, and how the certificate is otherwise.
type Change = fn(&mut CertificateParams);

impl Authority {
    pub fn new() -> Self {
        Self::named("Test Authority")
    }

    fn named(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    pub fn pem(&self) -> String {
        self.0.pem()
    }

    fn certificate(&self, names: &[&str], change: Change) -> (rcgen::Certificate, KeyPair) {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        (certificate, key)
    }

    /// A server's side of TLS for these names.
    pub fn acceptor(&self, names: &[&str]) -> TlsAcceptor {
        self.acceptor_with(names, |_| {}, Clients::Any)
    }

    fn acceptor_with(&self, names: &[&str], change: Change, clients: Clients<'_>) -> TlsAcceptor {
        let (certificate, key) = self.certificate(names, change);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            Clients::Any => builder.with_no_client_auth(),
            Clients::SignedBy(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(authority.0.der().clone()).unwrap();
                let verifier =
                    WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let chain: Vec<CertificateDer<'static>> = vec![certificate.der().clone()];
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        TlsAcceptor::from(Arc::new(builder.with_single_cert(chain, key).unwrap()))
    }
}

enum Clients<'a> {
    Any,
    SignedBy(&'a Authority),
}

pub async fn serve(acceptor: TlsAcceptor) -> SocketAddr {
    server::start(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            // A client that does not trust us hangs up; that is its right.
            let Ok(mut stream) = acceptor.accept(stream).await else {
                return;
            };
            if !read_request(&mut stream).await.line.is_empty() {
                write(&mut stream, &good("secure")).await;
            }
        }
    })
    .await
}

fn file(dir: &TempDir, name: &str, content: &str) -> Option<PathBuf> {
    let path = dir.path().join(name);
    std::fs::write(&path, content).unwrap();
    Some(path)
}

/// An endpoint at `localhost` that trusts this authority.
fn trusting(dir: &TempDir, address: SocketAddr, authority: &Authority) -> Endpoint {
    let mut endpoint = endpoint(format_args!("https://localhost:{}/v1", address.port()));
    endpoint.ca_file = file(dir, "ca.pem", &authority.pem());
    endpoint
}

async fn configuration_error(endpoint: Endpoint) -> ModelError {
    let error = ask(&model(endpoint)).await.error();
    assert_eq!(error.kind, ModelErrorKind::Configuration, "{error:?}");
    error
}

#[tokio::test]
async fn trusts_the_authority_of_the_ca_file() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let address = serve(authority.acceptor(&["localhost", "127.0.0.1"])).await;
    let endpoint = trusting(&dir, address, &authority);
    assert_eq!(answer(&model(endpoint.clone())).await, "secure");
    let by_address = Endpoint {
        base_url: format!("https://{address}/v1"),
        ..endpoint
    };
    assert_eq!(answer(&model(by_address)).await, "secure");
}

#[tokio::test]
async fn tells_an_unknown_issuer() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let address = serve(authority.acceptor(&["localhost"])).await;
    // Another name, and another key under the same name: an old ca_file.
    for other in [Authority::named("Another"), Authority::new()] {
        let error = configuration_error(trusting(&dir, address, &other)).await;
        let message = &error.message;
        assert!(message.contains("unknown issuer"), "{message}");
        assert!(error.hint.unwrap().contains("ca_file"));
    }
}

#[tokio::test]
async fn tells_a_name_mismatch_and_the_right_names() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let address = serve(authority.acceptor(&["models.example.com"])).await;
    let error = configuration_error(trusting(&dir, address, &authority)).await;
    assert!(error.message.contains("name mismatch"), "{}", error.message);
    assert!(
        error.message.contains("models.example.com"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn tells_an_expired_certificate() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let expired: Change = |params| {
        params.not_before = rcgen::date_time_ymd(2019, 1, 1);
        params.not_after = rcgen::date_time_ymd(2020, 1, 1);
    };
    let acceptor = authority.acceptor_with(&["localhost"], expired, Clients::Any);
    let address = serve(acceptor).await;
    let error = configuration_error(trusting(&dir, address, &authority)).await;
    assert!(error.message.contains("has expired"), "{}", error.message);
}

#[tokio::test]
async fn tells_an_authority_that_is_used_as_a_server() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let as_authority: Change = |params| params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let acceptor = authority.acceptor_with(&["localhost"], as_authority, Clients::Any);
    let address = serve(acceptor).await;
    let error = configuration_error(trusting(&dir, address, &authority)).await;
    let message = &error.message;
    assert!(message.contains("is a certificate authority"), "{message}");
}

#[tokio::test]
async fn an_insecure_endpoint_takes_any_certificate() {
    let authority = Authority::new();
    let address = serve(authority.acceptor(&["models.example.com"])).await;
    let mut endpoint = endpoint(format_args!("https://localhost:{}/v1", address.port()));
    endpoint.verify = Verify::Insecure;
    assert_eq!(answer(&model(endpoint)).await, "secure");
}

#[tokio::test]
async fn shows_its_client_certificate() {
    let (dir, authority, clients) = (TempDir::new().unwrap(), Authority::new(), Authority::new());
    let acceptor = authority.acceptor_with(&["localhost"], |_| {}, Clients::SignedBy(&clients));
    let address = serve(acceptor).await;
    let mut endpoint = trusting(&dir, address, &authority);
    let without = ask(&model(endpoint.clone())).await.error();
    assert_eq!(without.kind, ModelErrorKind::Configuration, "{without:?}");
    assert!(without.hint.unwrap().contains("client_cert"));

    let (certificate, key) = clients.certificate(&["me"], |_| {});
    let pem = format!("{}{}", certificate.pem(), key.serialize_pem());
    endpoint.client_cert = file(&dir, "client.pem", &pem);
    assert_eq!(answer(&model(endpoint)).await, "secure");
}

#[tokio::test]
async fn tells_a_server_that_speaks_no_tls() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let address = server::start(|mut stream| async move {
        write(&mut stream, "HTTP/1.1 400 Bad Request\r\n\r\n").await;
        let mut sink = tokio::io::sink();
        let _rest = tokio::io::copy(&mut stream, &mut sink).await;
    })
    .await;
    let error = configuration_error(trusting(&dir, address, &authority)).await;
    assert!(
        error.message.contains("doesn't speak TLS"),
        "{}",
        error.message
    );
    assert!(error.hint.unwrap().contains("http://"));
}

#[tokio::test]
async fn tells_which_file_cannot_be_used() {
    let (dir, authority) = (TempDir::new().unwrap(), Authority::new());
    let good = Endpoint {
        ca_file: file(&dir, "good.pem", &authority.pem()),
        ..endpoint("https://localhost:1/v1")
    };
    let bad_pem = "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n";
    let no_der = "-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n";
    for (name, content) in [
        ("empty", ""),
        ("text", "hi"),
        ("pem", bad_pem),
        ("der", no_der),
    ] {
        let endpoint = Endpoint {
            ca_file: file(&dir, name, content),
            ..good.clone()
        };
        let error = configuration_error(endpoint).await;
        assert!(error.message.contains(name), "{}", error.message);
    }
    let missing = Endpoint {
        ca_file: Some(dir.path().join("missing")),
        ..good.clone()
    };
    assert!(
        configuration_error(missing)
            .await
            .message
            .contains("missing")
    );
    let no_key = Endpoint {
        client_cert: good.ca_file.clone(),
        ..good
    };
    let error = configuration_error(no_key).await;
    assert!(
        error.message.contains("no private key"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn http_reads_no_certificate() {
    let address = server::answering(good("plain")).await;
    let mut endpoint = endpoint(format_args!("http://{address}/v1"));
    endpoint.ca_file = Some(PathBuf::from("/nonexistent/ca.pem"));
    endpoint.client_cert = Some(PathBuf::from("/nonexistent/client.pem"));
    assert_eq!(answer(&model(endpoint)).await, "plain");
}
