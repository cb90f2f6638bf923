//! Signatures of requests: AWS Signature Version 4.

use std::time::SystemTime;

use aws_credential_types::Credentials;
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign as signed};
use aws_sigv4::sign::v4;
use aws_smithy_runtime_api::client::identity::Identity;
use http::header::{CONTENT_TYPE, HOST};
use http::{HeaderValue, Request, Uri};

/// Access keys of AWS.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a> {
    pub(crate) access_key: &'a str,
    pub(crate) secret_key: &'a str,
    pub(crate) session_token: Option<&'a str>,
}

/// What a signature is for.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    service: &'a str,
    region: &'a str,
    time: SystemTime,
}

impl<'a> Scope<'a> {
    /// Bedrock in a region, at a time.
    pub(crate) fn new(region: &'a str, time: SystemTime) -> Self {
        Self { service: "bedrock", region, time }
    }
}

/// Signs a request with this body.
///
/// # Errors
/// When the request cannot be signed; without a secret.
pub(crate) fn sign<B>(
    request: &mut Request<B>,
    server: &Uri,
    body: &[u8],
    keys: Keys<'_>,
    scope: Scope<'_>,
) -> Result<(), String> {
    let identity = Identity::from(Credentials::new(
        keys.access_key,
        keys.secret_key,
        keys.session_token.map(str::to_owned),
        None,
        "legwork",
    ));
    let params = v4::SigningParams::builder()
        .identity(&identity)
        .region(scope.region)
        .name(scope.service)
        .time(scope.time)
        .settings(SigningSettings::default())
        .build()
        .map_err(|error| error.to_string())?;
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let scheme = server.scheme_str().unwrap_or("https");
    let host = text(request.headers().get(HOST));
    let url = format!("{scheme}://{host}{path}");
    // What proxies may change is not signed.
    let names = [HOST, CONTENT_TYPE];
    let headers = names.iter().map(|name| (name.as_str(), text(request.headers().get(name))));
    let signable = SignableRequest::new(
        request.method().as_str(),
        &url,
        headers.filter(|(_, value)| !value.is_empty()),
        SignableBody::Bytes(body),
    );
    let signable = signable.map_err(|error| error.to_string())?;
    let output = signed(signable, &params.into()).map_err(|error| error.to_string())?;
    let (instructions, _) = output.into_parts();
    instructions.apply_to_request_http1x(request);
    Ok(())
}

fn text(value: Option<&HeaderValue>) -> &str {
    value.and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The region that a host of Bedrock names.
pub(crate) fn region_of(host: &str) -> Option<&str> {
    let mut labels = host.split('.');
    labels.find(|label| label.starts_with("bedrock-runtime"))?;
    labels.next().filter(|region| region.contains('-'))
}

#[cfg(test)]
mod tests;
