//! Trying each promise of a sandbox on this machine, from inside.
//!
//! `legwork doctor --sandbox` prints what comes of it, and the table in
//! `docs/sandbox.md` says the same. What is at stake is made for the trial and lies
//! in a directory of its own; nothing else is touched if a wall does not hold.

mod inside;
mod promise;
mod scene;

use std::io;
use std::path::Path;
use std::sync::Arc;

use legwork_port as port;
use legwork_port::core::{AgentState, EffectKey, Seq, SessionId, ToolCall};
use legwork_port::{Cancellation, Tool as _, ToolContext};
use serde_json::json;

pub use self::inside::attempt;
pub use self::promise::{PROMISES, Promise};
use self::scene::Scene;
use super::{Policy, Sandbox};
use crate::bash::{Bash, Environment};
use crate::workspace::Workspace;

/// What an attempt prints that succeeded.
const ESCAPED: &str = "ESCAPED";
/// What each prints at its end: one that does not was not tried.
const OVER: &str = "OVER";

/// The result of testing a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found {
    /// The sandbox keeps the promise on this machine.
    Held,
    /// The sandbox does not keep the promise on this machine.
    NotHeld,
    /// It was not tried, for this reason.
    Untried(String),
}

/// Tries all promises of a sandbox, one command each.
///
/// `make` makes the sandbox for an environment and a policy. `helper` is a program that is
/// started as `helper NAME ARGUMENT` and calls [`attempt`] with the two; it has to be there
/// for every user.
///
/// # Errors
/// When what is at stake cannot be made.
pub async fn try_all(
    make: impl FnOnce(&Environment, Policy) -> Arc<dyn port::Sandbox>,
    environment: &Environment,
    helper: &Helper<'_>,
) -> io::Result<Vec<(&'static Promise, Found)>> {
    let mut scene = Scene::new()?;
    let environment = scene.environment(environment, helper);
    let policy = Policy::default().with_readable(helper.program);
    let sandbox = make(&environment, policy);
    let workspace = Workspace::open(scene.workspace()).map_err(io::Error::other)?;
    let bash = Bash::new(workspace, environment, Sandbox::By(sandbox));
    let mut found = Vec::with_capacity(PROMISES.len());
    for promise in PROMISES {
        let text = ran(&bash, promise.attempt).await;
        let outcome = match text.contains(OVER) {
            true if text.contains(ESCAPED) || scene.is_harmed() => Found::NotHeld,
            true => Found::Held,
            false => Found::Untried(text.lines().next().unwrap_or("it printed nothing").to_owned()),
        };
        scene.mend()?;
        found.push((promise, outcome));
    }
    Ok(found)
}

/// The program that makes those attempts that no shell can make.
#[derive(Clone, Copy, Debug)]
pub struct Helper<'h> {
    /// The path of the helper program.
    pub program: &'h Path,
    /// Its arguments before the two of an attempt, as a shell reads them.
    pub arguments: &'h str,
}

async fn ran(bash: &Bash, command: &str) -> String {
    let command = format!("exec 2>/dev/null; {command}\necho {OVER}");
    let session = SessionId::new("probe");
    let key = EffectKey { session: session.clone(), entry: Seq(1), index: 0 };
    let state = AgentState::new(session);
    let cx = ToolContext::new(state, key, Cancellation::new());
    let arguments = json!({ "command": command, "timeout": 20 }).to_string();
    let call = ToolCall::new("probe", Arc::clone(&bash.spec().name), arguments);
    bash.call(&call, &cx).await.to_text()
}
