//! An agent whose executions end with a value of a type.

use std::fmt;
use std::sync::{Arc, OnceLock};

use legwork_agent::{Agent, Error, Override, Run};
use legwork_core::{Message, SessionId};
use legwork_output::output::Invalid;
use legwork_output::reader::Options;
use legwork_output::schema::{self, Dialect};
use legwork_output::{Checks, Mode, Output, output};
use legwork_port::{OutputContext, OutputReader};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::output::TypedRun;

/// Makes agents whose executions end with a value of a type.
pub trait TypedOutput {
    /// The same agent, each of its executions ending with a value of a type.
    ///
    /// A sequence, a scalar, an enum, an `Option` or a [`Maybe`](crate::output::Maybe) may be one,
    /// too.
    fn output<T: DeserializeOwned + JsonSchema + Send + 'static>(&self) -> TypedAgent<T>;

    /// The same agent, each of its executions ending with this output: one with validators or
    /// examples, of a schema that is known only now, or made into something else.
    ///
    /// ```
    /// use legwork::output::Output;
    /// use legwork::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # use serde_json::json;
    /// # let turns = [json!({"value": 7}), json!({"value": 8})];
    /// # let model = ScriptedModel::new(turns.map(|turn| Turn::call("answer", turn)));
    /// let even = Output::<u32>::of()?.validate(|number: &u32| match number % 2 {
    ///     0 => Ok(()),
    ///     _ => Err(format!("{number} is odd")),
    /// });
    /// let agent = Agent::builder(model).build()?;
    /// assert_eq!(agent.output_as(even).run("Give me an even number.").await?, 8);
    /// # Ok(())
    /// # }
    /// ```
    fn output_as<T: Send + 'static>(&self, output: Output<T>) -> TypedAgent<T>;
}

impl TypedOutput for Agent {
    fn output<T: DeserializeOwned + JsonSchema + Send + 'static>(&self) -> TypedAgent<T> {
        TypedAgent::new(self.clone(), Output::of())
    }

    fn output_as<T: Send + 'static>(&self, output: Output<T>) -> TypedAgent<T> {
        TypedAgent::new(self.clone(), Ok(output))
    }
}

/// An agent whose executions end with a value of a type; clones share it.
///
/// What it is asked with is chosen by the model's abilities ([`Mode`]); its tools and limits are
/// those of the agent. An execution that gives no value is an error which says why
/// ([`Error::Unfinished`]), and can be resumed as any other.
pub struct TypedAgent<T> {
    base: Agent,
    output: Result<Output<T>, schema::Error>,
    options: Options,
    checks: Checks,
    /// Built when it is first used; a failure is found again each time.
    agent: Arc<OnceLock<Agent>>,
}

impl<T: Send + 'static> TypedAgent<T> {
    fn new(base: Agent, output: Result<Output<T>, schema::Error>) -> Self {
        let (options, checks) = (Options::default(), Checks::default());
        Self { base, output, options, checks, agent: Arc::default() }
    }

    fn with(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        Self { agent: Arc::default(), ..self }
    }

    /// The same, asked in a mode; otherwise the abilities of the model decide.
    #[must_use]
    pub fn mode(self, mode: Mode) -> Self {
        self.with(|options| options.mode = Some(mode))
    }

    /// The same with a dialect of JSON Schema; otherwise the name of the model decides.
    #[must_use]
    pub fn dialect(self, dialect: Dialect) -> Self {
        self.with(|options| options.dialect = Some(dialect))
    }

    /// The same, with at most so many corrections of rejected answers in a row; 2 by default.
    #[must_use]
    pub fn repairs(self, repairs: u32) -> Self {
        self.with(|options| options.repairs = repairs)
    }

    /// The same with a check of the value that knows the run which gave it, and may wait: for a
    /// database, or for another model.
    ///
    /// Checks run after the validators of the [`Output`], all of them, and the model is told all that
    /// is wrong. They are to have no effects: one runs again if the process dies before its verdict
    /// is journaled. A check that waits ends when the run is cancelled or interrupted.
    ///
    /// ```
    /// use legwork::output::OutputContext;
    /// use legwork::prelude::*;
    ///
    /// struct Stock(Vec<&'static str>);
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # use serde_json::json;
    /// # let turns = [json!({"value": "coffee"}), json!({"value": "tea"})];
    /// # let model = ScriptedModel::new(turns.map(|turn| Turn::call("answer", turn)));
    /// let agent = Agent::builder(model).dep(Stock(vec!["tea", "milk"])).build()?;
    /// let item = agent.output::<String>().validate(async |item: String, cx: OutputContext| {
    ///     match cx.dep::<Stock>() {
    ///         Some(Stock(items)) if items.contains(&&*item) => Ok(()),
    ///         _ => Err(format!("there is no {item} in stock")),
    ///     }
    /// });
    /// assert_eq!(item.run("What shall I drink?").await?, "tea");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn validate<R, E>(
        mut self,
        check: impl Fn(T, OutputContext) -> R + Send + Sync + 'static,
    ) -> Self
    where
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Invalid>,
    {
        if let Ok(output) = &self.output {
            self.checks = self.checks.with(output.clone(), check);
        }
        Self { agent: Arc::default(), ..self }
    }

    /// Runs the agent on a task in a new session; await it.
    pub fn run(&self, input: impl Into<Message>) -> TypedRun<T> {
        let request = self.agent().map(|agent| agent.run(input));
        TypedRun::new(self.clone(), request)
    }

    /// Goes on with a session where it stands; await it. An output that was accepted before is
    /// given without asking again, also if the execution has completed.
    pub fn resume(&self, session: impl Into<SessionId>) -> TypedRun<T> {
        let session = session.into();
        let request = self.agent().map(|agent| agent.resume(session.clone()));
        TypedRun::new(self.clone(), request).resuming(session)
    }

    /// The agent with this output: for its streams, its steps and its sessions.
    ///
    /// # Errors
    /// If the schema is not valid, or if the provider of the model cannot express it.
    pub fn agent(&self) -> Result<Agent, Error> {
        if let Some(agent) = self.agent.get() {
            return Ok(agent.clone());
        }
        let built = self.build()?;
        // Another thread may have been first.
        Ok(self.agent.get_or_init(|| built).clone())
    }

    fn build(&self) -> Result<Agent, Error> {
        let output = match &self.output {
            Ok(output) => output.clone(),
            Err(error) => return Err(Error::Build(vec![format!("its output: {error}")])),
        };
        let (options, checks) = (self.options, self.checks.clone());
        self.base.with_override(Override::new().output(move |model| {
            let reader = output.reader(model, options)?.checked(checks.clone());
            Ok::<_, schema::Unfit>(Arc::new(reader) as Arc<dyn OutputReader>)
        }))
    }

    /// The value that a run of this agent gave; none if it gave none.
    ///
    /// # Errors
    /// If the value in the journal is not of this type: an older version of the program wrote it.
    pub fn value(&self, run: &Run) -> Result<Option<T>, output::Error> {
        match (&self.output, run.output()) {
            (Ok(output), Some(value)) => output.restore(value.clone()).map(Some),
            _ => Ok(None),
        }
    }

    /// The output, if its schema is valid.
    pub(super) fn wanted(&self) -> Option<&Output<T>> {
        self.output.as_ref().ok()
    }
}

impl<T> Clone for TypedAgent<T> {
    fn clone(&self) -> Self {
        Self {
            base: self.base.clone(),
            output: self.output.clone(),
            options: self.options,
            checks: self.checks.clone(),
            agent: Arc::clone(&self.agent),
        }
    }
}

impl<T> fmt::Debug for TypedAgent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedAgent")
            .field("agent", &self.base)
            .field("output", &self.output)
            .finish_non_exhaustive()
    }
}
