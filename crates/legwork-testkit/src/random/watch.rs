//! An observer that holds what it is told against what is durable.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::event::Event;
use legwork_core::{Entry, Seq, SessionId};
use legwork_port::{LiveEvent, Observer, Origin};

use super::parts;
use super::program::{AgentPart, PartPlan};
use super::world::World;

const DURABLE: &str = "an entry is durable before it is told, once and in order (S8.2)";
const INTENT: &str = "the intent of a spawn is durable before the subagent runs (S10.5)";

/// Watches one process.
pub(super) struct Watch {
    world: World,
    parts: Vec<PartPlan>,
    told: Mutex<BTreeMap<SessionId, Seq>>,
}

impl Watch {
    pub(super) fn new(world: &World, parts: &[PartPlan]) -> Self {
        Self { world: world.clone(), parts: parts.to_vec(), told: Mutex::default() }
    }

    fn may_panic(&self, part: AgentPart) {
        for plan in self.parts.iter().filter(|plan| plan.part == part) {
            if parts::is_due(plan, &self.world) {
                resume_unwind(Box::new("the observer panics"));
            }
        }
    }
}

impl Observer for Watch {
    fn live(&self, origin: &Origin, event: &LiveEvent<'_>) {
        self.may_panic(AgentPart::Live);
        let LiveEvent::SubagentStarted { session, .. } = event else { return };
        let journal = self.world.journal(&origin.session);
        let known = journal.entries().iter().any(|entry| match &entry.event {
            Event::ToolStarted(started) => started.child.as_ref() == Some(session),
            _ => false,
        });
        if !known {
            self.world
                .find(INTENT, format!("{session} runs, and {} has no intent", origin.session));
        }
    }

    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]) {
        let journal = self.world.journal(&origin.session);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let last = told.entry(origin.session.clone()).or_default();
        for entry in entries {
            if journal.get(entry.seq) != Some(entry) {
                self.world.find(DURABLE, format!("{} {} is not", origin.session, entry.seq));
            }
            if entry.seq <= *last {
                self.world.find(DURABLE, format!("{} comes after {last}", entry.seq));
            }
            *last = entry.seq;
        }
        drop(told);
        self.may_panic(AgentPart::Committed);
    }
}
