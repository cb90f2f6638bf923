//! An observer that compares the events it gets with what is durable.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::event::Event;
use legwork_core::{Entry, Seq, SessionId};
use legwork_port::{EventKind, Observer, RunEvent};

use super::parts;
use super::program::{AgentPart, PartPlan};
use super::world::World;

const DURABLE: &str = "an entry is durable before observers get it, once and in order (S8.2)";
const INTENT: &str = "the intent of a spawn is durable before the subagent runs (S10.5)";

/// Watches one process.
pub(super) struct Watch {
    world: World,
    parts: Vec<PartPlan>,
    seen: Mutex<BTreeMap<SessionId, Seq>>,
}

impl Watch {
    pub(super) fn new(world: &World, parts: &[PartPlan]) -> Self {
        Self { world: world.clone(), parts: parts.to_vec(), seen: Mutex::default() }
    }

    fn may_panic(&self, part: AgentPart) {
        for plan in self.parts.iter().filter(|plan| plan.part == part) {
            if parts::is_due(plan, &self.world) {
                resume_unwind(Box::new("the observer panics"));
            }
        }
    }
}

impl Watch {
    fn started(&self, session: &SessionId, child: &SessionId) {
        let journal = self.world.journal(session);
        let known = journal.entries().iter().any(|entry| match &entry.event {
            Event::ToolStarted(started) => started.child.as_ref() == Some(child),
            _ => false,
        });
        if !known {
            self.world.find(INTENT, format!("{child} runs, and {session} has no intent"));
        }
    }

    fn committed(&self, session: &SessionId, entries: &[Arc<Entry>]) {
        let journal = self.world.journal(session);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let last = seen.entry(session.clone()).or_default();
        for entry in entries {
            if journal.get(entry.seq) != Some(entry) {
                self.world.find(DURABLE, format!("{session} {} is not", entry.seq));
            }
            if entry.seq <= *last {
                self.world.find(DURABLE, format!("{} comes after {last}", entry.seq));
            }
            *last = entry.seq;
        }
    }
}

impl Observer for Watch {
    fn observe(&self, event: &RunEvent) {
        let Some(session) = &event.session else { return };
        if let EventKind::Committed(committed) = &event.kind {
            self.committed(session, &committed.entries);
            return self.may_panic(AgentPart::Committed);
        }
        self.may_panic(AgentPart::Live);
        if let EventKind::SubagentStarted { child, .. } = &event.kind {
            self.started(session, child);
        }
    }
}
