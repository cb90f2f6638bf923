//! Tokens for those that have ended.

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, CredentialStore as _,
    InMemoryCredentialStore, OAuthTokenResponse, StoredCredentials,
};
use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::grant::{Access, now};
use super::http::Http;
use super::silent;

/// Why there are no new tokens.
pub(super) enum Failed {
    /// A person has to log in.
    Ended,
    /// It can be tried again.
    Unreachable(String),
}

/// What an authorization server gives.
#[derive(Deserialize)]
pub(super) struct Given {
    pub(super) access_token: String,
    pub(super) token_type: String,
    pub(super) refresh_token: Option<String>,
    pub(super) expires_in: Option<u64>,
}

/// Renews tokens at the authorization server that has issued them.
///
/// # Errors
/// When it cannot be reached, or a person has to log in.
pub(super) async fn renew(server: &Url, access: &Access) -> Result<Access, Failed> {
    if access.refresh_token.is_none() {
        return Err(Failed::Ended);
    }
    let (manager, kept) = silent(prepared(server, access)).await.map_err(|error| failed(&error))?;
    let given = silent(manager.refresh_token()).await.map_err(|error| failed(&error))?;
    let given = read(&given).ok_or_else(|| unreachable("it gives no tokens"))?;
    let stored = kept.load().await.ok().flatten();
    let (scopes, received_at) = match stored {
        Some(stored) => (stored.granted_scopes, stored.token_received_at),
        None => (access.scopes.clone(), None),
    };
    Ok(Access {
        access_token: given.access_token,
        refresh_token: given.refresh_token,
        expires_in: given.expires_in,
        received_at: received_at.unwrap_or_else(|| now().as_secs()),
        scopes,
        ..access.clone()
    })
}

/// What rmcp renews these tokens with.
async fn prepared(
    server: &Url,
    access: &Access,
) -> Result<(AuthorizationManager, InMemoryCredentialStore), AuthError> {
    let http = Http::new(server, access.place);
    let http = http.map_err(|error| AuthError::InternalError(error.to_string()))?;
    // What it asks tokens for is its address, unless it has asked the server.
    let resource = access.resource.as_str();
    let manager = AuthorizationManager::new_with_oauth_http_client(resource, Arc::new(http));
    let mut manager = manager.await?;
    let mut metadata = AuthorizationMetadata::default();
    metadata.token_endpoint.clone_from(&access.token_endpoint);
    // No page is shown, but it has to be a URL.
    metadata.authorization_endpoint.clone_from(&access.token_endpoint);
    metadata.issuer = Some(access.issuer.clone());
    let methods = vec![access.client.method.name()].into();
    metadata.additional_fields.insert("token_endpoint_auth_methods_supported".to_owned(), methods);
    manager.set_metadata(metadata);
    manager.configure_client(access.client.config())?;
    let kept = InMemoryCredentialStore::new();
    kept.save(stored(access)?).await?;
    manager.set_credential_store(kept.clone());
    Ok((manager, kept))
}

fn stored(access: &Access) -> Result<StoredCredentials, AuthError> {
    let tokens: OAuthTokenResponse = serde_json::from_value(json!({
        "access_token": access.access_token,
        "token_type": "bearer",
        "refresh_token": access.refresh_token,
    }))
    .map_err(|_| AuthError::InternalError("the tokens cannot be read".to_owned()))?;
    let (id, scopes) = (access.client.id.clone(), access.scopes.clone());
    let credentials = StoredCredentials::new(id, Some(tokens), scopes, Some(access.received_at));
    Ok(credentials.with_issuer(Some(access.issuer.clone())))
}

/// Tokens that can be used; none if they are of another kind.
pub(super) fn read(given: &OAuthTokenResponse) -> Option<Given> {
    let given: Given = serde_json::from_value(serde_json::to_value(given).ok()?).ok()?;
    given.token_type.eq_ignore_ascii_case("bearer").then_some(given)
}

/// The words of errors hold what the authorization server wrote, which may be secret.
fn failed(error: &AuthError) -> Failed {
    match error {
        AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_) => Failed::Ended,
        AuthError::TokenRefreshFailed(why) => unreachable(refusal(why)),
        _ => unreachable("they cannot be asked for"),
    }
}

fn unreachable(why: &str) -> Failed {
    Failed::Unreachable(format!("its tokens cannot be renewed: {why}"))
}

/// What the words of a failed request for tokens are about, without what others wrote.
pub(super) fn refusal(words: &str) -> &'static str {
    const CODES: [(&str, &str); 7] = [
        ("Request failed", "the authorization server cannot be reached"),
        ("invalid_client", "the authorization server does not know the client, or its secret"),
        ("unauthorized_client", "the authorization server does not allow the client to do that"),
        ("invalid_grant", "the authorization server says that the code or token is not valid"),
        ("invalid_scope", "the authorization server does not give these scopes"),
        ("invalid_target", "the authorization server gives no tokens for this server"),
        ("invalid_request", "the authorization server does not understand the request"),
    ];
    let known = CODES.iter().find(|(code, _)| words.contains(code));
    known.map_or("the answer of the authorization server is no token", |(_, meaning)| meaning)
}
