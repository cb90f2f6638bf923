//! Conversations between several participants.

use std::sync::Arc;

use legwork_core::orchestrate::ChatState;
use legwork_core::state::Refusal;
use legwork_core::{Budget, Message, Progress as _};
use legwork_port::{BoxFuture, Ids};
use legwork_runtime::Error;
use legwork_session::Observers;

use crate::iteration::{ChatRun, Iteration, USER};
use crate::parts::Parts;
use crate::settings::settings;
use crate::turn_driver::TurnDriver;
use crate::{Participant, RoundRobin, Selector, StepByStep as _};

/// A conversation between models, agents, people and scripts, who speak in turns.
///
/// The state after each turn is a value: a program that keeps it can go on from there after a
/// crash, with [`Chat::resume`]. The session of an agent is in the agent's own store: a turn that
/// was interrupted goes on in that session, and one that it has finished is not repeated. With a
/// store in memory, a turn that was interrupted is made again.
///
/// ```
/// use legwork_orchestrate::{Chat, Participant};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), legwork_agent::Error> {
/// let chat = Chat::builder()
///     .participant(Participant::scripted("Ann", ["Apples?", "DONE"]))
///     .participant(Participant::scripted("Bob", ["Pears."]))
///     .until_said("DONE")
///     .build()?;
/// let state = chat.run("Which fruit is best?").await?;
/// assert_eq!(state.transcript().len(), 4);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Chat {
    driver: Arc<TurnDriver<ChatState>>,
    budget: Budget,
    ids: Arc<dyn Ids>,
}

impl Chat {
    /// Begins a chat: 20 turns and 300 s of active time by default.
    pub fn builder() -> ChatBuilder {
        let (participants, selector) = (Vec::new(), Arc::new(RoundRobin));
        ChatBuilder { participants, selector, parts: Parts::default() }
    }

    /// Runs a conversation that a message opens, until it ends or waits for a person.
    ///
    /// # Errors
    /// Errors outside of the conversation, such as those of a store.
    pub fn run(&self, opening: impl Into<Message>) -> BoxFuture<'static, Result<ChatState, Error>> {
        Box::pin(self.iterate(opening).finish())
    }

    /// Begins a conversation that a message of `user` opens, to run it turn by turn.
    pub fn iterate(&self, opening: impl Into<Message>) -> ChatRun {
        let names = self.driver.speakers.iter().map(|(name, _)| Arc::clone(name));
        Iteration::begin(Arc::clone(&self.driver), &*self.ids, |name| {
            ChatState::new(name, names, self.budget.clone()).with_message(USER, opening)
        })
    }

    /// Resumes a conversation from its state, under the limits of this chat.
    ///
    /// # Errors
    /// If it has ended for a reason other than a limit that was raised since, or has other
    /// participants.
    pub fn resume(&self, state: ChatState) -> Result<ChatRun, Error> {
        let state = resumed(&self.driver, &self.budget, state)?;
        Ok(Iteration::new(Arc::clone(&self.driver), state))
    }
}

/// The state, reopened if necessary, if it can go on with these speakers and limits.
pub(super) fn resumed<S>(
    driver: &TurnDriver<S>,
    budget: &Budget,
    state: ChatState,
) -> Result<ChatState, Error> {
    let names: Vec<_> = driver.speakers.iter().map(|(name, _)| Arc::clone(name)).collect();
    if state.participants() != names {
        return Err(Error::Build(vec![format!(
            "the state has the participants {}, not {}: resume it with the chat that it began in",
            state.participants().join(", "),
            names.join(", ")
        )]));
    }
    let state = state.with_budget(budget.clone()).at(driver.clock.now());
    let Some(status) = state.status().filter(|status| status.is_terminal()) else {
        return Ok(state);
    };
    let signal = state.continuation_outcome().and_then(|outcome| outcome.signal.as_ref());
    if signal.and_then(|signal| signal.limit.as_ref()).is_none() {
        return Err(Refusal::NothingToDo { session: None, status: status.to_string() }.into());
    }
    match state.ledger().forbids_step(state.now().wall) {
        Some(limit) => Err(Refusal::LimitHolds { limit: limit.to_string() }.into()),
        None => Ok(state.reopened()),
    }
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.driver.speakers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Chat").field("participants", &names).finish_non_exhaustive()
    }
}

/// Builds a [`Chat`]; nothing is checked before [`ChatBuilder::build`].
#[must_use]
pub struct ChatBuilder {
    participants: Vec<Participant>,
    selector: Arc<dyn Selector<ChatState>>,
    parts: Parts<ChatState>,
}

settings!(ChatBuilder, ChatState);

impl ChatBuilder {
    /// Adds a participant after the others.
    pub fn participant(mut self, participant: Participant) -> Self {
        self.participants.push(participant);
        self
    }

    /// Sets who speaks next: an async function of the state; by default [`RoundRobin`].
    ///
    /// ```
    /// # use legwork_orchestrate::Chat;
    /// # use legwork_core::orchestrate::ChatState;
    /// let chat = Chat::builder().selector(|state: ChatState| async move {
    ///     Ok(if state.text().ends_with('?') { "Ann" } else { "Bob" })
    /// });
    /// ```
    pub fn selector(self, selector: impl Selector<ChatState> + 'static) -> Self {
        Self { selector: Arc::new(selector), ..self }
    }

    /// Checks the settings and builds the chat.
    ///
    /// # Errors
    /// [`Error::Build`] with all problems.
    pub fn build(self) -> Result<Chat, Error> {
        let Self { participants, selector, parts } = self;
        parts.check(&participants)?;
        let budget = parts.limits();
        let speakers = participants.into_iter().map(Participant::into_speaker);
        let driver = TurnDriver {
            speakers: speakers.collect::<Result<_, _>>()?,
            selector,
            preface,
            criteria: parts.criteria,
            observers: parts.observers,
            observer: Observers::new([parts.observer]),
            clock: parts.clock,
        };
        Ok(Chat { driver: Arc::new(driver), budget, ids: parts.ids })
    }
}

fn preface(state: &ChatState, name: &str) -> String {
    let others: Vec<_> = state.participants().iter().map(|other| &**other).collect();
    let others: Vec<_> = others.into_iter().filter(|other| *other != name).collect();
    let others = if others.is_empty() { USER.to_owned() } else { others.join(", ") };
    format!(
        "You are {name} in a conversation with {others}. What is said is shown as `NAME: words`. \
         Say only what you say next, without your name before it.\n\n"
    )
}
