//! What is otherwise in an agent made of another.

use std::any::Any;
use std::sync::Arc;

use legwork_core::Budget;
use legwork_port::{Clock, Model, Tool};
use serde_json::Value;

use crate::agent::builder::Builder;
use legwork_lifecycle::hooks::Hook;
use legwork_runtime::Driver;

type Change = Box<dyn FnOnce(Builder) -> Builder + Send>;

/// What is otherwise in an agent made of another; what is not named stays as it is.
///
/// ```
/// use legwork_agent::Override;
/// use legwork_core::Budget;
///
/// let tight = Override::new().instructions("Be brief.").budget(Budget::unlimited().steps(3));
/// # let _ = tight;
/// ```
#[derive(Default)]
#[must_use = "an override does nothing until an agent takes it"]
pub struct Override(Vec<Change>);

impl Override {
    /// Nothing is otherwise.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn apply(self, builder: Builder) -> Builder {
        self.0.into_iter().fold(builder, |builder, change| change(builder))
    }

    fn with(mut self, change: impl FnOnce(Builder) -> Builder + Send + 'static) -> Self {
        self.0.push(Box::new(change));
        self
    }

    /// Another model answers, in the place of the first.
    pub fn model(self, model: impl Model + 'static) -> Self {
        self.with(|builder| builder.in_place_of_model(Arc::new(model)))
    }

    /// Steps are made by another driver.
    pub fn driver(self, driver: impl Driver + 'static) -> Self {
        self.with(|builder| builder.driver(driver))
    }

    /// Tools and hooks find another dependency of this type.
    pub fn dep<T: Any + Send + Sync>(self, value: T) -> Self {
        self.with(|builder| builder.in_place_of_dep(value))
    }

    /// These tools take the place of those of the same names, and are added otherwise.
    pub fn tools<T: Tool + 'static>(self, tools: impl IntoIterator<Item = T>) -> Self {
        let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        self.with(|builder| builder.in_place_of_tools(tools))
    }

    /// Another system prompt of its own; the sections of capabilities stay.
    pub fn instructions(self, instructions: impl Into<Arc<str>>) -> Self {
        let instructions = instructions.into();
        self.with(|builder| builder.instructions(instructions))
    }

    /// Other limits.
    pub fn budget(self, budget: Budget) -> Self {
        self.with(|builder| builder.budget(budget))
    }

    /// A further hook.
    pub fn hook(self, hook: impl Into<Hook>) -> Self {
        let hook = hook.into();
        self.with(|builder| builder.hook(hook))
    }

    /// No hook of this name.
    pub fn without_hook(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with(move |builder| builder.without_hook(&name))
    }

    /// Another metadata value in new sessions.
    pub fn metadata(self, key: impl Into<String>, value: Value) -> Self {
        let key = key.into();
        self.with(|builder| builder.metadata(key, value))
    }

    /// Time comes from elsewhere.
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        self.with(|builder| builder.clock(clock))
    }
}

impl std::fmt::Debug for Override {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Override({} changes)", self.0.len())
    }
}
