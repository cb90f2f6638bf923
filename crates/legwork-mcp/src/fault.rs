//! What went wrong on the way to a server, in words.

use std::error::Error;

use rmcp::service::ServiceError;
use rmcp::transport::DynamicTransportError;

use crate::http::Failed;

/// What became of a request, for people and models; none if the connection ended.
pub(crate) fn of_request(error: &ServiceError) -> Option<String> {
    match error {
        ServiceError::McpError(error) => Some(error.message.to_string()),
        ServiceError::TransportClosed => None,
        ServiceError::TransportSend(error) => of_transport(error),
        other => Some(other.to_string()),
    }
}

/// What broke a message; none if the connection ended.
pub(crate) fn of_transport(error: &DynamicTransportError) -> Option<String> {
    let mut reason: Option<&(dyn Error + 'static)> = Some(&*error.error);
    while let Some(one) = reason {
        if let Some(failed) = one.downcast_ref::<Failed>() {
            return Some(of_http(failed));
        }
        reason = one.source();
    }
    None
}

/// What went wrong over HTTP.
pub(crate) fn of_http(failed: &Failed) -> String {
    match failed {
        Failed::AuthRequired(_) => {
            "it asks for authorization: give it a header `Authorization`".to_owned()
        }
        Failed::InsufficientScope(_) => {
            "the credentials that it was given do not allow that".to_owned()
        }
        Failed::Client(error) => error.to_string(),
        Failed::UnexpectedServerResponse(words) => words.to_string(),
        Failed::HttpStatus(status) => {
            let after = status.retry_after.as_deref();
            let after = after.map_or_else(String::new, |after| format!(", again after {after} s"));
            format!("HTTP {}{after}", status.status)
        }
        Failed::SessionExpired => "it has forgotten the session".to_owned(),
        other => other.to_string(),
    }
}
