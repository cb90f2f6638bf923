//! Toolsets: sources of tools, which runs open and share.

use std::sync::Arc;

use legwork_core::{AgentState, SessionId};

use crate::{BoxFuture, Cancellation, Deps, Tool};

/// A source of tools.
///
/// A set of one of two kinds. One whose tools are always the same implements [`tools`] and is
/// never opened. One that has to be opened (it starts a process, connects to a server, or has
/// tools that depend on the state) implements [`open`]. An open set is shared: the first run
/// that needs it opens it, runs that begin meanwhile and subagents use the same one, and it
/// is closed after the last of them.
///
/// ```
/// use std::sync::Arc;
///
/// use legwork_port::core::{AgentState, ToolCall, ToolOutcome, ToolSpec};
/// use legwork_port::toolset::{Error, OpenToolset, Scope, Toolset};
/// use legwork_port::{BoxFuture, Tool};
/// # struct Connection;
/// # impl Connection {
/// #     async fn start(_: &str) -> Result<Self, std::io::Error> { Ok(Self) }
/// #     async fn list(&self) -> Result<Vec<Arc<dyn Tool>>, Error> { Ok(Vec::new()) }
/// #     async fn shut_down(&self) {}
/// # }
///
/// /// The tools of a server that runs as a child process.
/// struct Server {
///     command: String,
/// }
///
/// impl Toolset for Server {
///     fn name(&self) -> &str {
///         "server"
///     }
///
///     fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
///         Box::pin(async {
///             let connection = Connection::start(&self.command).await;
///             let connection = connection.map_err(|error| Error::Unavailable(error.to_string()))?;
///             Ok(Box::new(connection) as Box<dyn OpenToolset>)
///         })
///     }
/// }
///
/// impl OpenToolset for Connection {
///     fn tools<'a>(
///         &'a self,
///         _: &'a AgentState,
///     ) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
///         Box::pin(self.list())
///     }
///
///     fn close(&self) -> BoxFuture<'_, ()> {
///         Box::pin(self.shut_down())
///     }
/// }
/// ```
///
/// [`tools`]: Toolset::tools
/// [`open`]: Toolset::open
pub trait Toolset: Send + Sync {
    /// Its name, as errors and descriptions show it. The same every time.
    fn name(&self) -> &str;

    /// Its tools in the order they are shown, if they are always the same.
    ///
    /// It is asked once, when an agent is built, so that invalid tools are an error of building
    /// it. A set that returns tools is never opened; one that returns `None` is.
    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        None
    }

    /// Opens it for the runs that share it.
    ///
    /// When it returns, its tools can be listed and called until it is closed. It is called
    /// again after the last run that used the open set has closed it, or was dropped, and after
    /// it failed. Dropping the future must release whatever it had taken.
    ///
    /// # Errors
    /// Why it cannot be used. The run goes on without its tools, unless it is required.
    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        let _ = scope;
        let message = "it has neither tools nor a way to open it";
        Box::pin(std::future::ready(Err(Error::Unavailable(message.to_owned()))))
    }

    /// What a run has in common with those that it shares the open set with.
    ///
    /// Runs with equal keys share one, unless their dependencies differ. By default all keys
    /// are equal; a set that keeps state for each session returns the name of the session.
    fn share_key(&self, scope: &Scope) -> String {
        let _ = scope;
        String::new()
    }
}

impl<T: Toolset + ?Sized> Toolset for Arc<T> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        (**self).tools()
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        (**self).open(scope)
    }

    fn share_key(&self, scope: &Scope) -> String {
        (**self).share_key(scope)
    }
}

/// A toolset that is open; dropping it releases what it holds, as far as `close` did not.
pub trait OpenToolset: Send + Sync {
    /// Its tools for a state, in the order they are shown.
    ///
    /// A run asks once a step, and once more if a hook changed the state before the step
    /// began; if there is a [`revision`](Self::revision), only when that changed.
    ///
    /// # Errors
    /// Why they cannot be listed. The step goes on without them, unless the set is required,
    /// and the next step asks again.
    fn tools<'a>(
        &'a self,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>>;

    /// A number that changes when its tools or instructions do, if they are the same for every
    /// state. By default there is none, and the tools are listed for each step.
    fn revision(&self) -> Option<u64> {
        None
    }

    /// What the model is told about using its tools: a section of the system prompt. It is
    /// asked after the tools were listed.
    fn instructions(&self) -> Option<String> {
        None
    }

    /// Closes it; called exactly once, after the last run that used it.
    ///
    /// If that run is dropped, nothing can wait for the future: it is polled once and then
    /// dropped with the set. So what must happen comes before the first wait, or in `Drop`.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The run that a toolset is opened for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scope {
    /// The session of the run. Others may share the open set, see [`Toolset::share_key`].
    pub session: SessionId,
    /// What the agent gives its tools and hooks.
    pub deps: Deps,
    /// Raised when the run is cancelled or interrupted before the set is open.
    pub cancellation: Cancellation,
}

impl Scope {
    /// The scope of a run of a session.
    pub fn new(session: SessionId, deps: Deps, cancellation: Cancellation) -> Self {
        Self { session, deps, cancellation }
    }
}

/// Why a toolset cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It cannot be started or reached, or no longer answers.
    #[error("{0}")]
    Unavailable(String),
    /// It refuses access: credentials are missing or not accepted.
    #[error("access denied: {0}")]
    Denied(String),
    /// It answers with something that cannot be understood.
    #[error("invalid answer: {0}")]
    Invalid(String),
}
