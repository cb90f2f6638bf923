//! Which authorization server a server names, and what that one can do.

use rmcp::transport::auth::{AuthError, AuthorizationManager, AuthorizationMetadata};
use url::Url;

use super::grant::Method;
use super::{refused, silent};
use crate::connect::Error;

/// What an authorization server says about itself, as far as it was checked.
pub(super) struct Metadata {
    pub(super) issuer: String,
    /// Whether it names itself when it sends a person back (RFC 9207).
    pub(super) names_itself: bool,
    /// Whether it reads documents that describe clients.
    pub(super) reads_documents: bool,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
    pub(super) scopes: Vec<String>,
    /// How clients can say who they are, where it says so.
    methods: Option<Vec<String>>,
    whole: AuthorizationMetadata,
}

/// Finds the authorization server of a server: by the challenge with which it refused a request,
/// else where such metadata is by convention.
///
/// # Errors
/// When there is none, or it breaks the rules.
pub(super) async fn discover(
    manager: &AuthorizationManager,
    server: &Url,
    challenge: Option<&str>,
) -> Result<Metadata, Error> {
    let found = silent(manager.resolve_metadata_from_challenge(challenge)).await;
    let found = found.map_err(|error| words(&error))?;
    if !found.source.is_discovered() {
        return Err(refused("the server names no authorization server"));
    }
    check(found.metadata, server)
}

fn check(whole: AuthorizationMetadata, server: &Url) -> Result<Metadata, Error> {
    let methods = whole.code_challenge_methods_supported.as_deref().unwrap_or_default();
    if !methods.iter().any(|method| method == "S256") {
        return Err(refused("the authorization server does not say that it supports PKCE (S256)"));
    }
    let code = |types: &Vec<String>| types.iter().any(|kind| kind == "code");
    if !whole.response_types_supported.as_ref().is_none_or(code) {
        return Err(refused("the authorization server does not give codes"));
    }
    let registration = whole.registration_endpoint.clone();
    let endpoints = [Some(&whole.authorization_endpoint), Some(&whole.token_endpoint)];
    for endpoint in endpoints.into_iter().chain([registration.as_ref()]).flatten() {
        endpoint_is_safe(endpoint, server)?;
    }
    let issuer = whole.issuer.clone();
    let issuer =
        issuer.ok_or_else(|| refused("the authorization server does not name its issuer"))?;
    let says = |name: &str| whole.additional_fields.get(name).and_then(|said| said.as_bool());
    let methods = whole.additional_fields.get(METHODS).and_then(|methods| methods.as_array());
    let methods = methods.map(|methods| {
        methods.iter().filter_map(|method| method.as_str().map(str::to_owned)).collect()
    });
    Ok(Metadata {
        issuer,
        names_itself: says("authorization_response_iss_parameter_supported").unwrap_or(false),
        reads_documents: says("client_id_metadata_document_supported").unwrap_or(false),
        token_endpoint: whole.token_endpoint.clone(),
        registration_endpoint: registration,
        scopes: whole.scopes_supported.clone().unwrap_or_default(),
        methods,
        whole,
    })
}

const METHODS: &str = "token_endpoint_auth_methods_supported";

/// Checks that secrets go over TLS, unless the server itself is reached without it.
fn endpoint_is_safe(endpoint: &str, server: &Url) -> Result<(), Error> {
    let url = Url::parse(endpoint);
    let url = url.map_err(|_| refused("an endpoint of the authorization server is not a URL"))?;
    match url.scheme() {
        "https" => Ok(()),
        "http" if server.scheme() == "http" => Ok(()),
        _ => Err(refused("an endpoint of the authorization server is not at `https://`")),
    }
}

impl Metadata {
    /// How a client with a secret says who it is.
    pub(super) fn method(&self) -> Method {
        let is_listed = |method: Method| {
            let methods = self.methods.as_deref();
            methods.is_some_and(|methods| methods.iter().any(|one| one == method.name()))
        };
        match is_listed(Method::Post) && !is_listed(Method::Basic) {
            true => Method::Post,
            false => Method::Basic,
        }
    }

    /// How a client that registers itself says who it is: it need not keep a secret, if that will
    /// do.
    pub(super) fn method_of_registration(&self) -> Method {
        let is_public = |methods: &Vec<String>| {
            methods.is_empty() || methods.iter().any(|method| method == Method::Public.name())
        };
        match self.methods.as_ref().is_none_or(is_public) {
            true => Method::Public,
            false => self.method(),
        }
    }

    /// As rmcp takes it, for a client that says so who it is.
    pub(super) fn for_client(&self, method: Method) -> AuthorizationMetadata {
        let mut whole = self.whole.clone();
        whole.additional_fields.insert(METHODS.to_owned(), vec![method.name()].into());
        whole
    }
}

fn words(error: &AuthError) -> Error {
    match error {
        AuthError::DiscoveryRequestFailed { source, .. } => {
            Error::Unreachable(format!("the login failed: {source}"))
        }
        AuthError::AuthorizationServerMissingIssuer { .. } => {
            refused("the authorization server does not name its issuer")
        }
        AuthError::AuthorizationServerMismatch { .. } => {
            refused("the authorization server says that it is another one")
        }
        AuthError::ProtectedResourceMetadataInvalid { reason, .. } => {
            refused(&format!("what the server says about itself is for another one: {reason}"))
        }
        AuthError::AuthorizationServersUnavailable { authorization_servers, .. } => {
            let servers = authorization_servers.join("`, `");
            refused(&format!("no authorization server answers, or may be asked, at `{servers}`"))
        }
        other => refused(&other.to_string()),
    }
}
