//! An agent that has the floor: what it hears, and where its session stands.

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::orchestrate::Line;
use legwork_core::{
    AgentState, Budget, ExecutionStatus, Message, Part, Role, SessionId, StopSignal,
};
use legwork_port::{BoxFuture, Origin};

use crate::{Speaker, Spoken, TurnContext};
use legwork_agent::Agent;
use legwork_agent::{Run, RunRequest};
use legwork_runtime::{Ancestry, Error};

/// An agent in a session of its own, named after the conversation and itself.
pub(super) struct AgentSpeaker(Agent);

impl AgentSpeaker {
    pub(super) fn new(agent: Agent) -> Self {
        Self(agent)
    }

    /// Runs the turn, or goes on with it; what a session did already is not done again.
    pub(super) async fn run(&self, floor: &TurnContext) -> Result<AgentState, Error> {
        let id = SessionId::new(format!("{}.{}", floor.state.id(), floor.name));
        let stored = match self.0.session(id.clone()).state().await {
            Ok(state) => Some(state),
            Err(Error::UnknownSession(_) | Error::NoStore(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(state) = stored.as_ref().filter(|state| is_unheard(state, floor)) {
            return Ok(state.clone());
        }
        let under_way = |state: &AgentState| state.status().is_some_and(|s| !s.is_terminal());
        let request = match (stored, floor.state.current_agent()) {
            (Some(state), _) if under_way(&state) => {
                floor.share.spend(state.used());
                self.0.resume(id.clone())
            }
            (Some(_), _) => self.start(&id, vec![news(floor)]),
            (None, Some(kept)) => {
                floor.share.spend(kept.used());
                self.0.resume(id.clone()).on_state(kept.clone())
            }
            (None, None) => self.start(&id, all(floor)),
        };
        let origin = Arc::new(Origin::root(id));
        let ancestry = Ancestry { origin, parent: None, share: Some(floor.share.clone()) };
        request.control(floor.control.clone()).below(ancestry).outcome().await.map(Run::into_state)
    }

    fn start(&self, id: &SessionId, input: Vec<Message>) -> RunRequest {
        self.0.run_messages(input).in_session(id.clone())
    }
}

impl Speaker for AgentSpeaker {
    fn ends_itself(&self) -> bool {
        true
    }

    fn speak<'a>(&'a self, floor: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        Box::pin(async move {
            let state = self.run(floor).await?;
            let run = Run::from(state);
            let text = run.text();
            // Models tend to begin as the lines do that they are shown.
            let own = text.strip_prefix(&*floor.name).and_then(|rest| rest.strip_prefix(':'));
            let text = own.unwrap_or(&text).trim().to_owned();
            let spoken = of(run.into_state(), floor);
            let message =
                (!text.is_empty()).then(|| Message::new(Role::Assistant, vec![Part::text(text)]));
            Ok(Spoken { message: message.filter(|_| spoken.rests.is_none()), ..spoken })
        })
    }
}

/// What came of the run of an agent, but for its words.
pub(super) fn of(state: AgentState, floor: &TurnContext) -> Spoken {
    let status = state.status().cloned().unwrap_or(ExecutionStatus::InProgress);
    if !status.is_terminal() {
        return Spoken { rests: Some((status, Some(state))), ..Spoken::nothing() };
    }
    // Its own steps are no turns: the chat counts one for the turn.
    let used = *state.used();
    let execution = Some(state.facts().executions);
    let spoken = Spoken { used, execution, ..Spoken::nothing() };
    let cancelled = status == ExecutionStatus::Cancelled && floor.control.cancel.is_cancelled();
    if cancelled || status == ExecutionStatus::Completed {
        return spoken;
    }
    if let Some(signal) = limit_of_all(&state, floor) {
        return Spoken { limit: Some(signal), ..spoken };
    }
    match state.ending_error().filter(|_| status == ExecutionStatus::Failed) {
        Some(error) => spoken.error(error.clone()),
        None => {
            let outcome = state.execution().and_then(|execution| execution.outcome.as_ref());
            let why = outcome.map_or_else(String::new, |outcome| outcome.explain());
            let words = format!("{} did not finish ({status}). {why}", floor.name);
            spoken.error(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Budget, words))
        }
    }
}

/// The limit that stopped the agent, if it is one of the conversation and not its own.
fn limit_of_all(state: &AgentState, floor: &TurnContext) -> Option<StopSignal> {
    let signal = state.execution()?.outcome.as_ref()?.signal.as_ref()?;
    let limit = signal.limit.as_ref()?;
    let is_of = |budget: &Budget| budget.limit(&limit.dimension) == Some(limit.limit);
    let ours = is_of(&floor.state.ledger().budget) && !is_of(&state.ledger().budget);
    ours.then(|| signal.clone())
}

/// Whether the session did this turn already, and the conversation was not kept since.
fn is_unheard(state: &AgentState, floor: &TurnContext) -> bool {
    let last = floor.state.last_turn_of(&floor.name).and_then(|turn| turn.execution).unwrap_or(0);
    let over = state.status().is_some_and(ExecutionStatus::is_terminal);
    let cancelled = state.status() == Some(&ExecutionStatus::Cancelled);
    over && !cancelled && state.facts().executions > last
}

/// What was said since the speaker's last turn, as one message.
fn news(floor: &TurnContext) -> Message {
    let heard = floor.state.last_turn_of(&floor.name).map_or(0, |turn| turn.input_cut);
    let lines = floor.state.transcript().iter().skip(heard);
    let parts = shown(lines.filter(|line| line.speaker != floor.name));
    match parts.is_empty() {
        true => Message::user(format!("Nobody said anything since. {} goes on.", floor.name)),
        false => user(parts),
    }
}

/// All that was said: the speaker's own lines as its answers, the others' between them.
fn all(floor: &TurnContext) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut others: Vec<&Arc<Line>> = Vec::new();
    let mut parts = vec![Part::text(floor.preface.clone())];
    for line in floor.state.transcript().iter() {
        if line.speaker != floor.name {
            others.push(line);
            continue;
        }
        parts.extend(shown(others.drain(..)));
        if !parts.is_empty() {
            messages.push(user(std::mem::take(&mut parts)));
        }
        messages.push(Message::new(Role::Assistant, line.message.parts.clone()));
    }
    parts.extend(shown(others));
    if parts.is_empty() {
        parts.push(Part::text(format!("Nobody said anything since. {} goes on.", floor.name)));
    }
    messages.push(user(parts));
    messages
}

/// Parts as one message, texts beside each other as one.
fn user(parts: Vec<Part>) -> Message {
    let mut merged: Vec<Part> = Vec::new();
    for part in parts {
        match (merged.last_mut(), part) {
            (Some(Part::Text(text)), Part::Text(more)) => text.text.push_str(&more.text),
            (_, part) => merged.push(part),
        }
    }
    if let Some(Part::Text(text)) = merged.last_mut() {
        text.text.truncate(text.text.trim_end().len());
    }
    Message::new(Role::User, merged)
}

/// Lines as a model is shown them. Only a line's first row begins at the margin, with the
/// name of its speaker: nobody can speak in another's name.
fn shown<'a>(lines: impl IntoIterator<Item = &'a Arc<Line>>) -> Vec<Part> {
    let mut parts = Vec::new();
    for line in lines {
        let text = line.message.text();
        let rows: Vec<_> = text.lines().collect();
        parts.push(Part::text(format!("{}: {}\n", line.speaker, rows.join("\n  "))));
        let rest = line.message.parts.iter().filter(|part| matches!(part, Part::Image(_)));
        parts.extend(rest.cloned());
    }
    parts
}
