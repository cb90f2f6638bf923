//! Whoever asks people in the process that runs the session.

use std::future::Future;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use legwork_port::{Approver, BoxFuture};

use super::question::Question;

/// Asks a person: at a terminal, in a dialog, over a chat.
///
/// A function `Fn(Question) -> impl Future<Output = Option<String>>` is one.
pub trait Asker: Send + Sync {
    /// The person's answer, a choice by its words or number; none if nobody is there to give one.
    ///
    /// The future is dropped when the run is cancelled or interrupted, or when the question was
    /// answered elsewhere.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<String>>;
}

impl<F, R> Asker for F
where
    F: Fn(Question) -> R + Send + Sync,
    R: Future<Output = Option<String>> + Send + 'static,
{
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Option<String>> {
        Box::pin(self(question.clone()))
    }
}

/// The approver of an agent whose questions are asked so.
///
/// What is no answer to the question ([`Question::read`]) counts as none: the session rests.
pub fn asking(asker: impl Asker + 'static) -> Asking {
    Asking { asker: Arc::new(asker), others: None }
}

/// Answers the questions of `ask_user`; see [`asking`].
#[derive(Clone)]
pub struct Asking {
    asker: Arc<dyn Asker>,
    others: Option<Arc<dyn Approver>>,
}

impl Asking {
    /// The same, with an approver for all other calls that wait.
    #[must_use]
    pub fn or(self, others: impl Approver + 'static) -> Self {
        Self { others: Some(Arc::new(others)), ..self }
    }
}

impl Approver for Asking {
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        let Some(question) = Question::of(pending) else {
            return match &self.others {
                Some(others) => others.answer(pending, state),
                None => Box::pin(std::future::ready(None)),
            };
        };
        Box::pin(async move {
            let text = self.asker.ask(&question).await?;
            question.answer(pending, &text).ok()
        })
    }
}
