//! The servers that are asked which models they offer.

use std::path::PathBuf;
use std::time::Duration;

use legwork::model::catalogue::{Catalogue, Row};
use legwork::model::http::Timeouts;
use legwork::model::remote::{Offered, Unavailable};
use legwork::model::{Builder, Provider, known, openai, proxies_from_env, retry};
use serde::Serialize;

use crate::commands::nearest;
use crate::config::{Config, Credential};
use crate::error::Error;
use crate::recorded::{BaseUrl, By};
use crate::{args, settings};

/// A list is short and made of nothing: a server that runs answers at once.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(3),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
    silence: Duration::from_secs(10),
    answer: Duration::from_secs(10),
};

/// A server, and what it is asked with.
#[derive(Debug, Clone)]
pub(super) struct Server {
    known: Option<&'static Provider>,
    pub(super) provider: String,
    pub(super) base_url: String,
    /// The variable that holds the key; none if it wants no key.
    pub(super) variable: Option<&'static str>,
    key: Option<Credential>,
    /// Whether nobody is asked without a key.
    official: bool,
}

/// How a server stands to its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Key {
    Set,
    Missing,
    NotWanted,
}

/// Why a server's models are not known.
#[derive(Debug)]
pub(super) enum Silent {
    NoKey(&'static str),
    /// There should be one, and it cannot be had.
    BadKey(Box<Error>),
    Unavailable(Unavailable),
}

impl Server {
    /// A known provider; none if it has no address.
    fn of(
        provider: &'static Provider,
        address: Option<&str>,
        config: &Config,
    ) -> Result<Option<Self>, Error> {
        let around = settings::named_address(provider.name, config)?.map(|url| url.value);
        let address = address.map(str::to_owned).or(around);
        let official = !provider.is_local() && address.is_none();
        let address = address.or_else(|| provider.base_url.map(str::to_owned));
        Ok(address.map(|base_url| Self {
            known: Some(provider),
            provider: provider.name.to_owned(),
            official,
            base_url,
            variable: provider.keys.first().copied(),
            key: Credential::find(provider.name, config),
        }))
    }

    /// Whether it can be asked: it wants no key, or there is one.
    fn is_open(&self) -> bool {
        !self.official || self.key.is_some()
    }

    /// The address as it may be shown.
    pub(super) fn place(&self) -> String {
        let shown = BaseUrl::of(&self.base_url, By::Flag).url;
        shown.unwrap_or_else(|| "(an address that may hold a secret)".to_owned())
    }

    pub(super) fn key(&self) -> Key {
        match (self.variable, &self.key) {
            (None, _) => Key::NotWanted,
            (Some(_), Some(_)) => Key::Set,
            (Some(_), None) => Key::Missing,
        }
    }

    /// What is known of a model that it offers.
    pub(super) fn row(&self, model: &str, own: &Catalogue) -> Row {
        self.asked_for(model).catalogue(own.clone()).row()
    }

    fn asked_for(&self, model: &str) -> Builder {
        let known = self.known.and_then(|known| known.model(model, Some(&self.base_url)));
        let asked = known.unwrap_or_else(|| openai::chat(self.base_url.as_str(), model));
        asked.provider(self.provider.as_str())
    }

    /// What it offers.
    pub(super) async fn offered(&self) -> Result<Vec<Offered>, Silent> {
        if let (true, Some(variable), None) = (self.official, self.variable, &self.key) {
            return Err(Silent::NoKey(variable));
        }
        let asked = self.asked_for("none").timeouts(TIMEOUTS).retry(retry::Policy::never());
        let asked = asked.proxies(proxies_from_env());
        let asked = match &self.key {
            Some(key) => {
                // An agent may have worked where this is run.
                let here = [PathBuf::from(".")];
                let key =
                    key.fetch(&here).await.map_err(|error| Silent::BadKey(Box::new(error)))?;
                match self.known {
                    Some(known) => asked.credential(known.credential(key.expose())),
                    None => asked.api_key(key.expose()),
                }
            }
            None => asked,
        };
        asked.offered().await.map_err(Silent::Unavailable)
    }
}

/// The servers that were asked for.
pub(super) fn asked_for(args: &args::ModelsList, config: &Config) -> Result<Vec<Server>, Error> {
    let address = args.base_url.as_deref();
    let Some(name) = args.provider.as_deref() else {
        return match address {
            Some(address) => Ok(vec![server_at("server", address, config)]),
            None => all(config),
        };
    };
    // A model's whole name says its provider too.
    let name = name.split(':').next().unwrap_or(name);
    let own = || config.provider_url(name).map(|url| url.value);
    match known().find(|provider| provider.name == name) {
        Some(provider) => match Server::of(provider, address, config)? {
            Some(server) => Ok(vec![server]),
            None => Err(without_address(provider)),
        },
        None => match address.map(str::to_owned).or_else(own) {
            Some(address) => Ok(vec![server_at(name, &address, config)]),
            None => Err(unknown(name)),
        },
    }
}

/// The servers that can be asked: those of this machine, those with a key, and those of the user's
/// file; and the one that is used by default.
fn all(config: &Config) -> Result<Vec<Server>, Error> {
    let mut servers: Vec<Server> = Vec::new();
    for provider in known() {
        let server = Server::of(provider, None, config)?;
        let server = server.filter(|server| server.is_open() || provider.name == "openai");
        // Another API of a server that is listed offers the same models.
        let is_new = |server: &Server| servers.iter().all(|one| one.base_url != server.base_url);
        servers.extend(server.filter(is_new));
    }
    for name in config.providers() {
        if let Some(url) = config.provider_url(name).filter(|_| known().all(|one| one.name != name))
        {
            servers.push(server_at(name, &url.value, config));
        }
    }
    Ok(servers)
}

/// A server that is known by its address alone.
fn server_at(name: &str, address: &str, config: &Config) -> Server {
    Server {
        known: None,
        provider: name.to_owned(),
        base_url: address.to_owned(),
        variable: Some("OPENAI_API_KEY"),
        key: Credential::find(name, config),
        official: false,
    }
}

/// The providers that want a key of which there is none.
pub(super) fn without_key(config: &Config) -> Vec<&'static str> {
    let is_default = |keys: &[&str]| keys == legwork::model::key_variables("openai");
    let hosted = known().filter(|provider| !provider.is_local() && !is_default(provider.keys));
    let missing = hosted.filter(|provider| Credential::find(provider.name, config).is_none());
    missing.map(|provider| provider.name).collect()
}

fn without_address(provider: &Provider) -> Error {
    let variable = provider.base_url_variable.unwrap_or("the file of settings");
    Error::usage(
        format!("each account of {} has a base URL of its own", provider.title),
        format!("give it with --base-url, or in {variable}"),
    )
}

fn unknown(name: &str) -> Error {
    let names: Vec<_> = legwork::model::providers().collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? For another server give --base-url"),
        None => format!("known are {}; for another server give --base-url", names.join(", ")),
    };
    Error::usage(format!("the provider {name:?} is not known"), hint)
}
