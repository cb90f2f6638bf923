//! What the server says of a response that it makes in the background.

use std::ops::ControlFlow;

use http::Response as Answer;
use legwork_core::Response;
use legwork_port::Delta;
use legwork_port::model::Error;

use super::background::is_underway;
use crate::answer::Streaming;
use crate::http::{Body, Watch};
use crate::remote::exchange::Exchange;
use crate::remote::inference::{Inference, Shown};

/// What the server says of a response, once.
pub(super) enum Polled {
    /// It is still being made; this is what there is of it.
    Underway(Response),
    /// It is made, or failed.
    Made { response: Result<Response, Error>, body: Vec<u8> },
    /// The server did not say.
    Missed(Error),
}

/// What comes of asking for a response until it is made.
pub(super) enum Made {
    /// It is made, or failed.
    Whole { response: Result<Response, Error>, body: Vec<u8> },
    /// It took longer than an answer may; the last that is known of it.
    TooLate(Option<Response>),
    /// The server could not be asked any more.
    Missed(Error),
}

impl Polled {
    /// Reads an answer that says how far a response is.
    pub(super) async fn read(
        exchange: Exchange<'_>,
        inference: &Inference<'_>,
        mut answer: Answer<Body>,
        mut watch: Watch<'_>,
    ) -> Self {
        let inference = Inference { exchange, asked: Streaming::No, ..*inference };
        let mut unseen = |_: Delta<'_>| ControlFlow::Continue(());
        let mut shown = Shown { reply: inference.reply(&answer), deltas: &mut unseen };
        let problem = exchange.read(&mut answer, &mut shown, &mut watch).await;
        let (is_whole, body) = (problem.is_none(), shown.reply.whole().to_vec());
        let is_success = answer.status().is_success();
        match inference.conclude(shown.reply, problem, &answer) {
            Ok(response) if is_underway(&response) => Self::Underway(response),
            // An error of the response itself has a status of its own.
            Err(error) if !(is_whole && is_success && error.status.is_some()) => {
                Self::Missed(error)
            }
            response => Self::Made { response, body },
        }
    }
}
