//! A wire with a model that speaks it.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::Response;
use legwork_core::message::{Author, Message};
use legwork_models::answer::{Ended, Reply, Streaming};
use legwork_models::{Api, Builder, HttpModel, Provider};
use legwork_port::{Delta, Model};

use super::answers::{Said, answer};
use super::conversation::{result, text};

/// Where a model is asked that has no place of its own.
const PLACE: &str = "https://models.example.com/v1";

/// A wire with a model that speaks it.
pub(crate) struct Wire {
    pub(crate) api: Api,
    /// The provider, if it is a certain one.
    pub(crate) provider: Option<&'static Provider>,
    pub(crate) model: Arc<HttpModel>,
}

impl Wire {
    /// The wire as the makers of its API speak it.
    pub(crate) fn of_api(api: Api) -> Result<Self, String> {
        Self::build(api, None, Builder::new(api, PLACE, model_of_api(api)))
    }

    /// The wire as a provider speaks it.
    pub(crate) fn of_provider(provider: &'static Provider) -> Result<Self, String> {
        let place = provider.base_url.filter(|url| !url.is_empty()).unwrap_or(PLACE);
        let builder = provider.model(model_of(provider), Some(place));
        let builder = builder.ok_or_else(|| format!("{} has no place", provider.name))?;
        Self::build(provider.api, Some(provider), builder)
    }

    fn build(
        api: Api,
        provider: Option<&'static Provider>,
        builder: Builder,
    ) -> Result<Self, String> {
        let model = builder.build().map_err(|error| error.to_string())?;
        Ok(Self { api, provider, model: Arc::new(model) })
    }

    /// The name of the provider, as in `provider:model`.
    pub(crate) fn provider_name(&self) -> &str {
        self.model.name().split(':').next().unwrap_or_default()
    }

    /// An answer of the model, read as one that its server sent.
    pub(crate) fn response(&self, turn: u32, said: &[Said<'_>]) -> Result<Response, String> {
        let reply = Reply::new(self.api, 200, Some("application/json"), Streaming::No);
        let mut reply = reply.from_provider(self.provider_name());
        let body = answer(self.api, self.provider_name(), turn, said).to_string();
        reply.push(body.as_bytes(), &mut |_: Delta<'_>| ControlFlow::Continue(()));
        reply.finish(Ended::Whole).map_err(|error| format!("{}: {error}: {body}", self.api))
    }

    /// The message of an answer as a history holds it.
    pub(crate) fn says(&self, turn: u32, said: &[Said<'_>]) -> Result<Message, String> {
        let response = self.response(turn, said)?;
        let author = Author::Model(self.model.name().into());
        Ok(Arc::unwrap_or_clone(response.message).by(author))
    }

    /// The same, and the results of its calls.
    pub(crate) fn turn(&self, turn: u32, said: &[Said<'_>]) -> Result<Vec<Message>, String> {
        let own = self.says(turn, said)?;
        let calls: Vec<_> = own.tool_calls().cloned().collect();
        let results = calls.iter().map(|call| result(call.id.as_str(), text("42")));
        Ok(std::iter::once(own).chain(results).collect())
    }
}

/// A model that thinks and calls tools.
fn model_of_api(api: Api) -> &'static str {
    match api {
        Api::ChatCompletions | Api::Responses => "gpt-5-mini",
        Api::Messages => "claude-sonnet-4-6",
        Api::GenerateContent => "gemini-3-pro-preview",
        _ => "anthropic.claude-sonnet-4-5-20250929-v1:0",
    }
}

fn model_of(provider: &Provider) -> &'static str {
    match provider.name {
        "deepseek" => "deepseek-reasoner",
        "glm" => "glm-4.6",
        "mistral" => "magistral-medium-latest",
        "moonshot" => "kimi-k2-thinking",
        "openrouter" => "anthropic/claude-sonnet-4.5",
        "qwen" => "qwen3-max",
        _ => model_of_api(provider.api),
    }
}
