//! The toolsets of an agent: what is static is checked when it is built, and asked once.

use std::sync::{Arc, OnceLock};

use futures_util::future::FutureExt as _;
use legwork_core::{AgentState, SessionId, ToolSpec};
use legwork_port::Toolset;

use crate::unwind;

use super::owner::{self, Claims};
use super::{Given, Names, Owner, Schemas, Shown, Tools};

/// The toolsets of an agent, the same for all of its runs.
pub struct Toolsets {
    sources: Vec<Source>,
    names: Names,
    schemas: Schemas,
    /// The tools, where all sources are static.
    fixed: OnceLock<Arc<Shown>>,
}

/// A toolset.
struct Source {
    set: Arc<dyn Toolset>,
    own: Owner,
    /// Whose its tools are, in their order, where they are not its own.
    owners: Vec<Owner>,
    /// Its tools, if it is static and said them.
    listed: OnceLock<Vec<Arc<ToolSpec>>>,
}

/// Tools and their toolsets, in the order they are shown.
type Listing = Vec<(Arc<ToolSpec>, Arc<dyn Toolset>)>;

impl Toolsets {
    /// Single tools first, then those of toolsets.
    pub fn new(
        tools: Vec<Given>,
        sets: Vec<Arc<dyn Toolset>>,
        names: Names,
        schemas: Schemas,
    ) -> Self {
        let (owners, tools): (Vec<_>, Vec<_>) =
            tools.into_iter().map(|given| (given.owner, given.tool)).unzip();
        let single: Arc<dyn Toolset> = Arc::new(Tools::new("tools", tools));
        let source = |set: Arc<dyn Toolset>| {
            let own = Owner::Toolset(set.name().into());
            Source { set, own, owners: Vec::new(), listed: OnceLock::new() }
        };
        let single = Source { owners, ..source(single) };
        let sources = std::iter::once(single).chain(sets.into_iter().map(source)).collect();
        Self { sources, names, schemas, fixed: OnceLock::new() }
    }

    /// The tools, if they are the same for every state and known.
    pub(super) fn fixed(&self) -> Option<&Arc<Shown>> {
        self.fixed.get()
    }

    /// What is wrong with the tools that are known when the agent is built: names that
    /// clash, are no names, or are missing; schemas that are none.
    pub fn check(&self) -> Vec<String> {
        let state = AgentState::new(SessionId::new("build"));
        let listed: Vec<_> = self.sources.iter().filter(|source| source.list_now(&state)).collect();
        let (listing, mut problems) =
            self.combine(listed.iter().map(|source| {
                (*source, source.listed.get().map(Vec::as_slice).unwrap_or_default())
            }));
        let shown = Shown::of(listing, &self.schemas, None);
        problems.extend(self.problems(&shown));
        if listed.len() == self.sources.len() {
            problems.extend(self.missing());
            let _ = self.fixed.set(Arc::new(shown));
        }
        problems
    }

    /// The tools for a state, and what was collected before where nothing changed.
    ///
    /// # Errors
    /// When a toolset cannot tell its tools, or two tools have one name.
    pub(super) async fn collect(
        &self,
        state: &AgentState,
        before: Option<&Arc<Shown>>,
    ) -> Result<Arc<Shown>, String> {
        let mut lists = Vec::new();
        for source in &self.sources {
            lists.push((source, source.specs(state).await?));
        }
        let (listing, clashes) = self.combine(lists.iter().map(|(s, list)| (*s, list.as_slice())));
        if let Some(clash) = clashes.into_iter().next() {
            return Err(clash);
        }
        if let Some(before) = before.filter(|before| before.is_of(&listing)) {
            return Ok(Arc::clone(before));
        }
        let shown = Arc::new(Shown::of(listing, &self.schemas, before.map(|before| &**before)));
        if self.sources.iter().all(|source| source.listed.get().is_some()) {
            // One could not say its tools when the agent was built.
            let problems = [self.problems(&shown), self.missing()].concat();
            if !problems.is_empty() {
                return Err(problems.join("; "));
            }
            let _ = self.fixed.set(Arc::clone(&shown));
        }
        Ok(shown)
    }

    /// The tools that the agent may have, each name once, and what clashes. Those that it
    /// may not have are in nobody's way.
    fn combine<'s>(
        &self,
        lists: impl Iterator<Item = (&'s Source, &'s [Arc<ToolSpec>])>,
    ) -> (Listing, Vec<String>) {
        let (mut listing, mut clashes) = (Vec::new(), Vec::new());
        let mut claims = Claims::default();
        for (source, specs) in lists {
            for (at, spec) in specs.iter().enumerate() {
                if !self.names.admit(&spec.name) {
                    continue;
                }
                let owner = source.owner(at);
                match claims.take(&spec.name, owner) {
                    Ok(()) => listing.push((Arc::clone(spec), Arc::clone(&source.set))),
                    Err(first) => clashes.push(owner::clash(&spec.name, &first, owner)),
                }
            }
        }
        (listing, clashes)
    }

    /// What is wrong with tools by themselves.
    fn problems(&self, shown: &Shown) -> Vec<String> {
        let problems = shown.checks().filter_map(|(spec, digest, check)| {
            let name = &spec.name;
            if !is_name(name) {
                return Some(odd_name("tool", name));
            }
            let why = self.schemas.problem(spec, digest, check)?;
            Some(format!(
                "the JSON Schema of the arguments of the tool `{name}` is not valid: {why}"
            ))
        });
        problems.collect()
    }

    /// Names in lists of which there is no tool, of all tools that are known.
    fn missing(&self) -> Vec<String> {
        let listed = self.sources.iter().filter_map(|source| source.listed.get());
        self.names.problems(listed.flatten().map(|spec| &*spec.name))
    }

    pub(super) async fn open(&self) -> Result<(), String> {
        for (at, source) in self.sources.iter().enumerate() {
            let opened = unwind::run(|| source.set.open()).await.unwrap_or_else(panicked);
            if let Err(why) = opened {
                close(self.sources.iter().take(at)).await;
                return Err(source.told("cannot be opened", &why));
            }
        }
        Ok(())
    }

    pub(super) async fn close(&self) {
        close(self.sources.iter()).await;
    }
}

impl Source {
    /// Whether its tools are known, after asking it for them if it is static.
    fn list_now(&self, state: &AgentState) -> bool {
        if self.is_static()
            && let Some(Ok(Ok(specs))) = unwind::run(|| self.set.specs(state)).now_or_never()
        {
            let _ = self.listed.set(specs);
        }
        self.listed.get().is_some()
    }

    /// Its tools for a state.
    async fn specs(&self, state: &AgentState) -> Result<Vec<Arc<ToolSpec>>, String> {
        if let Some(listed) = self.listed.get() {
            return Ok(listed.clone());
        }
        let specs = unwind::run(|| self.set.specs(state)).await.unwrap_or_else(panicked);
        let specs = specs.map_err(|why| self.told("cannot tell its tools", &why))?;
        if self.is_static() {
            let _ = self.listed.set(specs.clone());
        }
        Ok(specs)
    }

    fn is_static(&self) -> bool {
        unwind::call(|| self.set.is_static()).unwrap_or(false)
    }

    fn told(&self, what: &str, why: &str) -> String {
        format!("the toolset `{}` {what}: {why}", self.set.name())
    }

    fn owner(&self, at: usize) -> &Owner {
        self.owners.get(at).unwrap_or(&self.own)
    }
}

async fn close(sources: impl Iterator<Item = &Source>) {
    for source in sources {
        // One that panics is as closed as it will ever be.
        let _ = unwind::run(|| source.set.close()).await;
    }
}

/// What providers take for the name of a tool.
pub fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

/// What to say of a name that is none.
pub fn odd_name(what: &str, name: &str) -> String {
    format!("{name:?} is no name of a {what}: take letters, digits, `-` and `_`, at most 64")
}

fn panicked<T>(panic: String) -> Result<T, String> {
    Err(format!("it panicked: {panic}"))
}
