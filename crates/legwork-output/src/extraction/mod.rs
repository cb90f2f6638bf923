//! Structured output of one model, without an agent.
//!
//! [`Extract::extract`] asks a model for a value of a type in the best [`Mode`] that it has,
//! reads the answer, and sends what is wrong with it back, a bounded number of times. Nothing is
//! journaled: an agent that must not lose what it paid for does that.

mod answer;
mod error;
mod repair;
mod request;
mod watch;

use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;

use legwork_core::message::Author;
use legwork_core::{Message, ModelSettings};
use legwork_port::{BoxFuture, Model};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

pub use crate::mode::Mode;
pub use answer::{Answer, Attempt};
pub use error::{Error, Problem};

use crate::Output;
use crate::output::{self, EachItem, Items, Shown};
use crate::partial;
use crate::schema::{self, Dialect};
use watch::OnPartial;
use watch::Watch;

/// How often a model may correct its answer, unless it is said otherwise.
pub const REPAIRS: u32 = 2;

/// Asks models for values of types.
pub trait Extract {
    /// Asks for a value of a type. Await it, or configure it first.
    ///
    /// ```
    /// use legwork_output::extraction::Extract as _;
    /// use legwork_testkit::{ScriptedModel, Turn};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct City {
    ///     name: String,
    ///     population: u32,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), legwork_output::extraction::Error> {
    /// # let model = ScriptedModel::new([Turn::call(
    /// #     "answer", serde_json::json!({"name": "Paris", "population": 2_100_000}))]);
    /// let city = model.extract::<City>("Paris has 2.1 million inhabitants.").await?;
    /// assert_eq!((&*city.name, city.population), ("Paris", 2_100_000));
    /// # Ok(())
    /// # }
    /// ```
    fn extract<T: DeserializeOwned + JsonSchema + Send + 'static>(
        &self,
        message: impl Into<Message>,
    ) -> Extraction<'_, T>;
}

impl<M: Model> Extract for M {
    fn extract<T: DeserializeOwned + JsonSchema + Send + 'static>(
        &self,
        message: impl Into<Message>,
    ) -> Extraction<'_, T> {
        Extraction::new(self, Output::of(), message.into())
    }
}

impl Extract for dyn Model + '_ {
    fn extract<T: DeserializeOwned + JsonSchema + Send + 'static>(
        &self,
        message: impl Into<Message>,
    ) -> Extraction<'_, T> {
        Extraction::new(self, Output::of(), message.into())
    }
}

/// A question to a model whose answer is a value; await it to ask.
#[must_use = "it asks nothing until it is awaited"]
pub struct Extraction<'m, T> {
    pub(crate) model: &'m dyn Model,
    output: Result<Output<T>, schema::Error>,
    asked: Asked,
    repairs: u32,
    on_partial: Option<OnPartial<'m>>,
}

/// What is sent, but for the output.
struct Asked {
    messages: Vec<Message>,
    instructions: String,
    settings: Option<Arc<ModelSettings>>,
    mode: Option<Mode>,
    dialect: Option<Dialect>,
}

impl<'m, T: Send + 'static> Extraction<'m, T> {
    fn new(
        model: &'m dyn Model,
        output: Result<Output<T>, schema::Error>,
        message: Message,
    ) -> Self {
        let asked = Asked {
            messages: vec![message],
            instructions: String::new(),
            settings: None,
            mode: None,
            dialect: None,
        };
        Self { model, output, asked, repairs: REPAIRS, on_partial: None }
    }

    /// The same for another output: with validators, examples, or a schema known only now.
    pub fn output<U>(self, output: Output<U>) -> Extraction<'m, U> {
        let Self { model, asked, repairs, on_partial, .. } = self;
        Extraction { model, output: Ok(output), asked, repairs, on_partial }
    }

    /// The same with one more message after the others.
    pub fn message(mut self, message: impl Into<Message>) -> Self {
        self.asked.messages.push(message.into());
        self
    }

    /// The same with instructions, the system prompt.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.asked.instructions = instructions.into();
        self
    }

    /// The same with other settings than the name of the model.
    pub fn settings(mut self, settings: ModelSettings) -> Self {
        self.asked.settings = Some(Arc::new(settings));
        self
    }

    /// The same in a mode; otherwise the [profile](Mode::of_profile) of the model decides.
    pub fn mode(mut self, mode: Mode) -> Self {
        self.asked.mode = Some(mode);
        self
    }

    /// The same with a dialect of JSON Schema; otherwise the name of the model decides.
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.asked.dialect = Some(dialect);
        self
    }

    /// The same, with at most so many corrected answers after the first one.
    pub fn repairs(mut self, repairs: u32) -> Self {
        self.repairs = repairs;
        self
    }

    /// The same, streamed: it is called with what has arrived of the value, after each piece.
    ///
    /// A repeated attempt and a corrected answer begin anew.
    pub fn on_partial(self, on_partial: impl FnMut(&partial::Value) + Send + 'm) -> Self {
        self.shown(on_partial)
    }

    fn shown(self, shown: impl Shown + 'm) -> Self {
        Self { on_partial: Some(Box::new(shown)), ..self }
    }

    /// Asks, and gives the value with how it came about.
    ///
    /// # Errors
    /// If the model fails, or if none of its answers can be taken.
    pub async fn answer(self) -> Result<Answer<T>, Error> {
        let output = self.output.map_err(Error::Output)?;
        let plan = request::Plan::new(self.model, &output, self.asked)?;
        let mut request = plan.request();
        let mut on_partial = self.on_partial;
        let mut attempts = Vec::new();
        loop {
            let mut watch = on_partial.as_mut().map(|on| Watch::new(&output, plan.mode, on));
            let deltas = watch.as_mut().map(|watch| watch as &mut dyn legwork_port::Deltas);
            let response = match self.model.infer(request.clone(), deltas).await {
                // A provider is given back what it signed only in an answer that is known to be
                // its own.
                Ok(response) => response.by(|| Author::Model(self.model.name().into())),
                Err(error) => return Err(Error::Model { error, attempts }),
            };
            let read = answer::read(&output, &plan, &response);
            let problem = match read {
                Ok(value) => return Ok(Answer::new(value, plan.mode, response, attempts)),
                Err(problem) => problem,
            };
            let is_last = attempts.len() >= self.repairs as usize || !problem.is_repairable();
            request = repair::corrected(&output, &plan, &response, &problem);
            attempts.push(Attempt { response, problem });
            if is_last {
                return Err(Error::Rejected { attempts });
            }
        }
    }
}

impl<'m, I: DeserializeOwned + JsonSchema + Send + 'static> Extraction<'m, Vec<I>> {
    /// The same, streamed: it is called with each item of the list as soon as it is complete, and
    /// with its number from 0 on. An item that fails a stage is an error by itself. It is read by the
    /// schema of its type: a schema, validators or a transformation of the list are those of the
    /// whole.
    ///
    /// A repeated attempt and a corrected answer begin anew, with the number 0.
    ///
    /// ```
    /// use legwork_output::Extract;
    /// # use legwork_testkit::{ScriptedModel, Turn};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let model = ScriptedModel::new([
    /// #     Turn::call("answer", serde_json::json!({"items": ["tea", "milk"]}))]);
    /// let mut seen = Vec::new();
    /// let list = model.extract::<Vec<String>>("What do I need for tea?");
    /// let list = list.on_item(|number, item| seen.extend(item.map(|item| (number, item)))).await?;
    /// assert_eq!(list, ["tea", "milk"]);
    /// assert_eq!(seen, [(0, "tea".to_owned()), (1, "milk".to_owned())]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_item(self, on_item: impl FnMut(usize, Result<I, output::Error>) + Send + 'm) -> Self {
        match Output::of() {
            Ok(item) => self.shown(EachItem::new(Items::of(item), on_item)),
            // The list of such items has no valid schema either, which is the error of asking.
            Err(_) => self,
        }
    }
}

impl<'m, T: Send + 'static> IntoFuture for Extraction<'m, T> {
    type Output = Result<T, Error>;
    type IntoFuture = BoxFuture<'m, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.answer().await.map(|answer| answer.value) })
    }
}

impl<T> fmt::Debug for Extraction<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extraction")
            .field("model", &self.model.name())
            .field("output", &self.output)
            .field("mode", &self.asked.mode)
            .finish_non_exhaustive()
    }
}
