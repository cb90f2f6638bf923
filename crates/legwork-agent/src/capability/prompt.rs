//! The capability that tells a model what it has.

use std::sync::Arc;

use serde_json::Value;

use crate::agent::builder::Builder;
use crate::capability::{Capability, Fields, Resolved};
use crate::describe::{clean, limits};

/// What a section of the system prompt is made by.
type Template = dyn Fn(&Resolved<'_>) -> Option<String> + Send + Sync;

/// Adds sections to the system prompt, made of the agent as it came to be: its tools by name
/// and use, its capabilities, its limits, and a date if one is given.
///
/// They stand behind the agent's own instructions. The date is data, so that the same agent
/// has the same definition; a program that wants today's gives it.
///
/// From settings: `tools`, `capabilities`, `limits` (true or false, true by default) and
/// `date`, a text.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork_agent::{Agent, capability::SystemPrompt};
///
/// # fn main() -> Result<(), legwork_agent::Error> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let prompt = SystemPrompt::new().date("2026-03-01").template(|agent| {
///     Some(format!("You are {}.", agent.id))
/// });
/// let agent = Agent::builder(model).id("clerk").capability(prompt).build()?;
/// let instructions = &agent.definition().instructions;
/// assert!(instructions.contains("Your limits for this task: 20 steps, 5 min of active time."));
/// assert!(instructions.ends_with("The date is 2026-03-01.\n\nYou are clerk."));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SystemPrompt {
    sections: Vec<Arc<Template>>,
}

impl Default for SystemPrompt {
    fn default() -> Self {
        Self::empty().template(tools).template(capabilities).template(budget)
    }
}

impl SystemPrompt {
    /// Tools, capabilities and limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// No section yet.
    pub fn empty() -> Self {
        Self { sections: Vec::new() }
    }

    /// The same with the date, in whatever form.
    #[must_use]
    pub fn date(self, date: impl AsRef<str>) -> Self {
        let text = format!("The date is {}.", clean(date.as_ref()));
        self.template(move |_| Some(text.clone()))
    }

    /// The same with a section that a closure makes, behind the others; none = left out.
    #[must_use]
    pub fn template(
        mut self,
        section: impl Fn(&Resolved<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.sections.push(Arc::new(section));
        self
    }

    /// The prompt of settings.
    ///
    /// # Errors
    /// The field that does not fit, and what it takes.
    pub fn from_settings(settings: &Value) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let mut prompt = Self::empty();
        if fields.flag("tools")?.unwrap_or(true) {
            prompt = prompt.template(tools);
        }
        if fields.flag("capabilities")?.unwrap_or(true) {
            prompt = prompt.template(capabilities);
        }
        if fields.flag("limits")?.unwrap_or(true) {
            prompt = prompt.template(budget);
        }
        if let Some(date) = fields.text("date")? {
            prompt = prompt.date(date);
        }
        fields.done()?;
        Ok(prompt)
    }
}

/// What it gives an agent.
pub(super) const ABOUT: &str = "Tells the model its tools, capabilities and limits.";

/// Its name.
const NAME: &str = "system_prompt";

impl Capability for SystemPrompt {
    fn name(&self) -> &str {
        NAME
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder
    }

    fn section(&self, agent: &Resolved<'_>) -> Option<String> {
        let sections: Vec<_> = self.sections.iter().filter_map(|section| section(agent)).collect();
        (!sections.is_empty()).then(|| sections.join("\n\n"))
    }
}

/// The tools by name, each with the first line of what it says of itself.
fn tools(agent: &Resolved<'_>) -> Option<String> {
    let line = |spec: &Arc<legwork_core::ToolSpec>| {
        let line = spec.description.lines().find(|line| !line.trim().is_empty());
        format!("- {}: {}", spec.name, clean(line.unwrap_or_default()).trim())
    };
    let lines: Vec<_> = agent.tools.iter().map(line).collect();
    (!lines.is_empty()).then(|| format!("Your tools:\n{}", lines.join("\n")))
}

/// The other capabilities, each with what it gives.
fn capabilities(agent: &Resolved<'_>) -> Option<String> {
    let others = agent.capabilities.iter().filter(|one| one.name() != NAME);
    let lines: Vec<_> =
        others.map(|one| format!("- {}: {}", one.name(), clean(one.about()).trim())).collect();
    (!lines.is_empty()).then(|| format!("What you are equipped with:\n{}", lines.join("\n")))
}

/// The limits of an execution.
fn budget(agent: &Resolved<'_>) -> Option<String> {
    let limits = limits(agent.budget);
    (!limits.is_empty()).then(|| {
        format!("Your limits for this task: {}. End with an answer in time.", limits.join(", "))
    })
}
