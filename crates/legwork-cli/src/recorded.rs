//! What a session remembers of the command that began it; never a key.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork::core::event::MetadataSet;
use legwork::core::{AgentState, Event, Seq, SessionId};
use legwork::definition::Origin;
use legwork::port::Store;
use legwork::port::store::Range;
use legwork::tools::sandbox::Network;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::args::{AskFor, Sandbox};

/// The key in the session's metadata.
pub(crate) const KEY: &str = "cli";
/// Entries at the beginning of a journal that are looked at for it.
const FIRST: Seq = Seq(32);

/// The directory that a session was begun in, by the beginning of its journal; none if that
/// does not say, or cannot be read.
pub(crate) async fn begun_in(store: &Arc<dyn Store>, session: &SessionId) -> Option<String> {
    beginning(store, session).await?.dir
}

/// What a session remembers, by the beginning of its journal; none if that does not say, or cannot
/// be read.
pub(crate) async fn beginning(store: &Arc<dyn Store>, session: &SessionId) -> Option<Recorded> {
    let loaded = store.read(session, Range::up_to(FIRST)).await.ok()?;
    loaded.journal.entries().iter().find_map(|entry| Recorded::of_event(&entry.event))
}

/// What a session remembers, so that `resume` needs no flags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Recorded {
    /// The directory; none if its name is no text.
    pub(crate) dir: Option<String>,
    /// Where the model is served, if it was said.
    pub(crate) base_url: Option<BaseUrl>,
    /// What confines commands; none if it was not begun by this command.
    pub(crate) sandbox: Option<Sandbox>,
    /// The network that commands reach, as the flag names it; none if nothing was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<String>,
    /// Paths beside the directory that the agent may use, as `PATH` or `PATH:ro`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) allow_paths: Vec<String>,
    /// The tools that the agent has; none if it has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tools: Option<Vec<String>>,
    /// The tools of MCP servers that the agent has; none if it has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mcp_tools: Option<Vec<String>>,
    /// When a person is asked before a call runs, if more often than the tools say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approve: Option<AskFor>,
    /// Rules that deny calls or have a person asked, of others than the user's own file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) rules: Vec<String>,
    /// The file of permissions that allowed calls, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) allowed_by: Option<String>,
    /// The agent that it was begun with; none if that was the command's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<RecordedAgent>,
    /// Whether the agent is told what `AGENTS.md` files say.
    #[serde(skip_serializing_if = "ProjectContext::is_told")]
    pub(crate) context: ProjectContext,
}

/// An agent that is defined in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordedAgent {
    pub(crate) name: String,
    /// The file that defines it; none if its path is no text.
    pub(crate) file: Option<String>,
    /// Whose place that file is in.
    pub(crate) origin: Origin,
    /// Folders of agents that were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) dirs: Vec<String>,
    /// The models that subagents and skills may want: those that they named then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) models: Vec<String>,
    /// The MCP servers that its file named then; none if it named no list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mcp: Option<Vec<String>>,
}

/// Whether the agent is told what `AGENTS.md` files say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ProjectContext {
    #[default]
    Told,
    LeftOut,
}

impl ProjectContext {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it by reference")]
    fn is_told(&self) -> bool {
        *self == Self::Told
    }
}

/// An address, and who gave it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BaseUrl {
    /// None if it may hold a secret, so that it was not written down.
    pub(crate) url: Option<String>,
    /// Who gave it.
    pub(crate) by: By,
}

/// Who gave an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum By {
    /// A flag: it holds for the session.
    Flag,
    /// The environment or the user's file, which may have changed since.
    Environment,
}

impl BaseUrl {
    /// What is written down of an address: nothing that may be a secret.
    pub(crate) fn of(url: &str, by: By) -> Self {
        let secret = url.contains(['@', '?', '#']);
        Self { url: (!secret).then(|| url.to_owned()), by }
    }
}

impl Recorded {
    /// What a session remembers; the defaults if it was not begun by this command.
    pub(crate) fn of(state: &AgentState) -> Self {
        let value = state.context().metadata.get(KEY).cloned();
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    /// The network that commands reach, if something was said of it; none at all where it
    /// cannot be read.
    pub(crate) fn network(&self) -> Option<Network> {
        self.network.as_ref().map(|text| text.parse().unwrap_or_default())
    }

    /// What an event has the session remember; none if it is about something else.
    pub(crate) fn of_event(event: &Event) -> Option<Self> {
        let Event::MetadataSet(MetadataSet { key, value }) = event else { return None };
        let value = value.clone().filter(|_| key == KEY)?;
        serde_json::from_value(value).ok()
    }

    /// The metadata that a session begins with to remember this.
    pub(crate) fn metadata(&self) -> BTreeMap<String, Value> {
        let value = serde_json::to_value(self).ok();
        value.map(|value| (KEY.to_owned(), value)).into_iter().collect()
    }

    /// The state that remembers this.
    pub(crate) fn record(&self, state: AgentState) -> AgentState {
        let known = state.context().metadata.get(KEY);
        match serde_json::to_value(self).ok().filter(|value| Some(value) != known) {
            None => state,
            value => state.with(Event::MetadataSet(MetadataSet { key: KEY.to_owned(), value })),
        }
    }
}
