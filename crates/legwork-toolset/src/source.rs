//! An open toolset as one run has it: its tools, or why there are none.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::{AgentState, ToolSpec};
use legwork_port::toolset::{Error, Scope};
use legwork_port::{Tool, unwind};

use crate::fault::panicked;
use crate::owner::Owner;
use crate::schema;
use crate::shared::{Lease, SharedToolset};
use crate::step_tools::Listed;

/// A toolset as one run has it.
pub(crate) struct Source {
    pub(crate) owner: Owner,
    pub(crate) is_required: bool,
    /// Whether its tools give way to others of the same name.
    pub(crate) yields: bool,
    /// Its tools as they were last listed.
    pub(crate) tools: Vec<Listed>,
    /// Why it has none.
    pub(crate) problem: Option<String>,
    /// Why sets that it is made of have none.
    parts: Vec<String>,
    /// Why the execution must not go on.
    pub(crate) fatal: Option<String>,
    name: Arc<str>,
    lease: Option<Lease>,
    revision: Option<u64>,
    instructions: Option<String>,
}

impl Source {
    /// The toolset, opened for a run if it can be.
    pub(crate) async fn open(shared: &SharedToolset, scope: &Scope) -> Self {
        let name = shared.name();
        let (mut lease, mut problem, mut fatal) = (None, None, None);
        match shared.lease(scope).await {
            Ok(leased) => lease = Some(leased),
            Err(Error::Fatal(why)) => fatal = Some(why),
            Err(why) => problem = Some(format!("the toolset `{name}` cannot be opened: {why}")),
        }
        Self {
            owner: Owner::Toolset(Arc::clone(&name)),
            is_required: shared.is_required,
            yields: unwind::call(|| shared.set.yields()).unwrap_or_default(),
            tools: Vec::new(),
            problem,
            parts: Vec::new(),
            fatal,
            name,
            lease,
            revision: None,
            instructions: None,
        }
    }

    /// Lists its tools for a state, unless its revision says that they are the same as before.
    pub(crate) async fn list(&mut self, state: &AgentState) {
        let Some(set) = self.lease.as_ref().and_then(Lease::set) else { return };
        let revision = unwind::call(|| set.revision()).unwrap_or_default();
        if revision.is_some() && revision == self.revision {
            return;
        }
        let listed = unwind::run(|| set.tools(state))
            .await
            .unwrap_or_else(|panic| Err(Error::Invalid(panicked(panic))));
        self.fatal = None;
        let listed = match listed {
            Err(Error::Fatal(why)) => {
                self.fatal = Some(why.clone());
                Err(why)
            }
            listed => listed.map_err(|error| error.to_string()),
        };
        match listed.and_then(|tools| checked(tools, &self.tools)) {
            Ok(tools) => {
                let instructions = unwind::call(|| set.instructions()).ok().flatten();
                self.instructions = instructions.filter(|text| !text.trim().is_empty());
                self.parts = unwind::call(|| set.problems()).unwrap_or_default();
                (self.tools, self.problem, self.revision) = (tools, None, revision);
            }
            Err(why) => {
                let problem = format!("the toolset `{}` cannot list its tools: {why}", self.name);
                (self.tools, self.problem, self.revision) = (Vec::new(), Some(problem), None);
                self.parts = Vec::new();
            }
        }
    }

    /// Why it has no tools, or sets that it is made of have none.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        self.problem.iter().chain(&self.parts).cloned()
    }

    /// Why it has no tools, if it is required.
    pub(crate) fn missing(&self) -> Option<&String> {
        self.problem.as_ref().filter(|_| self.is_required)
    }

    /// The revision of its tools; none if they have to be listed.
    pub(crate) fn revision(&self) -> Option<u64> {
        if self.problem.is_some() || !self.parts.is_empty() {
            return None;
        }
        let set = self.lease.as_ref().and_then(Lease::set)?;
        unwind::call(|| set.revision()).unwrap_or_default()
    }

    /// The name of its set.
    pub(crate) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// Its part of the system prompt: how its tools are used, or that there are none now.
    pub(crate) fn section(&self) -> Option<String> {
        match self.problem {
            Some(_) => Some(format!(
                "The toolset `{}` is not available: its tools cannot be used.",
                self.name
            )),
            None => self.instructions.clone(),
        }
    }

    /// Releases the toolset.
    pub(crate) async fn close(self) {
        if let Some(lease) = self.lease {
            lease.release().await;
        }
    }
}

/// Tools that can all be shown to a model, with their checks; those of before are kept where
/// a tool is the same.
///
/// # Errors
/// What is wrong with one of them.
fn checked(tools: Vec<Arc<dyn Tool>>, before: &[Listed]) -> Result<Vec<Listed>, String> {
    let before: BTreeMap<_, _> = before.iter().map(|known| (&*known.spec.name, known)).collect();
    let checked = |tool: Arc<dyn Tool>| {
        let spec: Arc<ToolSpec> = unwind::call(|| tool.spec()).map_err(panicked)?;
        let is_known = |known: &&&Listed| Arc::ptr_eq(&known.spec, &spec) || known.spec == spec;
        if let Some(known) = before.get(&*spec.name).filter(is_known) {
            let (spec, check) = (Arc::clone(&known.spec), Arc::clone(&known.check));
            return Ok(Listed { spec, tool, check });
        }
        let check = schema::check(&spec)?;
        Ok(Listed { spec, tool, check })
    };
    tools.into_iter().map(checked).collect()
}
