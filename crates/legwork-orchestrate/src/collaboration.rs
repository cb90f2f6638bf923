//! Collaborations of several agents on one goal.

use std::sync::Arc;

use legwork_agent::Agent;
use legwork_core::orchestrate::{ChatState, CollaborationState, Conversation as _, Member};
use legwork_core::{Budget, Progress as _};
use legwork_port::{BoxFuture, Ids};
use legwork_runtime::Error;
use legwork_session::Observers;

use crate::chat::resumed;
use crate::iteration::{Iteration, USER};
use crate::lead::Lead;
use crate::parts::Parts;
use crate::settings::settings;
use crate::turn_driver::TurnDriver;
use crate::{Choice, Participant, RoundRobin, Selector, Speaker, StepByStep as _};

/// A collaboration under way.
pub type CollaborationRun = Iteration<CollaborationState>;

/// Several agents that work on one goal, with a shared transcript and a role each.
///
/// A lead decides after each turn, by a call of one of two tools, which member works next on
/// what, or that the goal is reached. Without a lead the members work in turn, or as a selector
/// decides.
///
/// The state after each turn is a value: a program that keeps it can go on from there after a
/// crash, with [`Collaboration::resume`]. The sessions of the agents are in their own stores, as
/// in a [`Chat`](crate::Chat).
#[derive(Clone)]
pub struct Collaboration {
    driver: Arc<TurnDriver<CollaborationState>>,
    members: Vec<Member>,
    budget: Budget,
    ids: Arc<dyn Ids>,
}

impl Collaboration {
    /// Begins a collaboration: 20 turns and 300 s of active time by default.
    pub fn builder() -> CollaborationBuilder {
        let (members, parts) = (Vec::new(), Parts::default());
        CollaborationBuilder { members, lead: None, selector: None, parts }
    }

    /// Works on a goal until it ends or waits for an answer.
    ///
    /// # Errors
    /// Errors outside of the collaboration, such as those of a store.
    pub fn run(
        &self,
        goal: impl Into<Arc<str>>,
    ) -> BoxFuture<'static, Result<CollaborationState, Error>> {
        Box::pin(self.iterate(goal).finish())
    }

    /// Begins to work on a goal, to run it turn by turn.
    pub fn iterate(&self, goal: impl Into<Arc<str>>) -> CollaborationRun {
        let goal = goal.into();
        let names = self.members.iter().map(|member| Arc::clone(&member.name));
        Iteration::begin(Arc::clone(&self.driver), &*self.ids, |name| {
            let chat = ChatState::new(name, names, self.budget.clone());
            let chat = chat.with_message(USER, &*goal);
            CollaborationState::new(goal, self.members.clone(), chat)
        })
    }

    /// Resumes a collaboration from its state, under the limits of this one.
    ///
    /// # Errors
    /// If it has ended for a reason other than a limit that was raised since, or has other
    /// members.
    pub fn resume(&self, state: CollaborationState) -> Result<CollaborationRun, Error> {
        let chat = resumed(&self.driver, &self.budget, state.chat().clone())?;
        Ok(Iteration::new(Arc::clone(&self.driver), state.map_chat(|_| chat)))
    }
}

impl std::fmt::Debug for Collaboration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collaboration").field("members", &self.members).finish_non_exhaustive()
    }
}

/// Builds a [`Collaboration`]; nothing is checked before [`CollaborationBuilder::build`].
#[must_use]
pub struct CollaborationBuilder {
    members: Vec<(Member, Agent)>,
    lead: Option<(Member, Agent)>,
    selector: Option<Arc<dyn Selector<CollaborationState>>>,
    parts: Parts<CollaborationState>,
}

settings!(CollaborationBuilder, CollaborationState);

impl CollaborationBuilder {
    /// Adds an agent that works on the goal, with its role.
    pub fn member(
        mut self,
        name: impl Into<Arc<str>>,
        role: impl Into<Arc<str>>,
        agent: Agent,
    ) -> Self {
        self.members.push((Member { name: name.into(), role: role.into() }, agent));
        self
    }

    /// Sets the agent that decides who works next, and when the goal is reached.
    pub fn lead(mut self, name: impl Into<Arc<str>>, agent: Agent) -> Self {
        if self.lead.is_some() {
            self.parts.problems.push("two agents lead: give one".to_owned());
        }
        let role = "leads: decides who works next, and when the goal is reached".into();
        self.lead = Some((Member { name: name.into(), role }, agent));
        self
    }

    /// Sets who works next, in place of the decision of the lead or the order of the members.
    pub fn selector(self, selector: impl Selector<CollaborationState> + 'static) -> Self {
        Self { selector: Some(Arc::new(selector)), ..self }
    }

    /// Checks the settings and builds the collaboration.
    ///
    /// # Errors
    /// [`Error::Build`] with all problems.
    pub fn build(mut self) -> Result<Collaboration, Error> {
        if self.members.is_empty() {
            let problem = "no member works on the goal: give at least one".to_owned();
            self.parts.problems.push(problem);
        }
        let all = self.members.iter().chain(&self.lead);
        let participants: Vec<_> = all
            .map(|(member, agent)| Participant::agent(Arc::clone(&member.name), agent.clone()))
            .collect();
        self.parts.check(&participants)?;
        let members: Vec<_> =
            self.members.iter().chain(&self.lead).map(|(member, _)| member.clone()).collect();
        let speakers = participants.into_iter().map(Participant::into_speaker);
        let mut speakers = speakers.collect::<Result<Vec<_>, _>>()?;
        let mut selector: Arc<dyn Selector<CollaborationState>> = Arc::new(RoundRobin);
        if let Some((lead, agent)) = &self.lead {
            let names: Vec<_> = self.members.iter().map(|(m, _)| Arc::clone(&m.name)).collect();
            let speaker: Arc<dyn Speaker> = Arc::new(Lead::new(agent, &names)?);
            speakers.retain(|(name, _)| *name != lead.name);
            speakers.push((Arc::clone(&lead.name), speaker));
            selector = Arc::new(Led(Arc::clone(&lead.name)));
        }
        let budget = self.parts.limits();
        let driver = TurnDriver {
            speakers,
            selector: self.selector.unwrap_or(selector),
            preface,
            criteria: self.parts.criteria,
            observers: self.parts.observers,
            observer: Observers::new([self.parts.observer]),
            clock: self.parts.clock,
        };
        Ok(Collaboration { driver: Arc::new(driver), members, budget, ids: self.parts.ids })
    }
}

/// Selects the member that the lead named, or else the lead.
struct Led(Arc<str>);

impl Selector<CollaborationState> for Led {
    fn select(&self, state: CollaborationState) -> BoxFuture<'static, Result<Choice, String>> {
        let given = state.last_step_result().and_then(|result| result.step.next.clone());
        let next = given.unwrap_or_else(|| Arc::clone(&self.0));
        Box::pin(std::future::ready(Ok(next.into())))
    }
}

fn preface(state: &CollaborationState, name: &str) -> String {
    let line = |member: &Member| format!("- {}: {}", member.name, member.role);
    let members: Vec<_> = state.members().iter().map(line).collect();
    format!(
        "You are {name}, one of several agents that work together on one goal:\n{}\nThe goal: {}\n\
         What is said is shown as `NAME: words`. Do your own part now and say what came of it, \
         without your name before it.\n\n",
        members.join("\n"),
        state.goal()
    )
}
