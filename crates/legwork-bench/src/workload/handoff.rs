//! HANDOFF: what the first step on another API costs beyond the same step without a handoff.
//!
//! A session of 200 steps on each API takes one more step: some sessions on the next API, the
//! others on their own. Each API thus has as many further steps either way, and the difference
//! is the handoff alone. The baseline of it is not a loop but one encoding of these transcripts
//! for the next API, from messages that have no encoded bytes.

use std::sync::Arc;

use legwork::Agent;
use legwork::core::AgentState;
use legwork::core::inference::{ModelRequest, ModelSettings};
use legwork::core::message::{Author, Message};
use legwork::model::{self, HttpModel, answer::Streaming};

use super::{Conditions, Sample};
use crate::{
    api::Api,
    error::Error,
    harness::Side,
    script::Script,
    subject::{TASK, legwork::builder, legwork::fail},
};

/// Steps before the handoff.
const STEPS: usize = 200;

/// Measured sessions of each API.
const SESSIONS: usize = 4;

/// Hands off, or encodes, the transcripts of as many sessions as there are executions. All other
/// work is the same for each number of executions.
pub(super) async fn measure(side: Side, conditions: &Conditions) -> Result<Sample, Error> {
    let chosen = conditions.executions.unwrap_or(SESSIONS);
    let apis = Api::ALL.map(|api| Provider::open(api, conditions));
    let providers = apis.into_iter().collect::<Result<Vec<_>, _>>()?;
    // The first session is the warm-up.
    for number in 0..=SESSIONS {
        let is_chosen = number <= chosen;
        for (provider, next) in providers.iter().zip(providers.iter().cycle().skip(1)) {
            let state = provider.session(next).await?;
            match (side, is_chosen) {
                (Side::Legwork, true) => next.step(provider, state).await?,
                (Side::Legwork, false) => provider.step(provider, state).await?,
                (Side::Baseline, is_chosen) => {
                    let request = fresh(&state)?;
                    if is_chosen {
                        next.model.body(&request, Streaming::No).map_err(fail)?;
                    }
                }
            }
        }
    }
    Ok(Sample::new())
}

/// An API, and its model.
struct Provider {
    model: Arc<HttpModel>,
    name: String,
    conditions: Conditions,
}

impl Provider {
    fn open(api: Api, conditions: &Conditions) -> Result<Self, Error> {
        let name = format!("{}:{}", api.provider(), Script::steps(STEPS));
        let model = model::builder(&name, Some(&conditions.base_url), Some("bench"));
        let model = Arc::new(model.map_err(fail)?.build().map_err(fail)?);
        Ok(Self { model, name, conditions: conditions.clone() })
    }

    /// An agent whose sessions begin here and may go on there.
    fn agent(&self, next: &Self) -> Result<Agent, Error> {
        let probe = &self.conditions.setup(Script::steps(STEPS)).probe;
        let agent = builder(Arc::clone(&self.model), probe, 0);
        agent.further_model(Arc::clone(&next.model)).build().map_err(fail)
    }

    /// A session of 200 steps.
    async fn session(&self, next: &Self) -> Result<AgentState, Error> {
        let run = self.agent(next)?.run(TASK).await.map_err(fail)?;
        Ok(run.into_state())
    }

    /// One more step here of a session that began at `first`.
    async fn step(&self, first: &Self, state: AgentState) -> Result<(), Error> {
        let settings =
            ModelSettings { model: self.name.as_str().into(), ..state.settings().clone() };
        let state = state.with_settings(settings);
        let run = first.agent(self)?.run(TASK).on_state(state).await.map_err(fail)?;
        let state = run.into_state();
        let last = messages(&state).last().and_then(|last| last.author.clone());
        match last {
            Some(Author::Model(name)) if *name == *self.name => Ok(()),
            other => Err(Error::Outcome {
                what: "author of the last message",
                expected: self.name.clone(),
                found: format!("{other:?}"),
            }),
        }
    }
}

/// The messages of a session.
fn messages(state: &AgentState) -> &legwork::core::Chunked<Arc<Message>> {
    state.context().transcript.messages()
}

/// A request for an answer to the same messages, none of which has encoded bytes.
fn fresh(state: &AgentState) -> Result<ModelRequest, Error> {
    let request = ModelRequest::blank(Arc::default());
    messages(state).iter().try_fold(request, |request, message| {
        let json = serde_json::to_vec(message).map_err(Error::json("a message"))?;
        let copy: Message = serde_json::from_slice(&json).map_err(Error::json("a message"))?;
        Ok(request.with_message(copy))
    })
}
