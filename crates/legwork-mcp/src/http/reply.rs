//! What a server answers a message with.

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError,
    StreamableHttpPostResponse as Reply, StreamableHttpResponseLimits,
};

use super::client::{Error, Failed};
use super::events;

/// What was asked.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) message: &'a ClientJsonRpcMessage,
    pub(super) in_session: bool,
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    Json,
    Events,
}

/// Reads what a message was answered with.
///
/// # Errors
/// When it is not an answer of the protocol.
pub(super) async fn read(
    asked: Asked<'_>,
    response: Response<Incoming>,
    limits: &StreamableHttpResponseLimits,
) -> Result<Reply, Failed> {
    authorized(&response)?;
    let status = response.status();
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(Reply::Accepted);
    }
    if status == StatusCode::NOT_FOUND && asked.in_session {
        return Err(Failed::SessionExpired);
    }
    match status.is_success() {
        true => success(asked, response, limits).await,
        false => failure(asked, response, limits).await,
    }
}

async fn success(
    asked: Asked<'_>,
    response: Response<Incoming>,
    limits: &StreamableHttpResponseLimits,
) -> Result<Reply, Failed> {
    let session = session(&response);
    match media_type(&response) {
        Some(Media::Events) => {
            let events = events::of(response.into_body(), limits.max_sse_event_size);
            Ok(Reply::Sse(events, session))
        }
        // Only a request has an answer.
        _ if !asked.is_request() => Ok(Reply::Accepted),
        Some(Media::Json) => {
            let body = whole(response, limits.max_json_response_size).await?;
            let message = serde_json::from_slice(&body).map_err(|error| {
                Failed::UnexpectedServerResponse(
                    format!("not a message of the protocol: {error}").into(),
                )
            })?;
            Ok(Reply::Json(message, session))
        }
        None => Err(Failed::UnexpectedContentType(content_type(&response))),
    }
}

async fn failure(
    asked: Asked<'_>,
    response: Response<Incoming>,
    limits: &StreamableHttpResponseLimits,
) -> Result<Reply, Failed> {
    let (status, session) = (response.status(), session(&response));
    let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let is_json = media_type(&response) == Some(Media::Json);
    let busy = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    if busy && !is_json {
        let after = response.headers().get(RETRY_AFTER).and_then(|after| after.to_str().ok());
        let after = after.map(str::to_owned);
        return Err(HttpStatusError::new(status.as_u16(), after).into());
    }
    let limit = match is_json && !denied {
        true => limits.max_json_response_size,
        false => limits.max_error_response_size,
    };
    let body = beginning(response, limit).await;
    let error = match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
        Ok(JsonRpcMessage::Error(error)) if is_json && !denied => Some(error),
        _ => None,
    };
    let words = String::from_utf8_lossy(&body);
    let words: String = words.chars().take(limits.max_error_response_size).collect();
    if let Some(rejection) = asked.older(status, error.as_ref().map(|error| &error.error), &words) {
        return Ok(rejection);
    }
    match error {
        Some(error) => Ok(Reply::Json(ServerJsonRpcMessage::Error(error), session)),
        None => Err(unexpected(status, &words)),
    }
}

impl Asked<'_> {
    fn is_request(&self) -> bool {
        matches!(self.message, ClientJsonRpcMessage::Request(_))
    }

    /// The answer of a server that does not know the question which revisions it speaks: it is
    /// made the answer to the question, so that the server is initialized next.
    fn older(&self, status: StatusCode, error: Option<&ErrorData>, words: &str) -> Option<Reply> {
        let denied = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if self.in_session || denied || !status.is_client_error() {
            return None;
        }
        let ClientJsonRpcMessage::Request(request) = self.message else { return None };
        if !matches!(request.request, ClientRequest::DiscoverRequest(_)) {
            return None;
        }
        let error = error
            .cloned()
            .unwrap_or_else(|| ErrorData::invalid_request(format!("HTTP {status}: {words}"), None));
        let id = Some(request.id.clone());
        Some(Reply::Json(ServerJsonRpcMessage::error(error, id), None))
    }
}

/// Whether the server lets us in.
///
/// # Errors
/// When it asks for credentials, or for more rights than they give.
pub(super) fn authorized(response: &Response<Incoming>) -> Result<(), Failed> {
    let challenge = response.headers().get(WWW_AUTHENTICATE);
    let Some(challenge) = challenge.and_then(|challenge| challenge.to_str().ok()) else {
        return Ok(());
    };
    let challenge = challenge.to_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => Err(Failed::AuthRequired(AuthRequiredError::new(challenge))),
        StatusCode::FORBIDDEN => {
            Err(Failed::InsufficientScope(InsufficientScopeError::new(challenge, None)))
        }
        _ => Ok(()),
    }
}

/// An answer that is none of the protocol.
pub(super) fn unexpected(status: StatusCode, words: &str) -> Failed {
    let words = words.trim();
    let words = if words.is_empty() { String::new() } else { format!(": {words}") };
    Failed::UnexpectedServerResponse(format!("HTTP {status}{words}").into())
}

pub(super) fn content_type(response: &Response<Incoming>) -> Option<String> {
    let value = response.headers().get(CONTENT_TYPE)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// What a body is said to be, whatever its parameters.
pub(super) fn media_type(response: &Response<Incoming>) -> Option<Media> {
    let whole = content_type(response)?;
    let essence = whole.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => Some(Media::Json),
        "text/event-stream" => Some(Media::Events),
        _ => None,
    }
}

fn session(response: &Response<Incoming>) -> Option<String> {
    let value = response.headers().get("mcp-session-id")?;
    value.to_str().ok().map(str::to_owned)
}

/// A whole body.
///
/// # Errors
/// When it is longer than the limit, or the connection breaks.
async fn whole(response: Response<Incoming>, limit: usize) -> Result<Bytes, Failed> {
    let announced = response.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let announced = announced.and_then(|length| length.parse::<usize>().ok()).unwrap_or(0);
    let too_large = || Failed::ResponseBodyTooLarge { max_size: limit };
    if announced > limit {
        return Err(too_large());
    }
    let (mut body, mut read) = (response.into_body(), BytesMut::new());
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Failed::Client(Error::Broken(error)))?;
        let Ok(data) = frame.into_data() else { continue };
        if read.len() + data.len() > limit {
            return Err(too_large());
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

/// The beginning of a body, as far as it came.
async fn beginning(response: Response<Incoming>, limit: usize) -> Bytes {
    let (mut body, mut read) = (response.into_body(), BytesMut::new());
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        let room = limit.saturating_sub(read.len()).min(data.len());
        read.extend_from_slice(data.get(..room).unwrap_or_default());
        if room < data.len() {
            break;
        }
    }
    read.freeze()
}
