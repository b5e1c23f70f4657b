//! The model over HTTP: a request is made of the codec's pieces, sent once,
//! and its reply read by [`crate::stream::Reply`].

use crate::address::Target;
use crate::connecting::{Connecting, Patience};
use crate::endpoint::first_token_limit;
use crate::failure::{self, Route};
use crate::refusal::{self, Asked, Secrets};
use crate::stream::Reply;
use crate::watchdog::Watchdog;
use crate::{Credential, CredentialError, CredentialSource, Endpoint, Renewal};
use crate::{client, proxy, survey};
use bytes::Bytes;
use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue,
};
use reqwest::{Body, Client, RequestBuilder, Response};
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tenon_model::codec::Codec;
use tenon_model::{
    Auth, DeltaStream, Identity, Model, ModelEntry, ModelError, ModelErrorKind, Request, Window,
};
use tenon_vocab::port::BoxFuture;

/// The list of models is short and comes at once, or the server is ill.
const MODELS_BYTES: usize = 8 * 1024 * 1024;
const MODELS_TIME: Duration = Duration::from_secs(30);

pub struct HttpModel {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    endpoint: Endpoint,
    pub(crate) identity: Arc<Identity>,
    codec: Arc<dyn Codec>,
    credentials: Arc<dyn CredentialSource>,
    pub(crate) target: Target,
    route: Route,
    headers: HeaderMap,
    /// Made at the first request: start must not pay for it.
    client: OnceLock<Client>,
    /// What is to be said of a credential with the next answer.
    untold: Mutex<Option<CredentialError>>,
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("endpoint", &self.shared.endpoint)
            .field("identity", &self.shared.identity)
            .field("codec", &self.shared.codec.key())
            .finish_non_exhaustive()
    }
}

impl HttpModel {
    /// Checks what was configured. Nothing is opened, read or resolved before
    /// the first request.
    ///
    /// # Errors
    /// When the base URL, a header or the proxy cannot be used.
    pub fn new(
        endpoint: Endpoint,
        identity: Identity,
        codec: Arc<dyn Codec>,
        credentials: Arc<dyn CredentialSource>,
    ) -> Result<Self, ModelError> {
        let target = Target::parse(&endpoint.name, &endpoint.base_url, codec.path())?;
        let proxy = proxy::choose(&endpoint.proxy, &target)?;
        let headers = headers(&endpoint, codec.as_ref())?;
        let route = Route {
            name: endpoint.name.clone(),
            variable: endpoint.base_url_variable.clone(),
            authority: target.authority(),
            address: target.shown(),
            proxy,
            connect_timeout: endpoint.timeouts.connect,
        };
        Ok(Self {
            shared: Arc::new(Shared {
                endpoint,
                identity: Arc::new(identity),
                codec,
                credentials,
                target,
                route,
                headers,
                client: OnceLock::new(),
                untold: Mutex::default(),
            }),
        })
    }
}

impl Model for HttpModel {
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.shared.identity)
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let shared = Arc::clone(&self.shared);
        let timeouts = &shared.endpoint.timeouts;
        let watchdog = Watchdog::new(
            first_token_limit(timeouts.first_token, &shared.target.host),
            timeouts.silence,
        );
        let decoder = shared.codec.decoder();
        let route = shared.route.clone();
        let connecting = Connecting::default();
        let patience = Patience::new(connecting.clone());
        let opening = Box::pin(async move { shared.post(request, connecting).await });
        Box::pin(Reply::new(opening, decoder, watchdog, patience, route))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(async {
            let asking = self.shared.get_models();
            match tokio::time::timeout(MODELS_TIME, asking).await {
                Ok(outcome) => outcome,
                Err(_) => Err(ModelError::new(
                    ModelErrorKind::Timeout,
                    format!(
                        "{} didn't list its models within {} s",
                        self.shared.route.authority,
                        MODELS_TIME.as_secs()
                    ),
                )),
            }
        })
    }

    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move { survey::served_window(&shared).await })
    }
}

/// A reply that may be read, and what must not be shown of it.
pub(crate) struct Opened {
    pub(crate) response: Response,
    pub(crate) secrets: Secrets,
    /// What is to be known of the credential that was taken.
    pub(crate) warning: Option<CredentialError>,
}

impl Shared {
    async fn post(&self, request: Request, connecting: Connecting) -> Result<Opened, ModelError> {
        let pieces = self.codec.body(&self.identity.model, &request);
        let length: usize = pieces.iter().map(Bytes::len).sum();
        let client = self.client()?;
        let session = request.cache_key.as_deref();
        let build = || {
            connecting.begins();
            let sent = connecting.clone();
            // Nobody asks for the body before there is a connection.
            let body = pieces.clone().into_iter().map(move |piece| {
                sent.is_there();
                Ok::<Bytes, Infallible>(piece)
            });
            client
                .post(self.target.at(self.codec.path()))
                .header(CONTENT_TYPE, "application/json")
                // Many servers refuse a chunked body.
                .header(CONTENT_LENGTH, length)
                .body(Body::wrap_stream(futures_util::stream::iter(body)))
        };
        let mut opened = self.send(&build, session).await?;
        opened.warning = self.untold().take();
        Ok(opened)
    }

    async fn get_models(&self) -> Result<Vec<ModelEntry>, ModelError> {
        let url = self.target.at(self.codec.models_path());
        let mut opened = {
            let client = self.client()?;
            self.send(&|| client.get(url.clone()), None).await?
        };
        let mut body = Vec::new();
        loop {
            match opened.response.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= MODELS_BYTES => {
                    body.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => {
                    return Err(ModelError::new(
                        ModelErrorKind::Protocol,
                        format!(
                            "The model list of {} is larger than {MODELS_BYTES} bytes",
                            self.route.authority
                        ),
                    ));
                }
                Ok(None) => break,
                Err(error) => return Err(failure::broken(&error, &self.route)),
            }
        }
        let models = self.codec.parse_models(&body);
        models.map_err(|error| opened.secrets.scrub(error))
    }

    pub(crate) fn client(&self) -> Result<&Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = client::build(&self.endpoint, &self.target, self.route.proxy.as_ref())?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Sends; once more when the credential was refused and there is a new one.
    async fn send(
        &self,
        build: &(dyn Fn() -> RequestBuilder + Sync),
        session: Option<&str>,
    ) -> Result<Opened, ModelError> {
        let credential = self.credential().await?;
        let first = self.attempt(build(), credential.as_ref(), session);
        let refused = match first.await {
            Err(error) if error.kind == ModelErrorKind::Auth => error,
            outcome => return outcome,
        };
        let Some(credential) = credential else {
            return Err(refused);
        };
        match self.credentials.renew(&credential).await {
            Ok(Renewal::Renewed) => {
                let renewed = self.credential().await?;
                self.attempt(build(), renewed.as_ref(), session).await
            }
            Ok(Renewal::Unchanged) => Err(refused),
            Err(error) => Err(without_credential(error)),
        }
    }

    pub(crate) async fn attempt(
        &self,
        builder: RequestBuilder,
        credential: Option<&Credential>,
        session: Option<&str>,
    ) -> Result<Opened, ModelError> {
        let mut secrets = Secrets::default();
        for (_, value) in &self.endpoint.headers {
            secrets.add(value);
        }
        let mut headers = self.headers.clone();
        if let Some(credential) = credential {
            secrets.add(credential.secret.expose());
            for (_, value) in &credential.headers {
                secrets.add(value);
            }
            self.authorize(&mut headers, credential)?;
        }
        if let (Some(name), Some(session)) = (self.endpoint.session_header, session)
            && let Ok(value) = HeaderValue::from_str(session)
        {
            headers.insert(HeaderName::from_static(name), value);
        }
        let response = builder
            .headers(headers)
            .send()
            .await
            .map_err(|error| failure::unanswered(&error, &self.route))?;
        let asked = Asked {
            target: &self.target,
            route: &self.route,
            codec: self.codec.as_ref(),
            credentials: self.credentials.as_ref(),
            credential,
            silence: self.endpoint.timeouts.silence,
        };
        match refusal::check(response, &asked).await {
            Ok(response) => Ok(Opened {
                response,
                secrets,
                warning: None,
            }),
            Err(error) => Err(secrets.scrub(error)),
        }
    }

    fn untold(&self) -> MutexGuard<'_, Option<CredentialError>> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn credential(&self) -> Result<Option<Credential>, ModelError> {
        if self.endpoint.auth == Auth::None {
            return Ok(None);
        }
        let found = self.credentials.credential().await;
        let mut found = found.map_err(without_credential)?;
        // A request that fails tells nobody: it waits for one that is answered.
        if let Some(warning) = found.as_mut().and_then(|found| found.warning.take()) {
            *self.untold() = Some(warning);
        }
        Ok(found.filter(|found| !found.secret.expose().trim().is_empty()))
    }

    fn authorize(
        &self,
        headers: &mut HeaderMap,
        credential: &Credential,
    ) -> Result<(), ModelError> {
        for (name, value) in &credential.headers {
            let value = HeaderValue::from_str(value).map_err(|_| {
                ModelError::new(
                    ModelErrorKind::Configuration,
                    format!("The login has a header `{name}` that can't be sent"),
                )
            })?;
            headers.insert(header_name(&self.endpoint, name)?, value);
        }
        // A key that was read from a file ends in a newline.
        let key = credential.secret.expose().trim();
        let (name, text) = match &self.endpoint.auth {
            Auth::None => return Ok(()),
            Auth::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
            Auth::Header(name) => (header_name(&self.endpoint, name)?, key.to_owned()),
        };
        let mut value = HeaderValue::try_from(text).map_err(|_| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!(
                    "The key from {} contains a character that a header can't carry",
                    self.credentials.describe()
                ),
            )
            .with_hint("Check for a line break or quotes that were copied along.")
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
        Ok(())
    }
}

fn without_credential(error: CredentialError) -> ModelError {
    let failed = ModelError::new(ModelErrorKind::Configuration, error.message);
    match error.hint {
        Some(hint) => failed.with_hint(hint),
        None => failed,
    }
}

/// The headers of the format and of the configuration. The configuration's win
/// over all others, but for the credential.
fn headers(endpoint: &Endpoint, codec: &dyn Codec) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    for (name, value) in codec.headers() {
        let value = HeaderValue::try_from(value).map_err(|_| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!(
                    "The format `{}` has a header `{name}` that can't be sent",
                    codec.key()
                ),
            )
        })?;
        headers.insert(header_name(endpoint, name)?, value);
    }
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!(
                    "The header `{name}` of the provider `{}` has a value that a header can't carry",
                    endpoint.name
                ),
            )
            .with_hint("Write the value as one line of text.")
        })?;
        value.set_sensitive(true);
        headers.insert(header_name(endpoint, name)?, value);
    }
    if let Auth::Header(name) = &endpoint.auth {
        header_name(endpoint, name)?;
    }
    Ok(headers)
}

fn header_name(endpoint: &Endpoint, name: &str) -> Result<HeaderName, ModelError> {
    let parsed = HeaderName::try_from(name).ok();
    // These say how the body is framed; a wrong one would break every request.
    parsed
        .filter(|name| *name != CONTENT_LENGTH && *name != reqwest::header::TRANSFER_ENCODING)
        .ok_or_else(|| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!(
                    "The provider `{}` has a header `{}` that can't be sent",
                    endpoint.name,
                    crate::address::quoted(name)
                ),
            )
            .with_hint("Header names have letters, digits and dashes.")
        })
}
