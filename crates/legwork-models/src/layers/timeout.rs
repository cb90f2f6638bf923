//! A time limit of an inference.

use std::fmt;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Message, Micros, ModelRequest, Response};
use legwork_port::model::{Delta, Deltas, Error, Kind, Model, Retry};
use legwork_port::{BoxFuture, Clock};

use super::pieces::Pieces;

/// How long an inference may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeout {
    whole: Duration,
    first_delta: Option<Duration>,
}

impl Timeout {
    /// How long the whole answer may take.
    pub fn of(whole: Duration) -> Self {
        Self { whole, first_delta: None }
    }

    /// How long the first piece of a streamed answer may take.
    #[must_use]
    pub fn first_delta(self, limit: Duration) -> Self {
        Self { first_delta: Some(limit), ..self }
    }
}

impl From<Duration> for Timeout {
    fn from(whole: Duration) -> Self {
        Self::of(whole)
    }
}

/// A model whose inferences take no longer than a timeout.
///
/// An inference that takes longer is dropped, which closes the connection. If the receiver of a
/// stream got pieces by then, they are returned as an answer that broke off; otherwise it is an
/// error of the kind [`Timeout`](Kind::Timeout). An attempt that was under way may have cost money
/// and is counted.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use legwork_models::layers::TimingOut;
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_port::model::Kind;
/// use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let silent = ScriptedModel::new([Turn::stall()]);
/// let model = TimingOut::new(silent, Duration::from_secs(30), Arc::new(VirtualClock::auto()));
/// let error = model.infer(ModelRequest::blank(Default::default()), None).await.unwrap_err();
/// assert_eq!((error.kind, error.charged_attempts), (Kind::Timeout, 1));
/// # }
/// ```
#[derive(Clone)]
pub struct TimingOut<M> {
    model: M,
    timeout: Timeout,
    clock: Arc<dyn Clock>,
}

impl<M> TimingOut<M> {
    /// A model with a timeout, by a clock.
    pub fn new(model: M, timeout: impl Into<Timeout>, clock: Arc<dyn Clock>) -> Self {
        Self { model, timeout: timeout.into(), clock }
    }
}

impl<M: Model> TimingOut<M> {
    async fn ask(
        &self,
        request: ModelRequest,
        deltas: Option<&mut dyn Deltas>,
    ) -> Result<Response, Error> {
        let progress = Mutex::default();
        let mut listener = Listener { deltas, progress: &progress, clock: &*self.clock };
        let first = self.timeout.first_delta.filter(|_| listener.streams());
        let call = self.model.infer(request, Some(&mut listener));
        let late = match self.race(call, first, &progress).await {
            Ok(outcome) => return outcome,
            Err(late) => late,
        };
        let progress = std::mem::take(&mut *lock(&progress));
        progress.end(self.clock.mono(), self.name(), late)
    }

    /// Waits for an inference until its time is up; then it is dropped.
    async fn race(
        &self,
        mut call: BoxFuture<'_, Result<Response, Error>>,
        first: Option<Duration>,
        progress: &Mutex<Progress>,
    ) -> Result<Result<Response, Error>, (Duration, &'static str)> {
        let mut whole = self.clock.sleep(self.timeout.whole);
        let mut first = first.map(|limit| (limit, self.clock.sleep(limit)));
        poll_fn(|cx| {
            if let Poll::Ready(outcome) = call.as_mut().poll(cx) {
                return Poll::Ready(Ok(outcome));
            }
            // A sleep that no longer counts is dropped: a clock may move to where it ends.
            first = first.take().filter(|_| !lock(progress).begun);
            if whole.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err((self.timeout.whole, "the answer")));
            }
            let Some((limit, sleep)) = &mut first else { return Poll::Pending };
            sleep.as_mut().poll(cx).map(|()| Err((*limit, "the first piece of the answer")))
        })
        .await
    }
}

impl<M: fmt::Debug> fmt::Debug for TimingOut<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, timeout, .. } = self;
        f.debug_struct("TimingOut").field("model", model).field("timeout", timeout).finish()
    }
}

impl<M: Model> Model for TimingOut<M> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(self.ask(request, deltas))
    }
}

/// What is known of an inference under way.
#[derive(Debug, Default)]
struct Progress {
    /// Whether any piece came, of any attempt.
    begun: bool,
    pieces: Pieces,
    charged: u32,
    /// When the next attempt begins, after one that failed.
    next: Option<Micros>,
}

impl Progress {
    /// What came of an inference that is dropped.
    fn end(self, now: Micros, model: &str, late: (Duration, &str)) -> Result<Response, Error> {
        if !self.pieces.is_empty() {
            let message = Message::assistant(self.pieces.into_parts());
            let mut response = Response::new(message, FinishReason::Other("timeout".into()));
            response.incomplete = Some(Incomplete::Cut);
            response.charged_attempts = self.charged;
            return Ok(response);
        }
        let (limit, what) = late;
        let message = format!("asking {model}: {what} took longer than {limit:?}; ask again");
        let under_way = self.next.is_none_or(|next| next <= now);
        let charged_attempts = self.charged + u32::from(under_way);
        Err(Error { charged_attempts, ..Error::new(Kind::Timeout, message) })
    }
}

/// Hands deltas on, and keeps what came for the case that time is up.
struct Listener<'p, 'd> {
    deltas: Option<&'d mut dyn Deltas>,
    progress: &'p Mutex<Progress>,
    clock: &'p dyn Clock,
}

impl Deltas for Listener<'_, '_> {
    fn streams(&self) -> bool {
        self.deltas.as_ref().is_some_and(|deltas| deltas.streams())
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        let mut progress = lock(self.progress);
        progress.begun = true;
        progress.pieces.push(delta);
        drop(progress);
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.delta(delta))
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        if let Some(deltas) = &mut self.deltas {
            deltas.retrying(retry)?;
        }
        let next = self.clock.mono().plus(retry.wait.into());
        let mut progress = lock(self.progress);
        progress.pieces = Pieces::default();
        progress.charged = retry.charged_attempts;
        progress.next = Some(next);
        ControlFlow::Continue(())
    }

    fn continuing(&mut self) -> ControlFlow<()> {
        self.deltas.as_mut().map_or(ControlFlow::Continue(()), |deltas| deltas.continuing())
    }
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
