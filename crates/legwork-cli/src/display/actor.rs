//! The agents of a run, as far as displays need to know them.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork::agent::subagent;
use legwork::core::budget::Ledger;
use legwork::core::{SessionId, ToolCall};
use legwork::port::{EventKind, RunEvent};
use serde_json::Value;

use super::{At, Subagent};

/// An agent of a run: the one that runs, or one below it.
#[derive(Debug, Default)]
struct Actor {
    /// What people know it by; empty for the one that runs.
    name: String,
    ledger: Ledger,
    /// What the subagents of running calls are to do, by the index of the call.
    tasks: BTreeMap<u32, String>,
}

/// All agents of a run, by session.
#[derive(Debug, Default)]
pub(super) struct Actors(BTreeMap<SessionId, Actor>);

impl Actors {
    /// Takes note of an event before it is shown.
    pub(super) fn before(&mut self, event: &RunEvent) {
        let Some(session) = &event.session else { return };
        match &event.kind {
            EventKind::Committed(committed) => {
                self.enter(&event.path, session).ledger = committed.ledger.clone();
            }
            EventKind::ToolStarted { index, call } => {
                let task = task(call);
                let tasks = &mut self.enter(&event.path, session).tasks;
                task.map(|task| tasks.insert(*index, task));
            }
            EventKind::SubagentStarted { agent, child, .. } => {
                let below = [Arc::from(&**agent)];
                let path: Vec<_> = event.path.iter().cloned().chain(below).collect();
                self.enter(&path, child);
            }
            _ => {
                self.enter(&event.path, session);
            }
        }
    }

    /// Takes note of an event after it was shown.
    pub(super) fn after(&mut self, event: &RunEvent) {
        match &event.kind {
            EventKind::SubagentFinished { child, .. } => {
                self.0.remove(child);
            }
            EventKind::StepFinished { .. } => {
                let session = event.session.as_ref();
                if let Some(actor) = session.and_then(|session| self.0.get_mut(session)) {
                    actor.tasks.clear();
                }
            }
            _ => {}
        }
    }

    /// What displays know of an event beside what it says.
    pub(super) fn at<'a>(&'a self, event: &'a RunEvent) -> At<'a> {
        let actor = event.session.as_ref().and_then(|session| self.0.get(session));
        let subagent = match &event.kind {
            EventKind::SubagentStarted { index, agent, child } => {
                let task = actor.and_then(|actor| actor.tasks.get(index));
                Some(Subagent { name: self.name(child, agent), task: task.map(String::as_str) })
            }
            EventKind::SubagentFinished { agent, child, .. } => {
                Some(Subagent { name: self.name(child, agent), task: None })
            }
            _ => None,
        };
        At {
            below: actor.map(|actor| &*actor.name).filter(|_| !event.path.is_empty()),
            subagent,
            ledger: actor.map(|actor| &actor.ledger),
        }
    }

    fn name<'a>(&'a self, session: &SessionId, agent: &'a str) -> &'a str {
        self.0.get(session).map_or(agent, |actor| &actor.name)
    }

    fn enter(&mut self, path: &[Arc<str>], session: &SessionId) -> &mut Actor {
        let name = match path.is_empty() || self.0.contains_key(session) {
            true => String::new(),
            false => self.free_name(path),
        };
        self.0.entry(session.clone()).or_insert_with(|| Actor { name, ..Actor::default() })
    }

    /// The names on the way to it; with a number where another one works under them.
    fn free_name(&self, path: &[Arc<str>]) -> String {
        let name = path.join("/");
        let is_free = |name: &String| self.0.values().all(|actor| actor.name != *name);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }
}

/// What a call asks a subagent to do, if it asks one.
fn task(call: &ToolCall) -> Option<String> {
    if *call.name != *subagent::TOOL {
        return None;
    }
    let arguments: Value = call.parse().ok()?;
    Some(arguments.get("prompt")?.as_str()?.to_owned())
}
