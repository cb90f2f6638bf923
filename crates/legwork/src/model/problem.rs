//! Why a model of a name cannot be used.

use super::suggested;

/// Why a model, or an embedding model, of a name cannot be used, and what to do.
///
/// Its text is for a program's author. A command that wants other words matches on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The name is not `provider:name`.
    #[error("a model is named `provider:name`, such as `{}`", .suggestion.as_deref().unwrap_or("openai:gpt-5-mini"))]
    Name {
        /// The whole name that is probably meant, if a known model has the name that was given.
        suggestion: Option<String>,
    },
    /// Nothing is known of the provider, and no base URL was given.
    #[error("the provider `{provider}` is not known: {}; for any other server that speaks {api} give its base URL with `{function}`", suggested(.provider, .known))]
    Provider {
        /// The provider that was named.
        provider: String,
        /// The names of the known providers.
        known: Vec<&'static str>,
        /// What a server of no known provider has to speak.
        api: &'static str,
        /// The function that takes a base URL.
        function: &'static str,
    },
    /// The provider wants a key, and there is none.
    #[error("it needs a key: pass it, for a library does not read the environment; `builder_from_env` (or `from_env`) takes it from {}", .variables.join(" or "))]
    Key {
        /// The variables that may hold one, in the order in which they are looked at.
        variables: &'static [&'static str],
    },
    /// A function named `from_env` needs more variables of the environment: a key, or where the
    /// account is.
    #[cfg(feature = "models")]
    #[error("the environment says too little of its account: set {0}")]
    Unset(legwork_models::providers::Unset),
    /// Each account of the provider has a base URL of its own, and none was given.
    #[error("each account of {title} has a base URL of its own: give it{}", .variable.map(|name| format!(" (in {name})")).unwrap_or_default())]
    BaseUrl {
        /// The provider's name for people.
        title: &'static str,
        /// The variable that may hold it.
        variable: Option<&'static str>,
    },
    /// An option behind the name is not one.
    #[cfg(feature = "models")]
    #[error(transparent)]
    Option(#[from] legwork_models::named::Error),
    /// There are options behind the name of an embedding model.
    #[error("an embedding model has no options: take off what follows the `?`")]
    NoOptions,
    /// No embeddings of the provider are known.
    #[error("no embeddings of {title} are known: take a model of {}", .known.join(", "))]
    Embeddings {
        /// The provider's name for people.
        title: &'static str,
        /// The names of the providers that have some.
        known: Vec<&'static str>,
    },
    /// A feature of the crate `legwork` is off.
    #[error("{}", crate::error::feature(.0))]
    Feature(&'static str),
    /// The base URL, the key or the proxy cannot be used.
    #[cfg(feature = "models")]
    #[error(transparent)]
    Setup(#[from] legwork_models::Error),
}
