//! The tools for the web: the tables `[web]` and `[search]`.

use legwork::port::network::Host;
use legwork::web::search::{ENGINES, engine};
use serde_json::{Value, json};

use super::item::Item;
use super::key::{OF_SEARCH, OF_WEB};
use super::tables::entries;
use crate::error::Error;
use crate::recorded::{BaseUrl, By};

/// The hosts whose pages are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WebHosts {
    /// None if all that the network includes are.
    pub(crate) allow: Option<Vec<Host>>,
    pub(crate) deny: Vec<Host>,
}

/// A search engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Search {
    pub(crate) provider: String,
    /// None if it is asked where it always is.
    pub(crate) base_url: Option<String>,
}

impl WebHosts {
    /// What is said, by key.
    pub(crate) fn listed(&self) -> Vec<(&'static str, Value)> {
        let list = |hosts: &[Host]| hosts.iter().map(|host| json!(host.to_string())).collect();
        let allow = self.allow.as_deref().map(|hosts| ("allow", list(hosts)));
        let deny = (!self.deny.is_empty()).then(|| ("deny", list(&self.deny)));
        allow.into_iter().chain(deny).collect()
    }
}

impl Search {
    /// What is said, by key; an address that may hold a secret is not shown.
    pub(crate) fn listed(&self) -> Vec<(&'static str, Value)> {
        let base_url = self.base_url.as_ref().map(|url| {
            let shown = BaseUrl::of(url, By::Environment).url;
            ("base_url", json!(shown.unwrap_or_else(|| "(not shown)".to_owned())))
        });
        [("provider", json!(self.provider))].into_iter().chain(base_url).collect()
    }
}

/// The hosts of a table `[web]`.
pub(super) fn web(outer: &Item<'_>) -> Result<WebHosts, Error> {
    let mut web = WebHosts::default();
    for entry in entries(outer, &OF_WEB)? {
        let expects = "a list of hosts such as [\"docs.rs\"]";
        let whole = Item { name: format!("{}.{}", outer.name, entry.name), expects, ..entry };
        let hosts = hosts(&whole)?;
        match &*entry.name {
            "allow" => web.allow = Some(hosts),
            _ => web.deny = hosts,
        }
    }
    Ok(web)
}

fn hosts(item: &Item<'_>) -> Result<Vec<Host>, Error> {
    let host = |text: &Item<'_>| {
        let parsed = text.text()?.parse::<Host>();
        parsed.map_err(|error| item.problem(&format!("has a wrong value: {error}")))
    };
    item.texts()?.iter().map(host).collect()
}

/// The engine of a table `[search]`.
pub(super) fn search(outer: &Item<'_>) -> Result<Search, Error> {
    let (mut provider, mut base_url) = (None, None);
    for entry in entries(outer, &OF_SEARCH)? {
        let whole = Item { name: format!("{}.{}", outer.name, entry.name), ..entry };
        let text = whole.text()?.to_owned();
        match &*entry.name {
            "provider" if engine(&text).is_none() => {
                let known: Vec<_> = ENGINES.iter().map(|engine| engine.name).collect();
                let known = known.join(", ");
                return Err(whole.problem(&format!("is no search engine: it is one of {known}")));
            }
            "provider" => provider = Some(text),
            _ => base_url = Some(text),
        }
    }
    let Some(provider) = provider else {
        return Err(outer.problem("has no `provider`"));
    };
    let has_own = engine(&provider).is_some_and(|engine| !engine.base_url.is_empty());
    if base_url.is_none() && !has_own {
        return Err(
            outer.problem(&format!("has no `base_url`, and {provider} has none of its own"))
        );
    }
    Ok(Search { provider, base_url })
}
