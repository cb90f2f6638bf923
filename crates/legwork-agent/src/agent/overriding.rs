//! What is otherwise in an agent made of another.

use std::any::{Any, type_name};
use std::fmt::Display;
use std::sync::Arc;

use legwork_core::Budget;
use legwork_core::nearest::suggestion;
use legwork_lifecycle::hooks::Hook;
use legwork_port::{Clock, Model, Observer, OutputReader, Tool};
use legwork_runtime::Driver;
use serde_json::Value;

use crate::agent::builder::Builder;

type Change = Box<dyn FnOnce(Builder) -> Builder + Send>;

/// What is otherwise in an agent made of another; what is not named stays as it is.
///
/// What takes the place of something that the agent does not have, such as a tool of another
/// name, is an error of building it, so that a test does not run the real one unnoticed. What is
/// to be added is given with `hook`, `observer` and `further_..`, or to a builder with
/// [`Agent::to_builder`](crate::Agent::to_builder).
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

    /// Tools and hooks find another dependency of this type, of which there has to be one.
    pub fn dep<T: Any + Send + Sync>(self, value: T) -> Self {
        self.with(|builder| match builder.deps.get::<T>() {
            Some(_) => builder.in_place_of_dep(value),
            None => {
                let (name, has) = (type_name::<T>(), format!("{:?}", builder.deps));
                builder.problem(format!(
                    "an override replaces the dependency of type `{name}`, and the agent has none: \
                     it has {has}; add one with `further_dep`"
                ))
            }
        })
    }

    /// Tools and hooks find a further dependency, of a type of its own.
    pub fn further_dep<T: Any + Send + Sync>(self, value: T) -> Self {
        self.with(|builder| builder.dep(value))
    }

    /// These tools take the place of those of the same names, which the agent or one of its
    /// capabilities has to have.
    pub fn tools<T: Tool + 'static>(self, tools: impl IntoIterator<Item = T>) -> Self {
        let tools: Vec<_> = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        self.with(|mut builder| {
            let has: Vec<_> =
                builder.tools.iter().map(|given| Arc::clone(&given.tool.spec().name)).collect();
            for name in tools.iter().map(|tool| Arc::clone(&tool.spec().name)) {
                if !has.contains(&name) {
                    let known = suggestion(&name, has.iter().map(|name| &**name));
                    builder = builder.problem(format!(
                        "an override replaces the tool `{name}`, and no tool of that name was \
                         given: {known}; add one with `further_tools`"
                    ));
                }
            }
            builder.in_place_of_tools(tools)
        })
    }

    /// Further tools, of names of their own.
    pub fn further_tools<T: Tool + 'static>(self, tools: impl IntoIterator<Item = T>) -> Self {
        let tools: Vec<_> = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
        self.with(|builder| builder.tools(tools))
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

    /// Executions end with this output, in the place of another one or of none; as
    /// [`Builder::output`].
    pub fn output<E: Display>(
        self,
        fit: impl Fn(&dyn Model) -> Result<Arc<dyn OutputReader>, E> + Send + Sync + 'static,
    ) -> Self {
        self.with(|builder| builder.output(fit))
    }

    /// A further hook.
    pub fn hook(self, hook: impl Into<Hook>) -> Self {
        let hook = hook.into();
        self.with(|builder| builder.hook(hook))
    }

    /// A further observer of every run.
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        self.with(|builder| builder.observer(observer))
    }

    /// Without the hook of this name, of which there has to be one.
    pub fn without_hook(self, name: impl Into<String>) -> Self {
        let name = name.into();
        self.with(move |builder| {
            let has: Vec<_> = builder.hooks.iter().map(Hook::name).collect();
            if has.contains(&name.as_str()) {
                return builder.without_hook(&name);
            }
            let known = suggestion(&name, has);
            builder.problem(format!(
                "an override leaves out the hook `{name}`, and the agent has none of that name: \
                 {known}"
            ))
        })
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
