//! The tokens that a run uses.

use std::net::IpAddr;
use std::sync::Arc;

use http::StatusCode;
use legwork_port::BoxFuture;
use tokio::sync::Mutex;
use url::Url;

use super::grant::{Access, Grant, now};
use super::renewal::{self, Failed};
use super::{Login, scopes, url};
use crate::connect::Error;
use crate::http::{Credentials, Denial};

/// Bytes of a challenge that is kept at most.
const CHALLENGE: usize = 4096;

/// The tokens of one server; clones share them.
#[derive(Clone)]
pub(crate) struct Tokens(Arc<Shared>);

struct Shared {
    login: Login,
    /// The address as it was written, which may be none that is known here.
    server: Result<Url, Error>,
    /// Held while the grant is changed, so that one of this process waits for the store's guard.
    turn: Mutex<()>,
}

impl Tokens {
    pub(super) fn new(login: Login, server: &str) -> Self {
        Self(Arc::new(Shared { login, server: url(server), turn: Mutex::default() }))
    }

    pub(super) fn login(&self) -> &Login {
        &self.0.login
    }

    pub(super) fn server(&self) -> Result<&Url, Error> {
        self.0.server.as_ref().map_err(Clone::clone)
    }

    /// What is kept about this server; none if it is about another one.
    pub(super) async fn load(&self) -> Result<Option<Grant>, Error> {
        let server = self.server()?;
        Ok(self.0.login.store.load().await?.and_then(|grant| grant.at(server)))
    }

    /// Keeps new tokens.
    pub(super) async fn keep(&self, access: Access) -> Result<(), Error> {
        let mut grant = Grant::none(self.server()?);
        grant.access = Some(access);
        let _turn = self.0.turn.lock().await;
        let _guard = self.0.login.store.guard().await?;
        self.0.login.store.save(&grant).await
    }

    pub(super) async fn forget(&self) -> Result<(), Error> {
        let _turn = self.0.turn.lock().await;
        let _guard = self.0.login.store.guard().await?;
        self.0.login.store.clear().await
    }

    async fn access(&self) -> Result<Option<Access>, Error> {
        Ok(self.load().await?.and_then(|grant| grant.access))
    }

    /// Another token than one that is refused or over; none if a person has to log in.
    async fn renewed(self, over: String) -> Result<Option<String>, Error> {
        let store = &self.0.login.store;
        let _turn = self.0.turn.lock().await;
        let _guard = store.guard().await?;
        let Some(mut grant) = self.load().await? else { return Ok(None) };
        let Some(access) = &mut grant.access else { return Ok(None) };
        if access.access_token != over {
            // It was renewed by another task or process.
            return Ok(Some(access.access_token.clone()));
        }
        match renewal::renew(self.server()?, access).await {
            Ok(renewed) => {
                let token = renewed.access_token.clone();
                grant.access = Some(renewed);
                store.save(&grant).await?;
                Ok(Some(token))
            }
            Err(Failed::Ended) if access.refresh_token.take().is_some() => {
                // It need not be tried again.
                store.save(&grant).await?;
                Ok(None)
            }
            Err(Failed::Ended) => Ok(None),
            Err(Failed::Unreachable(why)) => Err(Error::Unreachable(why)),
        }
    }

    /// Another token, whether or not the caller still waits for it: the one before may be worth
    /// nothing already.
    async fn renew_for_all(&self, over: &str) -> Result<Option<String>, String> {
        let renewing = tokio::spawn(self.clone().renewed(over.to_owned()));
        match renewing.await {
            Ok(renewed) => renewed.map_err(|error| error.to_string()),
            Err(_) => Err("its tokens could not be renewed".to_owned()),
        }
    }

    /// Keeps what the server asked for, so that the next login asks for it.
    async fn note(&self, challenge: &str) -> Result<(), Error> {
        let store = &self.0.login.store;
        let _turn = self.0.turn.lock().await;
        let _guard = store.guard().await?;
        let kept = self.load().await?;
        let mut grant = kept.map_or_else(|| self.server().map(Grant::none), Ok)?;
        if grant.challenge.as_deref() == Some(challenge) {
            return Ok(());
        }
        grant.challenge = Some(challenge.to_owned());
        store.save(&grant).await
    }

    fn words(&self, denial: &Denial<'_>) -> Result<Option<String>, Error> {
        let server = self.server()?;
        let wanted = scopes::of_challenge(denial.challenge, server);
        let wants = match wanted.is_empty() {
            true => "more rights".to_owned(),
            false => scopes::shown(&wanted),
        };
        if scopes::are_missing(denial.challenge, server) {
            return Ok(Some(format!("it asks for {wants}: log in again to grant that")));
        }
        Ok(match denial.status {
            StatusCode::UNAUTHORIZED if denial.had_token => {
                Some("it refuses the authorization that it was given: log in again".to_owned())
            }
            StatusCode::UNAUTHORIZED => Some("it asks for authorization: log in first".to_owned()),
            _ => None,
        })
    }
}

impl Credentials for Tokens {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(async {
            let access = self.access().await.map_err(|error| error.to_string())?;
            let Some(access) = access else { return Ok(None) };
            if !access.is_over(now()) {
                return Ok(Some(access.access_token));
            }
            // If it cannot be renewed, the server says whether it is over.
            let renewed = self.renew_for_all(&access.access_token).await?;
            Ok(Some(renewed.unwrap_or(access.access_token)))
        })
    }

    fn renew<'a>(&'a self, refused: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(self.renew_for_all(refused))
    }

    fn denied<'a>(&'a self, denial: Denial<'a>) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let words = self.words(&denial).ok().flatten()?;
            if (1..CHALLENGE).contains(&denial.challenge.len())
                && let Err(error) = self.note(denial.challenge).await
            {
                tracing::debug!(%error, "what a server asks for cannot be kept");
            }
            Some(words)
        })
    }

    fn answered_from(&self, _: IpAddr) {}
}

#[cfg(test)]
mod tests;
