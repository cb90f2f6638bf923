//! What a server is given: secrets, headers, and what a person granted.

use std::collections::BTreeMap;
use std::path::PathBuf;

use legwork::mcp::Endpoint;
use legwork::mcp::oauth::{FileStore, Login};

use crate::config::{Client, Credential, Given, Source, Sourced};
use crate::error::Error;
use crate::settings::Settings;
use crate::store_address;

/// The header that carries credentials.
const AUTHORIZATION: &str = "authorization";

/// The file of the tokens of a server; none if there is no place for it.
fn tokens(name: &str) -> Option<PathBuf> {
    Some(store_address::home()?.join("mcp").join(format!("{name}.json")))
}

/// What a server is given, fetched one by one.
pub(super) struct Fetched<'a> {
    name: &'a str,
    source: &'a Source,
    settings: &'a Settings,
    pub(super) secrets: Vec<String>,
}

impl<'a> Fetched<'a> {
    pub(super) fn of(name: &'a str, source: &'a Source, settings: &'a Settings) -> Self {
        Self { name, source, settings, secrets: Vec::new() }
    }

    pub(super) async fn all(
        &mut self,
        table: &str,
        given: &BTreeMap<String, Given>,
    ) -> Result<BTreeMap<String, String>, Error> {
        let mut all = BTreeMap::new();
        for (key, given) in given {
            all.insert(key.clone(), self.one(&format!("{table}.{key}"), given).await?);
        }
        Ok(all)
    }

    async fn one(&mut self, key: &str, given: &Given) -> Result<String, Error> {
        let from = match given {
            Given::Text(text) => return Ok(text.clone()),
            Given::From(from) => Sourced::new(from.clone(), self.source.clone()),
        };
        let provider = format!("mcp.{}.{key}", self.name);
        let fetched = Credential { provider, from }.fetch(&self.settings.writable()).await?;
        self.secrets.push(fetched.expose().to_owned());
        Ok(fetched.expose().to_owned())
    }

    pub(super) async fn endpoint(
        &mut self,
        url: &str,
        headers: &BTreeMap<String, Given>,
        client: &Client,
    ) -> Result<Endpoint, Error> {
        let headers = self.all("headers", headers).await?;
        let secret = match &client.secret {
            Some(secret) => Some(self.one("client_secret", secret).await?),
            None => None,
        };
        let endpoint = with_headers(self.name, url, &headers, self.source)?;
        let has_own = headers.keys().any(|name| name.eq_ignore_ascii_case(AUTHORIZATION));
        let Some(tokens) = tokens(self.name).filter(|_| !has_own) else { return Ok(endpoint) };
        let login = Login::new(FileStore::new(tokens)).name("Legwork");
        let login = match (&client.id, secret) {
            (Some(id), Some(secret)) => login.confidential_client(id, secret),
            (Some(id), None) => login.client(id),
            (None, _) => login,
        };
        Ok(endpoint.authorized(client.scopes.iter().fold(login, Login::scope)))
    }
}

fn with_headers(
    name: &str,
    url: &str,
    headers: &BTreeMap<String, String>,
    source: &Source,
) -> Result<Endpoint, Error> {
    let wrong = |error: legwork::mcp::Error| {
        let hint = format!("set [mcp.{name}] right ({source})");
        Error::usage(format!("the MCP server `{name}` cannot be reached: {error}"), hint)
    };
    headers.iter().try_fold(Endpoint::new(url).map_err(wrong)?, |all, (header, value)| {
        // A token alone is one of a bearer, which is what nearly all servers take.
        let is_token = header.eq_ignore_ascii_case(AUTHORIZATION) && !value.contains(' ');
        let value = if is_token { &format!("Bearer {value}") } else { value };
        all.header(header, value).map_err(wrong)
    })
}
