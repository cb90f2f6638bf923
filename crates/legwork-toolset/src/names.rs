//! Which names of tools an agent may have.

use std::collections::{BTreeMap, BTreeSet};

use legwork_core::nearest;

/// Which names of tools an agent may have; what is denied stays denied.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Only these; none = all.
    pub allowed: Option<BTreeSet<String>>,
    /// None of these.
    pub denied: BTreeSet<String>,
    /// Names that somebody wrote into a list: each must be that of a tool.
    pub written: BTreeMap<String, List>,
    /// Names that may be written though there is no such tool.
    pub known: BTreeSet<String>,
}

/// A list that names tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
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
    pub fn admit(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.contains(name))
            && !self.denied.contains(name)
    }

    /// Somebody wrote these names into a list.
    pub fn write<'n>(&mut self, list: List, names: impl IntoIterator<Item = &'n String>) {
        self.written.extend(names.into_iter().map(|name| (name.clone(), list)));
    }

    /// What is wrong with the names that were written, given those of all tools there are.
    pub fn problems<'n>(&self, there: impl Iterator<Item = &'n str>) -> Vec<String> {
        let is_known = |name: &str| self.known.contains(name);
        let there: BTreeSet<_> = there.collect();
        let missing = self.written.iter().filter(|(name, _)| !there.contains(name.as_str()));
        let missing = missing.filter(|(name, _)| !is_known(name));
        let line = |(name, list): (&String, &List)| {
            let nearest = nearest::suggestion(name, there.iter().copied());
            format!("`{}` names `{name}`, and there is no such tool: {nearest}", list.name())
        };
        missing.map(line).collect()
    }
}
