//! The real server behind `tenon mock-llm --record`, asked with the same client
//! as every model.

use crate::error::{CliError, Kind};
use std::sync::Arc;
use tenon_mock::{
    Upstream, UpstreamError, UpstreamFuture, UpstreamPiece, UpstreamReply, UpstreamRequest,
};
use tenon_transport::{Endpoint, Forward, Forwarded};
use tokio::sync::mpsc;

/// Pieces that wait for a client that reads slowly.
const WAITING: usize = 64;

#[derive(Debug)]
pub struct Real {
    forward: Arc<Forward>,
}

impl Real {
    pub fn new(base_url: &str) -> Result<Self, CliError> {
        let forward = Forward::new(&Endpoint::new("--record", base_url)).map_err(|error| {
            let mut error = CliError::from(error);
            error.kind = Kind::Usage;
            error
        })?;
        Ok(Self {
            forward: Arc::new(forward),
        })
    }
}

impl Upstream for Real {
    fn send(&self, request: UpstreamRequest) -> UpstreamFuture {
        let forward = Arc::clone(&self.forward);
        Box::pin(async move {
            let UpstreamRequest {
                method,
                url,
                headers,
                body,
            } = request;
            let reply = forward.send(method, &url, headers, body).await;
            let reply = reply.map_err(|error| UpstreamError(error.to_string()))?;
            let (status, headers) = (reply.status, reply.headers.clone());
            let (pieces, body) = mpsc::channel(WAITING);
            tokio::spawn(pump(reply, pieces));
            Ok(UpstreamReply {
                status,
                headers,
                body,
            })
        })
    }
}

/// Ends with the reply, or when nobody listens any more.
async fn pump(mut reply: Forwarded, pieces: mpsc::Sender<UpstreamPiece>) {
    loop {
        let piece = match reply.chunk().await {
            Ok(Some(piece)) => Ok(piece),
            Ok(None) => return,
            Err(error) => Err(UpstreamError(error.to_string())),
        };
        let broken = piece.is_err();
        if pieces.send(piece).await.is_err() || broken {
            return;
        }
    }
}
