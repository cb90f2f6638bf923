//! Tools made of closures.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::time::Duration;

use legwork_core::tool::ExecutionMode;
use legwork_core::undo::PastCall;
use legwork_core::{EffectClass, OnDoubt, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{Admission, AdmittedCall, BoxFuture, Deps, Tool, ToolContext, Undo};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::shape::ToolFn;
use super::undo::ByFunction;
use super::validated::validated;
use crate::toolset::Ask;

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
    Closure { spec, body: Arc::new(body), admits: None, undo: None }
}

/// A tool made of a closure by [`from_fn`]; this one type for all closures.
#[derive(Clone)]
pub struct Closure {
    spec: Arc<ToolSpec>,
    body: Arc<Body>,
    admits: Option<Arc<Admits>>,
    undo: Option<Arc<dyn Undo>>,
}

type Admits = dyn Fn(&ToolSpec, &AdmittedCall<'_>) -> Admission + Send + Sync;
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

    /// The same with another execution mode.
    #[must_use]
    pub fn mode(self, mode: ExecutionMode) -> Self {
        self.with(|spec| spec.mode(mode))
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

    /// The same with a maximum number of calls in an execution.
    #[must_use]
    pub fn max_calls(self, max_calls: u32) -> Self {
        self.with(|spec| spec.max_calls(max_calls))
    }

    /// The same with the most bytes of text and JSON of a result that the model is sent.
    #[must_use]
    pub fn max_result(self, bytes: u64) -> Self {
        self.with(|spec| spec.max_result(bytes))
    }

    /// The same with a sentence that tells the model how to read what was cut of a result.
    #[must_use]
    pub fn rest(self, how: impl Into<Arc<str>>) -> Self {
        self.with(|spec| spec.rest(how))
    }

    /// The same with a tag, by which toolsets are filtered.
    #[must_use]
    pub fn tag(self, tag: impl Into<String>) -> Self {
        self.with(|spec| spec.tag(tag))
    }

    /// The same with a value for people and programs, which the model never sees.
    #[must_use]
    pub fn with_metadata(self, name: impl Into<String>, value: Value) -> Self {
        self.with(|spec| spec.with_metadata(name, value))
    }

    /// The same, whose arguments a function checks once they are known to fit the schema.
    ///
    /// The error is sent to the model, which may correct its call. The function is asked before
    /// anybody is asked for approval, and may be asked again: it must be quick and have no effect.
    ///
    /// ```
    /// use legwork::tool::from_fn;
    /// # use schemars::JsonSchema;
    /// # use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Range {
    ///     from: u32,
    ///     to: u32,
    /// }
    ///
    /// let lines = from_fn("lines", "Reads lines.", |range: Range| range.to - range.from)
    ///     .validate(|range: &Range| {
    ///         if range.from <= range.to { Ok(()) } else { Err("`from` is above `to`") }
    ///     });
    /// # let _ = lines;
    /// ```
    #[must_use]
    pub fn validate<A, E>(self, check: impl Fn(&A) -> Result<(), E> + Send + Sync + 'static) -> Self
    where
        A: DeserializeOwned + 'static,
        E: Display,
    {
        self.admitting(move |_, call| validated(call, &check))
    }

    /// The same, some of whose calls a person has to approve.
    #[must_use]
    pub fn approval(self, ask: Ask) -> Self {
        self.admitting(move |spec, call| ask.admit(spec, call))
    }

    /// The same, whose calls a function takes back, given the call as the journal has it and the
    /// dependencies of the agent.
    ///
    /// It returns what it did, in words, or why it could not do it. It may run again after a
    /// crash: then it has to find out whether it was done already.
    ///
    /// ```
    /// use legwork::tool::from_fn;
    /// # use schemars::JsonSchema;
    /// # use serde::Deserialize;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// let create = from_fn("create", "Creates a list.", |list: Name| list.name).undo(
    ///     |past, _deps| async move {
    ///         let list: Name = past.arguments().map_err(|error| error.to_string())?;
    ///         Ok::<_, String>(format!("removed the list {}", list.name))
    ///     },
    /// );
    /// # let _ = create;
    /// ```
    #[must_use]
    pub fn undo<F, T, E>(self, function: F) -> Self
    where
        F: Fn(PastCall, Deps) -> T + Send + Sync + 'static,
        T: Future<Output = Result<String, E>> + Send + 'static,
        E: Display,
    {
        let function = move |past, deps| {
            let undone = function(past, deps);
            async move { super::undo::outcome(undone.await) }
        };
        Self { undo: Some(Arc::new(ByFunction(function))), ..self }
    }

    /// The same; a call is asked about here, too.
    fn admitting(
        mut self,
        admits: impl Fn(&ToolSpec, &AdmittedCall<'_>) -> Admission + Send + Sync + 'static,
    ) -> Self {
        self.admits = Some(match self.admits.take() {
            None => Arc::new(admits),
            Some(before) => Arc::new(move |spec, call| before(spec, call).and(admits(spec, call))),
        });
        self
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

    fn undo(&self) -> Option<&dyn Undo> {
        self.undo.as_deref()
    }

    fn admit(&self, call: &AdmittedCall<'_>) -> Admission {
        let admits = self.admits.as_ref();
        admits.map_or(Admission::Run, |admits| admits(&self.spec, call))
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
