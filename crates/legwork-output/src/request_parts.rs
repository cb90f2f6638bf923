//! How a model is asked for an output: the best mode that it has, and what goes with a request.

use std::sync::Arc;

use legwork_core::ToolSpec;
use legwork_port::Model;
use serde_json::{Value, json};

use crate::Output;
use crate::mode::Mode;
use crate::schema::{Dialect, Fitted, Unfit};

/// How a model is asked for an output.
pub(crate) struct RequestParts {
    pub(crate) mode: Mode,
    /// The schema that the model is given.
    pub(crate) fitted: Fitted,
    /// The instructions for the model; may be empty.
    pub(crate) prompt: String,
    /// The tool by which it gives the value.
    pub(crate) tool: Option<ToolSpec>,
    /// The format of its answer.
    pub(crate) format: Option<Arc<Value>>,
}

impl RequestParts {
    /// In a mode and a dialect, or as the model decides: by its profile and its name.
    pub(crate) fn new<T: 'static>(
        output: &Output<T>,
        model: &dyn Model,
        mode: Option<Mode>,
        dialect: Option<Dialect>,
    ) -> Result<Self, Unfit> {
        let dialect = dialect.unwrap_or_else(|| Dialect::of_model(model.name()));
        let (mode, fitted) = match mode {
            Some(mode) => (mode, fitted(output, mode, dialect)?),
            None => chosen(output, model, dialect)?,
        };
        let prompt = match mode {
            Mode::ToolCall => output.prompt().of_tool(),
            Mode::NativeSchema => output.prompt().of_schema(),
            Mode::JsonObject => output.prompt().of_object(),
            Mode::Fenced => output.prompt().of_fence(),
            Mode::Prompted => output.prompt().of_text(),
        };
        let tool = (mode == Mode::ToolCall).then(|| output.tool(fitted.json()));
        let format = match mode {
            Mode::NativeSchema => Some(Arc::clone(fitted.json())),
            // Any object fits this schema: that is what providers call JSON mode.
            Mode::JsonObject => Some(Arc::new(json!({"type": "object"}))),
            Mode::ToolCall | Mode::Fenced | Mode::Prompted => None,
        };
        Ok(Self { mode, fitted, prompt, tool, format })
    }
}

/// The best mode of a model whose schema the dialect can express.
fn chosen<T: 'static>(
    output: &Output<T>,
    model: &dyn Model,
    dialect: Dialect,
) -> Result<(Mode, Fitted), Unfit> {
    let mode = Mode::of_profile(model.profile());
    match fitted(output, mode, dialect) {
        Ok(fitted) => Ok((mode, fitted)),
        Err(_) => Ok((Mode::Fenced, fitted(output, Mode::Fenced, dialect)?)),
    }
}

/// The schema as a mode sends it. Tools take the full one, but for Gemini's.
fn fitted<T: 'static>(output: &Output<T>, mode: Mode, dialect: Dialect) -> Result<Fitted, Unfit> {
    let dialect = match mode {
        Mode::NativeSchema => dialect,
        Mode::ToolCall if dialect == Dialect::Gemini => dialect,
        _ => Dialect::Full,
    };
    output.sent_schema().fit(dialect)
}
