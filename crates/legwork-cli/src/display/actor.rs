//! The agents of a run, as far as displays need to know them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use legwork::agent::subagent;
use legwork::core::budget::{Amounts, Budget};
use legwork::core::{AgentState, SessionId, ToolCall, Usage};
use legwork::port::Origin;
use serde_json::Value;

use super::{At, Below};

/// An agent of a run: the one that runs, or one below it.
#[derive(Debug, Default)]
pub(super) struct Actor {
    path: Vec<Arc<str>>,
    pub(super) name: String,
    pub(super) step: Option<u32>,
    /// The last step that it began.
    pub(super) begun: Option<u32>,
    running: BTreeMap<u32, Running>,
    pub(super) usage: Option<Usage>,
    pub(super) spent: Amounts,
    pub(super) budget: Budget,
}

/// A call that runs.
#[derive(Debug)]
struct Running {
    since: Instant,
    /// What a subagent is to do for it, if it spawns one.
    task: Option<String>,
}

impl Actor {
    /// Takes over where a state stands.
    pub(super) fn stand_at(&mut self, state: &AgentState) {
        self.step = state.current_step().map(|step| step.number);
        self.spent = state.ledger().spent;
        self.budget = state.ledger().budget.clone();
    }

    /// A call began to run.
    pub(super) fn call_begins(&mut self, index: u32, call: &ToolCall) {
        let task = (*call.name == *subagent::TOOL).then(|| call.parse().ok()).flatten();
        let task =
            task.and_then(|arguments: Value| Some(arguments.get("prompt")?.as_str()?.to_owned()));
        self.running.insert(index, Running { since: Instant::now(), task });
    }

    /// A call was answered; how long it ran, if it began in this process.
    pub(super) fn call_ends(&mut self, index: u32) -> Option<std::time::Duration> {
        self.running.remove(&index).map(|running| running.since.elapsed())
    }

    /// What the subagent of a call is to do.
    pub(super) fn task(&self, index: u32) -> Option<String> {
        self.running.get(&index)?.task.clone()
    }

    /// A step ended.
    pub(super) fn step_ends(&mut self) {
        self.step = None;
        self.running.clear();
    }
}

/// All agents of a run.
#[derive(Debug, Default)]
pub(super) struct Actors {
    /// The session of the one that runs, once there is one.
    pub(super) session: Option<SessionId>,
    pub(super) root: Actor,
    below: BTreeMap<SessionId, Actor>,
}

impl Actors {
    /// The agent that something comes from.
    pub(super) fn of(&mut self, origin: &Origin) -> &mut Actor {
        if origin.is_root() {
            self.session.get_or_insert_with(|| origin.session.clone());
            return &mut self.root;
        }
        self.enter(&origin.path, &origin.session)
    }

    /// A subagent begins in a session; what people are told it by.
    pub(super) fn begins(&mut self, parent: &Origin, agent: &str, session: &SessionId) -> String {
        let path = parent.child(agent, session.clone()).path;
        self.enter(&path, session).name.clone()
    }

    /// A subagent is done, or waits; what was known of it.
    pub(super) fn ends(&mut self, session: &SessionId) -> Option<Actor> {
        self.below.remove(session)
    }

    fn enter(&mut self, path: &[Arc<str>], session: &SessionId) -> &mut Actor {
        let name = match self.below.contains_key(session) {
            true => String::new(),
            false => self.free_name(path),
        };
        self.below.entry(session.clone()).or_insert_with(|| Actor {
            path: path.to_vec(),
            name,
            ..Actor::default()
        })
    }

    /// The names on the way to it; with a number where another one works under them.
    fn free_name(&self, path: &[Arc<str>]) -> String {
        let name = path.join("/");
        let is_free = |name: &String| self.below.values().all(|actor| actor.name != *name);
        let numbered = (2..).map(|number| format!("{name} {number}"));
        std::iter::once(name.clone()).chain(numbered).find(is_free).unwrap_or(name)
    }

    /// Where something happens that one of them does, or the one that runs.
    pub(super) fn at(&self, origin: Option<&Origin>) -> At<'_> {
        let below = origin.and_then(|origin| self.below.get_key_value(&origin.session));
        match below {
            None => At { session: self.session.as_ref(), step: self.root.step, below: None },
            Some((session, actor)) => {
                let below = Some(Below { path: &actor.path, name: &actor.name });
                At { session: Some(session), step: actor.step, below }
            }
        }
    }
}
