//! The capability `web`: pages as text, and searches.

use legwork_agent::Builder;
use legwork_agent::capability::{Capability, Fields, Resolved};
use legwork_port::network::{Host, Network};
use legwork_web::search::{Engine, HttpSearch, SearchProvider, engine};
use legwork_web::{Client, Fetch, Policy, WebSearch};
use serde_json::Value;

/// Gives an agent the tools `fetch` and, with a search engine, `web_search`.
///
/// From settings: `network` (`off`, `all` or a list of hosts; `off` by default), `allow` (of these
/// hosts only), `deny` (lists of hosts), `search` (`brave`, `tavily` or `searxng`) and `base_url`
/// (that of another server of the engine). Needs the feature `web`.
///
/// ```
/// # use legwork_testkit::{ScriptedModel, Turn};
/// use legwork::Agent;
/// use legwork::capability::Web;
/// use legwork::port::network::Network;
/// use legwork::web::{Client, Policy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let model = ScriptedModel::new([Turn::text("hello")]);
/// let docs = Policy::new(Network::hosts(["docs.rs", "*.rust-lang.org"])?);
/// let agent = Agent::builder(model).capability(Web::new(Client::new(docs)?)).build()?;
/// # let _ = agent;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Web {
    fetch: Fetch,
    search: Option<WebSearch>,
}

impl Web {
    /// Pages that a client gets.
    pub fn new(client: Client) -> Self {
        Self { fetch: Fetch::new(client), search: None }
    }

    /// The same with a search engine.
    #[must_use]
    pub fn search(self, provider: impl SearchProvider + 'static) -> Self {
        Self { search: Some(WebSearch::new(provider)), ..self }
    }

    /// Makes the capability from settings, with the key of an engine.
    ///
    /// # Errors
    /// An invalid field, with the values it takes, or an engine that cannot be asked.
    pub fn from_settings(
        settings: &Value,
        key: impl Fn(&Engine) -> Option<String>,
    ) -> Result<Self, String> {
        let mut fields = Fields::of(settings)?;
        let network = fields.take("network", NETWORK, network)?.unwrap_or_default();
        let policy = Policy::new(network).denying(hosts(&mut fields, "deny")?);
        let only = hosts(&mut fields, "allow")?;
        let policy = if only.is_empty() { policy } else { policy.only(only) };
        let (name, base_url) = (fields.text("search")?, fields.text("base_url")?);
        fields.done()?;
        let web = Self::new(Client::new(policy).map_err(|error| error.to_string())?);
        let Some(name) = name else { return Ok(web) };
        let key = engine(&name).and_then(key);
        let search = HttpSearch::new(&name, key.as_deref(), base_url.as_deref());
        Ok(web.search(search.map_err(|error| format!("`search`: {error}"))?))
    }
}

const NETWORK: &str = "`off`, `all` or a list of hosts, such as [\"example.com\"]";

fn network(value: &Value) -> Option<Network> {
    match value {
        Value::String(text) => text.parse().ok(),
        Value::Array(hosts) => {
            let hosts = hosts.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
            Network::hosts(hosts).ok()
        }
        _ => None,
    }
}

fn hosts(fields: &mut Fields, name: &'static str) -> Result<Vec<Host>, String> {
    let parsed = fields.texts(name)?.into_iter().map(|host| host.parse::<Host>());
    parsed.collect::<Result<_, _>>().map_err(|error| format!("`{name}`: {error}"))
}

/// The description of the capability.
pub(super) const ABOUT: &str = "Reads pages of the web, and searches it.";

impl Capability for Web {
    fn name(&self) -> &str {
        "web"
    }

    fn about(&self) -> &str {
        ABOUT
    }

    fn install(&self, builder: Builder) -> Builder {
        builder.tools([self.fetch.clone()]).tools(self.search.clone())
    }

    fn section(&self, _: &Resolved<'_>) -> Option<String> {
        None
    }
}
