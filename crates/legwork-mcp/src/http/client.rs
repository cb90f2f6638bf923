//! Requests of the transport, over HTTP/1.1 and TLS.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::{HttpConnector, HttpInfo};
use hyper_util::rt::TokioExecutor;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;

use super::connector::connector;
use super::{Credentials, Denial, MESSAGE, events, reply};

/// How long a connection is kept that nothing goes over.
const IDLE: Duration = Duration::from_secs(30);

/// What the other side answers with.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

pub(crate) type Failed = StreamableHttpError<Error>;
pub(super) type Headers = HashMap<HeaderName, HeaderValue>;
type Events = BoxStream<'static, Result<Sse, sse_stream::Error>>;

/// Why a request was not answered.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("the server cannot be reached: {}", reason(.0))]
    Unreachable(#[source] hyper_util::client::legacy::Error),
    #[error("the connection broke: {0}")]
    Broken(#[source] hyper::Error),
    #[error("the request cannot be made: {0}")]
    Request(#[source] http::Error),
    #[error("the message cannot be written: {0}")]
    Message(#[source] serde_json::Error),
    #[error("the server sends to another address, HTTP {0}: give that one")]
    Moved(StatusCode),
    /// What a person can do about it.
    #[error("{0}")]
    Unauthorized(String),
}

/// The innermost reason, which is what a person can do something about.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// Sends requests; clones share their connections.
#[derive(Clone)]
pub(crate) struct Client {
    http: hyper_util::client::legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    credentials: Option<Arc<dyn Credentials>>,
}

impl Client {
    /// A client that trusts whom the system trusts, and has these credentials.
    ///
    /// # Errors
    /// When the system's certificates cannot be read.
    pub(crate) fn new(credentials: Option<Arc<dyn Credentials>>) -> io::Result<Self> {
        let connector = connector(HttpConnector::new())?;
        let mut builder = hyper_util::client::legacy::Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(IDLE);
        builder.pool_timer(hyper_util::rt::TokioTimer::new());
        Ok(Self { http: builder.build(connector), credentials })
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failed> {
        let Some(credentials) = &self.credentials else { return self.exchange(request).await };
        let unauthorized = |words| Failed::Client(Error::Unauthorized(words));
        let mut token = credentials.token().await.map_err(unauthorized)?;
        let mut response = self.exchange(with_token(request.clone(), token.as_deref())?).await?;
        if let (StatusCode::UNAUTHORIZED, Some(refused)) = (response.status(), &token)
            && let Some(other) = credentials.renew(refused).await.map_err(unauthorized)?
        {
            response = self.exchange(with_token(request, Some(&other))?).await?;
            token = Some(other);
        }
        let status = response.status();
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Ok(response);
        }
        let denial = Denial { status, challenge: challenge(&response), had_token: token.is_some() };
        match credentials.denied(denial).await {
            Some(words) => Err(unauthorized(words)),
            None => Ok(response),
        }
    }

    async fn exchange(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Failed> {
        let response = self.http.request(request).await;
        let response = response.map_err(|error| Failed::Client(Error::Unreachable(error)))?;
        let connection = response.extensions().get::<HttpInfo>();
        if let (Some(credentials), Some(connection)) = (&self.credentials, connection) {
            credentials.answered_from(connection.remote_addr().ip());
        }
        match response.status().is_redirection() {
            true => Err(Failed::Client(Error::Moved(response.status()))),
            false => Ok(response),
        }
    }
}

/// A request with this token, if there is one.
fn with_token(
    mut request: Request<Full<Bytes>>,
    token: Option<&str>,
) -> Result<Request<Full<Bytes>>, Failed> {
    let Some(token) = token else { return Ok(request) };
    let value = HeaderValue::try_from(format!("Bearer {token}"));
    let mut value = value.map_err(|error| Failed::Client(Error::Request(error.into())))?;
    value.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, value);
    Ok(request)
}

/// What a server asks for: the challenge that is about tokens, if there are several.
fn challenge(response: &Response<Incoming>) -> &str {
    let all = response.headers().get_all(WWW_AUTHENTICATE).iter();
    let all: Vec<_> = all.filter_map(|challenge| challenge.to_str().ok()).collect();
    let is_bearer = |challenge: &&&str| {
        challenge.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
    };
    all.iter().find(is_bearer).or(all.first()).copied().unwrap_or_default()
}

/// The request, with what all have.
fn request(
    method: Method,
    uri: &str,
    accept: HeaderValue,
    session: Option<&Arc<str>>,
    token: Option<&str>,
    headers: Headers,
    body: Bytes,
) -> Result<Request<Full<Bytes>>, Failed> {
    let mut builder = Request::builder().method(method).uri(uri).header(ACCEPT, accept);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    if let Some(token) = token {
        builder = builder.header(AUTHORIZATION, format!("Bearer {token}"));
    }
    if let Some(session) = session {
        builder = builder.header(SESSION, &**session);
    }
    if !body.is_empty() {
        builder = builder.header(CONTENT_TYPE, JSON);
    }
    builder.body(Full::new(body)).map_err(|error| Failed::Client(Error::Request(error)))
}

impl Client {
    /// Sends a message whose answer comes elsewhere.
    ///
    /// # Errors
    /// When it cannot be sent.
    pub(super) async fn post_bytes(
        &self,
        uri: &str,
        headers: Headers,
        message: Bytes,
    ) -> Result<Response<Incoming>, Failed> {
        self.send(request(Method::POST, uri, BOTH, None, None, headers, message)?).await
    }
}

impl StreamableHttpClient for Client {
    type Error = Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: Headers,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body =
            serde_json::to_vec(&message).map_err(|error| Failed::Client(Error::Message(error)))?;
        let token = token.as_deref();
        let post = Method::POST;
        let sent = request(post, &uri, BOTH, session.as_ref(), token, headers, body.into())?;
        let response = self.send(sent).await?;
        let asked = reply::Asked { message: &message, in_session: session.is_some() };
        reply::read(asked, response, &limits).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<Events, Failed> {
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, MESSAGE).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        mut headers: Headers,
        limit: usize,
    ) -> Result<Events, Failed> {
        if let Some(last) = last.and_then(|last| HeaderValue::try_from(last).ok()) {
            headers.insert(LAST_EVENT, last);
        }
        let (get, token) = (Method::GET, token.as_deref());
        let sent = request(get, &uri, EVENTS, session.as_ref(), token, headers, Bytes::new())?;
        let response = self.send(sent).await?;
        reply::authorized(&response)?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(Failed::ServerDoesNotSupportSse),
            StatusCode::NOT_FOUND if session.is_some() => Err(Failed::SessionExpired),
            status if !status.is_success() => Err(reply::unexpected(status, "")),
            _ => match reply::media_type(&response) {
                Some(reply::Media::Events) => Ok(events::of(response.into_body(), limit)),
                _ => Err(Failed::UnexpectedContentType(reply::content_type(&response))),
            },
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: Headers,
    ) -> Result<(), Failed> {
        let (delete, token) = (Method::DELETE, token.as_deref());
        let sent = request(delete, &uri, BOTH, Some(&session), token, headers, Bytes::new())?;
        let status = self.send(sent).await?.status();
        // A server need not know how.
        match status.is_success() || status == StatusCode::METHOD_NOT_ALLOWED {
            true => Ok(()),
            false => Err(reply::unexpected(status, "")),
        }
    }
}
