//! A toolset that is opened: a workshop with one stone, which one session at a time works on.

use std::collections::BTreeSet;
use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_port::core::{AgentState, SessionId};
use legwork_port::toolset::{Error, OpenToolset, Scope, Toolset};
use legwork_port::{BoxFuture, Tool};

use crate::chisel::{Chisel, Stone};
use crate::roman::Roman;

/// A workshop; each session has a bench of its own there while it works.
#[derive(Debug, Clone, Default)]
pub struct Workshop {
    stone: Stone,
    benches: Arc<Mutex<BTreeSet<SessionId>>>,
}

impl Workshop {
    /// A workshop with a stone.
    pub fn new(stone: Stone) -> Self {
        Self { stone, ..Self::default() }
    }

    /// The sessions that work in it.
    pub fn working(&self) -> BTreeSet<SessionId> {
        self.benches.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The bench of a session; dropping it makes it free.
struct Bench {
    session: SessionId,
    workshop: Workshop,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let benches = &self.workshop.benches;
        benches.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.session);
    }
}

impl Toolset for Workshop {
    fn name(&self) -> &str {
        "workshop"
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        let session = scope.session.clone();
        let mut benches = self.benches.lock().unwrap_or_else(PoisonError::into_inner);
        let opened: Result<Box<dyn OpenToolset>, _> = match benches.insert(session.clone()) {
            true => Ok(Box::new(Bench { session, workshop: self.clone() })),
            false => Err(Error::Unavailable(format!("{session} has a bench already"))),
        };
        Box::pin(ready(opened))
    }

    fn share_key(&self, scope: &Scope) -> String {
        scope.session.to_string()
    }
}

impl OpenToolset for Bench {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        let chisel = Chisel::new(self.workshop.stone.clone());
        let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Roman::new()), Arc::new(chisel)];
        Box::pin(ready(Ok(tools)))
    }

    fn revision(&self) -> Option<u64> {
        Some(0)
    }

    fn instructions(&self) -> Option<String> {
        Some("Work a numeral out before you carve it: the stone forgives nothing.".to_owned())
    }
}
