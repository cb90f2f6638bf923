//! Toolsets that tests give their agents.

use std::future::ready;
use std::sync::Arc;

use legwork_core::AgentState;
use legwork_port::toolset::{Error, OpenToolset, Scope, Toolset};
use legwork_port::{BoxFuture, Tool};

use crate::tools::World;

pub(crate) type Listed = Result<Vec<Arc<dyn Tool>>, Error>;
type Open = dyn Fn(&Scope) -> BoxFuture<'static, Result<(), Error>> + Send + Sync;
type Revision = dyn Fn() -> Option<u64> + Send + Sync;
type List = dyn Fn(&AgentState) -> BoxFuture<'static, Listed> + Send + Sync;

/// A toolset that is opened; without more it opens, and has no tools.
#[derive(Clone)]
pub(crate) struct Set {
    name: &'static str,
    opening: Arc<Open>,
    listing: Arc<List>,
    instructions: Option<&'static str>,
    revision: Arc<Revision>,
    of_a_session: bool,
    closes: bool,
    world: World,
}

impl Set {
    pub(crate) fn new(name: &'static str) -> Self {
        Self {
            name,
            opening: Arc::new(|_| Box::pin(ready(Ok(())))),
            listing: Arc::new(|_| Box::pin(ready(Ok(Vec::new())))),
            instructions: None,
            revision: Arc::new(|| None),
            of_a_session: false,
            closes: true,
            world: World::default(),
        }
    }

    /// Notes `opens` and `closes`.
    pub(crate) fn noting(self, world: &World) -> Self {
        Self { world: world.clone(), ..self }
    }

    /// Does this when it is opened.
    pub(crate) fn opening(
        self,
        open: impl Fn(&Scope) -> BoxFuture<'static, Result<(), Error>> + Send + Sync + 'static,
    ) -> Self {
        Self { opening: Arc::new(open), ..self }
    }

    /// Lists what this gives for a state, at once.
    pub(crate) fn listing(
        self,
        list: impl Fn(&AgentState) -> Listed + Send + Sync + 'static,
    ) -> Self {
        self.listing_late(move |state| Box::pin(ready(list(state))))
    }

    /// Lists what comes of this for a state.
    pub(crate) fn listing_late(
        self,
        list: impl Fn(&AgentState) -> BoxFuture<'static, Listed> + Send + Sync + 'static,
    ) -> Self {
        Self { listing: Arc::new(list), ..self }
    }

    pub(crate) fn tools(self, tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Self {
        let tools: Vec<_> = tools.into_iter().collect();
        self.listing(move |_| Ok(tools.clone()))
    }

    pub(crate) fn instructions(self, instructions: &'static str) -> Self {
        Self { instructions: Some(instructions), ..self }
    }

    /// Has these revisions.
    pub(crate) fn revision(self, revision: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self { revision: Arc::new(move || Some(revision())), ..self }
    }

    /// Hangs when it is closed.
    pub(crate) fn never_closing(self) -> Self {
        Self { closes: false, ..self }
    }

    /// Is open for each session by itself.
    pub(crate) fn of_a_session(self) -> Self {
        Self { of_a_session: true, ..self }
    }
}

/// Why a toolset fails.
pub(crate) fn unavailable(why: &str) -> Error {
    Error::Unavailable(why.to_owned())
}

impl Toolset for Set {
    fn name(&self) -> &str {
        self.name
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        Box::pin(async {
            self.world.note(format!("{} opens", self.name));
            (self.opening)(scope).await?;
            Ok(Box::new(OpenSet(self.clone())) as Box<dyn OpenToolset>)
        })
    }

    fn share_key(&self, scope: &Scope) -> String {
        if self.of_a_session { scope.session.to_string() } else { String::new() }
    }
}

/// It when it is open.
struct OpenSet(Set);

impl OpenToolset for OpenSet {
    fn tools<'a>(&'a self, state: &'a AgentState) -> BoxFuture<'a, Listed> {
        (self.0.listing)(state)
    }

    fn revision(&self) -> Option<u64> {
        (self.0.revision)()
    }

    fn instructions(&self) -> Option<String> {
        self.0.instructions.map(str::to_owned)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.0.world.note(format!("{} closes", self.0.name));
            if !self.0.closes {
                std::future::pending::<()>().await;
            }
        })
    }
}
