//! What is sent to a model.

use std::sync::Arc;

use legwork_core::inference::ToolChoice;
use legwork_core::tool::ToolSpecs;
use legwork_core::{ModelRequest, ModelSettings};
use legwork_port::Model;
use serde_json::json;

use crate::Output;
use crate::extraction::{Asked, Error, Mode};
use crate::schema::{Dialect, Fitted};

/// How a model is asked: the mode, the schema that it is given, and the request.
pub(super) struct Plan {
    pub(super) mode: Mode,
    pub(super) fitted: Fitted,
    request: ModelRequest,
}

impl Plan {
    pub(super) fn new<T>(
        model: &dyn Model,
        output: &Output<T>,
        asked: Asked,
    ) -> Result<Self, Error> {
        let dialect = asked.dialect.unwrap_or_else(|| Dialect::of_model(model.name()));
        let (mode, fitted) = match asked.mode {
            Some(mode) => (mode, fitted(output, mode, dialect)?),
            None => chosen(model, output, dialect)?,
        };
        let settings = asked.settings.unwrap_or_else(|| {
            Arc::new(ModelSettings { model: model.name().into(), ..ModelSettings::default() })
        });
        let mut request = ModelRequest::blank(settings);
        let prompt = match mode {
            Mode::ToolCall => output.prompt().of_tool(),
            Mode::NativeSchema => output.prompt().of_schema(),
            Mode::JsonObject => output.prompt().of_object(),
            Mode::Fenced => output.prompt().of_fence(),
            Mode::Prompted => output.prompt().of_text(),
        };
        let parts = [asked.instructions, prompt];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        request.instructions = parts.join("\n\n").into();
        match mode {
            Mode::ToolCall => {
                let tool = output.tool(fitted.json());
                request.tools = Arc::new(ToolSpecs::new(vec![Arc::new(tool)]));
                request.tool_choice = ToolChoice::Named(output.name().to_string());
            }
            Mode::NativeSchema => request.response_format = Some(Arc::clone(fitted.json())),
            // Any object fits this schema: that is what providers call JSON mode.
            Mode::JsonObject => request.response_format = Some(Arc::new(json!({"type": "object"}))),
            Mode::Fenced | Mode::Prompted => {}
        }
        let request = asked.messages.into_iter().fold(request, ModelRequest::with_message);
        Ok(Self { mode, fitted, request })
    }

    pub(super) fn request(&self) -> ModelRequest {
        self.request.clone()
    }
}

/// The best mode of a model whose schema the dialect can express.
fn chosen<T>(
    model: &dyn Model,
    output: &Output<T>,
    dialect: Dialect,
) -> Result<(Mode, Fitted), Error> {
    let mode = Mode::of_profile(model.profile());
    match fitted(output, mode, dialect) {
        Ok(fitted) => Ok((mode, fitted)),
        Err(_) => Ok((Mode::Fenced, fitted(output, Mode::Fenced, dialect)?)),
    }
}

/// The schema as a mode sends it. Tools take the full one, but for Gemini's.
fn fitted<T>(output: &Output<T>, mode: Mode, dialect: Dialect) -> Result<Fitted, Error> {
    let dialect = match mode {
        Mode::NativeSchema => dialect,
        Mode::ToolCall if dialect == Dialect::Gemini => dialect,
        _ => Dialect::Full,
    };
    Ok(output.sent_schema().fit(dialect)?)
}
