//! The participants of a conversation.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::Message;
use legwork_core::orchestrate::ChatState;
use legwork_port::{BoxFuture, Model};
use legwork_runtime::Error;

use crate::agent_speaker::AgentSpeaker;
use crate::{Speaker, Spoken, TurnContext};

/// A participant of a conversation, with a name.
#[derive(Clone)]
pub struct Participant {
    pub(crate) name: Arc<str>,
    pub(crate) kind: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    /// A model without tools.
    Model(Arc<dyn Model>, Arc<str>),
    /// An agent.
    Agent(Agent),
    /// Any other speaker.
    Other(Arc<dyn Speaker>),
}

impl Participant {
    /// A model with instructions, without tools.
    pub fn model(
        name: impl Into<Arc<str>>,
        model: impl Model + 'static,
        instructions: impl Into<Arc<str>>,
    ) -> Self {
        Self { name: name.into(), kind: Kind::Model(Arc::new(model), instructions.into()) }
    }

    /// An agent.
    ///
    /// It works in a session in its own store, named after the conversation and itself, and its
    /// input is the lines since its last turn. If its store does not have the session, its input
    /// is all lines.
    pub fn agent(name: impl Into<Arc<str>>, agent: Agent) -> Self {
        Self { name: name.into(), kind: Kind::Agent(agent) }
    }

    /// A person who is waited for.
    ///
    /// The conversation pauses at the person's turn until [`ChatState::with_answer`], in this
    /// process or, from the state, in another.
    pub fn person(name: impl Into<Arc<str>>) -> Self {
        Self::speaker(name, Person)
    }

    /// A person who is asked by a function; if it returns none, the person is waited for.
    pub fn asked<F, R>(name: impl Into<Arc<str>>, ask: F) -> Self
    where
        F: Fn(ChatState) -> R + Send + Sync + 'static,
        R: Future<Output = Option<Message>> + Send + 'static,
    {
        Self::speaker(name, Asked(move |state| -> BoxFuture<'static, _> { Box::pin(ask(state)) }))
    }

    /// A script, with one line for each turn.
    pub fn scripted<L: Into<String>>(
        name: impl Into<Arc<str>>,
        lines: impl IntoIterator<Item = L>,
    ) -> Self {
        Self::speaker(name, Scripted(lines.into_iter().map(Into::into).collect()))
    }

    /// Any other speaker.
    pub fn speaker(name: impl Into<Arc<str>>, speaker: impl Speaker + 'static) -> Self {
        Self { name: name.into(), kind: Kind::Other(Arc::new(speaker)) }
    }

    /// The name of the participant.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The models that it may use.
    pub(crate) fn models(&self) -> Vec<Arc<dyn Model>> {
        match &self.kind {
            Kind::Model(model, _) => vec![Arc::clone(model)],
            Kind::Agent(agent) => agent.models().map(Arc::clone).collect(),
            Kind::Other(_) => Vec::new(),
        }
    }

    pub(crate) fn into_speaker(self) -> Result<(Arc<str>, Arc<dyn Speaker>), Error> {
        let speaker: Arc<dyn Speaker> = match self.kind {
            Kind::Model(model, instructions) => {
                let agent = Agent::builder(model).instructions(instructions).build()?;
                Arc::new(AgentSpeaker::new(agent))
            }
            Kind::Agent(agent) => Arc::new(AgentSpeaker::new(agent)),
            Kind::Other(speaker) => speaker,
        };
        Ok((self.name, speaker))
    }
}

struct Person;

impl Speaker for Person {
    fn speak<'a>(&'a self, _: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        Box::pin(std::future::ready(Ok(Spoken::waits())))
    }
}

struct Asked<F>(F);

impl<F> Speaker for Asked<F>
where
    F: Fn(ChatState) -> BoxFuture<'static, Option<Message>> + Send + Sync,
{
    fn speak<'a>(&'a self, cx: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        Box::pin(async move {
            let asked = (self.0)(cx.state.clone()).await;
            Ok(asked.map_or_else(Spoken::waits, Spoken::message))
        })
    }
}

struct Scripted(Vec<String>);

impl Speaker for Scripted {
    fn speak<'a>(&'a self, cx: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        let spoken = match self.0.get(cx.state.turns_of(&cx.name)) {
            Some(line) => Spoken::message(line.as_str()),
            None => Spoken::failed(format!(
                "the script of {} has {} lines and was asked for another: add one, or stop before",
                cx.name,
                self.0.len()
            )),
        };
        Box::pin(std::future::ready(Ok(spoken)))
    }
}
