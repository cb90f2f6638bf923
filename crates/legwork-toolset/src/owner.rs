//! Whose a tool is.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use legwork_port::Tool;

/// Whose a tool is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Owner {
    /// Given to the builder by itself.
    Builder,
    /// Given by a capability.
    Capability(Arc<str>),
    /// The tool that spawns subagents.
    Subagents,
    /// A tool that gives the output.
    Output,
    /// Of a toolset.
    Toolset(Arc<str>),
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builder => f.write_str("one given to the builder"),
            Self::Capability(name) => write!(f, "one of the capability `{name}`"),
            Self::Subagents => f.write_str("the one that spawns subagents"),
            Self::Output => f.write_str("one that gives the output"),
            Self::Toolset(name) => write!(f, "one of the toolset `{name}`"),
        }
    }
}

/// A single tool, and whose it is.
#[derive(Clone)]
pub struct Given {
    /// The tool.
    pub tool: Arc<dyn Tool>,
    /// Who gave it.
    pub owner: Owner,
}

/// The names that are taken, with their owners.
pub(crate) struct TakenNames<K>(BTreeMap<K, Owner>);

impl<K> Default for TakenNames<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Ord + Clone> TakenNames<K> {
    /// The owner of a name.
    pub(crate) fn of(&self, name: &K) -> Option<&Owner> {
        self.0.get(name)
    }

    /// Takes a name.
    ///
    /// # Errors
    /// The owner, if it is taken.
    pub(crate) fn take(&mut self, name: &K, owner: &Owner) -> Result<(), Owner> {
        match self.0.entry(name.clone()) {
            Entry::Vacant(free) => {
                free.insert(owner.clone());
                Ok(())
            }
            Entry::Occupied(taken) => Err(taken.get().clone()),
        }
    }
}

/// Two tools of one name.
pub(crate) fn clash(name: &str, first: &Owner, second: &Owner) -> String {
    format!(
        "two tools are named `{name}`, {first} and {second}: rename one of them, or leave one out"
    )
}

#[cfg(test)]
mod tests;
