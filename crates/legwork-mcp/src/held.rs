//! Calls that are under way, and the one that waits for a person.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::EffectKey;
use legwork_core::tool::Supplied;
use legwork_port::BoxFuture;
use rmcp::model::{ProgressToken, RequestId, ServerResult};
use rmcp::service::{RequestHandle, RoleClient, ServiceError};

use crate::asked::{Asks, Listening};
use crate::connection::Live;
use crate::input;

/// A call that is under way; dropping it notifies the server that it is cancelled.
pub(crate) struct UnderWay {
    pub(crate) answer: BoxFuture<'static, Result<ServerResult, ServiceError>>,
    pub(crate) progress: ProgressToken,
    // Dropped in this order: the server learns that the call is over before its question is
    // dismissed.
    open: Open,
    pub(crate) listening: Listening,
}

struct Open {
    live: Arc<Live>,
    id: RequestId,
    is_over: bool,
}

impl UnderWay {
    pub(crate) fn new(
        live: Arc<Live>,
        sent: RequestHandle<RoleClient>,
        listening: Listening,
    ) -> Self {
        let open = Open { live, id: sent.id.clone(), is_over: false };
        let progress = sent.progress_token.clone();
        Self { answer: Box::pin(sent.await_response()), progress, open, listening }
    }

    /// The call is over, with an answer of the server or without one.
    pub(crate) fn ended(mut self, is_answered: bool) -> Arc<Live> {
        self.open.is_over = true;
        if is_answered {
            self.listening.answered();
        }
        Arc::clone(&self.open.live)
    }

    /// Cancels the call, and waits until the server was told.
    pub(crate) async fn end(mut self) {
        self.open.is_over = true;
        self.open.live.cancels(self.open.id.clone()).await;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if !self.is_over {
            self.live.cancel(self.id.clone());
        }
    }
}

/// The call of a connection that waits for a person while the server waits for it; clones share
/// it.
///
/// It is there only as long as no other call is made: a server of 2025 does not say whose question
/// is whose. A call that is not held any more is made anew with its answer.
#[derive(Clone, Default)]
pub(crate) struct Held(Arc<Mutex<Option<Waiting>>>);

/// A call that waits for a person.
pub(crate) struct Waiting {
    key: EffectKey,
    // Dropped in this order, as above.
    call: UnderWay,
    asks: Asks,
}

impl Held {
    /// Holds a call that asks; if another one is under way, it ends.
    pub(crate) async fn hold(&self, key: EffectKey, asks: Asks, call: UnderWay) {
        let before = self.lock().replace(Waiting { key, call, asks });
        if let Some(before) = before {
            before.end().await;
        }
        // One that began before this was held did not end it.
        let is_alone = self.lock().as_ref().is_none_or(|held| held.call.listening.is_alone());
        if !is_alone {
            self.give_up().await;
        }
    }

    /// The held call with this key.
    pub(crate) fn take(&self, key: &EffectKey) -> Option<Waiting> {
        self.lock().take_if(|held| held.key == *key)
    }

    /// Ends what is held.
    pub(crate) async fn give_up(&self) {
        let held = self.lock().take();
        if let Some(held) = held {
            held.end().await;
        }
    }

    /// Ends what is held, without waiting until the server was told.
    pub(crate) fn drop_call(&self) {
        let held = self.lock().take();
        drop(held);
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Answers the question with what the call was supplied; the call, if the server goes on with
    /// it.
    pub(crate) async fn answer(self, supplied: &[Supplied]) -> Option<UnderWay> {
        let value = input::answer(&self.asks.question, supplied);
        let Some(value) = value.filter(|_| self.call.open.live.is_live()) else {
            self.end().await;
            return None;
        };
        let Self { asks, mut call, .. } = self;
        if !asks.answer(value) {
            call.end().await;
            return None;
        }
        call.listening.goes_on();
        Some(call)
    }

    async fn end(self) {
        let Self { asks, call, .. } = self;
        call.end().await;
        drop(asks);
    }
}
