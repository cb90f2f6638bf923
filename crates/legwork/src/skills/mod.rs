//! Skills: guides to one kind of work, which a model loads when it needs them.
//!
//! The system prompt lists the name and the description of each skill; the tool `load_skill`
//! returns the rest. While a skill is loaded, only the tools of its `allowed-tools` are shown and
//! run, and its `model` is used.
//!
//! ```
//! use legwork::definition::{Location, SkillCatalog};
//! use legwork::skills::Skills;
//!
//! let skills = Skills::of(&SkillCatalog::load(&[Location::project(".legwork/skills")]));
//! assert!(skills.is_empty() && skills.problems().is_empty());
//! ```
//!
//! It applies from the next inference until another skill is loaded, the model loads `none`, or
//! the execution ends. It is stored in the session's metadata under [`KEY`], so it survives a
//! crash. It is not a security boundary, because the model can unload it: deny the agent itself
//! what it must never do.
//!
//! Needs the feature `definitions`.
//!
//! Read the modules in this order: [`active`], `rule`, `command`, `load`, `hook`.

pub mod active;
mod command;
mod hook;
mod load;
pub(crate) mod prompt;
mod rule;

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_agent::hooks::Hook;
use legwork_agent::{Builder, Capability, Resolved};
use legwork_definitions::{Problem, Skill, SkillCatalog};
use legwork_port::Tool;

pub use active::{Active, KEY, base_model};

use hook::SkillHook;
use load::Load;
use rule::Rule;

/// The beginning of the section of the system prompt on skills.
pub const HEADING: &str = "Skills are guides to kinds of work.";
/// The name of the tool that loads a skill.
pub const TOOL: &str = "load_skill";
/// The name that unloads the current skill.
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
    /// The skills of a catalog.
    ///
    /// Those whose `allowed-tools` cannot be enforced are left out; see
    /// [`problems`](Self::problems).
    pub fn of(catalog: &SkillCatalog) -> Self {
        Self::some(catalog, |_| true)
    }

    /// The skills of these names; an unknown name is a problem.
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
                let message = format!("`{NONE}` unloads a skill, so no skill can have this name");
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

    /// The problems because of which skills are left out.
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

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// The tool that loads them, for agents on which the capability is not installed.
    pub fn tool(&self) -> Arc<dyn Tool> {
        Arc::new(Load::new(Arc::clone(&self.known)))
    }
}

/// The problem for a name that no skill has.
pub(crate) fn unknown(name: &str, catalog: &SkillCatalog) -> Problem {
    let names: Vec<_> = catalog.iter().map(|(name, _)| name).collect();
    Problem::new(format!("there is no skill `{name}`"), prompt::instead(name, &names, "skills"))
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
        let keeper = Hook::from(SkillHook::new(Arc::clone(&self.known)));
        builder.replace_tool(self.tool()).without_hook(NAME).hook(keeper)
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        (agent.has_tool(TOOL) && !self.is_empty()).then(|| prompt::section(self.iter()))
    }
}

impl std::fmt::Debug for Skills {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Skills").field(&self.known.keys()).finish()
    }
}
