//! What servers of 2025 ask of a person, or of the model, during a call.
//!
//! Such a server asks while its call is under way, and does not say which call asks. So a question
//! waits until it is the only call's that is left. One that was answered before is answered again;
//! any other is handed to its call, which waits for the answer with it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;

use crate::input::{Given, QUESTIONS, Question};

/// The calls of a connection during which its server may ask; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    last: u64,
    calls: HashMap<u64, Call>,
    /// Questions of which it cannot be told yet which call asks them, oldest first; further ones
    /// than calls may ask are dismissed.
    open: Vec<Asks>,
}

/// A question that the server waits for; dropping it dismisses the question.
pub(crate) struct Asks {
    pub(crate) question: Question,
    reply: oneshot::Sender<Value>,
}

struct Call {
    /// What was answered, and is not used yet.
    given: Vec<Given>,
    /// Where its first question without an answer goes; none while a person has one.
    asks: Option<oneshot::Sender<Asks>>,
}

impl Asks {
    /// Answers it; whether the server still waits for it.
    pub(crate) fn answer(self, value: Value) -> bool {
        self.reply.send(value).is_ok()
    }
}

impl Asked {
    /// A call is to be made whose questions have these answers; it is over when what this returns
    /// is dropped.
    pub(crate) fn listen(&self, given: Vec<Given>) -> Listening {
        let (asks, question) = oneshot::channel();
        let mut inner = self.lock();
        inner.last = inner.last.wrapping_add(1);
        let id = inner.last;
        inner.calls.insert(id, Call { given, asks: Some(asks) });
        Listening { asked: self.clone(), id, question, is_answered: false }
    }

    /// The answer to a question of the server; none if it is dismissed.
    pub(crate) async fn answer(&self, question: Question) -> Option<Value> {
        let (reply, replied) = oneshot::channel();
        {
            let mut inner = self.lock();
            inner.open.retain(|asks| !asks.reply.is_closed());
            if inner.open.len() >= QUESTIONS.saturating_mul(inner.calls.len().max(1)) {
                return None;
            }
            inner.open.push(Asks { question, reply });
            inner.settle();
        }
        replied.await.ok()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Answers the questions that have an answer, and hands on those whose call is known by now.
    fn settle(&mut self) {
        self.open.retain(|asks| !asks.reply.is_closed());
        for asks in std::mem::take(&mut self.open) {
            let unknown = self.place(asks);
            self.open.extend(unknown);
        }
        // If each call asks something, none ends by itself; one that waits for a person goes on.
        let may_end = self.calls.values().any(|call| call.asks.is_none());
        if !may_end
            && self.open.len() >= self.calls.len()
            && let Some(asks) = self.open.pop()
        {
            tracing::debug!(message = asks.question.words(), "several calls may ask this");
        }
    }

    /// Answers a question or hands it to its call; gives it back if neither can be done yet.
    fn place(&mut self, asks: Asks) -> Option<Asks> {
        let mut calls = self.calls.values_mut();
        let (Some(call), None) = (calls.next(), calls.next()) else { return Some(asks) };
        if let Some(at) = call.given.iter().position(|one| one.answers(&asks.question)) {
            // A server that does not wait any more needs no answer.
            let _ = asks.answer(call.given.remove(at).value);
            return None;
        }
        match call.asks.take() {
            // A call that ended meanwhile asks nothing more.
            Some(asker) => drop(asker.send(asks)),
            None => return Some(asks),
        }
        None
    }
}

/// A call during which the server may ask.
pub(crate) struct Listening {
    asked: Asked,
    id: u64,
    question: oneshot::Receiver<Asks>,
    /// Whether the server answered the call.
    is_answered: bool,
}

impl Listening {
    /// The server answered the call: no question that is open is its.
    pub(crate) fn answered(mut self) {
        self.is_answered = true;
    }

    /// The question that a person is to answer; it never comes of a server that asks none.
    pub(crate) async fn question(&mut self) -> Asks {
        match (&mut self.question).await {
            Ok(asks) => asks,
            Err(_) => std::future::pending().await,
        }
    }

    /// Dismisses each question.
    pub(crate) async fn dismisses(&mut self) -> Infallible {
        loop {
            drop(self.question().await);
            self.goes_on();
        }
    }

    /// The person answered, and the call goes on: it may ask again.
    pub(crate) fn goes_on(&mut self) {
        let (asks, question) = oneshot::channel();
        self.question = question;
        let mut inner = self.asked.lock();
        if let Some(call) = inner.calls.get_mut(&self.id) {
            call.asks = Some(asks);
        }
        inner.settle();
    }

    /// Whether no other call is under way.
    pub(crate) fn is_alone(&self) -> bool {
        self.asked.lock().calls.len() == 1
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut inner = self.asked.lock();
        inner.calls.remove(&self.id);
        // One that was cut off may have asked what is open.
        if !self.is_answered {
            inner.open.clear();
        }
        inner.settle();
    }
}

#[cfg(test)]
mod tests;
