//! An answer that is made in the background, awaited.
//!
//! An answer in one piece is asked for again and again. A stream goes on where its connection was
//! lost; where its events have no numbers, or the server does not stream it again, it is asked
//! for, too.

use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response as Head};
use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Response};
use legwork_port::Deltas;
use legwork_port::model::Error;
use serde_json::Value;
use tracing::info;

use super::arriving::Arriving;
use super::awaited::Awaited;
use super::cancel::Cancelling;
use super::location;
use super::pace::{Pace, may_pass};
use super::polled::{Made, Polled};
use crate::bounds::Passed;
use crate::http::{Limits, Timeouts, Watch};
use crate::remote::HttpModel;
use crate::remote::exchange::Exchange;
use crate::remote::inference::Inference;
use crate::remote::traffic::Tap;

/// How the responses of a request are awaited.
pub(super) struct Background<'a> {
    pub(super) model: &'a HttpModel,
    /// What a response is to include.
    pub(super) included: Vec<String>,
    /// Whether the server named the response of an attempt.
    is_named: AtomicBool,
}

impl<'a> Background<'a> {
    pub(super) fn new(model: &'a HttpModel, included: Vec<String>) -> Self {
        Self { model, included, is_named: AtomicBool::new(false) }
    }

    /// Whether the server named a response since this was last asked: a further one is another.
    pub(super) fn take_named(&self) -> bool {
        self.is_named.swap(false, Ordering::Relaxed)
    }

    /// Has a response made, and waits for it.
    ///
    /// # Errors
    /// When the request failed before the server took it, or the server failed to answer: both may
    /// be repeated.
    pub(super) async fn attempt(
        &self,
        inference: Inference<'_>,
        body: Bytes,
        deltas: &mut dyn Deltas,
    ) -> Result<Awaited, Error> {
        let mut watch = inference.exchange.watch();
        let mut answer = inference.exchange.send(body, &mut watch).await?;
        let pace = Pace::new(self.model);
        let mut arriving = Arriving::new(self.model, inference.reply(&answer), deltas);
        let problem = inference.exchange.read(&mut answer, &mut arriving, &mut watch).await;
        let head = answer.map(drop);
        self.is_named.store(arriving.is_named(), Ordering::Relaxed);
        let mut awaited = if arriving.is_lost() {
            // In a box, for few connections are lost.
            Box::pin(self.resumed(inference, arriving, problem, &head, pace)).await?
        } else {
            let response = inference.conclude(arriving.reply, problem, &head)?;
            match is_underway(&response) {
                true => Box::pin(self.polled(inference, response, pace)).await?,
                false => Awaited::by_attempt(response),
            }
        };
        if let Ok(response) = &mut awaited.outcome
            && is(response, &["cancelled"])
        {
            response.incomplete.get_or_insert_with(|| Incomplete::from("cancelled"));
        }
        Ok(awaited)
    }

    /// Asks for a response that is under way until it is made.
    async fn polled(
        &self,
        inference: Inference<'_>,
        begun: Response,
        mut pace: Pace<'_>,
    ) -> Result<Awaited, Error> {
        let id = begun.id.clone().unwrap_or_default();
        let cancelling = Cancelling::of(self.model, &id);
        match self.made(&inference, &id, &mut pace).await {
            Made::Whole { response, .. } => {
                cancelling.forget();
                response.map(Awaited::by_attempt)
            }
            Made::TooLate(last) => {
                let bound = Some(Passed::Time(self.model.timeouts.answer).to_string());
                let last = last.unwrap_or(begun);
                let cut = Response { incomplete: Some(Incomplete::OverBound), bound, ..last };
                Ok(Awaited::given_up(Ok(cut)))
            }
            Made::Missed(error) => Ok(Awaited::given_up(Err(error))),
        }
    }

    /// Goes on with a stream whose connection was lost.
    async fn resumed(
        &self,
        inference: Inference<'_>,
        mut arriving: Arriving<'_, '_>,
        mut problem: Option<Error>,
        head: &Head<()>,
        mut pace: Pace<'_>,
    ) -> Result<Awaited, Error> {
        while let Some(before) = arriving.numbers.last()
            && pace.after(problem.as_ref()).await.is_continue()
            && !pace.is_over()
        {
            info!(model = self.model.name, event = before, "a stream is resumed");
            match self.reconnected(&inference, &mut arriving, &pace).await {
                Ok(lost) if !arriving.is_lost() => {
                    return inference.conclude(arriving.reply, lost, head).map(Awaited::by_attempt);
                }
                Ok(lost) if arriving.numbers.last() != Some(before) => {
                    pace.note_success();
                    problem = lost;
                }
                Err(error) if may_pass(&error) => problem = Some(error),
                Ok(_) | Err(_) => break,
            }
        }
        self.caught_up(inference, arriving, head, pace).await
    }

    /// Reads what is new of a further stream of a response; what ended it comes back.
    ///
    /// # Errors
    /// When there is none.
    async fn reconnected(
        &self,
        inference: &Inference<'_>,
        arriving: &mut Arriving<'_, '_>,
        pace: &Pace<'_>,
    ) -> Result<Option<Error>, Error> {
        let after = arriving.numbers.last().map(|last| last.to_string());
        let query = [("stream", Some("true")), ("starting_after", after.as_deref())];
        let query = query.into_iter().filter_map(|(key, value)| Some((key, value?)));
        let request = self.request(arriving.id().unwrap_or_default(), query)?;
        let timeouts = pace.timeouts();
        let exchange = self.exchange(inference, &request, &timeouts);
        let reading = async {
            let mut watch = exchange.watch();
            let mut answer = exchange.send(Bytes::new(), &mut watch).await?;
            let reply = inference.reply(&answer);
            if answer.status().is_success() && reply.is_stream() {
                arriving.reconnect();
                return Ok(exchange.read(&mut answer, arriving, &mut watch).await);
            }
            match Polled::read(exchange, inference, answer, watch).await {
                Polled::Missed(error) => Err(error),
                Polled::Underway(_) | Polled::Made { .. } => Ok(None),
            }
        };
        let read = within(exchange, pace.limit(), pin!(reading)).await;
        if arriving.is_lost() {
            // The event that did not end may be one that came before.
            arriving.reconnect();
        }
        read?
    }

    /// Asks for a response whose stream is lost, and shows the rest of it.
    async fn caught_up(
        &self,
        inference: Inference<'_>,
        mut arriving: Arriving<'_, '_>,
        head: &Head<()>,
        mut pace: Pace<'_>,
    ) -> Result<Awaited, Error> {
        let id = arriving.id().unwrap_or_default().to_owned();
        match self.made(&inference, &id, &mut pace).await {
            Made::Whole { response, body } => {
                arriving.note_made();
                // One that exceeds a bound has no whole body.
                let Ok(whole) = serde_json::from_slice::<Value>(&body) else {
                    return response.map(Awaited::by_attempt);
                };
                arriving.catch_up(&whole);
                inference.conclude(arriving.reply, None, head).map(Awaited::by_attempt)
            }
            Made::TooLate(_) => {
                arriving.reply.took_too_long(self.model.timeouts.answer);
                Ok(Awaited::given_up(inference.conclude(arriving.reply, None, head)))
            }
            Made::Missed(error) => {
                let outcome = inference.conclude(arriving.reply, Some(error), head);
                Ok(Awaited::given_up(outcome))
            }
        }
    }

    /// Asks for a response until the server has made it; once more when its time is up.
    async fn made(&self, inference: &Inference<'_>, id: &str, pace: &mut Pace<'_>) -> Made {
        let mut last = None;
        pace.pause().await;
        loop {
            let is_last = pace.is_over();
            match self.poll(inference, id, pace).await {
                Polled::Made { response, body } => return Made::Whole { response, body },
                Polled::Underway(response) => last = Some(response),
                Polled::Missed(_) if is_last => {}
                Polled::Missed(error) => match pace.after(Some(&error)).await {
                    ControlFlow::Continue(()) => continue,
                    ControlFlow::Break(()) => return Made::Missed(error),
                },
            }
            if is_last {
                return Made::TooLate(last);
            }
            pace.note_success();
            pace.pause().await;
        }
    }

    /// Asks once how far a response is.
    async fn poll(&self, inference: &Inference<'_>, id: &str, pace: &Pace<'_>) -> Polled {
        let request = match self.request(id, []) {
            Ok(request) => request,
            Err(error) => return Polled::Missed(error),
        };
        let timeouts = pace.timeouts();
        let exchange = self.exchange(inference, &request, &timeouts);
        let asking = async {
            let mut watch = exchange.watch();
            match exchange.send(Bytes::new(), &mut watch).await {
                Ok(answer) => Polled::read(exchange, inference, answer, watch).await,
                Err(error) => Polled::Missed(error),
            }
        };
        let polled = within(exchange, pace.limit(), pin!(asking)).await;
        let polled = polled.unwrap_or_else(Polled::Missed);
        match polled {
            Polled::Missed(error) if error.status == Some(404) => {
                Polled::Missed(self.model.tried(&self.model.address).not_found(id, error))
            }
            polled => polled,
        }
    }

    fn request<'q>(
        &'q self,
        id: &str,
        query: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> Result<Request<()>, Error> {
        let included = self.included.iter().map(|field| ("include[]", &**field));
        let query: Vec<_> = query.into_iter().chain(included).collect();
        let unusable = |_| self.model.tried(&self.model.address).unusable_id(id);
        match id {
            "" => Err(self.model.tried(&self.model.address).unusable_id(id)),
            id => location::of_response(&self.model.template, id, &query).map_err(unusable),
        }
    }

    fn exchange<'e>(
        &'e self,
        inference: &Inference<'e>,
        template: &'e Request<()>,
        timeouts: &'e Timeouts,
    ) -> Exchange<'e> {
        let tapped = self.model.tap.as_deref().map(Tap::attempt);
        Exchange { template, timeouts, key: None, tapped, ..inference.exchange }
    }
}

/// What comes of an exchange, unless it takes longer than this.
async fn within<F: Future>(
    exchange: Exchange<'_>,
    limit: Duration,
    work: Pin<&mut F>,
) -> Result<F::Output, Error> {
    let mut watch = Watch::new(exchange.clock, Limits::of_wait(limit));
    watch.next(work).await.map_err(|_| {
        let error = exchange.tried.too_slow(limit);
        if let Some(tapped) = exchange.tapped {
            tapped.end(Some(&error.message));
        }
        error
    })
}

fn is(response: &Response, statuses: &[&str]) -> bool {
    matches!(&response.finish, FinishReason::Other(status) if statuses.contains(&&**status))
}

/// Whether the server still makes a response.
pub(super) fn is_underway(response: &Response) -> bool {
    is(response, &["queued", "in_progress"])
}
