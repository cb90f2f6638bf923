//! Other models, asked when one fails.

use std::fmt;
use std::sync::Arc;

use legwork_core::inference::{Discarded, Incomplete};
use legwork_core::message::Author;
use legwork_core::{FinishReason, Mask, ModelRequest, Part, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Count, Deltas, Error, Model, Profile};
use tracing::info;

use super::relay::{Failure, Relay, is_known};
use super::several::{Several, answered_by};

/// Whether something leads to the next model.
type Rule<T> = dyn Fn(&T) -> bool + Send + Sync;

/// A model and others that are asked, in order, when it fails.
///
/// An error leads to the next model, and so does an answer that broke off or that a rule
/// [rejects](Self::when). The receiver of a stream may have got pieces of the answer by then: it
/// is returned as it is. [`Deltas::retrying`] is called before another model is asked and can
/// forbid it. If all fail, the last answer that was rejected is returned, or else an error that
/// names all.
///
/// The next model is asked promptly: a model that has one after it makes one attempt, whatever its
/// own policy of retries says ([`with_retries`](Self::with_retries) allows more). The last one
/// retries by its own policy. A model over HTTP has a policy inside, so a chain is read from the
/// inside out as: what an account allows, then fallbacks, then what is for all of them.
///
/// ```
/// # #[cfg(feature = "openai")]
/// # {
/// use std::time::Duration;
///
/// use legwork_models::layers::{Breaker, ModelExt as _, RateLimit};
/// use legwork_models::{openai, retry::Policy};
///
/// # let url = "http://127.0.0.1:1/v1";
/// let fast = openai::chat(url, "fast").build()?; // its own retries: cut short by the fallback
/// let sure = openai::chat(url, "sure").retry(Policy::default().with_max_retries(3)).build()?;
/// let model = fast
///     .with_rate_limit(RateLimit::per_minute().requests(60)) // each attempt waits for its turn
///     .with_breaker(Breaker::after(5)) // no attempt at a server that is down
///     .with_fallback(sure) // after one failed attempt; `sure` is retried three times
///     .with_timeout(Duration::from_secs(120)); // all of it together
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Tokens are counted by the first model. It has the name of that, the abilities and limits that all have, and the highest
/// price, which a budget reserves. The author of a message names the model that answered, at whose
/// price it is charged. So is an answer that was rejected
/// ([`Response::discarded`](legwork_core::Response::discarded)); one that does not say what it used
/// is charged in full, as a failed attempt.
///
/// ```
/// use legwork_models::layers::ModelExt as _;
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let large = ScriptedModel::new([Turn::status(529)]).named("a:large");
/// let small = ScriptedModel::new([Turn::text("Rome")]).named("b:small");
/// let model = large.with_fallback(small).on_refusal();
/// let answer = model.infer(ModelRequest::blank(Default::default()), None).await?;
/// assert_eq!(answer.text(), "Rome");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Fallback {
    models: Several,
    accepts: Option<Arc<Rule<Error>>>,
    rejects: Vec<Arc<Rule<Response>>>,
    retries: Option<u32>,
}

impl Fallback {
    pub(super) fn new(first: impl Model + 'static, second: impl Model + 'static) -> Self {
        let models = Several::of(Arc::new(first)).with(Arc::new(second));
        Self { models, accepts: None, rejects: Vec::new(), retries: None }
    }

    /// The same with one more model, asked if all before it fail.
    #[must_use]
    pub fn with_fallback(self, model: impl Model + 'static) -> Self {
        Self { models: self.models.with(Arc::new(model)), ..self }
    }

    /// How often a model that has another one after it may retry by its own policy before that one
    /// is asked: by default not at all, or, with [`on_errors`](Self::on_errors), as often as it
    /// wants.
    ///
    /// Retries of a layer inside count, too. Once pieces of an answer were shown, no other model is
    /// asked, and retries are not limited.
    #[must_use]
    pub fn with_retries(self, retries: u32) -> Self {
        Self { retries: Some(retries), ..self }
    }

    /// Asks the next model only after these errors; after any by default.
    ///
    /// Another error is returned. So that it may pass, each model first retries by its own policy,
    /// unless [`with_retries`](Self::with_retries) says how often.
    #[must_use]
    pub fn on_errors(self, accepts: impl Fn(&Error) -> bool + Send + Sync + 'static) -> Self {
        Self { accepts: Some(Arc::new(accepts)), ..self }
    }

    /// Asks the next model also when the answer is a refusal, or ended by a content filter.
    #[must_use]
    pub fn on_refusal(self) -> Self {
        self.when(|response| {
            let refuses = |part: &Part| matches!(part, Part::Refusal(_));
            response.finish == FinishReason::ContentFilter
                || response.message.parts.iter().any(refuses)
        })
    }

    /// Asks the next model also when the answer is one of these, such as one that is not JSON.
    #[must_use]
    pub fn when(mut self, rejects: impl Fn(&Response) -> bool + Send + Sync + 'static) -> Self {
        self.rejects.push(Arc::new(rejects));
        self
    }

    /// Why the next model is to be asked; none if what came counts.
    fn failure<'o>(
        &self,
        outcome: &'o Result<Response, Error>,
        model: &dyn Model,
    ) -> Option<Failure<'o>> {
        let response = match outcome {
            Ok(response) => response,
            Err(error) => {
                let counts = self.accepts.as_ref().is_none_or(|accepts| accepts(error));
                let (why, cost) = (&*error.message, error.charged_attempts);
                return counts.then_some(Failure { why, cost, discarded: Vec::new() });
            }
        };
        let broke_off = matches!(
            response.incomplete,
            Some(Incomplete::Cut | Incomplete::NoEnd | Incomplete::Malformed)
        );
        let why = match broke_off {
            true => "the answer broke off",
            false if self.rejects.iter().any(|rejects| rejects(response)) => {
                "the answer was rejected"
            }
            false => return None,
        };
        let own = discarded(response, model).filter(|_| is_known(response));
        let cost = response.charged_attempts + u32::from(own.is_none());
        let discarded = response.discarded.iter().cloned().chain(own).collect();
        Some(Failure { why, cost, discarded })
    }

    async fn ask(
        &self,
        request: ModelRequest,
        deltas: Option<&mut dyn Deltas>,
    ) -> Result<Response, Error> {
        let mut relay = Relay::new(deltas);
        let mut failed = Failed::default();
        let (mut model, mut others) = (self.models.first(), self.models.others().peekable());
        let retries = self.retries.or(self.accepts.is_none().then_some(0));
        loop {
            relay.allow_retries(retries.filter(|_| others.peek().is_some()));
            let outcome = model.infer(request.clone(), Some(&mut relay)).await;
            let outcome = outcome.map(|response| answered_by(response, model.name()));
            let failure = self.failure(&outcome, model).filter(|_| !relay.is_final());
            let Some(failure) = failure else { return relay.ended(outcome) };
            let Some(other) = others.next() else { return failed.or(&relay, outcome) };
            if relay.next(failure).is_break() {
                return failed.or(&relay, outcome);
            }
            info!(model = model.name(), other = other.name(), "a model failed, another is asked");
            failed.note(outcome);
            model = other;
        }
    }
}

/// What models that failed came to.
#[derive(Default)]
struct Failed {
    /// The last answer that was rejected.
    rejected: Option<Response>,
    /// The last error, one that may pass if there is one.
    error: Option<Error>,
    messages: Vec<String>,
}

impl Failed {
    fn note(&mut self, outcome: Result<Response, Error>) {
        match outcome {
            Ok(response) => self.rejected = Some(response),
            Err(error) => self.note_error(error),
        }
    }

    fn note_error(&mut self, error: Error) {
        self.messages.push(error.message.clone());
        let passes = self.error.as_ref().is_some_and(Error::is_retryable);
        if !passes || error.is_retryable() {
            self.error = Some(error);
        }
    }

    /// The result after the last model failed, too.
    fn or(mut self, relay: &Relay<'_>, last: Result<Response, Error>) -> Result<Response, Error> {
        if let (Some(rejected), Err(error)) = (self.rejected.take(), &last) {
            return Ok(relay.after_all(rejected, error));
        }
        let error = match relay.ended(last) {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        self.note_error(error.clone());
        let message = match self.messages.len() {
            0 | 1 => self.messages.concat(),
            all => format!("all {all} models failed: {}", self.messages.join("; ")),
        };
        let charged_attempts = error.charged_attempts;
        Err(Error { message, charged_attempts, ..self.error.unwrap_or(error) })
    }
}

/// What a discarded answer used, if it says so.
fn discarded(response: &Response, model: &dyn Model) -> Option<Discarded> {
    let usage = response.usage?;
    let (name, profile) = match &response.message.author {
        Some(Author::Model(name)) => (&**name, model.profile_of(name)),
        _ => (model.name(), None),
    };
    let price = profile.unwrap_or_else(|| model.profile()).price_at(usage.input);
    Some(Discarded { model: name.into(), usage, cost: price.map(|price| price.cost(&usage)) })
}

impl fmt::Debug for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.models.all().map(Model::name);
        f.debug_tuple("Fallback").field(&names.collect::<Vec<_>>()).finish()
    }
}

impl Model for Fallback {
    fn name(&self) -> &str {
        self.models.name()
    }

    fn profile(&self) -> &Profile {
        self.models.profile()
    }

    fn profile_of(&self, name: &str) -> Option<&Profile> {
        self.models.profile_of(name)
    }

    fn mask(&self) -> Mask {
        self.models.mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        self.models.first().count_tokens(request)
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(self.ask(request, deltas))
    }
}
