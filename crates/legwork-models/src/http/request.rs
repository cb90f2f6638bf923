//! What all requests to one address have in common.

use http::header::{HOST, HeaderMap};
use http::uri::{PathAndQuery, Scheme};
use http::{HeaderValue, Method, Request, Uri};

/// A request without its body, as it stands on the wire: with a path, and with the host
/// among its headers.
///
/// # Errors
/// When the address has a host that no header can name.
pub(crate) fn template(
    method: Method,
    address: &Uri,
    mut headers: HeaderMap,
) -> Result<Request<()>, http::Error> {
    if !headers.contains_key(HOST) {
        headers.insert(HOST, host(address)?);
    }
    let path = address.path_and_query().map_or("/", PathAndQuery::as_str);
    let mut request = Request::builder().method(method).uri(path).body(())?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// The host, and the port if it is not that of the scheme.
fn host(address: &Uri) -> Result<HeaderValue, http::Error> {
    let host = address.host().unwrap_or_default();
    let usual = match address.scheme() {
        Some(scheme) if *scheme == Scheme::HTTP => 80,
        _ => 443,
    };
    let value = match address.port_u16() {
        Some(port) if port != usual => HeaderValue::try_from(format!("{host}:{port}")),
        _ => HeaderValue::try_from(host),
    };
    Ok(value?)
}

#[cfg(test)]
mod tests;
