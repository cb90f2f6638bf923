//! The tools of a step.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::event::ToolsShown;
use legwork_core::state::Pending;
use legwork_core::tool::{ToolSelection, ToolSpecs};
use legwork_core::{AgentState, Digest, ToolSpec};
use legwork_port::{Admission, AdmittedCall, Tool, unwind};
use serde_json::Value;

use crate::validate::Check;

/// The tools that a model is shown in a step, with what their arguments are checked by.
#[derive(Default)]
pub struct StepTools {
    /// The tools as the model is shown them.
    pub specs: Arc<ToolSpecs>,
    entries: Vec<Entry>,
    /// What toolsets add to the system prompt.
    instructions: Option<Arc<str>>,
    /// Why the tools of a required toolset are not among them.
    missing: Option<String>,
}

/// A tool as its toolset lists it.
#[derive(Clone)]
pub(crate) struct Listed {
    pub(crate) spec: Arc<ToolSpec>,
    pub(crate) tool: Arc<dyn Tool>,
    pub(crate) check: Arc<Check>,
}

/// One tool: what is called, what it is by itself, and its schema.
#[derive(Clone)]
struct Entry {
    tool: Arc<dyn Tool>,
    /// The digest of the tool as it is by itself, however it is shown.
    digest: Digest,
    /// The tool by itself, where it is shown with another schema: calls fit both.
    own: Option<(Arc<ToolSpec>, Arc<Check>)>,
    check: Arc<Check>,
}

impl StepTools {
    /// Tools in the order of their specs.
    pub(crate) fn fixed(
        specs: ToolSpecs,
        tools: Vec<Arc<dyn Tool>>,
        mut check: impl FnMut(&ToolSpec, &Digest) -> Arc<Check>,
    ) -> Self {
        let entry = |((spec, digest), tool): ((&Arc<ToolSpec>, &Digest), _)| Entry {
            tool,
            digest: digest.clone(),
            own: None,
            check: check(spec, digest),
        };
        let entries = specs.iter().zip(specs.digests()).zip(tools).map(entry).collect();
        Self { specs: Arc::new(specs), entries, ..Self::default() }
    }

    /// These tools with others behind them. What was made before is used again: all of it, or
    /// the specs, as far as it is the same.
    pub(crate) fn and(
        self: &Arc<Self>,
        more: Vec<Listed>,
        instructions: Option<&str>,
        missing: Option<String>,
        before: Option<&Arc<Self>>,
    ) -> Arc<Self> {
        let before = before.filter(|before| before.has_specs(self.entries.len(), &more));
        if let Some(before) = before
            && before.missing == missing
            && before.instructions.as_deref() == instructions
            && before.has_tools(self.entries.len(), &more)
        {
            return Arc::clone(before);
        }
        let specs = match before {
            Some(before) => Arc::clone(&before.specs),
            None if more.is_empty() => Arc::clone(&self.specs),
            None => {
                let listed = more.iter().map(|listed| &listed.spec);
                Arc::new(ToolSpecs::new(self.specs.iter().chain(listed).map(Arc::clone).collect()))
            }
        };
        let digests = specs.digests().iter().skip(self.entries.len());
        let entry = |(Listed { tool, check, .. }, digest): (_, &Digest)| Entry {
            tool,
            digest: digest.clone(),
            own: None,
            check,
        };
        let more = more.into_iter().zip(digests).map(entry);
        let entries = self.entries.iter().cloned().chain(more).collect();
        Arc::new(Self { specs, entries, instructions: instructions.map(Into::into), missing })
    }

    /// Whether the specs from an index on are those of these tools.
    fn has_specs(&self, from: usize, listed: &[Listed]) -> bool {
        let own = (from..).map_while(|at| self.specs.get(at));
        self.specs.len() == from + listed.len()
            && own
                .zip(listed)
                .all(|(own, listed)| Arc::ptr_eq(own, &listed.spec) || **own == *listed.spec)
    }

    fn has_tools(&self, from: usize, listed: &[Listed]) -> bool {
        let own = self.entries.iter().skip(from);
        own.zip(listed).all(|(own, listed)| Arc::ptr_eq(&own.tool, &listed.tool))
    }

    /// The system prompt of an agent with what toolsets add to it.
    pub fn prompt(&self, own: &Arc<str>) -> Arc<str> {
        match &self.instructions {
            None => Arc::clone(own),
            Some(added) if own.is_empty() => Arc::clone(added),
            Some(added) => format!("{own}\n\n{added}").into(),
        }
    }

    /// Why the tools of a required toolset are not among them, if they are not.
    pub(crate) fn missing(&self) -> Option<&String> {
        self.missing.as_ref()
    }

    pub(crate) fn select(&self, selection: &ToolSelection) -> Self {
        self.each(|spec| selection.apply(spec))
    }

    /// Those of these tools that are here, in the words that were recorded.
    pub(crate) fn like(&self, recorded: &[Arc<ToolSpec>]) -> Self {
        let recorded: BTreeMap<_, _> = recorded.iter().map(|spec| (&*spec.name, spec)).collect();
        self.each(|spec| recorded.get(&*spec.name).map(|known| Arc::clone(known)))
    }

    fn each(&self, shown_as: impl Fn(&Arc<ToolSpec>) -> Option<Arc<ToolSpec>>) -> Self {
        let (mut specs, mut entries) = (Vec::new(), Vec::new());
        for (spec, entry) in self.specs.iter().zip(&self.entries) {
            let Some(shown) = shown_as(spec) else { continue };
            let mut entry = entry.clone();
            if shown.parameters != spec.parameters {
                let own = std::mem::take(&mut entry.check);
                entry.own = Some((Arc::clone(spec), own));
            }
            specs.push(shown);
            entries.push(entry);
        }
        let (specs, instructions) = (Arc::new(ToolSpecs::new(specs)), self.instructions.clone());
        Self { specs, entries, instructions, missing: self.missing.clone() }
    }

    /// What is to be recorded of these tools, if the journal of a state does not have them.
    pub fn unless_known(&self, state: &AgentState) -> Option<Arc<ToolsShown>> {
        let known = state.context().tools_shown.as_ref();
        let digest = self.specs.digest();
        // Where nothing was recorded yet, all tools were shown: that a hook hid them is news.
        let hidden = known.is_none() && state.tool_selection().is_some();
        let same = known.and_then(|known| known.digest.as_ref()) == digest
            && known.and_then(|known| known.instructions.as_ref()) == self.instructions.as_ref();
        let shown = || ToolsShown {
            digest: digest.cloned(),
            specs: self.specs.iter().map(Arc::clone).collect(),
            digests: self.entries.iter().map(|entry| entry.digest.clone()).collect(),
            instructions: self.instructions.clone(),
        };
        (hidden || !same).then(|| Arc::new(shown()))
    }

    /// Checks arguments of the tool at an index.
    ///
    /// # Errors
    /// What does not fit, in words for the model.
    pub fn validate(&self, index: usize, arguments: &Value) -> Result<(), String> {
        let (Some(entry), Some(spec)) = (self.entries.get(index), self.specs.get(index)) else {
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
        self.entries.get(index).map(|entry| &entry.digest)
    }

    /// The tool at an index.
    pub fn tool(&self, index: usize) -> Option<&Arc<dyn Tool>> {
        self.entries.get(index).map(|entry| &entry.tool)
    }

    /// Whether the tool at an index lets a call run.
    ///
    /// # Errors
    /// What it said when it panicked.
    pub fn admit(&self, index: usize, call: &AdmittedCall<'_>) -> Result<Admission, String> {
        let admitted = unwind::call(|| self.tool(index).map(|tool| tool.admit(call)))?;
        Ok(admitted.unwrap_or_default())
    }

    /// Whether the tool of a call that waits lets it run by now; none if that is not known.
    pub fn admit_again(&self, state: &AgentState, pending: &Pending) -> Option<Admission> {
        let call = &state.call(pending.index)?.call;
        let (index, _) = self.find(state, &call.name).ok()?;
        let arguments = &serde_json::from_str(&pending.arguments).ok()?;
        let (shown, approved) = (&call.name, false);
        self.admit(index, &AdmittedCall { call, shown, arguments, state, approved }).ok()
    }
}
