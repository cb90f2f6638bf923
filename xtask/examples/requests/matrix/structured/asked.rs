//! A model in the place of a wire's own, which keeps what it is asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::Response;
use legwork_core::inference::ModelRequest;
use legwork_models::HttpModel;
use legwork_port::BoxFuture;
use legwork_port::model::{Deltas, Error, Kind, Model, Profile};

use crate::matrix::Case;
use crate::matrix::wire::Wire;

/// A model in the place of a wire's own: it keeps what it is asked and answers what it was given.
#[derive(Clone)]
pub(super) struct Asked {
    model: Arc<HttpModel>,
    kept: Arc<Mutex<Kept>>,
}

struct Kept {
    requests: Vec<ModelRequest>,
    answers: VecDeque<Response>,
}

impl Asked {
    pub(super) fn new(wire: &Wire, answers: Vec<Response>) -> Self {
        let kept = Kept { requests: Vec::new(), answers: answers.into() };
        Self { model: Arc::clone(&wire.model), kept: Arc::new(Mutex::new(kept)) }
    }

    /// A case for each name: the request of that number, or why there is none.
    pub(super) fn cases(&self, names: &[String], error: Option<String>) -> Vec<Case> {
        let reason = error.unwrap_or_else(|| "nothing was asked".to_owned());
        let kept = self.lock();
        let cases = names.iter().enumerate().map(|(at, name)| match kept.requests.get(at) {
            Some(request) => Case::new(name.as_str(), request.clone()),
            None => Case::refused(name.as_str(), reason.clone()),
        });
        cases.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Model for Asked {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn profile(&self) -> &Profile {
        self.model.profile()
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        _deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let mut kept = self.lock();
        kept.requests.push(request);
        let answer = kept.answers.pop_front();
        let error = || Error::new(Kind::BadRequest, "there is no further answer");
        Box::pin(std::future::ready(answer.ok_or_else(error)))
    }
}

/// Runs a future to its end.
pub(super) fn wait_for<T>(future: impl Future<Output = T>) -> Result<T, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(|error| error.to_string())?.block_on(future))
}
