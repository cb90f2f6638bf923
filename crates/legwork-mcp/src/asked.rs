//! What servers of 2025 ask of a person during a call.
//!
//! Such a server asks while its call is under way, and does not say which call asks. So a question
//! waits until it is the only call's that is left. One that was answered before is answered again;
//! any other ends its call, which waits for the answer and is made anew with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ElicitResult, ElicitationAction};
use tokio::sync::oneshot;

use crate::input::{Given, Question};

/// The calls of a connection during which its server may ask; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Asked(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    last: u64,
    calls: HashMap<u64, Call>,
    /// Questions of which it cannot be told yet which call asks them, oldest first.
    open: Vec<Open>,
}

struct Open {
    question: Question,
    reply: oneshot::Sender<Reply>,
}

struct Call {
    /// What was answered, and is not used yet.
    given: Vec<Given>,
    /// Where its first question without an answer goes.
    asks: Option<oneshot::Sender<Question>>,
    /// Dropped when the call ends.
    ended: Vec<oneshot::Sender<()>>,
}

/// How a question is answered.
enum Reply {
    /// With this.
    Given(Given),
    /// With nothing, as soon as its call has ended.
    Ends(oneshot::Receiver<()>),
    /// With nothing: it cannot be told which call asks it, or that is over.
    Nothing,
}

impl Asked {
    /// A call is to be made whose questions have these answers; it is over when what this returns
    /// is dropped.
    pub(crate) fn listen(&self, given: Vec<Given>) -> Listening {
        let (asks, question) = oneshot::channel();
        let mut inner = self.lock();
        inner.last = inner.last.wrapping_add(1);
        let id = inner.last;
        inner.calls.insert(id, Call { given, asks: Some(asks), ended: Vec::new() });
        Listening { asked: self.clone(), id, question, is_answered: false }
    }

    /// The answer to a question of the server.
    pub(crate) async fn answer(&self, question: Question) -> ElicitResult {
        let (reply, replied) = oneshot::channel();
        {
            let mut inner = self.lock();
            inner.open.push(Open { question, reply });
            inner.settle();
        }
        match replied.await {
            Ok(Reply::Given(given)) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(given.value)
            }
            Ok(Reply::Ends(ended)) => {
                // The server learns first that its call is over.
                let _ = ended.await;
                ElicitResult::new(ElicitationAction::Cancel)
            }
            Ok(Reply::Nothing) | Err(_) => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Dismisses all questions of which it is not known which call asks them.
    fn dismiss(&mut self) {
        for open in self.open.drain(..) {
            let _ = open.reply.send(Reply::Nothing);
        }
    }

    /// Answers the questions whose calls are known by now.
    fn settle(&mut self) {
        self.open.retain(|open| !open.reply.is_closed());
        for Open { question, reply } in std::mem::take(&mut self.open) {
            match self.reply(&question) {
                // A server that is gone needs no answer.
                Some(known) => drop(reply.send(known)),
                None => self.open.push(Open { question, reply }),
            }
        }
        // If each call asks something, none ends by itself.
        if self.open.len() >= self.calls.len()
            && let Some(open) = self.open.pop()
        {
            tracing::debug!(message = open.question.message, "several calls may ask this");
            let _ = open.reply.send(Reply::Nothing);
        }
    }

    /// How a question is answered; none if that is not known yet.
    fn reply(&mut self, question: &Question) -> Option<Reply> {
        let mut calls = self.calls.values_mut();
        let (Some(call), None) = (calls.next(), calls.next()) else { return None };
        if let Some(at) = call.given.iter().position(|one| one.answers(question)) {
            return Some(Reply::Given(call.given.remove(at)));
        }
        let (sender, ended) = oneshot::channel();
        call.ended.push(sender);
        if let Some(asks) = call.asks.take() {
            // A call that ended meanwhile asks nothing more.
            let _ = asks.send(question.clone());
        }
        Some(Reply::Ends(ended))
    }
}

/// A call during which the server may ask.
pub(crate) struct Listening {
    asked: Asked,
    id: u64,
    question: oneshot::Receiver<Question>,
    /// Whether the server answered the call.
    is_answered: bool,
}

impl Listening {
    /// The server answered the call: no question that is open is its.
    pub(crate) fn answered(mut self) {
        self.is_answered = true;
    }

    /// The question that ends the call; it never comes of a server that asks none.
    pub(crate) async fn question(&mut self) -> Question {
        match (&mut self.question).await {
            Ok(question) => question,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut inner = self.asked.lock();
        inner.calls.remove(&self.id);
        // One that was cut off may have asked what is open.
        if !self.is_answered {
            inner.dismiss();
        }
        inner.settle();
    }
}

#[cfg(test)]
mod tests;
