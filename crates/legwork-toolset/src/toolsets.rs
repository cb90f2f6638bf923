//! The toolsets of an agent: tools that are known when it is built, and sets to be opened.

use std::sync::Arc;

use futures_util::future::join_all;
use legwork_core::ToolSpec;
use legwork_core::tool::ToolSpecs;
use legwork_port::toolset::Scope;
use legwork_port::{Tool, unwind};

use crate::fault::panicked;
use crate::owner::{self, TakenNames};
use crate::source::Source;
use crate::step_tools::StepTools;
use crate::{Given, Names, Owner, Schemas, SharedToolset};

/// The toolsets of an agent, the same for all of its runs.
pub struct Toolsets {
    /// The tools that are known when the agent is built.
    fixed: Arc<StepTools>,
    owners: TakenNames<Arc<str>>,
    /// The sets that each run opens.
    opened: Vec<SharedToolset>,
    names: Names,
}

impl Toolsets {
    /// Single tools first, then those of toolsets. Adds what is wrong with those that are known:
    /// names that clash, are invalid, or are missing; invalid schemas.
    pub fn new(
        mut tools: Vec<Given>,
        sets: Vec<SharedToolset>,
        names: Names,
        schemas: &Schemas,
        problems: &mut Vec<String>,
    ) -> Self {
        let mut opened = Vec::new();
        for shared in sets {
            match known_tools(&shared, problems) {
                Ok(Some(known)) if shared.set.is_fixed() => tools.extend(known),
                Ok(known) => {
                    let check = |given: Given| check(&given.tool.spec(), schemas);
                    problems.extend(known.into_iter().flatten().filter_map(check));
                    opened.push(shared);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let all: Vec<_> = tools.iter().map(|given| given.tool.spec()).collect();
        let mut owners = TakenNames::default();
        let (mut admitted, mut specs) = (Vec::new(), Vec::new());
        for (Given { tool, owner }, spec) in tools.into_iter().zip(&all) {
            if !names.admit(&spec.name) {
                continue;
            }
            match owners.take(&spec.name, &owner) {
                Ok(()) => {
                    specs.push(Arc::clone(spec));
                    admitted.push(tool);
                }
                Err(first) => problems.push(owner::clash(&spec.name, &first, &owner)),
            }
        }
        let specs = ToolSpecs::new(specs);
        let fixed = StepTools::fixed(specs, admitted, |spec, digest| {
            schemas
                .check(spec, digest)
                .map_err(|problem| problems.push(problem))
                .unwrap_or_default()
        });
        if opened.is_empty() {
            problems.extend(names.problems(all.iter().map(|spec| &*spec.name)));
        }
        Self { fixed: Arc::new(fixed), owners, opened, names }
    }

    /// The tools that are known without opening anything.
    pub(crate) fn fixed(&self) -> &Arc<StepTools> {
        &self.fixed
    }

    /// Whether those are all.
    pub(crate) fn is_fixed(&self) -> bool {
        self.opened.is_empty()
    }

    /// The tool of a name among those that sets to be opened know before; none if several have one.
    pub(crate) fn hidden(&self, name: &str) -> Option<Arc<dyn Tool>> {
        let known = |shared: &SharedToolset| unwind::call(|| shared.set.tools()).ok().flatten();
        let tools = self.opened.iter().filter_map(known).flatten();
        let mut named = tools.filter(|tool| *tool.spec().name == *name && self.names.admit(name));
        named.next().filter(|_| named.next().is_none())
    }

    /// Opens the sets beside each other, as far as they can be opened.
    pub(crate) async fn open(&self, scope: &Scope) -> Vec<Source> {
        join_all(self.opened.iter().map(|shared| Source::open(shared, scope))).await
    }

    /// All tools with those that open sets have listed, and what was combined before if they
    /// are the same; and which tools are left out because others have their names.
    ///
    /// # Errors
    /// When two tools have one name and none gives way, or a set says that the execution must not
    /// go on.
    pub(crate) fn combine(
        &self,
        sources: &[Source],
        before: Option<&Arc<StepTools>>,
    ) -> Result<(Arc<StepTools>, Vec<String>), String> {
        let (mut listed, mut left_out) = (Vec::new(), Vec::new());
        let mut taken = TakenNames::default();
        for source in sources {
            if let Some(why) = &source.fatal {
                return Err(why.clone());
            }
            for tool in source.tools.iter().filter(|tool| self.names.admit(&tool.spec.name)) {
                let (name, owner) = (&tool.spec.name, &source.owner);
                let known = self.owners.of(name).cloned().map_or(Ok(()), Err);
                let taken = known.and_then(|()| taken.take(name, owner));
                match taken {
                    Ok(()) => listed.push(tool.clone()),
                    Err(first) if source.yields => {
                        left_out.push(owner::clash(name, &first, owner));
                    }
                    Err(first) => return Err(owner::clash(name, &first, owner)),
                }
            }
        }
        let sections = sources.iter().filter_map(Source::section).collect::<Vec<_>>().join("\n\n");
        let instructions = Some(&*sections).filter(|text| !text.is_empty());
        let missing = sources.iter().find_map(|source| source.missing().cloned());
        Ok((self.fixed.and(listed, instructions, missing, before), left_out))
    }
}

/// The tools of a set that are known without opening it; none if they are not. Adds what the set
/// says is wrong with it.
///
/// # Errors
/// When it panicked.
fn known_tools(
    shared: &SharedToolset,
    problems: &mut Vec<String>,
) -> Result<Option<Vec<Given>>, String> {
    let name = shared.name();
    let known = unwind::call(|| (shared.set.problems(), shared.set.tools()));
    let (wrong, tools) = known.map_err(|panic| {
        format!("the toolset `{name}` cannot list its tools: {}", panicked(panic))
    })?;
    problems.extend(wrong);
    let owner = Owner::Toolset(name);
    let given = |tool| Given { tool, owner: owner.clone() };
    Ok(tools.map(|tools| tools.into_iter().map(given).collect()))
}

/// What is wrong with a tool that is not shown in each step.
fn check(spec: &ToolSpec, schemas: &Schemas) -> Option<String> {
    schemas.check(spec, &spec.digest()).err()
}
