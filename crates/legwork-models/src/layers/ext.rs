//! The methods that put layers around a model.

#[cfg(feature = "clock")]
use legwork_port::Clock;
use legwork_port::Model;

#[cfg(feature = "clock")]
use super::{Breaker, Breaking, RateLimit, RateLimiting, Timeout, TimingOut};
use super::{
    Cache, Caching, Concurrent, Continuation, Continuing, Fallback, Permits, Recorder, Recording,
    Redacting, Redaction,
};
#[cfg(feature = "clock")]
use crate::retry::{Policy, Retrying};

/// Puts layers around a model; each method returns a model again.
///
/// The layers that wait need the feature `clock`, which all APIs bring along; without it, their
/// `new` takes a clock.
pub trait ModelExt: Model + Sized + 'static {
    /// Makes failed attempts again; see [`Retrying`]. The models of this crate do so themselves.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use legwork_models::layers::ModelExt;
    /// use legwork_models::retry::Policy;
    /// use legwork_port::Model;
    /// # use legwork_core::{Message, ModelRequest};
    /// # use legwork_testkit::{ScriptedModel, Turn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = ScriptedModel::new([Turn::text("42")]);
    /// # let request = ModelRequest::blank(Default::default()).with_message(Message::user("?"));
    /// let model = model.with_retry(Policy::default().with_time_limit(Duration::from_secs(20)));
    /// assert_eq!(model.infer(request, None).await?.text(), "42");
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "clock")]
    fn with_retry(self, policy: Policy) -> Retrying<Self> {
        Retrying::new(self, policy, system_clock())
    }

    /// Asks another model when this one fails; see [`Fallback`].
    fn with_fallback(self, other: impl Model + 'static) -> Fallback {
        Fallback::new(self, other)
    }

    /// Limits the time of an inference; see [`TimingOut`].
    #[cfg(feature = "clock")]
    fn with_timeout(self, timeout: impl Into<Timeout>) -> TimingOut<Self> {
        TimingOut::new(self, timeout, system_clock())
    }

    /// Makes only so many inferences at once; see [`Concurrent`].
    fn with_concurrency(self, permits: impl Into<Permits>) -> Concurrent<Self> {
        Concurrent::new(self, permits)
    }

    /// Keeps within so many requests and tokens a minute; see [`RateLimiting`].
    #[cfg(feature = "clock")]
    fn with_rate_limit(self, limit: RateLimit) -> RateLimiting<Self> {
        RateLimiting::new(self, limit, system_clock())
    }

    /// Does not ask a model for a while that fails again and again; see [`Breaking`].
    #[cfg(feature = "clock")]
    fn with_breaker(self, breaker: Breaker) -> Breaking<Self> {
        Breaking::new(self, breaker, system_clock())
    }

    /// Gives the answer to a request again; see [`Caching`].
    fn with_cache<C: Cache>(self, cache: C) -> Caching<Self, C> {
        Caching::new(self, cache)
    }

    /// Writes requests and answers down; see [`Recording`].
    fn with_recorder(self, recorder: Recorder) -> Recording<Self> {
        Recording::new(self, recorder)
    }

    /// Changes the texts of requests and answers; see [`Redacting`].
    fn with_redaction(self, redaction: Redaction) -> Redacting<Self> {
        Redacting::new(self, redaction)
    }

    /// Continues an answer that was cut by its length limit; see [`Continuing`].
    fn with_continuation(self, continuation: impl Into<Continuation>) -> Continuing<Self> {
        Continuing::new(self, continuation)
    }
}

impl<M: Model + Sized + 'static> ModelExt for M {}

/// The clock of the system: one, so that models which share a limit share its time.
#[cfg(feature = "clock")]
fn system_clock() -> std::sync::Arc<dyn Clock> {
    use std::sync::{Arc, LazyLock};
    static CLOCK: LazyLock<Arc<legwork_clock::SystemClock>> = LazyLock::new(Arc::default);
    Arc::clone(&*CLOCK) as Arc<dyn Clock>
}
