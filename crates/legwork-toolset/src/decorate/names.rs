//! Tools that lists name: those that there are, and those that there are not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use legwork_core::nearest;
use legwork_port::Tool;

use super::decorated::Decorator;
use super::layered::Layered;

/// Which names of tools there are; what is denied stays denied.
///
/// It is the decorator of an agent's own lists and those of [`only`](crate::ToolsetExt::only) and
/// [`except`](crate::ToolsetExt::except).
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
    OnlyTools,
    /// What it may not have.
    DenyTools,
    /// What is left of a toolset.
    Only,
    /// What is left out of a toolset.
    Except,
}

impl List {
    fn name(self) -> &'static str {
        match self {
            Self::OnlyTools => "only_tools",
            Self::DenyTools => "deny_tools",
            Self::Only => "only",
            Self::Except => "except",
        }
    }
}

impl Names {
    /// Only these tools of a set.
    pub(crate) fn only(names: impl Iterator<Item = String>) -> Self {
        let allowed: BTreeSet<_> = names.collect();
        let mut lists = Self::default();
        lists.write(List::Only, &allowed);
        Self { allowed: Some(allowed), ..lists }
    }

    /// All but these tools of a set.
    pub(crate) fn except(names: impl Iterator<Item = String>) -> Self {
        let denied: BTreeSet<_> = names.collect();
        let mut lists = Self::default();
        lists.write(List::Except, &denied);
        Self { denied, ..lists }
    }

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
        missing.map(|(name, list)| no_such_tool(list.name(), name, &there)).collect()
    }

    /// How it is shown in the chain of a tool.
    fn label(&self) -> Arc<str> {
        let joined = |names: &BTreeSet<String>| {
            names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
        };
        match &self.allowed {
            Some(allowed) => format!("only({})", joined(allowed)).into(),
            None => format!("except({})", joined(&self.denied)).into(),
        }
    }
}

impl Decorator for Names {
    fn tool(&self, set: &Arc<str>, tool: &Arc<dyn Tool>) -> Option<Arc<dyn Tool>> {
        let admitted = self.admit(&tool.spec().name);
        admitted.then(|| Arc::new(Layered::new(set, tool, self.label())) as Arc<dyn Tool>)
    }

    fn problems(&self, known: &[Arc<dyn Tool>]) -> Vec<String> {
        let specs: Vec<_> = known.iter().map(|tool| tool.spec()).collect();
        self.problems(specs.iter().map(|spec| &*spec.name))
    }
}

/// A list names a tool that is not there.
pub(crate) fn no_such_tool(list: &str, name: &str, there: &BTreeSet<&str>) -> String {
    let nearest = nearest::suggestion(name, there.iter().copied());
    format!("`{list}` names `{name}`, and there is no such tool: {nearest}")
}
