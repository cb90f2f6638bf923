//! An attempt at an inference: an answer read as it comes, and what it comes to.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::Response as Answer;
use http::header::CONTENT_TYPE;
use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Response};
use legwork_port::Deltas;
use legwork_port::model::Error;
use tracing::debug;

use super::answered::request_id;
use super::exchange::{ERROR_NAME, Exchange, Reading};
use super::failure::charged;
use crate::Api;
use crate::answer::repeated::Repeated;
use crate::answer::{Ended, Reply, Streaming, Unreadable};
use crate::bounds::Bounds;

/// How the answers of a model are read.
#[derive(Clone, Copy)]
pub(super) struct Inference<'a> {
    pub(super) exchange: Exchange<'a>,
    pub(super) api: Api,
    /// The provider, as in `provider:model`.
    pub(super) provider: &'a Arc<str>,
    pub(super) repeated: &'a Arc<Repeated>,
    pub(super) bounds: Bounds,
    pub(super) asked: Streaming,
}

impl Inference<'_> {
    /// Sends a body and reads the answer.
    pub(super) async fn attempt(
        &self,
        body: Bytes,
        deltas: &mut dyn Deltas,
    ) -> Result<Response, Error> {
        let mut watch = self.exchange.watch();
        let mut answer = self.exchange.send(body, &mut watch).await?;
        let mut shown = Shown { reply: self.reply(&answer), deltas };
        let problem = self.exchange.read(&mut answer, &mut shown, &mut watch).await;
        self.conclude(shown.reply, problem, &answer)
    }

    /// What reads the answer with this head.
    pub(super) fn reply<B>(&self, answer: &Answer<B>) -> Reply {
        let text = |name| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let (status, content_type) = (answer.status().as_u16(), text(CONTENT_TYPE.as_str()));
        let reply = Reply::within(self.bounds, self.api, status, content_type, self.asked);
        let reply = reply.from_provider(Arc::clone(self.provider)).after(self.repeated);
        match answer.status().is_success() {
            true => reply,
            false => reply.with_error_name(text(ERROR_NAME)),
        }
    }

    /// The response, or why there is none.
    pub(super) fn conclude<B>(
        &self,
        reply: Reply,
        problem: Option<Error>,
        answer: &Answer<B>,
    ) -> Result<Response, Error> {
        let begun = reply.has_content();
        let ended = if problem.is_some() { Ended::Cut } else { Ended::Whole };
        let why = match reply.finish(ended) {
            Ok(response) => {
                let request_id = request_id(answer.headers()).map(str::to_owned);
                let response = Response { request_id, ..response };
                report_answer(answer.status().as_u16(), &response);
                return Ok(response);
            }
            Err(why) => why,
        };
        let error = match (why, problem) {
            (Unreadable::Nothing, Some(problem)) => problem,
            (why, _) => self.exchange.tried.unreadable(why, self.exchange.answered(answer)),
        };
        let error = self.exchange.identified(error, answer);
        Err(if begun { charged(error) } else { error })
    }
}

/// A reply whose pieces are shown.
pub(super) struct Shown<'d> {
    pub(super) reply: Reply,
    pub(super) deltas: &'d mut dyn Deltas,
}

impl Reading for Shown<'_> {
    fn push(&mut self, bytes: &[u8]) {
        self.reply.push(bytes, self.deltas);
    }

    fn is_over(&self) -> bool {
        self.reply.is_over()
    }

    fn is_done(&self) -> bool {
        self.reply.is_done()
    }

    fn take_moved(&mut self) -> bool {
        self.reply.take_moved()
    }

    fn took_too_long(&mut self, most: Duration) {
        self.reply.took_too_long(most);
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
