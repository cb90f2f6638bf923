//! A run that ends with a value of a type.

use std::fmt;
use std::future::IntoFuture;

use legwork_agent::{Control, Error as AgentError, Run, RunRequest, RunStream};
use legwork_core::SessionId;
use legwork_core::state::Refusal;
use legwork_output::output::{EachItem, Items, Shown};
use legwork_output::{Output, output};
use legwork_port::{BoxFuture, Observer};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::output::partial_values::PartialValues;
use crate::output::{TypedAgent, partial};
use crate::{Error, Result};

/// A run that was asked for, and ends with a value; await it.
///
/// A run that gives no value is [`Error::Agent`]: it says why, and how to go on.
#[must_use = "a run does nothing until it is awaited"]
pub struct TypedRun<T> {
    agent: TypedAgent<T>,
    request: Result<RunRequest, AgentError>,
    /// The session, if one is gone on with.
    resumes: Option<SessionId>,
}

impl<I: DeserializeOwned + JsonSchema + Send + 'static> TypedRun<Vec<I>> {
    /// Calls a function with each item of the list as soon as it is complete, and with its number
    /// from 0 on. An item that fails a stage is an error by itself.
    /// It is read by the schema of its type: a schema, validators or a transformation of the list
    /// are those of the whole.
    ///
    /// A repeated attempt and a corrected answer begin anew, with the number 0.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// use legwork::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> legwork::Result<()> {
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # let model = ScriptedModel::new([
    /// #     Turn::call("answer", serde_json::json!({"items": ["tea", "milk"]}))]);
    /// let agent = Agent::builder(model).build()?;
    /// let (tell, told) = mpsc::channel();
    /// let list = agent.output::<Vec<String>>().run("What do I need for tea?");
    /// let list = list.on_item(move |number, item| drop(tell.send((number, item.ok())))).await?;
    /// assert_eq!(list, ["tea", "milk"]);
    /// let told: Vec<_> = told.iter().collect();
    /// assert_eq!(told, [(0, Some("tea".to_owned())), (1, Some("milk".to_owned()))]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_item(
        self,
        on_item: impl FnMut(usize, Result<I, output::Error>) + Send + 'static,
    ) -> Self {
        match Output::of() {
            Ok(item) => self.shown(EachItem::new(Items::of(item), on_item)),
            // The list of such items has no valid schema either, which is the error of the run.
            Err(_) => self,
        }
    }
}

/// A value, and the run that gave it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answered<T> {
    /// The value.
    pub value: T,
    /// The run: its session, what it used, its steps.
    pub run: Run,
}

impl<T: Send + 'static> TypedRun<T> {
    pub(super) fn new(agent: TypedAgent<T>, request: Result<RunRequest, AgentError>) -> Self {
        Self { agent, request, resumes: None }
    }

    pub(super) fn resuming(self, session: SessionId) -> Self {
        Self { resumes: Some(session), ..self }
    }

    /// The same with a change of the request, such as another observer or a state to go on with.
    pub fn with(self, change: impl FnOnce(RunRequest) -> RunRequest) -> Self {
        Self { request: self.request.map(change), ..self }
    }

    /// In this session, new or not; as [`RunRequest::in_session`].
    pub fn in_session(self, session: impl Into<SessionId>) -> Self {
        self.with(|request| request.in_session(session))
    }

    /// Goes on with what the session has, or gives its value; as [`RunRequest::or_resume`].
    pub fn or_resume(self) -> Self {
        self.with(RunRequest::or_resume)
    }

    /// With a control that the caller shares.
    pub fn control(self, control: Control) -> Self {
        self.with(|request| request.control(control))
    }

    /// Watched by an observer, too.
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        self.with(|request| request.observer(observer))
    }

    /// Calls a function with what has arrived of the value, after each piece of an answer.
    ///
    /// A repeated attempt and a corrected answer begin anew. What it is called with was not
    /// checked. Each piece costs what it adds.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// use legwork::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> legwork::Result<()> {
    /// # use legwork_testkit::{ScriptedModel, Turn};
    /// # let model = ScriptedModel::new([
    /// #     Turn::call("answer", serde_json::json!({"items": ["tea", "milk"]}))]);
    /// let agent = Agent::builder(model).build()?;
    /// let (tell, told) = mpsc::channel();
    /// let list = agent.output::<Vec<String>>().run("What do I need for tea?");
    /// let list = list.on_partial(move |value| drop(tell.send(value.to_json()))).await?;
    /// assert_eq!(list, ["tea", "milk"]);
    /// assert_eq!(told.iter().last(), Some(serde_json::json!(["tea", "milk"])));
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_partial(self, on_partial: impl FnMut(&partial::Value) + Send + 'static) -> Self {
        self.shown(on_partial)
    }

    fn shown(self, shown: impl Shown + 'static) -> Self {
        let Some(output) = self.agent.wanted() else { return self };
        let watch = PartialValues::new(output, shown);
        self.observer(watch)
    }

    /// Gives the events of the run as they come, and its result last; the value is
    /// [`TypedAgent::value`] of that. A session that is resumed must have something left to do.
    ///
    /// # Errors
    /// When the agent cannot be asked for the output.
    pub fn stream(self) -> Result<RunStream> {
        Ok(self.request?.stream())
    }

    /// Awaits the run, whatever comes of it, to match on [`Run::end`].
    ///
    /// # Errors
    /// As [`RunRequest::outcome`].
    pub async fn outcome(mut self) -> Result<Run> {
        match self.run().await {
            Err(AgentError::Unfinished(unfinished)) => Ok(unfinished.into_run()),
            run => Ok(run?),
        }
    }

    async fn run(&mut self) -> Result<Run, AgentError> {
        let begun = Err(AgentError::Begun);
        match (std::mem::replace(&mut self.request, begun)?.await, self.resumes.take()) {
            (Err(error), Some(session)) => recorded(&self.agent, session, error).await,
            (run, _) => run,
        }
    }

    /// Awaits the value together with the run that gave it.
    ///
    /// # Errors
    /// As when it is awaited.
    pub async fn answered(mut self) -> Result<Answered<T>> {
        let run = self.run().await?;
        let problem = match self.agent.value(&run) {
            Ok(Some(value)) => return Ok(Answered { value, run }),
            Ok(None) => "the run completed without an output".to_owned(),
            Err(error) => error.to_string(),
        };
        Err(Error::Output { run: Box::new(run), problem })
    }
}

/// The last run of a session that was resumed and has nothing left to do, if it gave an output;
/// else the error.
async fn recorded<T: Send + 'static>(
    agent: &TypedAgent<T>,
    session: SessionId,
    error: AgentError,
) -> Result<Run, AgentError> {
    if !matches!(error, AgentError::Refused(Refusal::NothingToDo { .. })) {
        return Err(error);
    }
    let run = agent.agent()?.session(session).last_run().await?;
    if run.output().is_some() { Ok(run) } else { Err(error) }
}

impl<T: Send + 'static> IntoFuture for TypedRun<T> {
    type Output = Result<T>;
    type IntoFuture = BoxFuture<'static, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.answered().await.map(|answered| answered.value) })
    }
}

impl<T> fmt::Debug for TypedRun<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedRun").field("agent", &self.agent).finish_non_exhaustive()
    }
}
