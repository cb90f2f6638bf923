//! A server that is reached over HTTP.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, Uri};
use legwork_port::BoxFuture;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::FixedInterval;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use crate::connect::{Connect, Connected, Error, Peer, Wire};

mod client;
mod connector;
mod credentials;
mod events;
mod reply;
mod sse;

#[cfg(feature = "oauth")]
pub(crate) use client::reason;
pub(crate) use client::{Client, Failed};
#[cfg(feature = "oauth")]
pub(crate) use connector::connector;
pub(crate) use credentials::{Credentials, Denial};

/// How often a stream of messages that broke is opened again, and the pause before.
const REOPENED: usize = 5;
const PAUSE: Duration = Duration::from_secs(1);

/// Bytes of a message at most.
const MESSAGE: usize = 16 << 20;
/// Bytes of the words of an error at most.
const WORDS: usize = 2_000;

/// Headers that belong to the protocol.
const RESERVED: [&str; 6] =
    ["accept", "content-type", "host", "last-event-id", "mcp-protocol-version", "mcp-session-id"];

/// A server that is reached over HTTP (the transport "Streamable HTTP").
///
/// Redirects are not followed. Errors say what happened, and contain no credential.
#[derive(Clone)]
pub struct Endpoint {
    pub(crate) url: Arc<str>,
    headers: HashMap<HeaderName, HeaderValue>,
    transport: Transport,
    #[cfg(feature = "oauth")]
    pub(crate) tokens: Option<Arc<crate::oauth::Tokens>>,
}

/// How messages travel.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Transport {
    /// Each message is a request, whose answer may be a stream of events.
    #[default]
    Streamable,
    /// All messages of the server come as events of one stream.
    Sse,
}

impl Endpoint {
    /// The server at this address, such as `https://mcp.example.com/mcp`.
    ///
    /// # Errors
    /// When it is not an address of HTTP.
    pub fn new(url: &str) -> Result<Self, Error> {
        let denied = |why: &str| Error::Denied(format!("`{url}` cannot be reached: {why}"));
        let uri: Uri = url.parse().map_err(|_| denied("it is not a URL"))?;
        match uri.scheme_str() {
            Some("http" | "https") => {}
            _ => return Err(denied("it begins with neither `https://` nor `http://`")),
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        if authority.contains('@') {
            let why = "it holds a user and a password, which are headers of their own";
            return Err(Error::Denied(format!("the URL of the server cannot be used: {why}")));
        }
        Ok(Self {
            url: Arc::from(url),
            headers: HashMap::new(),
            transport: Transport::default(),
            #[cfg(feature = "oauth")]
            tokens: None,
        })
    }

    /// Over the transport of servers of before 2025, "HTTP with SSE"; the address is that of the
    /// stream of events, such as `https://mcp.example.com/sse`.
    #[must_use]
    pub fn over_sse(self) -> Self {
        Self { transport: Transport::Sse, ..self }
    }

    /// With a header on each request, such as `Authorization`; its value is never shown.
    ///
    /// # Errors
    /// When HTTP does not have such a header, or it belongs to the protocol.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let denied = |why: &str| Error::Denied(format!("the header `{name}` {why}"));
        let lower = name.to_ascii_lowercase();
        if RESERVED.contains(&lower.as_str()) {
            return Err(denied("belongs to the protocol"));
        }
        let name = HeaderName::try_from(&lower)
            .map_err(|_| denied("does not have the form of a header's name"))?;
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| denied("has a value with characters that HTTP does not allow"))?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }
}

impl Endpoint {
    /// What sends its requests, with these credentials.
    ///
    /// # Errors
    /// When the system's certificates cannot be read, or it has credentials twice.
    fn client(&self, credentials: Option<Arc<dyn Credentials>>) -> Result<Client, Error> {
        if credentials.is_some() && self.headers.contains_key(&AUTHORIZATION) {
            let why = "it has both a header `Authorization` and a login: give it one of them";
            return Err(Error::Denied(why.to_owned()));
        }
        Client::new(credentials).map_err(|error| {
            Error::Unreachable(format!("the certificates of the system cannot be read: {error}"))
        })
    }

    /// Connects with these credentials.
    ///
    /// # Errors
    /// When it cannot be reached; over a transport that asks at once, else later.
    pub(crate) async fn connect_with(
        &self,
        credentials: Option<Arc<dyn Credentials>>,
    ) -> Result<Connected, Error> {
        let client = self.client(credentials)?;
        if self.transport == Transport::Sse {
            return sse::connect(client, &self.url, self.headers.clone()).await;
        }
        let mut config = StreamableHttpClientTransportConfig::with_uri(Arc::clone(&self.url))
            .custom_headers(self.headers.clone())
            .max_sse_event_size(MESSAGE)
            .max_json_response_size(MESSAGE)
            .max_error_response_size(WORDS);
        let mut retry = FixedInterval::default();
        (retry.max_times, retry.duration) = (Some(REOPENED), PAUSE);
        config.retry_config = Arc::new(retry);
        let transport = StreamableHttpClientTransport::with_client(client, config);
        Ok(Connected { wire: Wire::Http(transport), peer: Box::new(Remote) })
    }

    /// The credentials that are kept for it.
    fn credentials(&self) -> Option<Arc<dyn Credentials>> {
        #[cfg(feature = "oauth")]
        if let Some(tokens) = &self.tokens {
            return Some(Arc::clone(tokens) as _);
        }
        None
    }
}

impl Connect for Endpoint {
    fn target(&self) -> String {
        self.url.to_string()
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        Box::pin(self.connect_with(self.credentials()))
    }
}

/// A server that runs elsewhere: nothing of it has to be ended here.
struct Remote;

impl Peer for Remote {
    fn end(self: Box<Self>) -> BoxFuture<'static, String> {
        Box::pin(std::future::ready(String::new()))
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().collect();
        f.debug_struct("Endpoint").field("url", &self.url).field("headers", &names).finish()
    }
}

#[cfg(test)]
mod tests;
