//! Layers around models, by virtual time.

mod breaker;
mod cache;
mod charged;
mod composed;
mod concurrency;
mod continuation;
mod counted;
mod failover;
mod fallback;
mod rate_limit;
mod recording;
mod redaction;
mod switch;
mod timeout;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::budget::{MicroUsd, Price};
use legwork_core::{Message, ModelRequest, Response};
use legwork_port::model::{Delta, Deltas, Error, Retry};
use legwork_port::{Ability, Clock, Model, Profile};
use legwork_testkit::VirtualClock;

/// A request of one message.
pub(crate) fn request(text: &str) -> ModelRequest {
    ModelRequest::blank(Arc::default()).with_message(Message::user(text))
}

pub(crate) async fn ask(model: &dyn Model) -> Result<Response, Error> {
    model.infer(request("hi"), None).await
}

/// The answer, and what the receiver holds at the end.
pub(crate) async fn stream(model: &dyn Model) -> (Result<Response, Error>, Heard) {
    let mut heard = Heard::default();
    let outcome = model.infer(request("hi"), Some(&mut heard)).await;
    (outcome, heard)
}

pub(crate) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The seconds that passed.
pub(crate) fn passed(clock: &VirtualClock) -> u64 {
    Duration::from(clock.mono()).as_secs()
}

/// The clock as models take it.
pub(crate) fn shared(clock: &VirtualClock) -> Arc<dyn Clock> {
    Arc::new(clock.clone())
}

/// A profile with a price in micro-dollars a token, in and out.
pub(crate) fn priced(input: u64, output: u64) -> Profile {
    let [input, output] = [input, output].map(|micros| MicroUsd(micros * 1_000_000));
    let price = Price::new(input, output);
    Profile::new().with_prices(price).with(Ability::Tools)
}

/// A receiver of a stream.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The text of the pieces that are not void.
    pub(crate) text: String,
    /// The number of pieces that ever came.
    pub(crate) pieces: usize,
    /// For each failed attempt: its number, whether pieces are void, what may have cost money.
    pub(crate) retries: Vec<(u32, bool, u32)>,
    /// Breaks from this piece on.
    pub(crate) breaks_at: Option<usize>,
    /// Forbids further attempts.
    pub(crate) forbids: bool,
}

impl Deltas for Heard {
    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self.pieces += 1;
        if let Delta::Text(text) = delta {
            self.text.push_str(text);
        }
        match self.breaks_at {
            Some(at) if self.pieces >= at => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        self.retries.push((retry.attempt, retry.discarded, retry.charged_attempts));
        if self.forbids {
            return ControlFlow::Break(());
        }
        self.text.clear();
        ControlFlow::Continue(())
    }
}
