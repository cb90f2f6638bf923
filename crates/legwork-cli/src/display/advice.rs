//! What to do about an error of an execution, in the words of the command.

use legwork::core::error::{ErrorKind, ErrorRecord, ErrorSource};

/// The variables that name proxies.
const PROXY_VARIABLES: [&str; 6] =
    ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

/// What to do about an error; none if its message says everything.
pub(crate) fn on(error: &ErrorRecord) -> Option<String> {
    if error.source != ErrorSource::Model {
        return None;
    }
    if let (None | Some(407), Some(variable)) = (error.status, proxy_variable(&error.message)) {
        return Some(on_proxy(variable));
    }
    let hint = match (error.status, &error.kind) {
        (Some(401 | 403), _) => {
            "set OPENAI_API_KEY, or [keys.PROVIDER] in legwork.toml, to a key that this server takes"
        }
        (Some(404), _) => "name a model that this server has with --model provider:name",
        (Some(429), _) if !error.retryable => {
            "raise the quota with the provider, or take another model with --model"
        }
        (Some(429), _) => "wait a while, or take another model with --model",
        (Some(500..), _) => "the server fails: try again later",
        (Some(_), _) => return None,
        (None, ErrorKind::Incomplete) => "the answer is not whole: ask again",
        (None, _) => "see whether the server runs, and whether --base-url is right",
    };
    Some(hint.to_owned())
}

/// A hint in the words of a chat, which has commands for these.
pub(crate) fn in_chat(hint: &str) -> String {
    hint.replace("--model", "/model").replace("`legwork resume`", "/resume")
}

/// What to do about a proxy that refuses requests, or a variable that names none.
pub(crate) fn on_proxy(variable: &str) -> String {
    format!(
        "set {variable}=http://user:password@host:port to a proxy that accepts requests to this \
         server, or list the server's host in NO_PROXY to connect without a proxy"
    )
}

/// The variable of the proxy that a message names as `the proxy URL (VARIABLE)`.
pub(crate) fn proxy_variable(message: &str) -> Option<&'static str> {
    let (_, proxy) = message.split_once("the proxy ")?;
    PROXY_VARIABLES.into_iter().find(|name| proxy.contains(&format!(" ({name})")))
}
