//! Calls that are under way, and the one that waits for a person.

use std::future::{pending, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use legwork_core::EffectKey;
use legwork_core::tool::Supplied;
use legwork_port::BoxFuture;
use rmcp::model::{ProgressToken, RequestId, ServerResult};
use rmcp::service::{RequestHandle, RoleClient, ServiceError};

use crate::asked::{Asks, Listening};
use crate::connection::Live;
use crate::input;

type Answer = Result<ServerResult, ServiceError>;

/// A call that is under way; dropping it notifies the server that it is cancelled.
pub(crate) struct UnderWay {
    pub(crate) live: Arc<Live>,
    pub(crate) progress: ProgressToken,
    answer: BoxFuture<'static, Answer>,
    /// None when it is over.
    open: Option<Open>,
}

/// What a call has until it is over.
struct Open {
    id: RequestId,
    listening: Listening,
    /// What a person has to answer before it goes on.
    asks: Option<Asks>,
}

/// What comes of a call that is under way.
pub(crate) enum Next {
    /// It is over.
    Answered(Box<Answer>),
    /// It asks this.
    Asks(Asks),
}

impl UnderWay {
    pub(crate) fn new(
        live: Arc<Live>,
        sent: RequestHandle<RoleClient>,
        listening: Listening,
    ) -> Self {
        let open = Some(Open { id: sent.id.clone(), listening, asks: None });
        let progress = sent.progress_token.clone();
        Self { live, progress, answer: Box::pin(sent.await_response()), open }
    }

    /// Waits for what comes of it; nothing more after an answer.
    pub(crate) async fn next(&mut self) -> Next {
        let Self { answer, open, .. } = self;
        let asks = async {
            match open {
                Some(open) => open.listening.question().await,
                None => pending().await,
            }
        };
        let answer = tokio::select! {
            biased;
            answer = answer => answer,
            asks = asks => return Next::Asks(asks),
        };
        self.over(answer.is_ok());
        Next::Answered(Box::new(answer))
    }

    /// It is over, with an answer of the server or without one.
    fn over(&mut self, is_answered: bool) {
        if let Some(open) = self.open.take()
            && is_answered
        {
            open.listening.answered();
        }
    }

    /// Cancels the call. The server learns that before its question is dismissed.
    pub(crate) async fn end(mut self) {
        if let Some(open) = &self.open {
            self.live.cancels(open.id.clone()).await;
        }
        self.open = None;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(Open { id, listening, asks }) = self.open.take() {
            self.live.cancel(id, (listening, asks));
        }
    }
}

/// The call of a connection that waits for a person while the server waits for it; clones share
/// it.
///
/// It is there only as long as no other call is made: a server of 2025 does not say whose question
/// is whose. A call that is not held any more is made anew with its answer.
///
/// What is held holds its connection, which holds this.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Mutex<Option<Waiting>>>);

/// A call that waits for a person.
pub(crate) struct Waiting {
    key: EffectKey,
    /// How much it was supplied when it asked.
    supplied: usize,
    call: UnderWay,
}

impl Waiting {
    pub(crate) fn new(key: EffectKey, supplied: usize, mut call: UnderWay, asks: Asks) -> Self {
        if let Some(open) = &mut call.open {
            open.asks = Some(asks);
        }
        Self { key, supplied, call }
    }

    /// Answers the question with what the call was supplied since; the call, if it goes on.
    pub(crate) async fn goes_on(self, supplied: &[Supplied]) -> Option<UnderWay> {
        let Self { supplied: before, mut call, .. } = self;
        match (&mut call.answer).now_or_never() {
            // It did not wait for a person.
            Some(Ok(answer)) => {
                call.answer = Box::pin(ready(Ok(answer)));
                return Some(call);
            }
            Some(Err(_)) => {
                call.end().await;
                return None;
            }
            None => {}
        }
        let open = call.open.as_mut().filter(|_| supplied.len() == before.saturating_add(1));
        let asks = open.as_ref().and_then(|open| open.asks.as_ref());
        let value = asks.and_then(|asks| input::answer(&asks.question, supplied));
        let (Some(open), Some(value)) = (open, value) else {
            call.end().await;
            return None;
        };
        // One that withdrew its question goes on without it.
        let _ = open.asks.take().map(|asks| asks.answer(value));
        open.listening.goes_on();
        Some(call)
    }

    pub(crate) async fn end(self) {
        self.call.end().await;
    }
}

impl Held {
    /// Holds a call; if another one is under way, it ends.
    pub(crate) async fn hold(&self, waiting: Waiting) {
        let before = self.lock().replace(waiting);
        if let Some(before) = before {
            before.end().await;
        }
        // One that began before this was held did not end it.
        let alone =
            |held: &Waiting| held.call.open.as_ref().is_none_or(|open| open.listening.is_alone());
        let is_alone = self.lock().as_ref().is_none_or(alone);
        if !is_alone {
            self.give_up().await;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().is_none()
    }

    /// The held call with this key.
    pub(crate) fn take(&self, key: &EffectKey) -> Option<Waiting> {
        self.take_if(|held| held == key)
    }

    /// The held call, if its key is as wanted.
    pub(crate) fn take_if(&self, is_wanted: impl Fn(&EffectKey) -> bool) -> Option<Waiting> {
        self.lock().take_if(|held| is_wanted(&held.key))
    }

    /// Ends what is held.
    pub(crate) async fn give_up(&self) {
        let held = self.take_if(|_| true);
        if let Some(held) = held {
            held.end().await;
        }
    }

    /// The server is gone: what is held is over.
    pub(crate) fn gone(&self) {
        if let Some(mut held) = self.take_if(|_| true) {
            held.call.over(false);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
