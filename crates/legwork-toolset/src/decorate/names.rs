//! Tools that are named one by one: kept, left out, renamed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::{ToolSpec, nearest};
use legwork_port::Tool;

use super::decorated::Decorator;
use super::layered::Layered;

/// What is done with the tools of some names.
enum What {
    Only(BTreeSet<String>),
    Except(BTreeSet<String>),
    Renamed(BTreeMap<String, Arc<str>>),
}

/// Tools that are named one by one.
pub(super) struct Named {
    what: What,
    label: Arc<str>,
}

impl Named {
    pub(super) fn only(names: impl Iterator<Item = String>) -> Self {
        let names: BTreeSet<_> = names.collect();
        let label = format!("only({})", joined(&names)).into();
        Self { what: What::Only(names), label }
    }

    pub(super) fn except(names: impl Iterator<Item = String>) -> Self {
        let names: BTreeSet<_> = names.collect();
        let label = format!("except({})", joined(&names)).into();
        Self { what: What::Except(names), label }
    }

    pub(super) fn renamed(names: impl Iterator<Item = (String, String)>) -> Self {
        let names: BTreeMap<_, Arc<str>> = names.map(|(from, to)| (from, to.into())).collect();
        let pairs: Vec<_> = names.iter().map(|(from, to)| format!("{from} as {to}")).collect();
        let label = format!("renamed({})", pairs.join(", ")).into();
        Self { what: What::Renamed(names), label }
    }

    fn named(&self) -> Box<dyn Iterator<Item = &String> + '_> {
        match &self.what {
            What::Only(names) | What::Except(names) => Box::new(names.iter()),
            What::Renamed(names) => Box::new(names.keys()),
        }
    }
}

fn joined(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

impl Decorator for Named {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let spec = tool.spec();
        let layered = || Layered::new(set, tool, Arc::clone(&self.label));
        match &self.what {
            What::Only(names) if !names.contains(&*spec.name) => None,
            What::Except(names) if names.contains(&*spec.name) => None,
            What::Only(_) | What::Except(_) => Some(Arc::new(layered())),
            What::Renamed(names) => match names.get(&*spec.name) {
                Some(name) => {
                    let renamed = |spec| ToolSpec { name: Arc::clone(name), ..spec };
                    Some(Arc::new(layered().with_spec(renamed)))
                }
                None => Some(Arc::clone(tool)),
            },
        }
    }

    fn problems(&self, known: &[Arc<dyn Tool>]) -> Vec<String> {
        let known: BTreeSet<_> = known.iter().map(|tool| Arc::clone(&tool.spec().name)).collect();
        let missing = self.named().filter(|name| !known.contains(name.as_str()));
        let line = |name: &String| {
            let nearest = nearest::suggestion(name, known.iter().map(|known| &**known));
            format!("`{}` names `{name}`, and there is no such tool: {nearest}", self.label)
        };
        missing.map(line).collect()
    }
}
