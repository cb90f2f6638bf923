//! The tools of a step.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::ToolsShown;
use legwork_core::tool::{ToolSelection, ToolSpecs};
use legwork_core::{AgentState, Digest, ToolSpec};
use legwork_port::Toolset;
use serde_json::Value;

use super::Schemas;
use crate::validate::Check;

/// The tools of a step with what their arguments are checked by.
#[derive(Default)]
pub struct Shown {
    /// The tools as the model is shown them.
    pub specs: Arc<ToolSpecs>,
    tools: Vec<Entry>,
}

/// One tool: where it comes from, what it is by itself, and its schema.
#[derive(Clone)]
struct Entry {
    owner: Arc<dyn Toolset>,
    /// The digest of the tool as it is by itself, however it is shown.
    digest: Digest,
    /// The tool by itself, where it is shown with another schema: calls fit both.
    own: Option<(Arc<ToolSpec>, Arc<Check>)>,
    check: Arc<Check>,
}

impl Shown {
    /// Tools of these toolsets, with the checks that there are for them.
    pub(super) fn of(
        all: Vec<(Arc<ToolSpec>, Arc<dyn Toolset>)>,
        schemas: &Schemas,
        before: Option<&Self>,
    ) -> Self {
        let (specs, owners): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let specs = ToolSpecs::new(specs);
        let entry = |((spec, digest), owner): ((&Arc<ToolSpec>, &Digest), _)| {
            let known = || {
                let known = before?.entry(&spec.name)?;
                (known.digest == *digest).then(|| Arc::clone(&known.check))
            };
            let check = schemas.get(digest).or_else(known).unwrap_or_default();
            Entry { owner, digest: digest.clone(), own: None, check }
        };
        let tools = specs.iter().zip(specs.digests()).zip(owners).map(entry).collect();
        Self { specs: Arc::new(specs), tools }
    }

    /// Whether these are the same tools of the same toolsets.
    pub(super) fn is_of(&self, all: &[(Arc<ToolSpec>, Arc<dyn Toolset>)]) -> bool {
        let same = |(spec, entry): (&Arc<ToolSpec>, &Entry), (other, owner): &(_, _)| {
            let same: bool = Arc::ptr_eq(spec, other) || spec == other;
            same && Arc::ptr_eq(&entry.owner, owner)
        };
        self.tools.len() == all.len()
            && self.specs.iter().zip(&self.tools).zip(all).all(|(own, other)| same(own, other))
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        self.tools.get(self.specs.find(name)?.0)
    }

    /// Each tool with its digest and its check.
    pub(super) fn checks(&self) -> impl Iterator<Item = (&Arc<ToolSpec>, &Digest, &Arc<Check>)> {
        let all = self.specs.iter().zip(&self.tools);
        all.map(|(spec, entry)| (spec, &entry.digest, &entry.check))
    }

    pub(super) fn select(&self, selection: &ToolSelection) -> Self {
        self.each(|spec| selection.apply(spec))
    }

    /// Those of these tools that are here, in the words that were recorded.
    pub(super) fn like(&self, recorded: &[Arc<ToolSpec>]) -> Self {
        let recorded: BTreeMap<_, _> = recorded.iter().map(|spec| (&*spec.name, spec)).collect();
        self.each(|spec| recorded.get(&*spec.name).map(|known| Arc::clone(known)))
    }

    fn each(&self, shown_as: impl Fn(&Arc<ToolSpec>) -> Option<Arc<ToolSpec>>) -> Self {
        let (mut specs, mut tools) = (Vec::new(), Vec::new());
        for (spec, entry) in self.specs.iter().zip(&self.tools) {
            let Some(shown) = shown_as(spec) else { continue };
            let mut entry = entry.clone();
            if shown.parameters != spec.parameters {
                let own = std::mem::take(&mut entry.check);
                entry.own = Some((Arc::clone(spec), own));
            }
            specs.push(shown);
            tools.push(entry);
        }
        Self { specs: Arc::new(ToolSpecs::new(specs)), tools }
    }

    /// What is to be recorded of these tools, if the journal of a state does not have them.
    pub(crate) fn unless_known(&self, state: &AgentState) -> Option<ToolsShown> {
        let known = state.context().tools_shown.as_ref();
        let digest = self.specs.digest();
        // Where nothing was recorded yet, all tools were shown: that a hook hid them is news.
        let hidden = known.is_none() && state.tool_selection().is_some();
        let same = known.and_then(|known| known.digest.as_ref()) == digest;
        (hidden || !same).then(|| ToolsShown {
            digest: digest.cloned(),
            specs: self.specs.iter().map(Arc::clone).collect(),
            digests: self.tools.iter().map(|entry| entry.digest.clone()).collect(),
        })
    }

    /// Checks arguments of the tool at an index.
    ///
    /// # Errors
    /// What does not fit, in words for the model.
    pub fn validate(&self, index: usize, arguments: &Value) -> Result<(), String> {
        let (Some(entry), Some(spec)) = (self.tools.get(index), self.specs.get(index)) else {
            return Ok(());
        };
        entry.check.value(&spec.parameters, arguments)?;
        match &entry.own {
            Some((own, check)) => check.value(&own.parameters, arguments),
            None => Ok(()),
        }
    }

    /// The digest of the tool at an index as it is by itself.
    pub(crate) fn digest_of(&self, index: usize) -> Option<&Digest> {
        self.tools.get(index).map(|entry| &entry.digest)
    }

    /// The toolset that has the tool at an index.
    pub(crate) fn owner(&self, index: usize) -> Option<&Arc<dyn Toolset>> {
        self.tools.get(index).map(|entry| &entry.owner)
    }
}
