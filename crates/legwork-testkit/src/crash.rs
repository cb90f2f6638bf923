//! Crashes at every commit of a run, and resumed runs after them.
//!
//! ```
//! use legwork_agent::Agent;
//! use legwork_testkit::{ScriptedModel, Turn, crash};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let report = crash::simulate("say hello", |_world: &(), store| {
//!     Agent::builder(ScriptedModel::new([Turn::text("hello")])).store_in(store).build()
//! })
//! .crash_everywhere()
//! .await
//! .expect("the undisturbed run works");
//! report.check(|plain, crashed| match crashed.text == plain.text {
//!     true => Ok(()),
//!     false => Err(format!("{:?} instead of {:?}", crashed.text, plain.text)),
//! });
//! # }
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::{Either, select};
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, Run, RunRequest};
use legwork_core::journal::Journal;
use legwork_core::{AgentState, OnDoubt, SessionId};
use legwork_port::store::{Query, Range};
use legwork_port::{Store, store};

use crate::fault::{Fault, FaultyStore, Operation};

/// The session that simulations run in.
const SESSION: &str = "simulated";

type Make<W> = dyn Fn(&W, Arc<dyn Store>) -> Result<Agent, Error>;

/// A scenario: a task, and how its agent is made over a world that survives crashes.
pub struct Simulation<W> {
    task: String,
    make: Box<Make<W>>,
    on_doubt: OnDoubt,
}

/// A scenario over a world `W`: what a crash of the process does not undo.
///
/// `make` is called again after each crash, with the same world and store.
pub fn simulate<W: Default>(
    task: impl Into<String>,
    make: impl Fn(&W, Arc<dyn Store>) -> Result<Agent, Error> + 'static,
) -> Simulation<W> {
    Simulation { task: task.into(), make: Box::new(make), on_doubt: OnDoubt::Tell }
}

/// Which side of a commit a crash is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Before it: effects up to it have happened and are not journaled.
    Before,
    /// After it: what it journaled as begun has not happened.
    After,
}

impl From<Side> for Fault {
    fn from(side: Side) -> Self {
        match side {
            Side::Before => Self::HangBefore,
            Side::After => Self::HangAfter,
        }
    }
}

/// How one run of the scenario ended.
#[derive(Debug, Clone)]
pub struct Ended<W> {
    /// The commit it crashed at, the first is 1, and on which side; none = undisturbed.
    pub crash: Option<(usize, Side)>,
    /// The text of the model's last answer.
    pub text: String,
    /// The state it ended with.
    pub state: AgentState,
    /// The journals of all sessions of the store, those of subagents included.
    pub journals: BTreeMap<SessionId, Journal>,
    /// The world after it.
    pub world: W,
}

/// All runs of a scenario: the undisturbed one and one a crash.
#[derive(Debug)]
pub struct Report<W> {
    /// The undisturbed run.
    pub plain: Ended<W>,
    /// One run a commit boundary and side.
    pub crashed: Vec<Ended<W>>,
}

impl<W: Default> Simulation<W> {
    /// What calls in doubt get when the run is resumed; `Tell` by default.
    #[must_use]
    pub fn on_doubt(self, on_doubt: OnDoubt) -> Self {
        Self { on_doubt, ..self }
    }

    /// Runs it undisturbed, then once a side of each of its commits: everything is dropped
    /// there, made anew, and resumed.
    ///
    /// Before a commit all that the run did since the last one is done and not journaled;
    /// after it nothing of what was journaled as begun is done.
    ///
    /// # Errors
    /// When a run could not be begun or resumed at all.
    pub async fn crash_everywhere(&self) -> Result<Report<W>, Error> {
        let (plain, commits) = self.run(None).await?;
        let mut crashed = Vec::new();
        for boundary in 1..=commits {
            for side in [Side::Before, Side::After] {
                crashed.push(self.run(Some((boundary, side))).await?.0);
            }
        }
        Ok(Report { plain, crashed })
    }

    /// Runs it and crashes it at one commit of any session, the first is 1; undisturbed if
    /// there are not so many.
    ///
    /// # Errors
    /// As [`Simulation::crash_everywhere`].
    pub async fn crash_at(&self, boundary: usize, side: Side) -> Result<Ended<W>, Error> {
        Ok(self.run(Some((boundary, side))).await?.0)
    }

    async fn run(&self, crash: Option<(usize, Side)>) -> Result<(Ended<W>, usize), Error> {
        let (world, durable) = (W::default(), Arc::new(MemoryStore::new()));
        // Writing takes time: what runs at the same time goes on meanwhile.
        let mut store = FaultyStore::over(Arc::<MemoryStore>::clone(&durable)).paced([2]);
        if let Some((number, side)) = crash {
            store = store.fault(Operation::Append, number, side.into());
        }
        let as_port = || Arc::new(store.clone()) as Arc<dyn Store>;
        let agent = (self.make)(&world, as_port())?;
        let started = agent.run(self.task.as_str()).in_session(SESSION);
        let first = into_outcome(started, &store).await;
        drop(agent);
        let run = match first {
            Some(run) => run?,
            None => self.resume((self.make)(&world, as_port())?).await?,
        };
        let commits = store.count(Operation::Append);
        let journals = journals(&*durable).await?;
        Ok((Ended { crash, text: run.text(), state: run.into_state(), journals, world }, commits))
    }

    async fn resume(&self, agent: Agent) -> Result<Run, Error> {
        match agent.resume(SESSION).on_doubt(self.on_doubt).outcome().await {
            // Nothing was journaled: the caller has to ask again.
            Err(Error::UnknownSession(_)) => {
                agent.run(self.task.as_str()).in_session(SESSION).outcome().await
            }
            // It was over, and the journal knows.
            Err(Error::Refused(_)) => agent.session(SESSION).last_run().await,
            other => other,
        }
    }
}

/// The result of a run; none when it crashed, and then all of it was dropped.
async fn into_outcome(run: RunRequest, store: &FaultyStore) -> Option<Result<Run, Error>> {
    let crash = store.hung().cancelled();
    match select(std::pin::pin!(run.outcome()), std::pin::pin!(crash)).await {
        Either::Left((outcome, _)) => Some(outcome),
        Either::Right(_) => None,
    }
}

/// The journals of all sessions of a store.
///
/// # Errors
/// When one of them cannot be read.
pub async fn journals(store: &dyn Store) -> Result<BTreeMap<SessionId, Journal>, store::Error> {
    let mut journals = BTreeMap::new();
    for info in store.sessions(&Query::all()).await?.sessions {
        let loaded = store.read(&info.session, Range::ALL).await?;
        journals.insert(info.session, loaded.journal);
    }
    Ok(journals)
}

impl<W> Report<W> {
    /// Compares each crashed run with the undisturbed one by `holds`.
    ///
    /// # Panics
    /// When `holds` returns an error for any of them, with all errors.
    #[expect(clippy::panic, reason = "this is an assertion for tests")]
    pub fn check(&self, holds: impl Fn(&Ended<W>, &Ended<W>) -> Result<(), String>) {
        let failures: Vec<_> = self
            .crashed
            .iter()
            .filter_map(|crashed| {
                let failure = holds(&self.plain, crashed).err()?;
                Some(format!("crash at {:?}: {failure}", crashed.crash))
            })
            .collect();
        if !failures.is_empty() {
            panic!("{} of {} failed:\n{}", failures.len(), self.crashed.len(), failures.join("\n"));
        }
    }
}
