//! Outputs of the executions of an agent.
//!
//! A [`Reader`] is an [`Output`] made for one model: the port by which an agent asks for it and
//! reads it.

use std::sync::Arc;

use legwork_core::output::{self, Rejection, Wanted};
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::{BoxFuture, Model, OutputContext, OutputReader, Tool, ToolContext};
use serde_json::Value;

use crate::Output;
use crate::checks::Checks;
use crate::extraction::{Mode, REPAIRS};
use crate::output::{Error, Stage};
use crate::request_parts::RequestParts;
use crate::schema::{Dialect, Fitted, Unfit};

/// How an agent asks for an output, where it differs from what its model decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The mode; none = the best one that the profile of the model allows.
    pub mode: Option<Mode>,
    /// The dialect of JSON Schema; none = that of the model's provider.
    pub dialect: Option<Dialect>,
    /// How many rejected answers in a row the model may correct; 2 by default.
    pub repairs: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { mode: None, dialect: None, repairs: REPAIRS }
    }
}

/// An output as one model is asked for it.
pub struct Reader<T> {
    output: Output<T>,
    checks: Checks,
    fitted: Fitted,
    wanted: Arc<Wanted>,
    prompt: String,
    tool: Option<Arc<ToolSpec>>,
}

impl<T: 'static> Output<T> {
    /// This output as a model is asked for it.
    ///
    /// # Errors
    /// If the dialect of the model's provider cannot express the schema.
    pub fn reader(&self, model: &dyn Model, options: Options) -> Result<Reader<T>, Unfit> {
        let parts = RequestParts::new(self, model, options.mode, options.dialect)?;
        let wanted = Wanted {
            name: Arc::clone(self.name()),
            mode: parts.mode.into(),
            schema: Arc::clone(self.schema().json()),
            format: parts.format,
            repairs: options.repairs,
        };
        let spec = |spec: ToolSpec| {
            let spec = spec.effect(EffectClass::ReadOnly).max_retries(options.repairs);
            Arc::new(spec.gives_output())
        };
        Ok(Reader {
            output: self.clone(),
            checks: Checks::default(),
            fitted: parts.fitted,
            wanted: Arc::new(wanted),
            prompt: parts.prompt,
            tool: parts.tool.map(spec),
        })
    }
}

impl<T> Reader<T> {
    /// The same with checks of what it reads.
    #[must_use]
    pub fn checked(self, checks: Checks) -> Self {
        Self { checks, ..self }
    }
}

impl<T: 'static> OutputReader for Reader<T> {
    fn wanted(&self) -> &Arc<Wanted> {
        &self.wanted
    }

    fn prompt(&self) -> &str {
        &self.prompt
    }

    fn tool(&self) -> Option<Arc<dyn Tool>> {
        let spec = Arc::clone(self.tool.as_ref()?);
        let (output, fitted) = (self.output.clone(), self.fitted.clone());
        Some(Arc::new(Answer { output, checks: self.checks.clone(), fitted, spec }))
    }

    fn read(&self, written: &str) -> Result<Value, Rejection> {
        self.output.accept(written, &self.fitted).map_err(|error| Rejection::from(&error))
    }

    fn check<'a>(
        &'a self,
        value: &'a Value,
        cx: OutputContext,
    ) -> BoxFuture<'a, Result<(), Rejection>> {
        Box::pin(async move {
            let checked = self.checks.check(value, &cx).await;
            checked.map_err(|error| Rejection::from(&error))
        })
    }

    fn correction(&self, rejection: &Rejection) -> String {
        let Rejection { stage, problem } = rejection;
        let tool = match &self.tool {
            Some(tool) => format!(" Call `{}` with it.", tool.name),
            None => String::new(),
        };
        format!(
            "Your answer cannot be taken ({stage}): {problem}. Give the whole answer again, \
             corrected.{tool}"
        )
    }
}

/// The tool by which a model gives the value. It tells the model at once what is wrong with it.
struct Answer<T> {
    output: Output<T>,
    checks: Checks,
    fitted: Fitted,
    spec: Arc<ToolSpec>,
}

impl<T: 'static> Tool for Answer<T> {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let value = match self.output.accept(&call.arguments, &self.fitted) {
                Ok(value) => value,
                Err(error) => return ToolOutcome::retry(format!("{}: {error}", error.stage())),
            };
            match self.checks.check(&value, &cx.into()).await {
                Ok(()) => ToolOutcome::text("The answer is accepted."),
                Err(error) => ToolOutcome::retry(error.to_string()),
            }
        })
    }
}

impl From<&Error> for Rejection {
    fn from(error: &Error) -> Self {
        let stage = match error.stage() {
            Stage::Extraction => output::Stage::Extraction,
            Stage::Schema => output::Stage::Schema,
            Stage::Deserialization => output::Stage::Deserialization,
            Stage::Validation => output::Stage::Validation,
            Stage::Transformation => output::Stage::Transformation,
        };
        Self::new(stage, error.to_string())
    }
}

impl From<Mode> for output::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::ToolCall => Self::ToolCall,
            Mode::NativeSchema => Self::NativeSchema,
            Mode::JsonObject => Self::JsonObject,
            Mode::Fenced => Self::Fenced,
            Mode::Prompted => Self::Prompted,
        }
    }
}
