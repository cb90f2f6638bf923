//! Which names of tools an agent may have.

use std::collections::{BTreeMap, BTreeSet};

use crate::capability::nearest;
use crate::subagent;

/// Which names of tools an agent may have; what is denied stays denied.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// Only these; none = all.
    pub(crate) allowed: Option<BTreeSet<String>>,
    /// None of these.
    pub(crate) denied: BTreeSet<String>,
    /// Names that somebody wrote into a list: each must be that of a tool.
    pub(crate) written: BTreeMap<String, List>,
    /// Names that may be written though there is no such tool.
    pub(crate) known: BTreeSet<String>,
}

/// A list that names tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// What an agent may have.
    Only,
    /// What it may not have.
    Deny,
}

impl List {
    fn name(self) -> &'static str {
        match self {
            Self::Only => "only_tools",
            Self::Deny => "deny_tools",
        }
    }
}

impl Names {
    /// Whether a tool of this name may be had.
    pub(crate) fn admit(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
            && !self.denied.contains(name)
    }

    /// Somebody wrote these names into a list.
    pub(crate) fn write<'n>(&mut self, list: List, names: impl IntoIterator<Item = &'n String>) {
        self.written.extend(names.into_iter().map(|name| (name.clone(), list)));
    }

    /// What is wrong with the names that were written, given those of all tools there are.
    pub(crate) fn problems<'n>(&self, there: impl Iterator<Item = &'n str>) -> Vec<String> {
        // Whether there are subagents may depend on where in a tree the agent stands.
        let is_known = |name: &str| self.known.contains(name) || name == subagent::TOOL;
        let there: BTreeSet<_> = there.collect();
        let missing = self.written.iter().filter(|(name, _)| !there.contains(name.as_str()));
        let missing = missing.filter(|(name, _)| !is_known(name));
        let told = |(name, list): (&String, &List)| {
            let nearest = nearest::told(name, there.iter().copied());
            format!("`{}` names `{name}`, and there is no such tool: {nearest}", list.name())
        };
        missing.map(told).collect()
    }
}
