//! A circuit breaker.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_core::inference::Incomplete;
use legwork_core::{ModelRequest, Response};
use legwork_port::model::{Deltas, Error, Kind, Model};
use legwork_port::{BoxFuture, Clock};
use tracing::warn;

use super::circuit::{Circuit, Outcome, Pass, Refused, Rule};

/// When a model that fails is no longer asked, and for how long; clones share the state.
///
/// Failures in a row count if they may pass by themselves: the server cannot be reached, is too
/// slow, full or out of order, or its answer broke off. Then nothing is sent for a while; after
/// that one request goes as a probe, and its outcome decides.
#[derive(Clone)]
pub struct Breaker {
    rule: Rule,
    circuit: Arc<Mutex<Circuit>>,
}

impl Breaker {
    /// A breaker that opens after so many failures in a row, for 30 seconds by default.
    pub fn after(failures: u32) -> Self {
        Self::of(Rule { failures: failures.max(1), open_for: Duration::from_secs(30) })
    }

    /// For how long nothing is sent; a breaker of its own, not that of earlier clones.
    #[must_use]
    pub fn open_for(self, time: Duration) -> Self {
        Self::of(Rule { open_for: time, ..self.rule })
    }

    fn of(rule: Rule) -> Self {
        Self { rule, circuit: Arc::new(Mutex::new(Circuit::Closed { failures: 0 })) }
    }

    fn lock(&self) -> MutexGuard<'_, Circuit> {
        self.circuit.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Breaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let circuit = self.lock();
        f.debug_struct("Breaker").field("rule", &self.rule).field("circuit", &*circuit).finish()
    }
}

/// A model behind a circuit breaker.
///
/// While it is open, an inference is an error of the kind [`Unreachable`](Kind::Unreachable) that
/// says when the model is asked again, in `retry_after` too: a fallback asks another model at
/// once, and a retry around it waits for that long.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use legwork_models::layers::{Breaker, Breaking};
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let broken = ScriptedModel::new([Turn::status(503)]);
/// let model = Breaking::new(broken.clone(), Breaker::after(2), Arc::new(VirtualClock::new()));
/// let ask = || model.infer(ModelRequest::blank(Default::default()), None);
/// assert!(ask().await.is_err() && ask().await.is_err());
/// let error = ask().await.unwrap_err();
/// assert_eq!(error.retry_after, Some(Duration::from_secs(30)));
/// assert_eq!(broken.requests().len(), 2);
/// # }
/// ```
#[derive(Clone)]
pub struct Breaking<M> {
    model: M,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

impl<M> Breaking<M> {
    /// A model behind a breaker, by a clock.
    pub fn new(model: M, breaker: Breaker, clock: Arc<dyn Clock>) -> Self {
        Self { model, breaker, clock }
    }
}

impl<M: fmt::Debug> fmt::Debug for Breaking<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, breaker, .. } = self;
        f.debug_struct("Breaking").field("model", model).field("breaker", breaker).finish()
    }
}

impl<M: Model> Model for Breaking<M> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let asked = self.breaker.lock().ask(self.clock.mono());
            let pass = asked.map_err(|why| refused(self.name(), why))?;
            let mut noted = Noted { breaker: &self.breaker, clock: &*self.clock, pass: Some(pass) };
            let outcome = self.model.infer(request, deltas).await;
            let opened =
                noted.note(if fails(&outcome) { Outcome::Failed } else { Outcome::Answered });
            if opened {
                let for_ms = self.breaker.rule.open_for.as_millis() as u64;
                warn!(model = self.name(), for_ms, "a model failed too often and is not asked");
            }
            outcome
        })
    }
}

/// Whether an outcome counts as a failure.
fn fails(outcome: &Result<Response, Error>) -> bool {
    match outcome {
        Ok(response) => {
            matches!(response.incomplete, Some(Incomplete::Cut | Incomplete::NoEnd))
        }
        Err(error) => error.is_retryable(),
    }
}

fn refused(model: &str, why: Refused) -> Error {
    let (when, retry_after) = match why {
        Refused::For(wait) => (format!("it is asked again in {wait:.1?}"), Some(wait)),
        Refused::Probing => ("a request is under way to see whether it is back".to_owned(), None),
    };
    let message = format!("asking {model}: it failed too often and is not asked now; {when}");
    Error { retry_after, ..Error::new(Kind::Unreachable, message) }
}

/// Notes what came of a request, also if it is dropped.
struct Noted<'a> {
    breaker: &'a Breaker,
    clock: &'a dyn Clock,
    pass: Option<Pass>,
}

impl Noted<'_> {
    /// Notes the outcome; returns whether that opened the breaker.
    fn note(&mut self, outcome: Outcome) -> bool {
        let Some(pass) = self.pass.take() else { return false };
        let now = self.clock.mono();
        let mut circuit = self.breaker.lock();
        let before = *circuit;
        circuit.note(pass, outcome, now, &self.breaker.rule);
        matches!(*circuit, Circuit::Open { .. }) && *circuit != before
    }
}

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.note(Outcome::Left);
    }
}
