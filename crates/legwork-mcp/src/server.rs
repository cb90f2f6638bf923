//! What an agent is given: the tools of a server, as a toolset.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use legwork_core::{Mask, ToolSpec};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{BoxFuture, Toolset};

use crate::connect::Connect;
use crate::effect::Trust;
use crate::names;
use crate::opened::Opened;
use crate::sampling::Sampling;

/// How long a call may take unless it is said.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A server of the Model Context Protocol, whose tools an agent has.
#[derive(Clone)]
pub struct Server {
    settings: Settings,
    connect: Arc<dyn Connect>,
}

#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) name: Arc<str>,
    pub(crate) trust: Trust,
    pub(crate) timeout: Duration,
    /// The only tools that are wanted; none = all.
    pub(crate) only: Option<BTreeSet<String>>,
    pub(crate) except: BTreeSet<String>,
    /// Whether its resources and prompts are tools, too.
    pub(crate) offers: Offers,
    /// Whether it may ask the model of the session.
    pub(crate) sampling: Sampling,
    /// What must not be read in what it says of itself.
    pub(crate) mask: Mask,
}

/// Whether the resources and prompts of a server are shown as tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offers {
    Hidden,
    Shown,
}

impl Server {
    /// A server of this name, which its tools have before theirs: letters, digits, `_` and `-`.
    pub fn new(name: impl Into<Arc<str>>, connect: impl Connect + 'static) -> Self {
        let (trust, timeout) = (Trust::default(), TIMEOUT);
        let (name, only, except) = (name.into(), None, BTreeSet::new());
        let (offers, sampling, mask) = (Offers::Hidden, Sampling::Refused, Mask::default());
        let settings = Settings { name, trust, timeout, only, except, offers, sampling, mask };
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

    /// In the middle of a call it may ask the model of the session (sampling), with texts and images
    /// of its own and without tools. That is charged to the budget of the session.
    ///
    /// The model reads nothing of the conversation for it. Calls of a server of 2025 are made one at
    /// a time then, as it does not say which of them asks, and each session has a connection of its
    /// own; a lazy toolset that makes the server has to be one for each session, too.
    #[must_use]
    pub fn sampling(mut self) -> Self {
        self.settings.sampling = Sampling::Offered;
        self
    }

    /// Without these secrets in its instructions and in what it says of its tools.
    ///
    /// For secrets that it is given: what it repeats would reach the model. Results of calls are
    /// masked by the agent ([`Mask`]).
    #[must_use]
    pub fn masking(mut self, mask: Mask) -> Self {
        self.settings.mask = mask;
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
        open.close().await;
        looked
    }

    fn opened(&self) -> Opened {
        Opened::new(self.settings.clone(), Arc::clone(&self.connect))
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
                "`{name}` cannot be the name of a server: it has 1 to {} letters, digits, `_` and `-`",
                names::SERVER
            )],
        }
    }

    /// A server that may ask the model has a connection for each session: it is the model, and the
    /// budget, of that session.
    fn share_key(&self, scope: &Scope) -> String {
        match self.settings.sampling {
            Sampling::Offered => scope.session.to_string(),
            Sampling::Refused => String::new(),
        }
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async {
            let (open, target) = (self.opened(), self.connect.target());
            tracing::debug!(server = &*self.settings.name, target, "a server is connected to");
            open.connect().await?;
            Ok(Box::new(open) as Box<dyn OpenToolset>)
        })
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, target) = (&self.settings.name, self.connect.target());
        f.debug_struct("Server").field("name", name).field("target", &target).finish()
    }
}
