//! Toolsets: sources of tools, which runs open and share.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::{AgentState, SessionId};

use crate::{BoxFuture, Cancellation, Deps, Tool};

/// A source of tools.
///
/// A set whose tools are always the same implements [`tools`] and is never opened. A set that
/// has to be opened (it starts a process, connects to a server, or has tools that depend on the
/// state) implements [`open`]. An open set is shared: the first run that needs it opens it,
/// concurrent runs and subagents use the same one, and the last of them closes it.
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
    /// Its name, for errors and descriptions; must always be the same.
    fn name(&self) -> &str;

    /// Its tools in the order in which they are shown, if they are known without opening it.
    ///
    /// Called when an agent is built, so that invalid tools are an error of building it. A set
    /// that returns `None` is opened instead, and so is one whose tools are not always shown
    /// ([`is_fixed`](Self::is_fixed)).
    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        None
    }

    /// Whether the tools that are known without opening it are shown in each step.
    ///
    /// If not, they are checked when an agent is built, and listed by the open set for each
    /// step. It has no meaning for a set that knows no tools.
    fn is_fixed(&self) -> bool {
        true
    }

    /// Whether a tool of it is left out, with a warning, if another one has its name.
    ///
    /// For a set whose names come from outside, such as from a server. By default two tools
    /// of one name are an error.
    fn yields(&self) -> bool {
        false
    }

    /// What is wrong with it, as far as that is known without opening it.
    ///
    /// Called when an agent is built; each is an error of building it.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// Opens it for the runs that share it.
    ///
    /// When it returns, its tools can be listed and called until it is closed. It is called
    /// again after the last run of the open set has closed it or was dropped, and after it
    /// failed. Dropping the future must release everything that it had acquired.
    ///
    /// # Errors
    /// Why it cannot be used. The run goes on without its tools, unless it is required.
    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        let _ = scope;
        let message = "it has neither tools nor a way to open it";
        Box::pin(std::future::ready(Err(Error::Unavailable(message.to_owned()))))
    }

    /// The key by which runs share an open set.
    ///
    /// Runs with equal keys and the same dependencies share one. By default all keys are equal;
    /// a set that keeps state for each session returns the id of the session.
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

    fn is_fixed(&self) -> bool {
        (**self).is_fixed()
    }

    fn yields(&self) -> bool {
        (**self).yields()
    }

    fn problems(&self) -> Vec<String> {
        (**self).problems()
    }

    fn open<'a>(&'a self, scope: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        (**self).open(scope)
    }

    fn share_key(&self, scope: &Scope) -> String {
        (**self).share_key(scope)
    }
}

/// How long a run waits for its toolsets to close: it holds its session until then.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(10);

/// An open toolset. Dropping it must release what `close` has not released.
pub trait OpenToolset: Send + Sync {
    /// Its tools for a state, in the order in which they are shown.
    ///
    /// Called once a step, and again if a hook changed the state before the step began. If there
    /// is a [`revision`](Self::revision), called only after that changed.
    ///
    /// # Errors
    /// Why they cannot be listed. The step goes on without them, unless the set is required;
    /// the next step calls it again.
    fn tools<'a>(
        &'a self,
        state: &'a AgentState,
    ) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>>;

    /// A number that changes whenever its tools or instructions change.
    ///
    /// Only for a set whose tools do not depend on the state. With `None`, the default, the tools
    /// are listed for each step.
    fn revision(&self) -> Option<u64> {
        None
    }

    /// Instructions on how to use its tools, as a section of the system prompt.
    ///
    /// Called after the tools were listed.
    fn instructions(&self) -> Option<String> {
        None
    }

    /// Why some of its tools cannot be listed now, while others are.
    ///
    /// For a set that is made of others: observers are warned of each. Called after the tools
    /// were listed.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }

    /// Closes it; called exactly once, after the last run that used it.
    ///
    /// If it takes longer than [`CLOSE_LIMIT`], or that run is dropped, the future is dropped with
    /// the set; in a run that is dropped it is polled once. So what must happen belongs before the first await, or in `Drop`.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// The run that a toolset is opened for.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scope {
    /// The session of the run that opens it; see [`Toolset::share_key`] for others.
    pub session: SessionId,
    /// The dependencies of the agent.
    pub deps: Deps,
    /// Cancelled when the run is cancelled or interrupted before the set is open.
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
    /// It denies access: credentials are missing or not accepted.
    #[error("access denied: {0}")]
    Denied(String),
    /// Its answer is invalid.
    #[error("invalid answer: {0}")]
    Invalid(String),
    /// The execution must not go on without it, or with it as it is: it fails.
    ///
    /// For a set that is made of others: two of its tools have one name, or one of the others is
    /// required and cannot be used.
    #[error("{0}")]
    Fatal(String),
}

impl Error {
    /// Whether the toolset may be there when it is asked again.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}
