//! The TLS configuration of an https endpoint, with an explicit provider so
//! that nothing global is installed. An http endpoint gets a configuration
//! that trusts nobody and reads no file: a broken certificate store must not
//! stop someone who speaks to a server on this machine.

use crate::Endpoint;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::path::Path;
use std::sync::Arc;
use tenon_model::{ModelError, ModelErrorKind, Verify};

/// For http: what the HTTP library wants to have, and nothing is read for it.
pub(crate) fn unused() -> Result<ClientConfig, ModelError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error))?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Ok(config)
}

/// For https.
///
/// # Errors
/// When a file cannot be read or used, or when there is nobody to trust.
pub(crate) fn for_endpoint(endpoint: &Endpoint) -> Result<ClientConfig, ModelError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| broken(&error))?;
    let builder = match endpoint.verify {
        Verify::Full => builder.with_root_certificates(roots(endpoint)?),
        Verify::Insecure => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anyone(provider))),
    };
    let Some(path) = &endpoint.client_cert else {
        return Ok(builder.with_no_client_auth());
    };
    let pem = read(path, "client_cert", endpoint)?;
    let chain = certificates(&pem, path, "client_cert", endpoint)?;
    let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| {
        unusable(
            path,
            "client_cert",
            endpoint,
            &format!("has no private key: {error}"),
        )
        .with_hint("The file needs the certificate and its private key, both as PEM.")
    })?;
    builder
        .with_client_auth_cert(chain, key)
        .map_err(|error| unusable(path, "client_cert", endpoint, &error.to_string()))
}

/// The system's store (or what `SSL_CERT_FILE` and `SSL_CERT_DIR` name instead)
/// and the endpoint's own authorities.
fn roots(endpoint: &Endpoint) -> Result<RootCertStore, ModelError> {
    let system = rustls_native_certs::load_native_certs();
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(system.certs);
    if let Some(path) = &endpoint.ca_file {
        let pem = read(path, "ca_file", endpoint)?;
        for certificate in certificates(&pem, path, "ca_file", endpoint)? {
            store.add(certificate).map_err(|error| {
                unusable(
                    path,
                    "ca_file",
                    endpoint,
                    &format!("has a bad certificate: {error}"),
                )
            })?;
        }
    }
    if store.is_empty() {
        let cause = system.errors.first().map(|error| format!(": {error}"));
        return Err(ModelError::new(
            ModelErrorKind::Configuration,
            format!(
                "This system has no trusted certificates, and `{}` is https{}",
                endpoint.name,
                crate::address::quoted(&cause.unwrap_or_default())
            ),
        )
        .with_hint(
            "Install the package ca-certificates, or name a PEM file in SSL_CERT_FILE or in the \
             provider's `ca_file`.",
        ));
    }
    Ok(store)
}

fn certificates(
    pem: &[u8],
    path: &Path,
    setting: &str,
    endpoint: &Endpoint,
) -> Result<Vec<CertificateDer<'static>>, ModelError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| {
            unusable(
                path,
                setting,
                endpoint,
                &format!("isn't a PEM file: {error}"),
            )
        })?;
    if certificates.is_empty() {
        return Err(unusable(path, setting, endpoint, "has no certificate")
            .with_hint("The file must be PEM: it has a line `-----BEGIN CERTIFICATE-----`."));
    }
    Ok(certificates)
}

fn read(path: &Path, setting: &str, endpoint: &Endpoint) -> Result<Vec<u8>, ModelError> {
    // Asked first: a named pipe would be waited for.
    std::fs::metadata(path)
        .and_then(|about| match about.is_file() {
            true => std::fs::read(path),
            false => Err(std::io::Error::other("it isn't a regular file")),
        })
        .map_err(|error| unusable(path, setting, endpoint, &format!("can't be read: {error}")))
}

fn unusable(path: &Path, setting: &str, endpoint: &Endpoint, what: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Configuration,
        format!(
            "The {setting} {} of the provider `{}` {what}",
            path.display(),
            endpoint.name
        ),
    )
}

fn broken(error: &rustls::Error) -> ModelError {
    ModelError::new(
        ModelErrorKind::Configuration,
        format!("Can't set up TLS: {error}"),
    )
}

/// Accepts every certificate, but still wants the handshake to be signed with
/// it. Only for an endpoint that the user marked `insecure`.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
