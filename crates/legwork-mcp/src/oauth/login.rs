//! How a person lets us use a server.

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, CredentialStore as _, InMemoryCredentialStore,
};
use url::Url;

use super::callback::{self, Callback};
use super::client;
use super::discovery::{self, Metadata};
use super::grant::{Access, Client, Grant, now};
use super::http::Http;
use super::reach::Place;
use super::renewal::{read, refusal};
use super::{Browser, Login, Tokens, refused, scopes, silent, trial};
use crate::Endpoint;
use crate::connect::Error;

/// How often a person is asked in one login.
const ATTEMPTS: usize = 3;

/// A login that is under way.
struct Flow<'a> {
    login: &'a Login,
    server: &'a Url,
    place: Place,
    /// How the server refused a request last.
    challenge: Option<String>,
    /// What was granted before.
    before: Option<Access>,
    /// The scopes that the server asked for.
    wanted: Vec<String>,
    /// Those that a person was asked for last.
    asked: Vec<String>,
    /// The authorization server whose tokens the server refuses.
    refused: Option<String>,
    /// Who we are to the authorization server with this issuer.
    client: Option<(String, Client)>,
}

/// Asks a person until the server lets us in, and keeps the tokens.
///
/// # Errors
/// When a server cannot be reached or breaks the rules, or the person does not grant it.
pub(super) async fn log_in(
    endpoint: &Endpoint,
    tokens: &Tokens,
    browser: &dyn Browser,
) -> Result<(), Error> {
    let server = tokens.server()?;
    let kept = tokens.load().await?.unwrap_or_else(|| Grant::none(server));
    let first = trial::of(endpoint, server, None).await;
    let Some(place) = first.place else {
        return Err(Error::Unreachable(first.failure.unwrap_or_default()));
    };
    let of = |challenge: &Option<String>| {
        challenge.as_deref().map(|challenge| scopes::of_challenge(challenge, server))
    };
    let challenge = first.denied.map(|denied| denied.challenge);
    let wanted = [of(&challenge), of(&kept.challenge)].map(Option::unwrap_or_default);
    let mut flow = Flow {
        login: tokens.login(),
        server,
        place,
        challenge: challenge.filter(|challenge| !challenge.is_empty()).or(kept.challenge),
        before: kept.access,
        wanted: scopes::union(wanted.iter().map(Vec::as_slice)),
        asked: Vec::new(),
        refused: None,
        client: None,
    };
    for _ in 0..ATTEMPTS {
        let access = flow.authorize(browser).await?;
        let token = access.access_token.clone();
        flow.before = Some(access.clone());
        tokens.keep(access).await?;
        let Some(denied) = trial::of(endpoint, server, Some(token)).await.denied else {
            return Ok(());
        };
        flow.step_up(denied)?;
    }
    Err(refused("the server asks for more scopes each time"))
}

impl Flow<'_> {
    /// Prepares to ask for what is missing.
    fn step_up(&mut self, denied: trial::Denied) -> Result<(), Error> {
        if !denied.scopes_missing {
            // It may go to another authorization server by now.
            self.refused = self.before.as_ref().map(|access| access.issuer.clone());
            self.challenge = Some(denied.challenge);
            return Ok(());
        }
        let wanted = scopes::of_challenge(&denied.challenge, self.server);
        if wanted.iter().all(|scope| self.asked.contains(scope)) {
            let scopes = scopes::shown(&wanted);
            return Err(refused(&format!("the server asks for {scopes}, which it was given")));
        }
        self.wanted = scopes::union([self.wanted.as_slice(), &wanted]);
        self.challenge = Some(denied.challenge);
        Ok(())
    }

    /// Asks a person once.
    async fn authorize(&mut self, browser: &dyn Browser) -> Result<Access, Error> {
        let http = Http::new(self.server, self.place).map_err(|error| {
            Error::Unreachable(format!("the certificates of the system cannot be read: {error}"))
        })?;
        let server = self.server.as_str();
        let shared = Arc::new(http.clone());
        let manager = AuthorizationManager::new_with_oauth_http_client(server, shared);
        let mut manager = manager.await.map_err(|error| refused(&error.to_string()))?;
        let challenge = self.challenge.as_deref();
        let metadata = discovery::discover(&manager, self.server, challenge).await?;
        if self.refused.as_ref() == Some(&metadata.issuer) {
            return Err(refused("the server refuses the tokens that were made for it"));
        }
        self.is_expected(&metadata.issuer)?;
        manager.set_metadata(metadata.for_client(metadata.method()));
        self.asked = self.scopes(&manager, &metadata).await;
        let client = self.client(browser, &metadata, &http).await?;
        manager.set_metadata(metadata.for_client(client.method));
        manager.configure_client(client.config()).map_err(|error| refused(&error.to_string()))?;
        let kept = InMemoryCredentialStore::new();
        manager.set_credential_store(kept.clone());
        let (callback, resource) = self.ask(browser, &manager, &metadata).await?;
        redeem(&manager, &callback).await?;
        self.access(&kept, metadata, client, resource).await
    }

    /// Checks that the authorization server is the one that was logged in at before, if it knows
    /// us by an id: it must not see that id, and its secret, if it is another one.
    fn is_expected(&self, issuer: &str) -> Result<(), Error> {
        let login = self.login;
        let before = self.before.as_ref().filter(|_| login.registered.is_some());
        let expected = login.issuer.as_deref().or(before.map(|before| before.issuer.as_str()));
        match expected {
            Some(expected) if expected != issuer => Err(refused(&format!(
                "the server names the authorization server `{issuer}`, not `{expected}`: log out \
                 first if that is right"
            ))),
            _ => Ok(()),
        }
    }

    /// The scopes to ask for: those that were granted and those that are wanted, else what the
    /// server says that it has.
    async fn scopes(&self, manager: &AuthorizationManager, metadata: &Metadata) -> Vec<String> {
        let before = self.before.as_ref().filter(|before| before.issuer == metadata.issuer);
        let before = before.map_or(&[][..], |before| &before.scopes);
        let mut asked = scopes::union([self.login.scopes.as_slice(), before, &self.wanted]);
        if asked.is_empty() {
            asked = manager.select_initial_scopes(&[]).await;
        }
        scopes::with_offline(asked, &metadata.scopes)
    }

    async fn client(
        &mut self,
        browser: &dyn Browser,
        metadata: &Metadata,
        http: &Http,
    ) -> Result<Client, Error> {
        let redirect_uri = browser.redirect_uri();
        let known = self.client.as_ref().filter(|(issuer, _)| *issuer == metadata.issuer);
        if let Some((_, client)) = known.filter(|(_, client)| client.redirect_uri == redirect_uri) {
            return Ok(client.clone());
        }
        let client = client::of(self.login, metadata, &redirect_uri, &self.asked, http).await?;
        self.client = Some((metadata.issuer.clone(), client.clone()));
        Ok(client)
    }

    /// Shows the page; what the person came back with, and what the tokens will be for.
    async fn ask(
        &self,
        browser: &dyn Browser,
        manager: &AuthorizationManager,
        metadata: &Metadata,
    ) -> Result<(Callback, String), Error> {
        let scopes: Vec<_> = self.asked.iter().map(String::as_str).collect();
        let page = silent(manager.get_authorization_url(&scopes)).await;
        let page = page.map_err(|error| refused(&error.to_string()))?;
        let redirect = browser.visit(&page).await?;
        let callback = callback::read(&redirect, &page, metadata)?;
        let page = Url::parse(&page).map_err(|_| refused("its page has no URL"))?;
        let mut pairs = page.query_pairs();
        let resource = pairs.find(|(name, _)| name == "resource");
        let resource =
            resource.map_or_else(|| self.server.to_string(), |(_, url)| url.into_owned());
        Ok((callback, resource))
    }

    /// What was granted.
    async fn access(
        &self,
        kept: &InMemoryCredentialStore,
        metadata: Metadata,
        client: Client,
        resource: String,
    ) -> Result<Access, Error> {
        let none = || refused("the authorization server gives no tokens that can be used");
        let stored = kept.load().await.ok().flatten().ok_or_else(none)?;
        let given = stored.token_response.as_ref().and_then(read).ok_or_else(none)?;
        Ok(Access {
            issuer: metadata.issuer,
            token_endpoint: metadata.token_endpoint,
            resource,
            place: self.place,
            client,
            scopes: stored.granted_scopes,
            access_token: given.access_token,
            refresh_token: given.refresh_token,
            received_at: stored.token_received_at.unwrap_or_else(|| now().as_secs()),
            expires_in: given.expires_in,
        })
    }
}

/// Redeems a code.
async fn redeem(manager: &AuthorizationManager, callback: &Callback) -> Result<(), Error> {
    let Callback { code, state, issuer } = callback;
    let redeeming = manager.exchange_code_for_token_with_issuer(code, state, issuer.as_deref());
    match silent(redeeming).await {
        Ok(_) => Ok(()),
        Err(AuthError::TokenExchangeFailed(words)) => Err(refused(refusal(&words))),
        // The words of others may hold what the browser came back with.
        Err(_) => Err(refused("the authorization server gives no tokens for the code")),
    }
}
