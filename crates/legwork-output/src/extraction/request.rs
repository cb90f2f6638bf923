//! What is sent to a model.

use std::sync::Arc;

use legwork_core::inference::ToolChoice;
use legwork_core::tool::ToolSpecs;
use legwork_core::{ModelRequest, ModelSettings};
use legwork_port::Model;

use crate::Output;
use crate::asking::Asking;
use crate::extraction::{Asked, Error, Mode};
use crate::schema::Fitted;

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
        let asking = Asking::new(output, model, asked.mode, asked.dialect)?;
        let settings = asked.settings.unwrap_or_else(|| {
            Arc::new(ModelSettings { model: model.name().into(), ..ModelSettings::default() })
        });
        let mut request = ModelRequest::blank(settings);
        let parts = [asked.instructions, asking.prompt];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        request.instructions = parts.join("\n\n").into();
        if let Some(tool) = asking.tool {
            request.tools = Arc::new(ToolSpecs::new(vec![Arc::new(tool)]));
            request.tool_choice = ToolChoice::Named(output.name().to_string());
        }
        request.response_format = asking.format;
        let request = asked.messages.into_iter().fold(request, ModelRequest::with_message);
        Ok(Self { mode: asking.mode, fitted: asking.fitted, request })
    }

    pub(super) fn request(&self) -> ModelRequest {
        self.request.clone()
    }
}
