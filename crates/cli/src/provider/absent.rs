//! Stands in where no model takes part: a single tool call.

use std::sync::Arc;
use tenon_model::{DeltaStream, Identity, Model, ModelEntry, ModelError, ModelErrorKind, Request};
use tenon_vocab::port::BoxFuture;

#[derive(Debug)]
pub struct NoModel(Arc<Identity>);

impl Default for NoModel {
    fn default() -> Self {
        Self(Arc::new(Identity::new("none", "none")))
    }
}

impl Model for NoModel {
    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.0)
    }

    fn stream(&self, _: Request) -> DeltaStream {
        Box::pin(futures_util::stream::once(std::future::ready(Err(none()))))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(std::future::ready(Err(none())))
    }
}

fn none() -> ModelError {
    ModelError::new(ModelErrorKind::Configuration, "this does not use a model")
}
