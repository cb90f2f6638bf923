//! Denials in place of questions, where no person is to be asked.

use std::sync::Arc;

use legwork::capability::ask_user;
use legwork::core::AgentState;
use legwork::core::inbox::Answer;
use legwork::core::state::{Pending, PendingReason};
use legwork::port::{Approver, BoxFuture};

use crate::args::AskFor;

/// Denies what needs a person, with `--approve never`; else another approver answers.
pub(crate) struct Unasked {
    pub(crate) when: AskFor,
    pub(crate) others: Arc<dyn Approver>,
}

impl Approver for Unasked {
    fn answer<'a>(
        &'a self,
        pending: &'a Pending,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Option<Answer>> {
        let words = words_for(pending).filter(|_| self.when == AskFor::Never);
        match words {
            Some(words) => {
                let answer = Answer::deny(pending, words).by("--approve never");
                Box::pin(std::future::ready(Some(answer)))
            }
            None => self.others.answer(pending, state),
        }
    }
}

/// What the model reads in place of an answer; none for calls that no person is asked about.
pub(super) fn words_for(pending: &Pending) -> Option<&'static str> {
    let asks = ask_user::Question::of(pending).is_some();
    match pending.reason {
        PendingReason::Input => {
            Some("This asks a person for input, and nobody is asked in this run.")
        }
        _ if asks => {
            Some("Nobody answers in this run: decide what is sensible, and say so at the end.")
        }
        PendingReason::Approval => Some("This needs approval, and nobody is asked in this run."),
        _ => None,
    }
}
