//! The criteria of conversations.

use crate::continuation::{Criterion, Decision, Error, Kind, StopReason, StopSignal};
use crate::orchestrate::{ChatState, Progress, Turn};

/// A state that contains a conversation, such as that of a collaboration.
pub trait Conversation: Progress<Step = Turn> + Clone + Send + Sync + 'static {
    /// The state of the conversation.
    fn chat(&self) -> &ChatState;

    /// The same with the conversation changed by a function.
    #[must_use]
    fn map_chat(self, change: impl FnOnce(ChatState) -> ChatState) -> Self;
}

impl Conversation for ChatState {
    fn chat(&self) -> &ChatState {
        self
    }

    fn map_chat(self, change: impl FnOnce(ChatState) -> ChatState) -> Self {
        change(self)
    }
}

/// Allows another turn: `turns`.
///
/// Without it a conversation stops after a turn for which no criterion votes.
#[derive(Debug, Clone, Copy)]
pub struct Turns;

/// Forbids another turn after a turn with an error: `errors`.
#[derive(Debug, Clone, Copy)]
pub struct TurnErrors;

/// Forbids another turn once a limit of the budget is reached: `budget`.
#[derive(Debug, Clone, Copy)]
pub struct BudgetLimit;

/// Stops after a turn whose speaker says that the goal is reached: `concluded`.
#[derive(Debug, Clone, Copy)]
pub struct Concluded;

/// Stops after a turn whose text contains these words: `said`.
#[derive(Debug, Clone)]
pub struct Said(String);

impl Said {
    /// Stops after a turn whose text contains these words; case matters.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

type Vote = Result<Option<Decision>, Error>;

fn done(by: &str, words: impl Into<String>) -> Decision {
    Decision::Stop(StopSignal::new(StopReason::Completed, by, words))
}

impl<S: Conversation> Criterion<S> for Turns {
    fn name(&self) -> &str {
        "turns"
    }

    fn decide(&self, _: &S) -> Vote {
        Ok(Some(Decision::Allow))
    }
}

impl<S: Conversation> Criterion<S> for TurnErrors {
    fn name(&self) -> &str {
        "errors"
    }

    fn decide(&self, state: &S) -> Vote {
        let turn = state.chat().current_step();
        let error = turn.and_then(|turn| Some((&turn.speaker, turn.errors.last()?)));
        Ok(error.map(|(speaker, error)| {
            let words = format!("the turn of {speaker} failed: {error}");
            let signal = StopSignal::new(StopReason::Error, "errors", words);
            Decision::Forbid(signal.with_error(error.clone()))
        }))
    }
}

impl<S: Conversation> Criterion<S> for BudgetLimit {
    fn name(&self) -> &str {
        "budget"
    }

    fn kind(&self) -> Kind {
        Kind::Limit
    }

    fn decide(&self, state: &S) -> Vote {
        let chat = state.chat();
        let limit = chat.ledger().forbids_step(chat.now().wall);
        Ok(limit.map(|limit| Decision::Forbid(StopSignal::limit("budget", limit))))
    }
}

impl<S: Conversation> Criterion<S> for Concluded {
    fn name(&self) -> &str {
        "concluded"
    }

    fn decide(&self, state: &S) -> Vote {
        let turn = state.chat().current_step().filter(|turn| turn.concludes);
        Ok(turn.map(|turn| done("concluded", format!("{} is done", turn.speaker))))
    }
}

impl<S: Conversation> Criterion<S> for Said {
    fn name(&self) -> &str {
        "said"
    }

    fn decide(&self, state: &S) -> Vote {
        let turn = state.chat().current_step().filter(|turn| turn.text().contains(&self.0));
        Ok(turn.map(|turn| done("said", format!("{} said `{}`", turn.speaker, self.0))))
    }
}
