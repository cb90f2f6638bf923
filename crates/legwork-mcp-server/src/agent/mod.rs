//! An agent, its tools and its sessions, as a service.

mod asked;
mod direct;
mod host;
mod job;
mod offered;
mod run;
mod sessions;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_agent::{Control, StoredSession};
use legwork_core::{AgentState, SessionId, ToolSpec};
use legwork_port::BoxFuture;
use tokio::sync::Notify;

pub use host::{Host, Unavailable, Workplace};

use crate::client::Client;
use crate::question::Answers;
use crate::service::{About, Answered, Call, Error, Reply, Service};
use crate::task::Task;

/// An agent as a service: its own tool takes tasks, others look at its sessions, and its tools
/// can be called one by one.
///
/// What a client's task began is a session of the store: it can be looked at, steered and resumed
/// by any process, and goes on where it was when the server was killed. A clone is the same
/// service.
#[derive(Clone)]
pub struct Agents {
    shared: Arc<Shared>,
}

/// What all requests share.
struct Shared {
    host: Arc<dyn Host>,
    version: String,
    /// What runs here, and how it is ended.
    runs: Mutex<HashMap<SessionId, Control>>,
    /// Notified when a run ended.
    ended: Notify,
    /// Why a run without a waiting client could not go on, by its session.
    failures: Mutex<HashMap<SessionId, String>>,
    /// The names of the agent's tools, as they were listed last.
    tools: Mutex<BTreeSet<String>>,
}

impl Agents {
    /// A service that is this agent, or those of a program.
    pub fn new(host: impl Host + 'static) -> Self {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let shared = Shared {
            host: Arc::new(host),
            version,
            runs: Mutex::default(),
            ended: Notify::new(),
            failures: Mutex::default(),
            tools: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// Interrupts what runs, and waits until it rests: all of it can be resumed.
    pub async fn end(&self) {
        loop {
            let ended = self.shared.ended.notified();
            {
                let runs = self.runs();
                if runs.is_empty() {
                    return;
                }
                runs.values().for_each(|control| control.interrupt.cancel());
            }
            ended.await;
        }
    }

    fn runs(&self) -> MutexGuard<'_, HashMap<SessionId, Control>> {
        self.shared.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn host(&self) -> &dyn Host {
        &*self.shared.host
    }

    fn stored(&self, id: &SessionId) -> StoredSession {
        StoredSession::new(self.host().store(), id.clone())
    }

    /// The id of a session that the client may use, and its state.
    async fn owned(&self, id: &str) -> Result<(SessionId, AgentState), Error> {
        let unknown =
            || Error::invalid(format!("there is no session {id:?}: list_sessions lists all"));
        let session = SessionId::from(id);
        if !self.host().owns(&session).await {
            return Err(unknown());
        }
        let state = self.stored(&session).state().await;
        Ok((session, state.map_err(|error| Error::Internal(error.to_string()))?))
    }

    /// The agent for a session.
    async fn open(
        &self,
        session: &SessionId,
        state: Option<&AgentState>,
    ) -> Result<Arc<dyn Workplace>, Error> {
        let opened = self.host().open(session, state).await;
        opened.map_err(|error| Error::Internal(error.to_string()))
    }
}

impl Service for Agents {
    fn about(&self) -> About {
        let (name, description) = self.host().about();
        let mut about = About::new(format!("legwork-{name}"), self.shared.version.clone());
        let what = description.map(|what| format!(" {}", what.trim())).unwrap_or_default();
        about.instructions = Some(format!(
            "{name} is an agent.{what} run_agent gives it a task and returns its answer; the \
             session that it names goes on with run_agent, and is looked at with show_session."
        ));
        about.tasks = true;
        about
    }

    fn tools(&self) -> BoxFuture<'_, Result<Vec<ToolSpec>, Error>> {
        Box::pin(async {
            let mut tools = offered::own(&self.host().about());
            tools.extend(self.direct().await?);
            Ok(tools)
        })
    }

    fn call<'a>(
        &'a self,
        call: Call,
        client: &'a Client,
    ) -> BoxFuture<'a, Result<Answered, Error>> {
        Box::pin(async move {
            match &*call.name {
                offered::RUN => self.run_agent(&call, client).await,
                offered::LIST => self.list_sessions(&call).await.map(Answered::from),
                offered::SHOW => self.show_session(&call).await.map(Answered::from),
                offered::STEER => self.steer_session(&call).await.map(Answered::from),
                offered::STOP => self.stop_session(&call).await.map(Answered::from),
                offered::ANSWER => self.answer_question(&call, client).await.map(Answered::from),
                _ => self.call_tool(call, client).await.map(Answered::from),
            }
        })
    }

    fn task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Task, Error>> {
        Box::pin(self.job(id))
    }

    fn answer_task<'a>(
        &'a self,
        id: &'a str,
        answers: Answers,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(self.answer_job(id, answers))
    }

    fn cancel_task<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(self.cancel_job(id))
    }
}

/// What went wrong, for the model of the client.
fn failed(error: impl std::fmt::Display) -> Reply {
    Reply::failed(error.to_string())
}
