//! A toolset and one decorator of it.

use std::future::ready;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::AgentState;
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Tool, Toolset};

use super::fixed;

/// Tools as a set lists them.
pub(crate) type Listing<'a> = BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>>;

/// What a decorator does with the tools of a set.
pub(crate) trait Decorator: Send + Sync {
    /// A tool as it is handed on, whatever the state; none if it is left out.
    ///
    /// `set` is the name of the set. It is asked once for each tool of an open set.
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>>;

    /// Whether the tools that are shown depend on the state.
    fn depends_on_state(&self) -> bool {
        false
    }

    /// Whether it only leaves tools out: those that are known can be checked.
    fn adds_nothing(&self) -> bool {
        true
    }

    /// The tools that are shown for a state.
    fn shown<'a>(&'a self, tools: Vec<Arc<dyn Tool>>, state: &'a AgentState) -> Listing<'a> {
        let _ = state;
        Box::pin(ready(Ok(tools)))
    }

    /// What is wrong with it, given the tools of the set as far as they are known.
    fn problems(&self, known: &[Arc<dyn Tool>]) -> Vec<String> {
        let _ = known;
        Vec::new()
    }
}

/// A toolset and one decorator of it; made by the methods of [`ToolsetExt`](super::ToolsetExt).
#[derive(Clone)]
pub struct Decorated {
    set: Arc<dyn Toolset>,
    name: Arc<str>,
    decorator: Arc<dyn Decorator>,
}

impl Decorated {
    pub(crate) fn new(set: impl Toolset + 'static, decorator: impl Decorator + 'static) -> Self {
        let name = set.name().into();
        Self { set: Arc::new(set), name, decorator: Arc::new(decorator) }
    }

    fn handed_on(&self, tools: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        tools.iter().filter_map(|tool| self.decorator.tool(&self.name, tool)).collect()
    }
}

impl Toolset for Decorated {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        let known = self.set.tools().filter(|_| self.decorator.adds_nothing())?;
        Some(self.handed_on(&known))
    }

    fn is_fixed(&self) -> bool {
        self.set.is_fixed() && !self.decorator.depends_on_state()
    }

    fn yields(&self) -> bool {
        self.set.yields()
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = self.set.problems();
        if let Some(known) = self.set.tools() {
            problems.extend(self.decorator.problems(&known));
        }
        problems
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async move {
            let open = fixed::open(&*self.set, scope).await?;
            let open = Open { open, set: self.clone(), handed_on: Mutex::default() };
            Ok(Box::new(open) as Box<dyn OpenToolset>)
        })
    }

    fn share_key(&self, scope: &Scope) -> String {
        self.set.share_key(scope)
    }
}

/// An open set and its decorator.
struct Open {
    open: Box<dyn OpenToolset>,
    set: Decorated,
    /// The tools that the set listed last, each with what is handed on of it.
    handed_on: Mutex<Vec<HandedOn>>,
}

struct HandedOn {
    tool: Arc<dyn Tool>,
    as_tool: Option<Arc<dyn Tool>>,
}

impl Open {
    /// The tools as they are handed on; one that was listed before is not decorated again.
    fn handed_on(&self, tools: &[Arc<dyn Tool>]) -> Vec<Arc<dyn Tool>> {
        let mut known = self.handed_on.lock().unwrap_or_else(PoisonError::into_inner);
        known.truncate(tools.len());
        for (at, tool) in tools.iter().enumerate() {
            if known.get(at).is_some_and(|known| Arc::ptr_eq(&known.tool, tool)) {
                continue;
            }
            let as_tool = self.set.decorator.tool(&self.set.name, tool);
            let made = HandedOn { tool: Arc::clone(tool), as_tool };
            match known.get_mut(at) {
                Some(place) => *place = made,
                None => known.push(made),
            }
        }
        known.iter().filter_map(|known| known.as_tool.clone()).collect()
    }
}

impl OpenToolset for Open {
    fn tools<'a>(&'a self, state: &'a AgentState) -> Listing<'a> {
        Box::pin(async move {
            let handed_on = self.handed_on(&self.open.tools(state).await?);
            self.set.decorator.shown(handed_on, state).await
        })
    }

    fn revision(&self) -> Option<u64> {
        if self.set.decorator.depends_on_state() { None } else { self.open.revision() }
    }

    fn instructions(&self) -> Option<String> {
        self.open.instructions()
    }

    fn problems(&self) -> Vec<String> {
        self.open.problems()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.open.close()
    }
}
