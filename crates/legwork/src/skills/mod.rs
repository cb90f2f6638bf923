//! Skills: guides to one kind of work, which a model loads when it needs them.
//!
//! Of each skill of a catalog the system prompt tells name and description; `load_skill`
//! gives the rest. What a loaded skill says of tools and model then holds: only the tools
//! of its `allowed-tools` are shown and run, and its `model` is the one that is asked.
//!
//! ```
//! use legwork::definition::{Location, SkillCatalog};
//! use legwork::skills::Skills;
//!
//! let skills = Skills::of(&SkillCatalog::load(&[Location::project(".legwork/skills")]));
//! assert!(skills.is_empty() && skills.problems().is_empty());
//! ```
//!
//! It holds from the inference after the one that loaded it until another skill is loaded,
//! the model loads `none`, or the execution ends. It is kept in the session's metadata
//! under [`KEY`], so it survives the process. It is no wall between the model and the
//! agent's tools, for the model may unload it: what an agent must never do is denied to
//! the agent.
//!
//! Needs the feature `definitions`.
//!
//! Read the modules in this order: [`active`], `rule`, `command`, `load`, `keeper`.

pub mod active;
mod command;
mod keeper;
mod load;
mod rule;
pub(crate) mod told;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_agent::hooks::Hook;
use legwork_agent::{Builder, Capability, Resolved};
use legwork_definitions::{Problem, Skill, SkillCatalog};
use legwork_port::Tool;

pub use active::{Active, KEY, base_model};

use keeper::Keeper;
use load::Load;
use rule::Rule;

/// How the section of the system prompt begins that tells of skills.
pub const HEADING: &str = "Skills are guides to kinds of work.";
/// The name of the tool that loads a skill.
pub const TOOL: &str = "load_skill";
/// The name that unloads, in the place of a skill's.
pub const NONE: &str = "none";
/// The name of the capability and of its hook.
const NAME: &str = "skills";

/// The capability to load skills.
#[derive(Clone)]
pub struct Skills {
    known: Arc<BTreeMap<String, Skill>>,
    problems: Vec<Problem>,
}

impl Skills {
    /// The skills of a catalog; those that cannot be held to what they say are left out,
    /// and [`problems`](Self::problems) tells why.
    pub fn of(catalog: &SkillCatalog) -> Self {
        Self::some(catalog, |_| true)
    }

    /// The skills of these names. A name that is not there is a problem, too.
    pub fn named<'n>(catalog: &SkillCatalog, names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let mut skills = Self::some(catalog, |name| names.contains(&name));
        for name in names.iter().filter(|name| catalog.get(name).is_none()) {
            skills.problems.push(unknown(name, catalog));
        }
        skills
    }

    fn some(catalog: &SkillCatalog, wanted: impl Fn(&str) -> bool) -> Self {
        let (mut known, mut problems) = (BTreeMap::new(), Vec::new());
        for (name, found) in catalog.iter().filter(|(name, _)| wanted(name)) {
            if name == NONE {
                let message = format!("`{NONE}` is what unloads a skill, so none can be named so");
                let problem = Problem::new(message, "give it another name").on_field("name");
                problems.push(problem.in_file(&found.file));
                continue;
            }
            let wrong = Rule::problems(&found.value, &found.file);
            if wrong.is_empty() {
                known.insert(name.to_owned(), found.value.clone());
            }
            problems.extend(wrong);
        }
        Self { known: Arc::new(known), problems }
    }

    /// What is wrong with skills that are left out for it.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The skills, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Skill> {
        self.known.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The tool that loads them, for whoever does not install the capability.
    pub fn tool(&self) -> Arc<dyn Tool> {
        Arc::new(Load::new(Arc::clone(&self.known)))
    }
}

/// The problem of a name that no skill has.
pub(crate) fn unknown(name: &str, catalog: &SkillCatalog) -> Problem {
    let names: Vec<_> = catalog.iter().map(|(name, _)| name).collect();
    Problem::new(format!("there is no skill `{name}`"), told::instead(name, &names, "skills"))
}

impl Capability for Skills {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        "guides to kinds of work, loaded when they are needed"
    }

    fn install(&self, builder: Builder) -> Builder {
        if self.is_empty() {
            return builder;
        }
        let needed = self.iter().filter_map(|skill| {
            let by = format!("the skill `{}` ({})", skill.name, skill.file().display());
            Some((skill.model.as_deref()?, by))
        });
        let builder = needed.fold(builder, |builder, (model, by)| builder.needs_model(model, by));
        let keeper = Hook::from(Keeper::new(Arc::clone(&self.known)));
        builder.replace_tool(self.tool()).without_hook(NAME).hook(keeper)
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        (agent.has_tool(TOOL) && !self.is_empty()).then(|| told::section(self.iter()))
    }
}

impl std::fmt::Debug for Skills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Skills").field(&self.known.keys()).finish()
    }
}
