//! Selects who speaks next.

use std::sync::Arc;

use legwork_core::Progress as _;
use legwork_core::budget::Amounts;
use legwork_core::orchestrate::{ChatState, Conversation};
use legwork_port::BoxFuture;

/// Selects who speaks next; may ask a model.
pub trait Selector<S = ChatState>: Send + Sync {
    /// The speaker of the next turn.
    ///
    /// # Errors
    /// Why none can be selected; the conversation fails with it.
    fn select(&self, state: S) -> BoxFuture<'static, Result<Choice, String>>;
}

/// The selected speaker, and what the selection used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Choice {
    pub(crate) speaker: Arc<str>,
    pub(crate) used: Amounts,
}

impl Choice {
    /// The same with the tokens and money that the selection used.
    pub fn used(self, used: Amounts) -> Self {
        Self { used, ..self }
    }
}

impl<N: Into<Arc<str>>> From<N> for Choice {
    fn from(speaker: N) -> Self {
        Self { speaker: speaker.into(), used: Amounts::default() }
    }
}

/// Selects all participants in turn, in their order.
///
/// A participant that the last speaker named comes first.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundRobin;

impl<S: Conversation> Selector<S> for RoundRobin {
    fn select(&self, state: S) -> BoxFuture<'static, Result<Choice, String>> {
        let next = after(state.chat());
        let none = || "the conversation has no participants".to_owned();
        Box::pin(std::future::ready(next.map(Choice::from).ok_or_else(none)))
    }
}

fn after(chat: &ChatState) -> Option<Arc<str>> {
    let names = chat.participants();
    let last = chat.last_step_result().map(|result| &result.step);
    if let Some(given) = last.and_then(|turn| turn.next.clone()) {
        return Some(given);
    }
    let at = last.and_then(|turn| names.iter().position(|name| *name == turn.speaker));
    let next = at.map_or(0, |at| at + 1) % names.len().max(1);
    names.get(next).cloned()
}

impl<S, F, R, C> Selector<S> for F
where
    F: Fn(S) -> R + Send + Sync,
    R: Future<Output = Result<C, String>> + Send + 'static,
    C: Into<Choice>,
{
    fn select(&self, state: S) -> BoxFuture<'static, Result<Choice, String>> {
        let chosen = self(state);
        Box::pin(async move { chosen.await.map(Into::into) })
    }
}
