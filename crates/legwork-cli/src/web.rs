//! The tools for the web, as the network and the settings allow.

use std::sync::Arc;

use legwork::port::Tool;
use legwork::port::network::Network;
use legwork::web::search::HttpSearch;
use legwork::web::{self, Client, Fetch, Policy, WebSearch, fetch, search};

use crate::config::{Fetched, Search};
use crate::error::Error;
use crate::settings::Settings;

/// The tools for the web; none where there is no network.
#[derive(Debug, Default)]
pub(crate) struct Web {
    fetch: Option<Fetch>,
    search: Option<WebSearch>,
    /// The key of the search engine, to be masked.
    pub(crate) key: Option<Fetched>,
    /// What the user is warned of.
    pub(crate) warning: Option<String>,
}

impl Web {
    /// The tools, with the key of the search engine, which is fetched.
    ///
    /// # Errors
    /// When the search engine cannot be asked, or its key cannot be had.
    pub(crate) async fn ready(settings: &Settings) -> Result<Self, Error> {
        let web = Self::without_search(settings)?;
        let Some(engine) = asked(settings).filter(|_| settings.has_tool(search::TOOL)) else {
            return Ok(web);
        };
        let key = match &settings.search_key {
            Some(key) => Some(key.fetch(&settings.writable()).await?),
            None => None,
        };
        let provider = made(engine, key.as_ref().map(Fetched::expose))?;
        let warning = provider.exposes_key().map(|server| {
            format!(
                "the key of {} goes to {server} over plain HTTP, where others on the way can read \
                 it: use https, or a tunnel to this machine",
                engine.provider
            )
        });
        let search = allows(settings, &provider).then(|| WebSearch::new(provider));
        Ok(Self { search, key, warning, ..web })
    }

    /// The tools as they are shown: no key is fetched, and no engine is asked.
    ///
    /// # Errors
    /// When the settings of one of them cannot be used.
    pub(crate) fn shown(settings: &Settings) -> Result<Self, Error> {
        let provider =
            asked(settings).map(|engine| made(engine, Some("not fetched"))).transpose()?;
        let provider = provider.filter(|provider| allows(settings, provider));
        Ok(Self { search: provider.map(WebSearch::new), ..Self::without_search(settings)? })
    }

    fn without_search(settings: &Settings) -> Result<Self, Error> {
        let network = settings.network.value.clone();
        if network == Network::Off {
            return Ok(Self::default());
        }
        let hosts = settings.web.clone();
        let policy = Policy::new(network).denying(hosts.deny);
        let policy = hosts.allow.map_or(policy.clone(), |only| policy.only(only));
        let client = Client::new(policy).map_err(unusable)?;
        Ok(Self { fetch: Some(Fetch::new(client)), ..Self::default() })
    }

    /// The tools, in the order in which the model is shown them.
    pub(crate) fn tools(self) -> impl Iterator<Item = Arc<dyn Tool>> {
        let fetch = self.fetch.map(|tool| Arc::new(tool) as Arc<dyn Tool>);
        fetch.into_iter().chain(self.search.map(|tool| Arc::new(tool) as Arc<dyn Tool>))
    }
}

/// Why a tool for the web is not there; none if it is another tool.
pub(crate) fn why_missing(name: &str, settings: &Settings) -> Option<String> {
    let is_search = name == search::TOOL;
    if name != fetch::TOOL && !is_search {
        return None;
    }
    let why = match (&settings.network.value, &settings.search) {
        (Network::Off, _) => "there is no network: allow it with --network",
        (_, None) if is_search => "there is no search engine: name one in [search]",
        (_, Some(_)) if is_search => "the network does not include its server: see --network",
        _ => return None,
    };
    Some(format!("the agent has no `{name}`: {why}"))
}

/// The search engine that is asked, if one may be.
fn asked(settings: &Settings) -> Option<&Search> {
    settings.search.as_ref().filter(|_| settings.network.value != Network::Off)
}

fn made(engine: &Search, key: Option<&str>) -> Result<HttpSearch, Error> {
    let provider = HttpSearch::new(&engine.provider, key, engine.base_url.as_deref());
    provider.map_err(|error| {
        let hint = "see [search] in `legwork help config`, or leave it out";
        Error::usage(format!("`web_search` cannot be used: {error}"), hint)
    })
}

/// Whether the network includes the server of an engine.
fn allows(settings: &Settings, provider: &HttpSearch) -> bool {
    settings.network.value.allows(provider.target())
}

fn unusable(error: web::client::Error) -> Error {
    Error::usage(format!("`fetch` cannot be used: {error}"), "install the system's certificates")
}
