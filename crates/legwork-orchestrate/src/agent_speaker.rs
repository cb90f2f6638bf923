//! An agent as a speaker: the input of its turn, and its session.

use std::sync::Arc;

use legwork_agent::{Agent, Run, RunRequest};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::orchestrate::Line;
use legwork_core::{
    AgentState, Budget, ExecutionStatus, Message, Part, Role, SessionId, StopSignal,
};
use legwork_port::{BoxFuture, Origin};
use legwork_runtime::{Ancestry, Error};

use crate::{Speaker, Spoken, TurnContext};

/// An agent that speaks; its session is named after the conversation and itself.
pub(super) struct AgentSpeaker(Agent);

impl AgentSpeaker {
    pub(super) fn new(agent: Agent) -> Self {
        Self(agent)
    }

    /// Runs or resumes the turn; a turn that its session has already finished is not repeated.
    pub(super) async fn run(&self, cx: &TurnContext) -> Result<AgentState, Error> {
        let id = SessionId::new(format!("{}.{}", cx.state.id(), cx.name));
        let stored = match self.0.session(id.clone()).state().await {
            Ok(state) => Some(state),
            Err(Error::UnknownSession(_) | Error::NoStore(_)) => None,
            Err(error) => return Err(error),
        };
        if let Some(state) = stored.as_ref().filter(|state| is_unrecorded(state, cx)) {
            return Ok(state.clone());
        }
        let under_way = |state: &AgentState| state.status().is_some_and(|s| !s.is_terminal());
        let request = match (stored, cx.state.current_agent()) {
            (Some(state), _) if under_way(&state) => {
                cx.budget.spend(state.used());
                self.0.resume(id.clone())
            }
            (Some(_), _) => self.start(&id, vec![new_lines(cx)]),
            (None, Some(kept)) => {
                cx.budget.spend(kept.used());
                self.0.resume(id.clone()).on_state(kept.clone())
            }
            (None, None) => self.start(&id, all_lines(cx)),
        };
        let origin = Arc::new(Origin::root(id));
        let ancestry = Ancestry { origin, parent: None, shared_budget: Some(cx.budget.clone()) };
        request.control(cx.control.clone()).below(ancestry).outcome().await.map(Run::into_state)
    }

    fn start(&self, id: &SessionId, input: Vec<Message>) -> RunRequest {
        self.0.run_messages(input).in_session(id.clone())
    }
}

impl Speaker for AgentSpeaker {
    fn ends_itself(&self) -> bool {
        true
    }

    fn speak<'a>(&'a self, cx: &'a TurnContext) -> BoxFuture<'a, Result<Spoken, Error>> {
        Box::pin(async move {
            let state = self.run(cx).await?;
            let run = Run::from(state);
            let text = run.text();
            // Models tend to begin with their name, like the lines that they are shown.
            let own = text.strip_prefix(&*cx.name).and_then(|rest| rest.strip_prefix(':'));
            let text = own.unwrap_or(&text).trim().to_owned();
            let spoken = spoken(run.into_state(), cx);
            let message =
                (!text.is_empty()).then(|| Message::new(Role::Assistant, vec![Part::text(text)]));
            Ok(Spoken { message: message.filter(|_| spoken.rests.is_none()), ..spoken })
        })
    }
}

/// The result of the run of an agent, without its message.
pub(super) fn spoken(state: AgentState, cx: &TurnContext) -> Spoken {
    let status = state.status().cloned().unwrap_or(ExecutionStatus::InProgress);
    if !status.is_terminal() {
        return Spoken { rests: Some((status, Some(state))), ..Spoken::nothing() };
    }
    // Its steps do not count as turns: the chat counts one step for the turn.
    let used = *state.used();
    let execution = Some(state.facts().executions);
    let spoken = Spoken { used, execution, ..Spoken::nothing() };
    let cancelled = status == ExecutionStatus::Cancelled && cx.control.cancel.is_cancelled();
    if cancelled || status == ExecutionStatus::Completed {
        return spoken;
    }
    if let Some(signal) = conversation_limit(&state, cx) {
        return Spoken { limit: Some(signal), ..spoken };
    }
    match state.ending_error().filter(|_| status == ExecutionStatus::Failed) {
        Some(error) => spoken.error(error.clone()),
        None => {
            let outcome = state.execution().and_then(|execution| execution.outcome.as_ref());
            let why = outcome.map_or_else(String::new, |outcome| outcome.explain());
            let words = format!("{} did not finish ({status}). {why}", cx.name);
            spoken.error(ErrorRecord::new(ErrorSource::Driver, ErrorKind::Budget, words))
        }
    }
}

/// The limit that stopped the agent, if it is a limit of the conversation and not its own.
fn conversation_limit(state: &AgentState, cx: &TurnContext) -> Option<StopSignal> {
    let signal = state.execution()?.outcome.as_ref()?.signal.as_ref()?;
    let limit = signal.limit.as_ref()?;
    let is_of = |budget: &Budget| budget.limit(&limit.dimension) == Some(limit.limit);
    let ours = is_of(&cx.state.ledger().budget) && !is_of(&state.ledger().budget);
    ours.then(|| signal.clone())
}

/// Whether the session has finished this turn, and the conversation has not recorded it.
fn is_unrecorded(state: &AgentState, cx: &TurnContext) -> bool {
    let last = cx.state.last_turn_of(&cx.name).and_then(|turn| turn.execution).unwrap_or(0);
    let over = state.status().is_some_and(ExecutionStatus::is_terminal);
    let cancelled = state.status() == Some(&ExecutionStatus::Cancelled);
    over && !cancelled && state.facts().executions > last
}

/// The lines since the speaker's last turn, as one message.
fn new_lines(cx: &TurnContext) -> Message {
    let seen = cx.state.last_turn_of(&cx.name).map_or(0, |turn| turn.input_cut);
    let lines = cx.state.transcript().iter().skip(seen);
    let parts = shown(lines.filter(|line| line.speaker != cx.name));
    match parts.is_empty() {
        true => Message::user(format!("Nobody said anything since. {} goes on.", cx.name)),
        false => user(parts),
    }
}

/// All lines: the speaker's own as assistant messages, the others as user messages.
fn all_lines(cx: &TurnContext) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut others: Vec<&Arc<Line>> = Vec::new();
    let mut parts = vec![Part::text(cx.preface.clone())];
    for line in cx.state.transcript().iter() {
        if line.speaker != cx.name {
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
        parts.push(Part::text(format!("Nobody said anything since. {} goes on.", cx.name)));
    }
    messages.push(user(parts));
    messages
}

/// The parts as one user message; adjacent texts are joined.
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

/// Lines as they are shown to a model.
///
/// Only the first row of a line begins at the margin, with the name of its speaker, so that no
/// speaker can imitate another.
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
