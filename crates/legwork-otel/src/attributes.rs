//! The attributes that spans and metrics have, as release 1.41 of the conventions names them.

use opentelemetry::{KeyValue, Value};

pub(crate) const OPERATION: &str = "gen_ai.operation.name";
pub(crate) const PROVIDER: &str = "gen_ai.provider.name";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const MODEL: &str = "gen_ai.request.model";
pub(crate) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub(crate) const TEMPERATURE: &str = "gen_ai.request.temperature";
pub(crate) const TOP_P: &str = "gen_ai.request.top_p";
pub(crate) const SEED: &str = "gen_ai.request.seed";
pub(crate) const STOP: &str = "gen_ai.request.stop_sequences";
pub(crate) const STREAM: &str = "gen_ai.request.stream";
pub(crate) const RESPONSE: &str = "gen_ai.response.id";
pub(crate) const RESPONSE_MODEL: &str = "gen_ai.response.model";
pub(crate) const FINISH: &str = "gen_ai.response.finish_reasons";
pub(crate) const FIRST_CHUNK: &str = "gen_ai.response.time_to_first_chunk";
pub(crate) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(crate) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(crate) const CACHE_READ: &str = "gen_ai.usage.cache_read.input_tokens";
pub(crate) const CACHE_WRITE: &str = "gen_ai.usage.cache_creation.input_tokens";
pub(crate) const REASONING: &str = "gen_ai.usage.reasoning.output_tokens";
pub(crate) const TOKEN_TYPE: &str = "gen_ai.token.type";
pub(crate) const TOOL: &str = "gen_ai.tool.name";
pub(crate) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(crate) const CALL: &str = "gen_ai.tool.call.id";
pub(crate) const ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(crate) const RESULT: &str = "gen_ai.tool.call.result";
pub(crate) const INPUT: &str = "gen_ai.input.messages";
pub(crate) const OUTPUT: &str = "gen_ai.output.messages";
pub(crate) const ERROR: &str = "error.type";

/// What a span is about, which is also the beginning of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Agent,
    Chat,
    Embeddings,
    Tool,
}

impl Operation {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "invoke_agent",
            Self::Chat => "chat",
            Self::Embeddings => "embeddings",
            Self::Tool => "execute_tool",
        }
    }
}

/// Attributes that are collected.
#[derive(Debug, Default)]
pub(crate) struct Attributes(Vec<KeyValue>);

impl Attributes {
    pub(crate) fn of(operation: Operation) -> Self {
        Self::default().with(OPERATION, operation.as_str())
    }

    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push(KeyValue::new(name, value));
        self
    }

    /// The same with a value that may be missing.
    #[must_use]
    pub(crate) fn with_some<V: Into<Value>>(self, name: &'static str, value: Option<V>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The same with a number of tokens; more than fit are as many as fit.
    #[must_use]
    pub(crate) fn with_count(self, name: &'static str, count: u64) -> Self {
        self.with(name, i64::try_from(count).unwrap_or(i64::MAX))
    }

    pub(crate) fn into_vec(self) -> Vec<KeyValue> {
        self.0
    }
}

/// A list of texts as a value.
pub(crate) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Value {
    let texts = texts.into_iter().map(|text| text.into().into()).collect();
    Value::Array(opentelemetry::Array::String(texts))
}
