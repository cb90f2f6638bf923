//! One attempt: a request sent, its answer read within its time limits.

use std::sync::Arc;

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use http::{HeaderValue, Request, Response as Answer};
use http_body_util::{BodyExt as _, Full};
use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Response};
use legwork_port::model::Error;
use legwork_port::{Clock, Deltas};
use tracing::debug;

use super::access::Access;
use super::failure::{Tried, charged};
use crate::Api;
use crate::answer::{Ended, Reply, Streaming, Unreadable};
use crate::bounds::Bounds;
use crate::http::{Body, Client, Late, Limits, Timeouts, Watch};
use crate::retry;

/// How long the end of a body may follow the end of its stream.
const LAST_BREATH: Duration = Duration::from_millis(100);

/// Where AWS names an error, whose body only describes it.
const ERROR_NAME: &str = "x-amzn-errortype";

/// What all attempts of a model share.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'a> {
    pub(super) api: Api,
    pub(super) client: &'a Client,
    pub(super) access: Option<&'a Access>,
    pub(super) template: &'a Request<()>,
    pub(super) timeouts: &'a Timeouts,
    pub(super) bounds: &'a Bounds,
    /// The provider, as in `provider:model`.
    pub(super) provider: &'a Arc<str>,
    pub(super) clock: &'a dyn Clock,
    pub(super) tried: Tried<'a>,
}

impl Exchange<'_> {
    /// Sends a body and reads the answer.
    pub(super) async fn attempt(
        &self,
        body: Bytes,
        asked: Streaming,
        deltas: &mut dyn Deltas,
    ) -> Result<Response, Error> {
        let mut request = self.template.clone();
        let mut watch = Watch::new(self.clock, Limits::of_wait(self.timeouts.first_byte));
        if let Some(access) = self.access {
            // In a box, for most requests have their key already.
            let opened = Box::pin(access.open(&mut request, &body, self.clock));
            match watch.next(opened).await {
                Ok(Ok(())) => {}
                Ok(Err(problem)) => return Err(self.tried.not_allowed(&problem)),
                Err(_) => return Err(self.tried.no_credential_in(self.timeouts.first_byte)),
            }
        }
        let request = request.map(|()| Full::new(body));
        let sent = watch.next(self.client.send(self.clock, request)).await;
        let mut answer = match sent {
            Ok(Ok(answer)) => answer,
            Ok(Err(broken)) => return Err(self.tried.not_answered(&broken)),
            Err(_) => return Err(self.tried.too_slow(self.timeouts.first_byte)),
        };
        let content_type = answer.headers().get(CONTENT_TYPE).and_then(|v| v.to_str().ok());
        // In a box, for what waits for an answer is to stay small.
        let status = answer.status().as_u16();
        let reply = Reply::within(*self.bounds, self.api, status, content_type, asked);
        let named = answer.headers().get(ERROR_NAME).and_then(|v| v.to_str().ok());
        let reply = reply.from_provider(Arc::clone(self.provider)).with_error_name(named);
        let mut reply = Box::new(reply);
        watch.same_wait();
        let problem = self.read(&mut answer, &mut reply, &mut watch, deltas).await;
        self.conclude(reply, problem, &answer)
    }

    /// Reads until the answer is over; what kept it from its end comes back.
    async fn read(
        &self,
        answer: &mut Answer<Body>,
        reply: &mut Reply,
        watch: &mut Watch<'_>,
        deltas: &mut dyn Deltas,
    ) -> Option<Error> {
        let mut begun = false;
        while !reply.is_over() {
            if reply.is_done() {
                watch.set_limits(Limits::of_wait(LAST_BREATH));
            }
            match watch.next(answer.frame()).await {
                Err(_) if reply.is_done() => return None,
                Err(Late::Whole(most)) => reply.took_too_long(most),
                Err(Late::Silence(most)) => return Some(self.tried.silent(most)),
                Err(Late::Wait(most)) => return Some(self.tried.too_slow(most)),
                Ok(None) => return None,
                Ok(Some(Err(broken))) => return Some(self.tried.not_answered(&broken)),
                Ok(Some(Ok(frame))) => {
                    // Trailers say nothing that an answer needs.
                    let Ok(bytes) = frame.into_data() else { continue };
                    if !begun {
                        begun = true;
                        watch.set_limits(self.limits());
                    }
                    reply.push(&bytes, deltas);
                    if reply.take_moved() {
                        watch.received();
                    }
                }
            }
        }
        None
    }

    /// The limits from the first byte on.
    fn limits(&self) -> Limits {
        let Timeouts { idle, silence, answer, .. } = *self.timeouts;
        Limits { wait: idle, silence, whole: answer }
    }

    /// The response, or why there is none.
    fn conclude(
        &self,
        reply: Box<Reply>,
        problem: Option<Error>,
        answer: &Answer<Body>,
    ) -> Result<Response, Error> {
        let begun = reply.has_content();
        let ended = if problem.is_some() { Ended::Cut } else { Ended::Whole };
        let why = match reply.finish(ended) {
            Ok(response) => {
                report_answer(answer.status().as_u16(), &response);
                return Ok(response);
            }
            Err(why) => why,
        };
        let error = match (why, problem) {
            (Unreadable::Nothing, Some(problem)) => problem,
            (why, _) => {
                let retry_after = self.retry_after(answer.headers());
                self.tried.unreadable(why, answer.status(), retry_after)
            }
        };
        Err(if begun { charged(error) } else { error })
    }

    fn retry_after(&self, headers: &HeaderMap) -> Option<Duration> {
        let text = |value: &HeaderValue| Some(value.to_str().ok()?.to_owned());
        let millis = headers.get("retry-after-ms").and_then(text);
        let precise = millis.and_then(|value| retry::retry_after_ms(&value));
        precise.or_else(|| {
            let wall = Duration::from_millis(self.clock.now().wall.0);
            retry::retry_after(
                &headers.get(RETRY_AFTER).and_then(text)?,
                SystemTime::UNIX_EPOCH + wall,
            )
        })
    }
}

fn report_answer(status: u16, response: &Response) {
    let usage = response.usage.as_ref();
    debug!(
        status,
        finish_reason = match &response.finish {
            // A server's own word may hold anything.
            FinishReason::Other(_) => "other",
            known => known.as_str(),
        },
        incomplete = response.incomplete.as_ref().map(Incomplete::as_str),
        input_tokens = usage.map(|usage| usage.input),
        output_tokens = usage.map(|usage| usage.output),
        "an answer finished"
    );
}
