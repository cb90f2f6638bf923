//! So many requests and tokens a minute.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use legwork_core::{Micros, ModelRequest, Response};
use legwork_port::model::{Deltas, Error, Kind, Model};
use legwork_port::{BoxFuture, Clock};
use tracing::debug;

use super::bucket::Bucket;
use super::permits::Permits;

/// The length that an answer is taken to have, in tokens, if no limit of it is known.
const UNKNOWN_OUTPUT: u64 = 4_096;

/// So many requests and tokens a minute; clones share the limit.
///
/// It lets a minute's worth through at once after a pause, then as much as time brings. A request
/// counts with its estimated input and the longest answer that it may get, until the usage is
/// known, which then counts instead. A request for more than a minute's worth waits for a minute's
/// worth. Requests go in the order in which they came.
#[derive(Clone)]
pub struct RateLimit {
    buckets: Arc<Mutex<Buckets>>,
    turn: Permits,
}

#[derive(Debug, Clone, Default)]
struct Buckets {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    /// When the provider, who said that its limit was exceeded, takes requests again.
    resumes: Micros,
}

impl RateLimit {
    /// A limit by the minute, of nothing yet.
    pub fn per_minute() -> Self {
        Self::of(Buckets::default())
    }

    /// So many requests a minute; a limit of its own, not that of earlier clones.
    #[must_use]
    pub fn requests(self, requests: u64) -> Self {
        let buckets = self.lock().clone();
        Self::of(Buckets { requests: Some(Bucket::full(requests)), ..buckets })
    }

    /// So many tokens a minute; a limit of its own, not that of earlier clones.
    #[must_use]
    pub fn tokens(self, tokens: u64) -> Self {
        let buckets = self.lock().clone();
        Self::of(Buckets { tokens: Some(Bucket::full(tokens)), ..buckets })
    }

    fn of(buckets: Buckets) -> Self {
        Self { buckets: Arc::new(Mutex::new(buckets)), turn: Permits::new(1) }
    }

    fn lock(&self) -> MutexGuard<'_, Buckets> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request with so many tokens may go, and counts it.
    async fn pass(&self, input: u64, output: u64, model: &str, clock: &dyn Clock) -> Counted<'_> {
        let tokens = input.saturating_add(output);
        let _turn = self.turn.acquire().await;
        loop {
            let wait = self.lock().take(tokens, clock.mono());
            if wait.is_zero() {
                return Counted { limit: self, tokens, unused: output };
            }
            debug!(model, wait_ms = wait.as_millis() as u64, "a request waits for its rate limit");
            clock.sleep(wait).await;
        }
    }
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock().fmt(f)
    }
}

impl Buckets {
    /// Takes one request with so many tokens, or returns how long to wait.
    fn take(&mut self, tokens: u64, now: Micros) -> Duration {
        let pause = Duration::from(self.resumes.since(now));
        let requests = self.requests.as_mut().map(|bucket| bucket.wait(1, now));
        let wait = self.tokens.as_mut().map(|bucket| bucket.wait(tokens, now));
        let wait = pause.max(requests.unwrap_or_default()).max(wait.unwrap_or_default());
        if wait.is_zero() {
            self.requests.iter_mut().for_each(|bucket| bucket.take(1));
            self.tokens.iter_mut().for_each(|bucket| bucket.take(tokens));
        }
        wait
    }
}

/// The tokens that a request was counted with.
struct Counted<'a> {
    limit: &'a RateLimit,
    tokens: u64,
    /// What is given back if the inference is left: the answer that did not come.
    unused: u64,
}

impl Counted<'_> {
    /// Counts what was used instead.
    fn correct(mut self, used: u64) {
        let mut buckets = self.limit.lock();
        if let Some(bucket) = &mut buckets.tokens {
            bucket.put_back(self.tokens);
            bucket.take(used);
        }
        self.unused = 0;
        drop(buckets);
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if let Some(bucket) = &mut self.limit.lock().tokens {
            bucket.put_back(self.unused);
        }
    }
}

/// A model that keeps within a rate limit.
///
/// A wait is a `tracing` event (`DEBUG`), not a failed attempt. If the provider says that its
/// limit is exceeded and when to ask again, all requests of this limit wait until then.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use legwork_models::layers::{RateLimit, RateLimiting};
/// use legwork_port::core::ModelRequest;
/// use legwork_port::{Clock, Model};
/// use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let clock = VirtualClock::auto();
/// let limit = RateLimit::per_minute().requests(2);
/// let model = ScriptedModel::new([Turn::text("hi")]);
/// let model = RateLimiting::new(model, limit, Arc::new(clock.clone()));
/// for _ in 0..3 {
///     model.infer(ModelRequest::blank(Default::default()), None).await?;
/// }
/// assert_eq!(Duration::from(clock.mono()), Duration::from_secs(30));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RateLimiting<M> {
    model: M,
    limit: RateLimit,
    clock: Arc<dyn Clock>,
}

impl<M> RateLimiting<M> {
    /// A model that keeps within a limit; the waits are those of the clock.
    pub fn new(model: M, limit: RateLimit, clock: Arc<dyn Clock>) -> Self {
        Self { model, limit, clock }
    }
}

impl<M: fmt::Debug> fmt::Debug for RateLimiting<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { model, limit, .. } = self;
        f.debug_struct("RateLimiting").field("model", model).field("limit", limit).finish()
    }
}

impl<M: Model> Model for RateLimiting<M> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let input = request.estimated_tokens();
            let output = request.max_output.or(self.profile().max_output);
            let output = output.unwrap_or(UNKNOWN_OUTPUT);
            let counted = self.limit.pass(input, output, self.name(), &*self.clock).await;
            let outcome = self.model.infer(request, deltas).await;
            let estimate = counted.tokens;
            counted.correct(used(&outcome, estimate));
            if let Err(Error { kind: Kind::RateLimited, retry_after: Some(wait), .. }) = &outcome {
                let resumes = self.clock.mono().plus((*wait).into());
                let mut buckets = self.limit.lock();
                buckets.resumes = buckets.resumes.max(resumes);
            }
            outcome
        })
    }
}

/// The tokens that an inference used; an attempt that may have cost money used the estimate.
fn used(outcome: &Result<Response, Error>, estimate: u64) -> u64 {
    let (answer, attempts) = match outcome {
        Ok(response) => {
            let usage = response.usage.map_or(estimate, |usage| usage.total());
            let discarded = response.discarded.iter().map(|one| one.usage.total());
            let all = discarded.fold(usage, u64::saturating_add);
            (all, response.charged_attempts)
        }
        Err(error) => (0, error.charged_attempts),
    };
    answer.saturating_add(estimate.saturating_mul(attempts.into()))
}
