//! Running a session until it rests: what workers and engines do.

use legwork_core::continuation::End;
use legwork_core::state::PendingReason;
use legwork_core::{AgentState, ExecutionStatus, Seq, Timestamp};
use legwork_port::store;
use legwork_runtime::open::Task;
use legwork_runtime::{Error, Timers};

use crate::agent::request::RunRequest;
use crate::agent::session::Session;
use crate::agent::waiting::Waiting;

/// How a session rests: what it waits for, or how its last execution ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Rest {
    /// It has no execution, and nothing to do.
    Idle,
    /// Its execution ended with an answer.
    Completed,
    /// A limit, a tool, a hook or a criterion stopped it.
    Stopped,
    /// An error ended it.
    Failed,
    /// A person or the program cancelled it.
    Cancelled,
    /// Calls wait for a person, or for a result from outside.
    AwaitingAnswer {
        /// The calls, those of subagents too.
        calls: Vec<Waiting>,
        /// When it is to be run again all the same: a deferral or the time to answer ends then.
        until: Option<Timestamp>,
    },
    /// Calls wait until this time, and for nobody.
    AwaitingUntil(Timestamp),
    /// It was suspended: it goes on when it is resumed or given a task.
    Suspended,
    /// Another process works in it.
    Busy,
    /// Its run was interrupted, and it is due at once.
    Interrupted,
}

impl Rest {
    /// Whether its last execution is over and nothing is left to do.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Completed | Self::Stopped | Self::Failed | Self::Cancelled)
    }

    /// When it is to be run again, whatever happens; none if something has to happen first.
    pub fn until(&self) -> Option<Timestamp> {
        match self {
            Self::AwaitingUntil(time) => Some(*time),
            Self::AwaitingAnswer { until, .. } => *until,
            _ => None,
        }
    }
}

impl Session {
    /// Runs it until it rests: until nothing is due, or it waits for somebody or for a time.
    ///
    /// It is idempotent: where nothing is due nothing happens, so it may be called again at any
    /// time, on any machine that reaches the store. Queued messages are new tasks.
    ///
    /// ```
    /// # use legwork_agent::{Agent, Error, Rest};
    /// # async fn of(agent: Agent) -> Result<(), Error> {
    /// match agent.session("job-17").run_until_rest().await? {
    ///     Rest::AwaitingUntil(time) => println!("run it again at {time}"),
    ///     Rest::AwaitingAnswer { calls, .. } => println!("{} calls wait", calls.len()),
    ///     rest => println!("{rest:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When there is no such session, it is a subagent's, or what happened could not be journaled.
    ///
    /// # Cancel safety
    /// As of [`Active::run_to_end`](legwork_runtime::Active::run_to_end).
    pub async fn run_until_rest(&self) -> Result<Rest, Error> {
        self.run_until_rest_by(|request| request).await
    }

    /// The same with a change of each run, such as an observer or a control.
    ///
    /// # Errors
    /// As [`Session::run_until_rest`].
    pub async fn run_until_rest_by(
        &self,
        change: impl Fn(RunRequest) -> RunRequest,
    ) -> Result<Rest, Error> {
        let mut before = Seq::ZERO;
        loop {
            let asked = RunRequest::new(self.agent().clone(), Task::GoOn, Some(self.id().clone()));
            let state = match change(asked.timers(Timers::Rest)).outcome().await {
                Ok(run) => run.into_state(),
                Err(Error::Refused(refusal)) if !refusal.is_of_subagent() => self.state().await?,
                Err(Error::Store(store::Error::Held { .. })) => return Ok(Rest::Busy),
                Err(error) => return Err(error),
            };
            let is_over = state.status().is_none_or(ExecutionStatus::is_terminal);
            let more = is_over && state.due_at().is_some();
            if !more || state.version() == before {
                return self.rest_of(&state).await;
            }
            before = state.version();
        }
    }

    async fn rest_of(&self, state: &AgentState) -> Result<Rest, Error> {
        Ok(match state.end() {
            End::Idle => Rest::Idle,
            End::Completed => Rest::Completed,
            End::Stopped(_) => Rest::Stopped,
            End::Failed(_) => Rest::Failed,
            End::Cancelled(_) => Rest::Cancelled,
            End::Suspended(_) => Rest::Suspended,
            End::Waiting(_) => {
                let calls = self.pending().await?;
                let times = |call: &Waiting| match call.pending.reason {
                    PendingReason::Until(time) => Some(time),
                    _ => call.pending.expires_at,
                };
                let until = calls.iter().filter_map(times).min();
                let timed = |call: &Waiting| matches!(call.pending.reason, PendingReason::Until(_));
                match until.filter(|_| calls.iter().all(timed)) {
                    Some(until) => Rest::AwaitingUntil(until),
                    None => Rest::AwaitingAnswer { calls, until },
                }
            }
            _ => Rest::Interrupted,
        })
    }
}
