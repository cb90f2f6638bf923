//! An embedder that is asked as a model is, so that it is reserved, charged and cancelled alike.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::event::ResultCompared;
use legwork_core::{
    FinishReason, Mask, Message, ModelRequest, ModelSettings, Response, Seq, Transcript,
};
use legwork_port::embedder::{Embedder, Embeddings, Request};
use legwork_port::model::Error;
use legwork_port::{BoxFuture, Deltas, Model, Profile};

use crate::context::Similar;
use crate::transforms::{ToCompare, Vectors};

/// The vectors of the results of a run.
pub(crate) type RunVectors = Arc<Mutex<Vectors>>;

/// Compares results by their vectors.
///
/// Its answer is empty; what it found is kept here.
pub(crate) struct Comparer {
    embedder: Arc<dyn Embedder>,
    profile: Profile,
    least: f32,
    results: Vec<ToCompare>,
    vectors: RunVectors,
    found: Mutex<Vec<ResultCompared>>,
}

impl Comparer {
    pub(crate) fn new(similar: &Similar, results: Vec<ToCompare>, vectors: RunVectors) -> Self {
        let embedder = Arc::clone(&similar.embedder);
        let price = embedder.profile().price;
        let profile = price.map_or_else(Profile::new, |price| Profile::new().with_prices(price));
        let found = Mutex::default();
        Self { embedder, profile, least: similar.least, results, vectors, found }
    }

    /// The texts, as a request whose size is what is reserved; an embedder writes nothing.
    pub(crate) fn request(&self) -> ModelRequest {
        let mut texts = Transcript::default();
        for result in &self.results {
            texts.push(Seq::ZERO, Arc::new(Message::user(result.text.clone())));
        }
        let settings = Arc::new(ModelSettings::default());
        let mut request = match texts.settled() {
            Some(settled) => ModelRequest::new(settled, settings),
            None => ModelRequest::blank(settings),
        };
        request.max_output = Some(0);
        request
    }

    /// What was found.
    pub(crate) fn found(&self) -> Vec<ResultCompared> {
        lock(&self.found).clone()
    }

    fn take(&self, answer: &Embeddings) {
        let found = lock(&self.vectors).compared(&self.results, answer, self.least);
        *lock(&self.found) = found;
    }
}

impl Model for Comparer {
    fn name(&self) -> &str {
        self.embedder.name()
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn mask(&self) -> Mask {
        self.embedder.mask()
    }

    fn infer<'a>(
        &'a self,
        _request: ModelRequest,
        _deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let texts = self.results.iter().map(|result| result.text.clone());
            let answer =
                self.embedder.embed(Request::new(texts)).await.map_err(|error| error.cause)?;
            self.take(&answer);
            let (usage, charged_attempts) = (answer.usage, answer.charged_attempts);
            let response = Response::new(Message::assistant(Vec::new()), FinishReason::Stop);
            Ok(Response { usage, charged_attempts, ..response })
        })
    }
}

pub(crate) fn lock<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}
