//! Work on a session that makes no step: a compaction, a branch with a summary.

use std::future::IntoFuture;

use legwork_core::SessionId;
use legwork_port::{BoxFuture, Observer};
use legwork_runtime::open::Task;
use legwork_runtime::{Control, Error, Run};

use crate::agent::Agent;
use crate::agent::request::RunRequest;

/// Work on a session that makes no step, and that a model is asked for: await it.
///
/// An execution under way stays where it is. Nothing happens before it is
/// awaited.
///
/// # Cancel safety
/// Dropping the future leaves the session as it was, or with all that was to be done; what the
/// model cost is charged.
#[must_use = "nothing is done before it is awaited"]
pub struct AuxiliaryRequest(RunRequest);

impl AuxiliaryRequest {
    pub(super) fn new(agent: &Agent, session: &SessionId, task: Task) -> Self {
        Self(RunRequest::new(agent.clone(), task, Some(session.clone())))
    }

    /// The same, seen by an observer.
    pub fn observer(self, observer: impl Observer + 'static) -> Self {
        Self(self.0.observer(observer))
    }

    /// The same under a control, by which it is interrupted.
    pub fn control(self, control: Control) -> Self {
        Self(self.0.control(control))
    }
}

impl IntoFuture for AuxiliaryRequest {
    type Output = Result<Run, Error>;
    type IntoFuture = BoxFuture<'static, Result<Run, Error>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.0.open().await?.release().await) })
    }
}
