//! Retries around any model.

use std::fmt;
use std::sync::Arc;

use legwork_core::inference::Response;
use legwork_core::{Mask, ModelRequest};
use legwork_port::model::{Count, Deltas, Error, Model, Profile};
use legwork_port::{BoxFuture, Clock};

use super::{Attempt, Policy, persist};

/// A model whose failed attempts are made again; for models that do not retry themselves.
#[derive(Clone)]
pub struct Retrying<M> {
    model: M,
    policy: Policy,
    clock: Arc<dyn Clock>,
}

impl<M> Retrying<M> {
    /// A model with a policy for its failures; the waits are those of the clock.
    pub fn new(model: M, policy: Policy, clock: Arc<dyn Clock>) -> Self {
        Self { model, policy, clock }
    }
}

impl<M: fmt::Debug> fmt::Debug for Retrying<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, policy, .. } = self;
        f.debug_struct("Retrying").field("model", model).field("policy", policy).finish()
    }
}

impl<M: Model> Model for Retrying<M> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.model.profile_of(name)
    }

    fn mask(&self) -> Mask {
        self.model.mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        self.model.count_tokens(request)
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let attempt = ModelAttempt { model: &self.model, request };
            persist(&attempt, &self.policy, &*self.clock, deltas).await
        })
    }
}

/// A request that a model is asked, as often as it takes.
struct ModelAttempt<'a> {
    model: &'a dyn Model,
    request: ModelRequest,
}

impl Attempt for ModelAttempt<'_> {
    type Answer = Response;

    fn model(&self) -> &str {
        self.model.name()
    }

    async fn make(&self, deltas: &mut dyn Deltas) -> Result<Response, Error> {
        self.model.infer(self.request.clone(), Some(deltas)).await
    }
}
