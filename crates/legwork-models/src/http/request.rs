//! What all requests to one address have in common.

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HOST, HeaderMap, PROXY_AUTHORIZATION};
use http::uri::{PathAndQuery, Scheme};
use http::{HeaderValue, Method, Request, Uri};
use http_body_util::Full;

use super::connection::Outgoing;
use super::proxy::Proxy;

/// A request without its body, as it is on the wire: with a path, and with the host
/// among its headers; one that a proxy passes on has the whole address instead of the path.
///
/// # Errors
/// When the address has a host that no header can name.
pub(crate) fn template(
    method: Method,
    address: &Uri,
    mut headers: HeaderMap,
    proxy: Option<&Proxy>,
) -> Result<Request<()>, http::Error> {
    if !headers.contains_key(HOST) {
        headers.insert(HOST, host(address)?);
    }
    let path = address.path_and_query().map_or("/", PathAndQuery::as_str);
    let mut target = Uri::try_from(path)?;
    if let Some(proxy) = proxy.filter(|proxy| proxy.forwards(address)) {
        let host = host(address)?;
        target = Uri::builder()
            .scheme(Scheme::HTTP)
            .authority(host.as_bytes())
            .path_and_query(path)
            .build()?;
        if let Some(authorization) = proxy.authorization() {
            headers.insert(PROXY_AUTHORIZATION, authorization.clone());
        }
    }
    if method == Method::POST {
        // Its place, so that the headers need not grow with each request.
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    let mut request = Request::builder().method(method).uri(target).body(())?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// A request made from a [template](template), with this body.
///
/// In a box, for it goes through many futures, each of which would have room for it.
pub(crate) fn with_body(template: &Request<()>, body: Bytes) -> Box<Outgoing> {
    let length = HeaderValue::from(body.len());
    let mut request = Box::new(template.clone().map(|()| Full::new(body)));
    if request.method() != Method::GET {
        request.headers_mut().insert(CONTENT_LENGTH, length);
    }
    request
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
