//! Who we are to an authorization server.

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, Response};
use rmcp::transport::auth::OAuthClientConfig;
use serde::Deserialize;
use serde_json::json;

use super::discovery::Metadata;
use super::grant::{Client, Method};
use super::http::Http;
use super::{Login, refused};
use crate::connect::Error;

/// The codes with which registrations are refused (RFC 7591, section 3.2.2).
const REFUSALS: [&str; 4] = [
    "invalid_redirect_uri",
    "invalid_client_metadata",
    "invalid_software_statement",
    "unapproved_software_statement",
];

/// Who we are: a client that is known already, one with a document, or one that registers now.
///
/// # Errors
/// When the authorization server takes none of them.
pub(super) async fn of(
    login: &Login,
    metadata: &Metadata,
    redirect_uri: &str,
    scopes: &[String],
    http: &Http,
) -> Result<Client, Error> {
    let redirect_uri = redirect_uri.to_owned();
    if let Some(known) = &login.registered {
        let (id, secret) = (known.id.clone(), known.secret.clone());
        let method = secret.as_ref().map_or(Method::Public, |_| metadata.method());
        return Ok(Client { id, secret, redirect_uri, method });
    }
    if let Some(document) = login.document.as_ref().filter(|_| metadata.reads_documents) {
        if !document.starts_with("https://") {
            return Err(refused("the document that describes the client is not at `https://`"));
        }
        let (id, method) = (document.clone(), Method::Public);
        return Ok(Client { id, secret: None, redirect_uri, method });
    }
    let Some(endpoint) = &metadata.registration_endpoint else {
        let why = "clients cannot register with the authorization server: give an id of a client \
                   that it knows";
        return Err(refused(why));
    };
    let method = metadata.method_of_registration();
    let request = request(endpoint, &login.name, &redirect_uri, scopes, method)?;
    let answer = http.ask(request).await;
    let answer =
        answer.map_err(|failed| Error::Unreachable(format!("the login failed: {failed}")))?;
    registered(&answer, redirect_uri, method)
}

/// What asks for a registration (RFC 7591).
fn request(
    endpoint: &str,
    name: &str,
    redirect_uri: &str,
    scopes: &[String],
    method: Method,
) -> Result<Request<Vec<u8>>, Error> {
    let mut client = json!({
        "client_name": name,
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": method.name(),
        "application_type": "native",
    });
    if let (Some(client), false) = (client.as_object_mut(), scopes.is_empty()) {
        client.insert("scope".to_owned(), scopes.join(" ").into());
    }
    Request::post(endpoint)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json")
        .body(client.to_string().into_bytes())
        .map_err(|_| refused("an endpoint of the authorization server is not a URL"))
}

#[derive(Deserialize)]
struct Registration {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

fn registered(
    answer: &Response<Vec<u8>>,
    redirect_uri: String,
    asked: Method,
) -> Result<Client, Error> {
    if !answer.status().is_success() {
        let body = String::from_utf8_lossy(answer.body());
        let code = REFUSALS.iter().find(|code| body.contains(**code));
        let code = code.map_or_else(String::new, |code| format!(", `{code}`"));
        let status = answer.status();
        return Err(refused(&format!("the client cannot register: HTTP {status}{code}")));
    }
    // What is wrong with it is not told: the words would hold parts of it.
    let registration: Registration = serde_json::from_slice(answer.body())
        .map_err(|_| refused("the answer to the registration of the client is none"))?;
    // Some give an empty secret to clients that have none.
    let secret = registration.client_secret.filter(|secret| !secret.is_empty());
    let method = match (registration.token_endpoint_auth_method.as_deref(), &secret) {
        (Some("none"), _) | (_, None) => Method::Public,
        (Some("client_secret_post"), Some(_)) => Method::Post,
        (Some("client_secret_basic"), Some(_)) => Method::Basic,
        (_, Some(_)) if asked == Method::Post => Method::Post,
        (_, Some(_)) => Method::Basic,
    };
    let secret = secret.filter(|_| method != Method::Public);
    Ok(Client { id: registration.client_id, secret, redirect_uri, method })
}

impl Client {
    /// As rmcp takes it.
    pub(super) fn config(&self) -> OAuthClientConfig {
        let config = OAuthClientConfig::new(&self.id, &self.redirect_uri);
        match &self.secret {
            Some(secret) => config.with_client_secret(secret),
            None => config,
        }
    }
}
