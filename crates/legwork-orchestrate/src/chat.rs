//! A conversation of several participants.

use std::sync::Arc;

use legwork_core::orchestrate::ChatState;
use legwork_core::state::Refusal;
use legwork_core::{Budget, Message, Progress as _};
use legwork_port::{BoxFuture, Ids};

use crate::iteration::{ChatRun, Iteration, USER};
use crate::parts::Parts;
use crate::settings::settings;
use crate::turn_driver::TurnDriver;
use crate::{Participant, RoundRobin, Selector, StepByStep as _};
use legwork_runtime::Error;
use legwork_runtime::observers::Observers;

/// A conversation of several: models, agents, people, scripts; one has the floor at a time.
///
/// What survives a crash: the state after each turn is a value, and whoever keeps it goes
/// on exactly there with [`Chat::resume`]. An agent's session lives in the agent's store; a
/// turn that was cut off goes on in that session, and one that had ended there is not made
/// again. With a store that forgets, a turn that was cut off is made again.
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
    maker: Arc<TurnDriver<ChatState>>,
    budget: Budget,
    ids: Arc<dyn Ids>,
}

impl Chat {
    /// Begins a chat: 20 turns and 300 s of active time by default.
    pub fn builder() -> ChatBuilder {
        let (participants, selector) = (Vec::new(), Arc::new(RoundRobin));
        ChatBuilder { participants, selector, parts: Parts::default() }
    }

    /// Talks about something until it ends or waits for somebody.
    ///
    /// # Errors
    /// What is no part of the conversation, like a store that said no.
    pub fn run(&self, opening: impl Into<Message>) -> BoxFuture<'static, Result<ChatState, Error>> {
        Box::pin(self.iterate(opening).finish())
    }

    /// Talks about something a turn at a time. The opening is said by `user`.
    pub fn iterate(&self, opening: impl Into<Message>) -> ChatRun {
        let names = self.maker.speakers.iter().map(|(name, _)| Arc::clone(name));
        Iteration::begin(Arc::clone(&self.maker), &*self.ids, |name| {
            ChatState::new(name, names, self.budget.clone()).with_message(USER, opening)
        })
    }

    /// Goes on with a state that somebody kept, under the limits of this chat.
    ///
    /// # Errors
    /// When it is over, unless by a limit that was raised since, or has other participants.
    pub fn resume(&self, state: ChatState) -> Result<ChatRun, Error> {
        let state = resumed(&self.maker, &self.budget, state)?;
        Ok(Iteration::new(Arc::clone(&self.maker), state))
    }
}

/// A state that somebody kept, if it can go on with these speakers and limits.
pub(super) fn resumed<S>(
    maker: &TurnDriver<S>,
    budget: &Budget,
    state: ChatState,
) -> Result<ChatState, Error> {
    let names: Vec<_> = maker.speakers.iter().map(|(name, _)| Arc::clone(name)).collect();
    if state.participants() != names {
        return Err(Error::Build(format!(
            "the state has the participants {}, not {}: resume it where it began",
            state.participants().join(", "),
            names.join(", ")
        )));
    }
    let state = state.with_budget(budget.clone()).at(maker.clock.now());
    let Some(status) = state.status().filter(|status| status.is_terminal()) else {
        return Ok(state);
    };
    let signal = state.continuation_outcome().and_then(|outcome| outcome.signal.as_ref());
    if signal.and_then(|signal| signal.limit.as_ref()).is_none() {
        return Err(Refusal::NothingToDo { status: status.to_string() }.into());
    }
    match state.ledger().forbids_step(state.now().wall) {
        Some(limit) => Err(Refusal::LimitHolds { limit: limit.to_string() }.into()),
        None => Ok(state.reopened()),
    }
}

impl std::fmt::Debug for Chat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.maker.speakers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Chat").field("participants", &names).finish_non_exhaustive()
    }
}

/// A chat being put together; nothing is checked before [`ChatBuilder::build`].
#[must_use]
pub struct ChatBuilder {
    participants: Vec<Participant>,
    selector: Arc<dyn Selector<ChatState>>,
    parts: Parts<ChatState>,
}

settings!(ChatBuilder, ChatState);

impl ChatBuilder {
    /// Somebody who takes part, behind those that were given before.
    pub fn participant(mut self, participant: Participant) -> Self {
        self.participants.push(participant);
        self
    }

    /// Who speaks next, in place of everybody in turn: a function of the state, which may
    /// ask a model.
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

    /// Checks it all and makes the chat.
    ///
    /// # Errors
    /// [`Error::Build`] with all that is wrong.
    pub fn build(self) -> Result<Chat, Error> {
        let Self { participants, selector, parts } = self;
        parts.check(&participants)?;
        let budget = parts.limits();
        let speakers = participants.into_iter().map(Participant::into_speaker);
        let maker = TurnDriver {
            speakers: speakers.collect::<Result<_, _>>()?,
            selector,
            preface,
            criteria: parts.criteria,
            observers: parts.observers,
            observer: Observers::new([parts.observer]),
            clock: parts.clock,
        };
        Ok(Chat { maker: Arc::new(maker), budget, ids: parts.ids })
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
