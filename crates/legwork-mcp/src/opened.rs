//! A server that runs are connected to: its tools as it lists them now.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use legwork_core::tool::{EffectClass, ExecutionMode};
use legwork_core::{AgentState, EffectKey, ToolSpec};
use legwork_port::toolset::{Error, OpenToolset};
use legwork_port::{BoxFuture, Tool};
use rmcp::model::Tool as Listed;
use serde_json::json;
use tokio::time::timeout;

use crate::connect::Connect;
use crate::connection::{Connections, Live};
use crate::effect::{self, Trust};
use crate::listing::Entry;
use crate::offer::{Offer, OfferTool};
use crate::sampling::Sampling;
use crate::server::{Offers, Seen, Settings};
use crate::tool::RemoteTool;
use crate::{listing, names, schema};

/// How long it may take to list the tools.
const LISTING: Duration = Duration::from_secs(30);

/// Bytes of all tools of a server together at most, as a model is shown them.
const SHOWN: usize = 256 << 10;

/// Characters of a description at most.
const DESCRIPTION: usize = 4_000;

/// A server that runs are connected to.
pub(crate) struct Opened {
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
    fn tools<'a>(
        &'a self,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        Box::pin(async move {
            let over = self.connections.handler.held.take_if(|call| is_over(call, state));
            if let Some(over) = over {
                over.end().await;
            }
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
        // A call that is held ends where the tools are listed next.
        self.connections.handler.held.is_empty().then(|| self.present())
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
    pub(crate) fn new(settings: Settings, connect: Arc<dyn Connect>) -> Self {
        let connections = Arc::new(Connections::new(connect, settings.sampling));
        Self { settings, connections, listed: Mutex::default() }
    }

    /// Connects, unless it is connected.
    ///
    /// # Errors
    /// When there is no connection.
    pub(crate) async fn connect(&self) -> Result<(), Error> {
        self.connections.live().await.map(drop)
    }

    /// What it is, and what it offers.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) async fn look(&self) -> Result<Seen, Error> {
        let live = self.connections.live().await?;
        let shown = self.listed_in_time(&live, self.present()).await?;
        let Shown { tools, problems, .. } = shown;
        let info = live.peer.peer_info();
        let info = info.as_deref();
        let server = info.and_then(|info| info.server_info.as_ref());
        Ok(Seen {
            revision: info.map_or_else(String::new, |info| info.protocol_version.to_string()),
            server: server.map(|server| format!("{} {}", server.name, server.version)),
            instructions: info
                .and_then(|info| info.instructions.as_deref())
                .map(|said| self.settings.mask.text(said).into_owned()),
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
        let mode = match (self.settings.sampling, &info) {
            // It does not say which call asks.
            (Sampling::Offered, Some(info)) if info.protocol_version.has_initialize() => {
                ExecutionMode::Sequential
            }
            _ => ExecutionMode::default(),
        };
        let mut shown = self.shown(revision, listed, mode);
        let said = info.as_ref().and_then(|info| info.instructions.as_deref());
        let said = said.filter(|_| self.settings.trust == Trust::Trusted);
        let said = said.map(|said| self.settings.mask.text(said));
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
    fn shown(&self, revision: u64, listed: Vec<Entry>, mode: ExecutionMode) -> Shown {
        let (mut tools, mut problems, mut taken) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut room = SHOWN;
        for entry in listed {
            let one = match entry {
                Ok(one) if self.is_wanted(&one.name) => one,
                Ok(_) => continue,
                Err((name, why)) => {
                    problems.push(self.problem(&name, &format!("is left out: {why}")));
                    continue;
                }
            };
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
                    spec: Arc::new(spec.mode(mode)),
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
        let mut parameters = schema::checked(&tool.input_schema)?;
        self.settings.mask.cover(&mut parameters);
        let words = tool.description.as_deref().or(tool.title.as_deref()).unwrap_or_default();
        let words: String = self.settings.mask.text(words).chars().take(DESCRIPTION).collect();
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

/// Whether a call of this session has its outcome, such as a denial.
fn is_over(call: &EffectKey, state: &AgentState) -> bool {
    let is_its = state.effect_key(call.index).is_some_and(|key| key == *call);
    let waits = is_its && state.call(call.index).is_some_and(|slot| slot.execution().is_none());
    call.session == *state.session() && !waits
}

/// Takes the room that a tool needs, if there is that much.
fn fits(spec: &ToolSpec, room: &mut usize) -> bool {
    let needs = spec.name.len() + spec.description.len() + spec.parameters.to_string().len();
    let left = room.checked_sub(needs);
    *room = left.unwrap_or(*room);
    left.is_some()
}
