//! What an agent is given: the tools of a server, as a toolset.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_core::tool::EffectClass;
use legwork_core::{AgentState, ToolSpec};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Tool, Toolset};
use rmcp::model::Tool as Listed;
use serde_json::json;
use tokio::time::timeout;

use crate::connect::Connect;
use crate::connection::{Connections, Live};
use crate::effect::{self, Trust};
use crate::offer::{Offer, OfferTool};
use crate::tool::RemoteTool;
use crate::{listing, names, schema};

/// How long a call may take unless it is said.
const TIMEOUT: Duration = Duration::from_mins(2);

/// How long it may take to list the tools.
const LISTING: Duration = Duration::from_secs(30);

/// Bytes of all tools of a server together at most, as a model is shown them.
const SHOWN: usize = 256 << 10;

/// Characters of a description at most.
const DESCRIPTION: usize = 4_000;

/// A server of the Model Context Protocol, whose tools an agent has.
#[derive(Clone)]
pub struct Server {
    settings: Settings,
    connect: Arc<dyn Connect>,
}

#[derive(Clone)]
struct Settings {
    name: Arc<str>,
    trust: Trust,
    timeout: Duration,
    /// The only tools that are wanted; none = all.
    only: Option<BTreeSet<String>>,
    except: BTreeSet<String>,
    /// Whether its resources and prompts are tools, too.
    offers: Offers,
}

/// Whether what a server offers beside tools is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Offers {
    Hidden,
    Shown,
}

impl Server {
    /// A server of this name, which its tools have before theirs: letters, digits, `_` and `-`.
    pub fn new(name: impl Into<Arc<str>>, connect: impl Connect + 'static) -> Self {
        let (trust, timeout) = (Trust::default(), TIMEOUT);
        let (name, only, except) = (name.into(), None, BTreeSet::new());
        let offers = Offers::Hidden;
        let settings = Settings { name, trust, timeout, only, except, offers };
        Self { settings, connect: Arc::new(connect) }
    }

    /// What it says of its tools counts: which only read, which may be repeated, and how they are
    /// to be used, which becomes a part of the agent's instructions.
    ///
    /// Otherwise each call runs once, and a person is asked when it is in doubt after a crash.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.settings.trust = Trust::Trusted;
        self
    }

    /// Its resources and prompts are tools, too, where it has them: `list_resources`,
    /// `read_resource`, `list_prompts` and `get_prompt`, with the name of the server before.
    #[must_use]
    pub fn resources_and_prompts(mut self) -> Self {
        self.settings.offers = Offers::Shown;
        self
    }

    /// How long a call may take; 2 minutes by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Only these of its tools, by their names on the server.
    #[must_use]
    pub fn only<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.settings.only = Some(tools.into_iter().map(Into::into).collect());
        self
    }

    /// Without these of its tools, by their names on the server.
    #[must_use]
    pub fn except<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.settings.except.extend(tools.into_iter().map(Into::into));
        self
    }
}

/// What a server is, and what it offers.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Seen {
    /// The revision of the protocol that is spoken with it.
    pub revision: String,
    /// Its name and version, if it says them.
    pub server: Option<String>,
    /// How its tools are to be used, in its own words.
    pub instructions: Option<String>,
    /// Its tools, as a model is shown them.
    pub tools: Vec<Arc<ToolSpec>>,
    /// What is wrong with others, which are left out.
    pub problems: Vec<String>,
}

impl Server {
    /// Connects to it, lists its tools, and closes the connection.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub async fn look(&self) -> Result<Seen, Error> {
        let open = self.opened();
        let looked = open.look().await;
        open.connections.close().await;
        looked
    }

    fn opened(&self) -> Opened {
        let connections = Arc::new(Connections::new(Arc::clone(&self.connect)));
        Opened { settings: self.settings.clone(), connections, listed: Mutex::default() }
    }
}

impl Toolset for Server {
    fn name(&self) -> &str {
        &self.settings.name
    }

    /// A server chooses its names: it cannot keep a run from its own tools.
    fn yields(&self) -> bool {
        true
    }

    fn problems(&self) -> Vec<String> {
        let name = &self.settings.name;
        match names::is_server_name(name) {
            true => Vec::new(),
            false => vec![format!(
                "`{name}` is no name of a server: it has 1 to {} letters, digits, `_` and `-`",
                names::SERVER
            )],
        }
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async {
            let (open, target) = (self.opened(), self.connect.target());
            tracing::debug!(server = &*self.settings.name, target, "a server is connected to");
            open.connections.live().await?;
            Ok(Box::new(open) as Box<dyn OpenToolset>)
        })
    }
}

/// A server that runs are connected to.
struct Opened {
    settings: Settings,
    connections: Arc<Connections>,
    listed: Mutex<Option<Shown>>,
}

/// The tools as they were listed, and those that cannot be used.
#[derive(Clone)]
struct Shown {
    revision: u64,
    tools: Vec<Arc<dyn Tool>>,
    problems: Vec<String>,
    /// How its tools are to be used, if what it says of them counts.
    instructions: Option<String>,
}

impl OpenToolset for Opened {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        Box::pin(async {
            let live = self.connections.live().await?;
            let revision = self.present();
            let known = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
            if let Some(known) = known.filter(|known| known.revision == revision) {
                return Ok(known.tools);
            }
            let shown = self.listed_in_time(&live, revision).await?;
            let tools = shown.tools.clone();
            *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some(shown);
            Ok(tools)
        })
    }

    fn revision(&self) -> Option<u64> {
        Some(self.present())
    }

    fn instructions(&self) -> Option<String> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.as_ref()?.instructions.clone()
    }

    fn problems(&self) -> Vec<String> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        listed.as_ref().map_or_else(Vec::new, |listed| listed.problems.clone())
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.connections.close())
    }
}

impl Opened {
    async fn look(&self) -> Result<Seen, Error> {
        let live = self.connections.live().await?;
        let shown = self.listed_in_time(&live, self.present()).await?;
        let Shown { tools, problems, .. } = shown;
        let info = live.peer.peer_info();
        let info = info.as_deref();
        let server = info.and_then(|info| info.server_info.as_ref());
        Ok(Seen {
            revision: info.map_or_else(String::new, |info| info.protocol_version.to_string()),
            server: server.map(|server| format!("{} {}", server.name, server.version)),
            instructions: info.and_then(|info| info.instructions.clone()),
            tools: tools.iter().map(|tool| tool.spec()).collect(),
            problems,
        })
    }

    fn present(&self) -> u64 {
        self.connections.handler.revision.load(Ordering::SeqCst)
    }

    /// Asks the server what it has now; it has to say so in time.
    async fn listed_in_time(&self, live: &Live, revision: u64) -> Result<Shown, Error> {
        let listed = timeout(LISTING, self.list(live, revision)).await;
        listed.unwrap_or_else(|_| {
            let limit = LISTING.as_secs();
            Err(Error::Unavailable(format!("it did not list its tools within {limit} s")))
        })
    }

    /// Asks the server what it has now.
    async fn list(&self, live: &Live, revision: u64) -> Result<Shown, Error> {
        let info = live.peer.peer_info();
        let offers = match (self.settings.offers, &info) {
            (Offers::Shown, Some(info)) => Offer::of(&info.capabilities),
            _ => Vec::new(),
        };
        // One that has resources alone lists no tools.
        let has_tools = info.as_ref().is_none_or(|info| info.capabilities.tools.is_some());
        let listed = match has_tools || offers.is_empty() {
            true => listing::tools(&live.peer).await?,
            false => Vec::new(),
        };
        let mut shown = self.shown(revision, listed);
        let said = info.as_ref().and_then(|info| info.instructions.as_deref());
        let said = said.filter(|_| self.settings.trust == Trust::Trusted);
        shown.instructions = said.map(|said| said.chars().take(DESCRIPTION).collect());
        let taken = shown.tools.iter().map(|tool| tool.spec().name.to_string()).collect();
        for offer in offers.into_iter().filter(|offer| self.is_wanted(offer.name())) {
            shown.tools.push(self.offered(offer, &taken));
        }
        Ok(shown)
    }

    fn offered(&self, offer: Offer, taken: &BTreeSet<String>) -> Arc<dyn Tool> {
        let Settings { name, trust, timeout, .. } = &self.settings;
        let spec = offer.spec(names::shown(name, offer.name(), taken), *trust, *timeout);
        let (server, connections) = (Arc::clone(name), Arc::clone(&self.connections));
        Arc::new(OfferTool { offer, spec: Arc::new(spec), server, connections })
    }

    /// The tools that are wanted and can be used: one that is wrong costs itself alone.
    fn shown(&self, revision: u64, listed: Vec<Listed>) -> Shown {
        let (mut tools, mut problems, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut room = SHOWN;
        for one in listed.into_iter().filter(|one| self.is_wanted(&one.name)) {
            let name = names::shown(&self.settings.name, &one.name, &taken);
            match self.spec(&name, &one) {
                Ok(_) if !taken.insert(name.clone()) => {
                    problems.push(self.problem(&one.name, "is listed twice"));
                }
                Ok(spec) if !fits(&spec, &mut room) => {
                    let all = SHOWN >> 10;
                    let what = format!("is left out: all together have more than {all} KiB");
                    problems.push(self.problem(&one.name, &what));
                }
                Ok(spec) => tools.push(Arc::new(RemoteTool {
                    spec: Arc::new(spec),
                    name: one.name.into_owned(),
                    server: Arc::clone(&self.settings.name),
                    connections: Arc::clone(&self.connections),
                }) as Arc<dyn Tool>),
                Err(why) => {
                    problems.push(self.problem(&one.name, &format!("is left out: {why}")));
                }
            }
        }
        Shown { revision, tools, problems, instructions: None }
    }

    fn problem(&self, tool: &str, what: &str) -> String {
        format!("the server `{}`: its tool `{tool}` {what}", self.settings.name)
    }

    fn is_wanted(&self, tool: &str) -> bool {
        let Settings { only, except, .. } = &self.settings;
        only.as_ref().is_none_or(|only| only.contains(tool)) && !except.contains(tool)
    }

    fn spec(&self, name: &str, tool: &Listed) -> Result<ToolSpec, String> {
        let parameters = schema::checked(&tool.input_schema)?;
        let words = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
        let words: String = words.chars().take(DESCRIPTION).collect();
        let class = effect::class(tool.annotations.as_ref(), self.settings.trust);
        let spec = ToolSpec::new(name, words, parameters).effect(class);
        let spec = match class {
            EffectClass::ReadOnly => spec.tag("read-only"),
            _ => spec,
        };
        let origin = json!({"server": &*self.settings.name, "tool": &*tool.name});
        Ok(spec.timeout(self.settings.timeout).tag("mcp").with_metadata("mcp", origin))
    }
}

/// Takes the room that a tool needs, if there is that much.
fn fits(spec: &ToolSpec, room: &mut usize) -> bool {
    let needs = spec.name.len() + spec.description.len() + spec.parameters.to_string().len();
    let left = room.checked_sub(needs);
    *room = left.unwrap_or(*room);
    left.is_some()
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, target) = (&self.settings.name, self.connect.target());
        f.debug_struct("Server").field("name", name).field("target", &target).finish()
    }
}
