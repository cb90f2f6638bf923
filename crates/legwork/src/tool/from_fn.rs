//! Tools made of closures.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Tool, ToolContext};
use schemars::JsonSchema;
use serde_json::Value;

use super::shape::ToolFn;

/// A tool made of a closure, with a name and a description.
///
/// The closure takes its arguments as one value, whose type gives the JSON Schema, or none, then
/// the [`ToolContext`] if it needs it. It returns a type that implements
/// [`IntoOutcome`](legwork_core::tool::IntoOutcome), or a future of one. It must own what it
/// captures:
///
/// ```
/// use legwork::prelude::*;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Sum {
///     a: i64,
///     /// What is added.
///     b: i64,
/// }
///
/// let add = tool::from_fn("add", "Adds two whole numbers.", |sum: Sum| sum.a + sum.b).read_only();
/// let names = std::sync::Arc::new(vec!["Ann".to_owned(), "Bob".to_owned()]);
/// let list = tool::from_fn("list", "Lists the members.", move |cx: ToolContext| {
///     let names = names.clone();
///     async move {
///         cx.progress("looking");
///         names.join(", ")
///     }
/// });
/// let builder = |model| Agent::builder(model).tools([add, list]);
/// # let _ = builder(legwork::agent::driver::NoModel);
/// ```
///
/// Its effect class is `Once`, like that of a function with `#[tool]`; the methods of [`Closure`]
/// correspond to the options of `#[tool]`.
pub fn from_fn<F, M>(
    name: impl Into<Arc<str>>,
    description: impl Into<Arc<str>>,
    function: F,
) -> Closure
where
    F: ToolFn<M> + Send + Sync + 'static,
    F::Arguments: JsonSchema,
{
    from_schema(name, description, super::schema::<F::Arguments>(), function)
}

/// A tool made of a closure, with a JSON Schema in place of the one of its argument type.
///
/// ```
/// use legwork::prelude::*;
/// use serde_json::{Value, json};
///
/// let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
/// let stat = tool::from_schema("stat", "Looks at a file.", schema, |arguments: Value| {
///     format!("{} is there", arguments["path"])
/// });
/// # let _ = stat;
/// ```
pub fn from_schema<F, M>(
    name: impl Into<Arc<str>>,
    description: impl Into<Arc<str>>,
    schema: Value,
    function: F,
) -> Closure
where
    F: ToolFn<M> + Send + Sync + 'static,
{
    let spec = Arc::new(ToolSpec::new(name, description, schema));
    let body = move |call: &ToolCall, cx: &ToolContext| -> BoxFuture<'static, ToolOutcome> {
        match cx.arguments(call) {
            Ok(arguments) => function.call(arguments, cx),
            Err(outcome) => Box::pin(std::future::ready(outcome)),
        }
    };
    Closure { spec, body: Arc::new(body) }
}

/// A tool made of a closure by [`from_fn`]; this one type for all closures.
#[derive(Clone)]
pub struct Closure {
    spec: Arc<ToolSpec>,
    body: Arc<Body>,
}

type Body = dyn Fn(&ToolCall, &ToolContext) -> BoxFuture<'static, ToolOutcome> + Send + Sync;

impl Closure {
    /// The same, declared to change nothing: a call in doubt is run again.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.with(|spec| spec.effect(EffectClass::ReadOnly))
    }

    /// The same, declared to use its idempotency key: a call in doubt is run again with it.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.with(|spec| spec.effect(EffectClass::Idempotent))
    }

    /// The same, never run twice, and what to do about a call in doubt.
    #[must_use]
    pub fn once(self, on_doubt: OnDoubt) -> Self {
        self.with(|spec| spec.effect(EffectClass::Once(on_doubt)))
    }

    /// The same, run alone: not concurrently with other calls of its turn.
    #[must_use]
    pub fn sequential(self) -> Self {
        self.with(|spec| spec.mode(ExecutionMode::Sequential))
    }

    /// The same with a time limit for a call.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|spec| spec.timeout(timeout))
    }

    /// The same with another number of retries in a row; 2 by default.
    #[must_use]
    pub fn max_retries(self, max_retries: u32) -> Self {
        self.with(|spec| spec.max_retries(max_retries))
    }

    /// The same; calls with equal values of this argument run one after the other.
    #[must_use]
    pub fn resource(self, argument: impl Into<String>) -> Self {
        self.with(|spec| spec.resource(argument))
    }

    fn with(mut self, change: impl FnOnce(ToolSpec) -> ToolSpec) -> Self {
        self.spec = Arc::new(change(Arc::unwrap_or_clone(self.spec)));
        self
    }
}

impl Tool for Closure {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        (self.body)(call, cx)
    }
}

impl fmt::Debug for Closure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Closure").field(&self.spec.name).finish()
    }
}

impl From<Closure> for Arc<dyn Tool> {
    fn from(closure: Closure) -> Self {
        Arc::new(closure)
    }
}
