//! Where a response that the server keeps is found.

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::uri::PathAndQuery;
use http::{Method, Request, Uri};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

#[cfg(test)]
mod tests;

/// What an id keeps as it is.
const ID: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// What a value of a query keeps as it is.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

/// A request for a response, made of the one that creates responses.
pub(super) fn of_response(
    create: &Request<()>,
    id: &str,
    query: &[(&str, &str)],
) -> Result<Request<()>, http::Error> {
    let mut request = at(create, &format!("/{}", utf8_percent_encode(id, ID)), query)?;
    *request.method_mut() = Method::GET;
    request.headers_mut().remove(CONTENT_LENGTH);
    request.headers_mut().remove(CONTENT_TYPE);
    Ok(request)
}

/// A request to cancel a response.
pub(super) fn of_cancel(create: &Request<()>, id: &str) -> Result<Request<()>, http::Error> {
    at(create, &format!("/{}/cancel", utf8_percent_encode(id, ID)), &[])
}

/// The same request at a path below its own, with more of a query.
fn at(
    create: &Request<()>,
    below: &str,
    query: &[(&str, &str)],
) -> Result<Request<()>, http::Error> {
    let mut parts = create.uri().clone().into_parts();
    let whole = parts.path_and_query.as_ref();
    let (path, own) = whole.map_or(("", None), |whole| (whole.path(), whole.query()));
    let pair = |(key, value): &(&str, &str)| {
        format!("{}={}", utf8_percent_encode(key, VALUE), utf8_percent_encode(value, VALUE))
    };
    let all: Vec<_> = own.map(str::to_owned).into_iter().chain(query.iter().map(pair)).collect();
    let query = if all.is_empty() { String::new() } else { format!("?{}", all.join("&")) };
    let path = format!("{}{below}{query}", path.trim_end_matches('/'));
    parts.path_and_query = Some(PathAndQuery::try_from(path)?);
    let mut request = create.clone();
    *request.uri_mut() = Uri::from_parts(parts)?;
    Ok(request)
}
