//! The providers that are known by name: where and how each is asked, as data.

#[cfg(feature = "embeddings")]
use crate::EmbedderBuilder;
#[cfg(any(feature = "gemini", feature = "openai", feature = "responses"))]
use crate::embeddings;
#[cfg(feature = "embeddings")]
use crate::embeddings::Dialect;
use crate::wire::Quirks;
#[cfg(feature = "openai")]
use crate::wire::{ThinkingBack, ThinkingControl};
use crate::{Api, Builder};

mod account;
#[cfg(feature = "embeddings")]
pub(crate) mod embedding;
#[cfg(test)]
mod tests;

pub use account::{Place, Unset};
#[allow(unused_imports, reason = "each cloud uses one of them")]
pub(crate) use account::{project_url, region_url};

/// A provider of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provider {
    /// The part of a model's name before the colon.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The API that it speaks.
    pub api: Api,
    /// The base URL that is used by default; none if each account has its own.
    pub base_url: Option<&'static str>,
    /// The environment variable of another base URL, if it has one.
    pub base_url_variable: Option<&'static str>,
    /// What the base URL of an account is made of, if it has none for all.
    pub place: Place,
    /// The environment variables that may hold its key, in the order in which they are looked
    /// at; none if it needs no key.
    pub keys: &'static [&'static str],
    /// What its server does differently from others that speak the same API.
    pub quirks: Quirks,
    /// How it is asked for embeddings; none if it has none, or in a way that is not known.
    ///
    /// Needs the feature of an API that has embeddings.
    #[cfg(feature = "embeddings")]
    pub embeddings: Option<Dialect>,
}

impl Provider {
    /// Whether it is a server of this machine, which needs no key and costs nothing.
    pub fn is_local(&self) -> bool {
        self.keys.is_empty()
    }

    /// A model of it, at a base URL of one's own or its usual one; none if it has no usual one.
    pub fn model(&self, model: impl Into<String>, base_url: Option<&str>) -> Option<Builder> {
        let url = base_url.or(self.base_url)?;
        let builder = Builder::new(self.api, url, model).provider(self.name).quirks(self.quirks);
        Some(builder)
    }

    /// An embedding model of it, at a base URL of one's own or its usual one; none if it has no
    /// usual one, or no embeddings.
    #[cfg(feature = "embeddings")]
    #[cfg_attr(
        not(any(feature = "gemini", feature = "openai", feature = "responses")),
        allow(unreachable_code, reason = "no API has embeddings")
    )]
    pub fn embedder(
        &self,
        model: impl Into<String>,
        base_url: Option<&str>,
    ) -> Option<EmbedderBuilder> {
        let (url, Dialect { api, quirks }) = (base_url.or(self.base_url)?, self.embeddings?);
        let builder = EmbedderBuilder::new(api, url, model).provider(self.name).quirks(quirks);
        Some(builder)
    }

    /// A provider that speaks an API at a URL, with its key in a variable.
    const fn at(
        api: Api,
        name: &'static str,
        title: &'static str,
        base_url: &'static str,
        keys: &'static [&'static str],
    ) -> Self {
        let base_url = Some(base_url);
        Self {
            name,
            title,
            api,
            base_url,
            base_url_variable: None,
            place: Place::Url,
            keys,
            quirks: Quirks::USUAL,
            #[cfg(feature = "embeddings")]
            embeddings: None,
        }
    }

    #[cfg(any(feature = "gemini", feature = "openai", feature = "responses"))]
    const fn with_embeddings(self, api: embeddings::Api, quirks: embeddings::Quirks) -> Self {
        Self { embeddings: Some(Dialect::new(api, quirks)), ..self }
    }

    #[cfg(feature = "openai")]
    const fn with_quirks(self, quirks: Quirks) -> Self {
        Self { quirks, ..self }
    }

    const fn with_base_url_in(self, variable: &'static str) -> Self {
        Self { base_url_variable: Some(variable), ..self }
    }

    #[cfg(feature = "openai")]
    const fn without_base_url(self) -> Self {
        Self { base_url: None, ..self }
    }

    #[cfg(any(feature = "bedrock", feature = "gemini"))]
    const fn in_a(self, place: Place) -> Self {
        Self { base_url: None, place, ..self }
    }
}

/// Those that are compiled in.
pub const ALL: &[Provider] = &[
    #[cfg(feature = "openai")]
    chat("openai", "OpenAI", "https://api.openai.com/v1", &["OPENAI_API_KEY"])
        .with_quirks(Quirks::OPENAI)
        .with_base_url_in("OPENAI_BASE_URL")
        .with_embeddings(embeddings::Api::OpenAi, embedding::OPENAI),
    #[cfg(feature = "responses")]
    Provider::at(
        Api::Responses,
        "openai-responses",
        "OpenAI (Responses)",
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
    )
    .with_base_url_in("OPENAI_BASE_URL")
    .with_embeddings(embeddings::Api::OpenAi, embedding::OPENAI),
    #[cfg(feature = "anthropic")]
    Provider::at(
        Api::Messages,
        "anthropic",
        "Anthropic",
        "https://api.anthropic.com/v1",
        &["ANTHROPIC_API_KEY"],
    )
    .with_base_url_in("ANTHROPIC_BASE_URL"),
    #[cfg(feature = "gemini")]
    Provider::at(
        Api::GenerateContent,
        "google",
        "Google (Gemini)",
        crate::gemini::BASE_URL,
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    )
    .with_base_url_in("GOOGLE_GEMINI_BASE_URL")
    .with_embeddings(embeddings::Api::Gemini, embedding::GEMINI),
    #[cfg(feature = "gemini")]
    Provider::at(
        Api::GenerateContent,
        "vertex",
        "Google (Vertex AI)",
        "",
        &["GOOGLE_OAUTH_ACCESS_TOKEN", "CLOUDSDK_AUTH_ACCESS_TOKEN"],
    )
    .in_a(Place::Project)
    .with_base_url_in("GOOGLE_VERTEX_BASE_URL"),
    #[cfg(feature = "bedrock")]
    Provider::at(Api::Converse, "bedrock", "Amazon Bedrock", "", &["AWS_BEARER_TOKEN_BEDROCK"])
        .in_a(Place::Region)
        .with_base_url_in("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
    #[cfg(feature = "openai")]
    chat("azure", "Azure OpenAI", "", &["AZURE_OPENAI_API_KEY"])
        .without_base_url()
        .with_quirks(Quirks::AZURE)
        .with_base_url_in("AZURE_OPENAI_BASE_URL")
        .with_embeddings(embeddings::Api::OpenAi, embedding::OPENAI),
    #[cfg(feature = "openai")]
    chat("cerebras", "Cerebras", "https://api.cerebras.ai/v1", &["CEREBRAS_API_KEY"]),
    #[cfg(feature = "openai")]
    chat(
        "cohere",
        "Cohere",
        "https://api.cohere.ai/compatibility/v1",
        &["COHERE_API_KEY", "CO_API_KEY"],
    )
    .with_embeddings(embeddings::Api::Cohere, embedding::COHERE),
    #[cfg(feature = "openai")]
    chat("deepseek", "DeepSeek", "https://api.deepseek.com/v1", &["DEEPSEEK_API_KEY"])
        .with_quirks(Quirks::USUAL.thinking(ThinkingControl::Switch, ThinkingBack::WithCalls)),
    #[cfg(feature = "openai")]
    chat(
        "fireworks",
        "Fireworks AI",
        "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"],
    )
    .with_embeddings(embeddings::Api::OpenAi, embeddings::Quirks::USUAL),
    #[cfg(feature = "openai")]
    chat("github", "GitHub Models", "https://models.github.ai/inference", &["GITHUB_TOKEN"])
        .with_quirks(Quirks::OPENAI)
        .with_embeddings(embeddings::Api::OpenAi, embedding::GITHUB),
    #[cfg(feature = "openai")]
    chat("glm", "Z.ai (GLM)", "https://api.z.ai/api/paas/v4", &["ZAI_API_KEY", "ZHIPU_API_KEY"])
        .with_quirks(Quirks::USUAL.thinking(ThinkingControl::Switch, ThinkingBack::Always)),
    #[cfg(feature = "openai")]
    chat("groq", "Groq", "https://api.groq.com/openai/v1", &["GROQ_API_KEY"]),
    #[cfg(feature = "openai")]
    chat("huggingface", "Hugging Face", "https://router.huggingface.co/v1", &["HF_TOKEN"]),
    #[cfg(feature = "openai")]
    chat("minimax", "MiniMax", "https://api.minimax.io/v1", &["MINIMAX_API_KEY"]),
    #[cfg(feature = "openai")]
    chat("mistral", "Mistral AI", "https://api.mistral.ai/v1", &["MISTRAL_API_KEY"])
        .with_quirks(Quirks::MISTRAL)
        .with_embeddings(embeddings::Api::OpenAi, embedding::MISTRAL),
    #[cfg(feature = "openai")]
    chat("moonshot", "Moonshot AI (Kimi)", "https://api.moonshot.ai/v1", &["MOONSHOT_API_KEY"])
        .with_quirks(Quirks::USUAL.thinking(ThinkingControl::Switch, ThinkingBack::WithCalls)),
    #[cfg(feature = "openai")]
    chat("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", &["OPENROUTER_API_KEY"])
        .with_quirks(Quirks::OPENROUTER)
        .with_embeddings(embeddings::Api::OpenAi, embeddings::Quirks::USUAL),
    #[cfg(feature = "openai")]
    chat("perplexity", "Perplexity", "https://api.perplexity.ai", &["PERPLEXITY_API_KEY"]),
    #[cfg(feature = "openai")]
    chat(
        "qwen",
        "Alibaba Cloud (Qwen)",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &["DASHSCOPE_API_KEY"],
    )
    .with_quirks(Quirks::USUAL.thinking(ThinkingControl::Budget, ThinkingBack::WithCalls))
    .with_embeddings(embeddings::Api::OpenAi, embedding::QWEN),
    #[cfg(feature = "openai")]
    chat("sambanova", "SambaNova", "https://api.sambanova.ai/v1", &["SAMBANOVA_API_KEY"])
        .with_embeddings(embeddings::Api::OpenAi, embedding::SAMBANOVA),
    #[cfg(feature = "openai")]
    chat("together", "Together AI", "https://api.together.xyz/v1", &["TOGETHER_API_KEY"])
        .with_embeddings(embeddings::Api::OpenAi, embedding::WHOLE),
    #[cfg(feature = "openai")]
    chat("xai", "xAI", "https://api.x.ai/v1", &["XAI_API_KEY"]),
    #[cfg(feature = "openai")]
    chat("ollama", "Ollama", "http://127.0.0.1:11434/v1", &[])
        .with_embeddings(embeddings::Api::Ollama, embeddings::Quirks::USUAL),
    #[cfg(feature = "openai")]
    chat("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", &[])
        .with_embeddings(embeddings::Api::OpenAi, embedding::WHOLE),
    #[cfg(feature = "openai")]
    chat("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", &[])
        .with_embeddings(embeddings::Api::OpenAi, embedding::WHOLE),
    #[cfg(feature = "openai")]
    chat("vllm", "vLLM", "http://127.0.0.1:8000/v1", &[])
        .with_embeddings(embeddings::Api::OpenAi, embeddings::Quirks::USUAL),
];

#[cfg(feature = "openai")]
const fn chat(
    name: &'static str,
    title: &'static str,
    base_url: &'static str,
    keys: &'static [&'static str],
) -> Provider {
    Provider::at(Api::ChatCompletions, name, title, base_url, keys)
}

/// The provider of a name.
pub fn find(name: &str) -> Option<&'static Provider> {
    ALL.iter().find(|provider| provider.name == name)
}
