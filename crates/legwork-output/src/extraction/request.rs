//! What is sent to a model.

use std::sync::Arc;

use legwork_core::inference::{ThinkingLevel, ToolChoice};
use legwork_core::tool::ToolSpecs;
use legwork_core::{ModelRequest, ModelSettings};
use legwork_port::Model;

use crate::Output;
use crate::extraction::{Asked, Error, Mode};
use crate::request_parts::RequestParts;
use crate::schema::{Dialect, Fitted};

/// How a model is asked: the mode, the schema that it is given, and the request.
pub(super) struct Plan {
    pub(super) mode: Mode,
    pub(super) fitted: Fitted,
    request: ModelRequest,
}

impl Plan {
    pub(super) fn new<T: 'static>(
        model: &dyn Model,
        output: &Output<T>,
        asked: Asked,
    ) -> Result<Self, Error> {
        let parts = RequestParts::new(output, model, asked.mode, asked.dialect)?;
        let settings = asked.settings.unwrap_or_else(|| {
            Arc::new(ModelSettings { model: model.name().into(), ..ModelSettings::default() })
        });
        let mut request = ModelRequest::blank(settings);
        let prompts = [asked.instructions, parts.prompt];
        let prompts: Vec<_> = prompts.into_iter().filter(|text| !text.is_empty()).collect();
        request.instructions = prompts.join("\n\n").into();
        if let Some(tool) = parts.tool {
            request.tools = Arc::new(ToolSpecs::new(vec![Arc::new(tool)]));
            if may_demand_a_call(&request.settings, model) {
                request.tool_choice = ToolChoice::Named(output.name().to_string());
            }
        }
        request.response_format = parts.format;
        let request = asked.messages.into_iter().fold(request, ModelRequest::with_message);
        Ok(Self { mode: parts.mode, fitted: parts.fitted, request })
    }

    pub(super) fn request(&self) -> ModelRequest {
        self.request.clone()
    }
}

/// Whether the request may demand a call: beside thinking most providers refuse that, Anthropic
/// among them. Then the instructions alone ask for it.
fn may_demand_a_call(settings: &ModelSettings, model: &dyn Model) -> bool {
    let thinks = settings.thinking.as_ref().is_some_and(|level| *level != ThinkingLevel::Off);
    let dialect = Dialect::of_model(model.name());
    !thinks || matches!(dialect, Dialect::OpenAi | Dialect::Gemini)
}
