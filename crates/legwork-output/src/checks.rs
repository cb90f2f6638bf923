//! Checks of a value within the run that gave it.

use std::sync::Arc;

use legwork_port::{BoxFuture, OutputContext};
use serde_json::Value;

use crate::Output;
use crate::output::{Error, Invalid};

/// Checks of a value that know the run which gave it, and may wait; clones share them.
///
/// They run after the validators of an [`Output`].
#[derive(Clone, Default)]
pub struct Checks(Vec<Arc<Check>>);

type Check = dyn Fn(Value, OutputContext) -> BoxFuture<'static, Result<(), Error>> + Send + Sync;

impl Checks {
    /// The same with a check of the value that an output makes of what it accepted.
    ///
    /// All checks run, so that a model is told all problems at once.
    #[must_use]
    pub fn with<T, R, E>(
        mut self,
        output: Output<T>,
        check: impl Fn(T, OutputContext) -> R + Send + Sync + 'static,
    ) -> Self
    where
        T: Send + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Invalid>,
    {
        self.0.push(Arc::new(move |accepted, cx| {
            let checking = output.restore(accepted).map(|value| check(value, cx));
            Box::pin(async move {
                let found = checking?.await.map_err(Into::into);
                found.map_err(|Invalid(problems)| Error::Validation(problems))
            })
        }));
        self
    }

    /// Checks a JSON value that was accepted.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) async fn check(&self, accepted: &Value, cx: &OutputContext) -> Result<(), Error> {
        let mut problems = Vec::new();
        for check in &self.0 {
            match check(accepted.clone(), cx.clone()).await {
                Ok(()) => {}
                Err(Error::Validation(found)) => problems.extend(found),
                Err(other) => return Err(other),
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(Error::Validation(problems)),
        }
    }
}
