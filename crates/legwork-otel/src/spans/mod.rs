//! The spans of sessions: a fold over the events of their runs.

mod execution;
mod inference;
mod span;
mod tool;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, SystemTime};

use legwork_core::event::Purpose;
use legwork_core::{Entry, Event, Micros, SessionId};
use legwork_port::event::ExecutionStart;
use legwork_port::{EventKind, RunEvent};
use opentelemetry::trace::SpanContext;

use execution::Execution;
use inference::{Inference, Kind};
pub(crate) use span::{Inferred, Span};
use tool::Running;

use crate::telemetry::Content;

/// Sessions that are followed at most. The oldest is forgotten for a new one: its run may have
/// been dropped, which is no event.
const MOST: usize = 10_000;

/// How spans are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) content: Content,
    /// The share of traces that are sent, of those that begin here.
    pub(crate) share: f64,
}

/// The spans of sessions that have not ended yet.
pub(crate) struct Spans {
    settings: Settings,
    sessions: HashMap<SessionId, Session>,
    /// The sessions, in the order in which they came.
    order: VecDeque<SessionId>,
    /// The calls that sessions of subagents belong to.
    callers: HashMap<SessionId, SpanContext>,
}

/// A session that a run works in.
struct Session {
    execution: Execution,
    /// The inference of the step, and one that is no step.
    chat: Option<Inference>,
    auxiliary: Option<Inference>,
    /// The calls that run, by their index in the turn.
    tools: BTreeMap<u32, Running>,
}

impl Spans {
    pub(crate) fn new(settings: Settings) -> Self {
        let (sessions, order) = (HashMap::new(), VecDeque::new());
        Self { settings, sessions, order, callers: HashMap::new() }
    }

    /// Takes in an event that is observed now; gives the spans that ended with it.
    pub(crate) fn observe(&mut self, event: &RunEvent, now: SystemTime) -> Vec<Span> {
        let Some(id) = &event.session else { return Vec::new() };
        match &event.kind {
            EventKind::ExecutionStarted(start) | EventKind::ExecutionResumed(start) => {
                self.begin(id, start, now);
                return Vec::new();
            }
            EventKind::SubagentStarted { index, child, .. } => {
                self.note_caller(id, event.step, *index, child);
                return Vec::new();
            }
            _ => {}
        }
        let content = self.settings.content;
        let Some(session) = self.sessions.get_mut(id) else { return Vec::new() };
        let ended = session.observe(event, now, content);
        let is_over = matches!(
            event.kind,
            EventKind::ExecutionFinished(_)
                | EventKind::ExecutionPaused(_)
                | EventKind::ExecutionInterrupted(_)
                | EventKind::RunFailed { .. }
        );
        if is_over {
            self.forget(&id.clone());
        }
        ended
    }

    fn begin(&mut self, id: &SessionId, start: &ExecutionStart, now: SystemTime) {
        self.forget_run(id);
        if self.order.len() >= MOST
            && let Some(oldest) = self.order.front().cloned()
        {
            self.forget(&oldest);
        }
        let caller = self.callers.get(id).cloned();
        let execution = Execution::begin(id, start, caller, self.settings.share, now);
        let (chat, auxiliary, tools) = (None, None, BTreeMap::new());
        self.sessions.insert(id.clone(), Session { execution, chat, auxiliary, tools });
        self.order.push_back(id.clone());
    }

    /// What the session of a subagent does is below the call that spawned it.
    fn note_caller(&mut self, id: &SessionId, step: Option<u32>, index: u32, child: &SessionId) {
        let Some(session) = self.sessions.get(id) else { return };
        let caller = session.execution.call(step, index);
        self.callers.insert(child.clone(), caller);
    }

    fn forget_run(&mut self, id: &SessionId) {
        if self.sessions.remove(id).is_some() {
            self.order.retain(|one| one != id);
        }
    }

    fn forget(&mut self, id: &SessionId) {
        self.forget_run(id);
        self.callers.remove(id);
    }
}

impl Session {
    fn observe(&mut self, event: &RunEvent, now: SystemTime, content: Content) -> Vec<Span> {
        let mut ended = Vec::new();
        match &event.kind {
            EventKind::InferenceStarted { id, model, .. } => {
                ended.extend(self.end_chat(content));
                self.chat = Some(Inference::begin(Kind::Step(*id), model, now));
            }
            kind if kind.is_delta() => self.chat.iter_mut().for_each(|chat| chat.piece(now)),
            EventKind::InferenceRetried { discarded: true, .. } => {
                self.chat.iter_mut().for_each(Inference::discard);
            }
            EventKind::InferenceFinished { took, usage, error, .. } => {
                let chat = self.chat.iter_mut();
                chat.for_each(|chat| {
                    chat.end(ended_at(chat.began(), *took, now), *usage, error.as_ref());
                });
            }
            EventKind::BudgetSettled { id, charged } => {
                let chat = self.chat.iter_mut().filter(|chat| chat.is_step(*id));
                chat.for_each(|chat| chat.charge(charged));
            }
            EventKind::Committed(committed) => {
                for entry in &committed.entries {
                    ended.extend(self.commit(entry, content));
                }
            }
            EventKind::ToolStarted { index, .. } => {
                self.tools.insert(*index, Running { began: now });
            }
            EventKind::ToolFinished { index, call, outcome, took, .. } => {
                let running = self.tools.remove(index);
                let context = self.execution.call(event.step, *index);
                ended.extend(running.and_then(|running| {
                    let at = ended_at(running.began, *took, now);
                    running.into_span(&self.execution, context, call, outcome, at, content)
                }));
            }
            EventKind::StepFinished { .. } => ended.extend(self.end_chat(content)),
            EventKind::ExecutionFailed { error } => self.execution.fail(error),
            EventKind::ExecutionFinished(end) => {
                ended.extend(self.end_chat(content));
                ended.push(self.execution.end(end, now, content));
            }
            _ => {}
        }
        ended
    }

    /// Ends the inference of the step, if its answer or error came.
    fn end_chat(&mut self, content: Content) -> Option<Span> {
        self.chat.take()?.into_span(&self.execution, content)
    }

    fn commit(&mut self, entry: &Entry, content: Content) -> Option<Span> {
        match &entry.event {
            Event::Responded(responded) => {
                self.chat.iter_mut().for_each(|chat| chat.respond(&responded.response, content));
                self.end_chat(content)
            }
            Event::InferenceFailed(_) => self.end_chat(content),
            Event::AuxiliaryStarted(started) => {
                let model = started.model.as_deref().unwrap_or(self.execution.model());
                let kind = match started.purpose {
                    Purpose::Similarity => Kind::Embeddings(entry.seq),
                    _ => Kind::Auxiliary(entry.seq),
                };
                self.auxiliary = Some(Inference::begin(kind, model, span::time(entry.at)));
                None
            }
            Event::AuxiliaryFinished(finished) => {
                let mut ended = self.auxiliary.take()?;
                ended.end(span::time(entry.at), None, finished.error.as_ref());
                ended.charge(&finished.charged);
                ended.into_span(&self.execution, content)
            }
            _ => None,
        }
    }
}

/// When something ended that took so long: it began before it was observed.
fn ended_at(began: SystemTime, took: Micros, now: SystemTime) -> SystemTime {
    (began + Duration::from(took)).min(now).max(began)
}
