//! Tools under other names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::Tool;

use super::decorated::Decorator;
use super::layered::Layered;
use super::names::no_such_tool;

/// Some of the tools under other names.
pub(super) struct Renamed {
    names: BTreeMap<String, Arc<str>>,
    label: Arc<str>,
}

impl Renamed {
    pub(super) fn new(names: impl Iterator<Item = (String, String)>) -> Self {
        let names: BTreeMap<_, Arc<str>> = names.map(|(from, to)| (from, to.into())).collect();
        let pairs: Vec<_> = names.iter().map(|(from, to)| format!("{from} as {to}")).collect();
        let label = format!("renamed({})", pairs.join(", ")).into();
        Self { names, label }
    }
}

impl Decorator for Renamed {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let Some(name) = self.names.get(&*tool.spec().name) else { return Some(Arc::clone(tool)) };
        let renamed = |spec| ToolSpec { name: Arc::clone(name), ..spec };
        Some(Arc::new(Layered::new(set, tool, Arc::clone(&self.label)).with_spec(renamed)))
    }

    fn problems(&self, known: &[Arc<dyn Tool>]) -> Vec<String> {
        let specs: Vec<_> = known.iter().map(|tool| tool.spec()).collect();
        let there: BTreeSet<_> = specs.iter().map(|spec| &*spec.name).collect();
        let missing = self.names.keys().filter(|name| !there.contains(name.as_str()));
        missing.map(|name| no_such_tool("renamed", name, &there)).collect()
    }
}
