//! Answers that the server keeps: made in the background, or gone on from.
//!
//! Read in this order: this module (a request and its attempts), `background` (an answer that is
//! awaited), `pace` (how often it is asked for), `polled` (what the server then says), `arriving`
//! (a stream that may be lost), `numbers` (of its events), `cancel`, `location` (where a response
//! is found), `awaited` (what an attempt comes to).

mod arriving;
mod awaited;
mod background;
mod cancel;
mod location;
mod numbers;
mod pace;
mod polled;

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use legwork_core::{ModelRequest, Response};
use legwork_port::model::{Deltas, Error};
use tracing::{Span, info};

use super::idempotency::{Idempotency, Key};
use super::{Attempt, HttpModel};
use crate::answer::Streaming;
use crate::named::PREVIOUS;
use crate::openai::responses::continued::Conversation;
use crate::openai::responses::included;
use crate::retry::persist;
use crate::wire::{Frame, Stored};

use awaited::Awaited;
use background::Background;

/// Asks for an answer that the server keeps.
///
/// Dropping it cancels a response that is being made in the background.
pub(super) async fn answer(
    model: &HttpModel,
    request: ModelRequest,
    stored: Stored,
    asked: Streaming,
    deltas: Option<&mut dyn Deltas>,
) -> Result<Response, Error> {
    let (attempt, said) = StoredAttempt::new(model, request, stored, asked)?;
    let answer = persist(&attempt, &model.retry, &*model.clock, deltas).await?;
    let response = answer.outcome?;
    Ok(match said {
        Some(said) => said.answered_by(response, &model.head, &model.name),
        None => response,
    })
}

/// A request whose response the server keeps.
struct StoredAttempt<'a> {
    model: &'a HttpModel,
    asked: Streaming,
    background: Option<Background<'a>>,
    sent: Mutex<Sent>,
}

/// What is sent.
struct Sent {
    body: Bytes,
    key: Option<Key>,
    /// The request, of which the body is only what follows a response, by its id.
    rest_of: Option<(String, ModelRequest)>,
}

impl<'a> StoredAttempt<'a> {
    /// The request, and what it says, if the next one may go on from the answer.
    fn new(
        model: &'a HttpModel,
        request: ModelRequest,
        stored: Stored,
        asked: Streaming,
    ) -> Result<(Self, Option<Conversation>), Error> {
        let read =
            stored.continues.then(|| Conversation::read(&request, &model.head, &model.address));
        let (said, previous) = match read {
            Some((said, previous)) => (Some(said), previous),
            None => (None, None),
        };
        let frame = Frame { previous, ..model.frame(asked) };
        let body = model.body_in(&request, frame)?;
        let background =
            stored.background.then(|| Background::new(model, included(&request, frame)));
        let id = previous.map(|previous| previous.id.to_owned());
        let sent = Sent { body, key: key(model), rest_of: id.map(|id| (id, request)) };
        Ok((Self { model, asked, background, sent: Mutex::new(sent) }, said))
    }

    fn sent(&self) -> MutexGuard<'_, Sent> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn once(&self, deltas: &mut dyn Deltas) -> Result<Awaited, Error> {
        let is_another = self.background.as_ref().is_some_and(Background::take_named);
        let (body, key) = {
            let mut sent = self.sent();
            if is_another {
                // By the same key the server would find the response that failed.
                sent.key = key(self.model);
            }
            (sent.body.clone(), sent.key.clone())
        };
        let inference = self.model.inference(self.asked, key.as_ref());
        match &self.background {
            None => inference.attempt(body, deltas).await.map(Awaited::by_attempt),
            Some(background) => background.attempt(inference, body, deltas).await,
        }
    }

    /// Whether the server has the response no longer that the request goes on from.
    fn is_forgotten(&self, outcome: &Result<Awaited, Error>) -> bool {
        let (Err(error), Some((id, _))) = (outcome, &self.sent().rest_of) else { return false };
        let is_refused = matches!(error.status, Some(400 | 404));
        let said = error.message.to_ascii_lowercase();
        let names = [PREVIOUS, "previous response", id];
        let is_named = names.iter().any(|name| said.contains(&name.to_ascii_lowercase()));
        error.code.as_deref() == Some("previous_response_not_found") || (is_refused && is_named)
    }

    /// Sends the whole transcript from now on.
    fn tell_all(&self) -> Result<(), Error> {
        let mut sent = self.sent();
        if let Some((_, request)) = sent.rest_of.take() {
            sent.body = self.model.body_in(&request, self.model.frame(self.asked))?;
            sent.key = key(self.model);
        }
        Ok(())
    }
}

fn key(model: &HttpModel) -> Option<Key> {
    model.idempotency.as_ref().and_then(Idempotency::key)
}

impl Attempt for StoredAttempt<'_> {
    type Answer = Awaited;

    fn model(&self) -> &str {
        &self.model.name
    }

    fn span(&self, attempt: u32) -> Span {
        self.model.span(attempt)
    }

    async fn make(&self, deltas: &mut dyn Deltas) -> Result<Awaited, Error> {
        let mut outcome = self.once(deltas).await;
        if self.is_forgotten(&outcome) {
            info!(model = self.model.name, "a response is gone: the whole transcript is sent");
            self.tell_all()?;
            outcome = self.once(deltas).await;
        }
        match outcome {
            Ok(answer) => Ok(answer.masked_by(self.model)),
            Err(error) => Err(self.model.masked(error)),
        }
    }

    fn in_short<'e>(&self, error: &'e Error) -> &'e str {
        self.model.tried(&self.model.address).in_short(error)
    }
}
