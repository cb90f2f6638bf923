//! Calls that are under way, and their progress.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_port::ToolContext;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use serde_json::{Value, json};

/// Characters of a message of progress at most.
const MESSAGE: usize = 500;

/// Messages that are kept for calls which are not followed yet.
const EARLY: usize = 16;

/// The calls of a connection that are under way; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Calls(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    followed: HashMap<ProgressToken, Call>,
    /// The progress of a call is known by a token that is made when the call is sent: a server
    /// may report before it is followed.
    early: VecDeque<ProgressNotificationParam>,
}

struct Call {
    cx: ToolContext,
    /// How far it was; a server's messages may be handled in another order.
    reached: f64,
}

impl Calls {
    /// Progress under this token is that of a call, until the guard is dropped.
    pub(crate) fn follow(&self, token: ProgressToken, cx: &ToolContext) -> Followed {
        let call = Call { cx: cx.clone(), reached: f64::NEG_INFINITY };
        let early = {
            let mut inner = self.lock();
            inner.followed.insert(token.clone(), call);
            std::mem::take(&mut inner.early)
        };
        early.iter().for_each(|progress| self.progress(progress));
        Followed { calls: self.clone(), token }
    }

    /// Forgets what was reported on another connection, whose tokens come again on the next.
    pub(crate) fn connected(&self) {
        self.lock().early.clear();
    }

    /// Passes progress on to observers of the call; that of a call that ended is dropped.
    pub(crate) fn progress(&self, progress: &ProgressNotificationParam) {
        if let Some(cx) = self.lock().reach(progress) {
            cx.progress(&reported(progress));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// Whose progress it is, if it says something new.
    fn reach(&mut self, progress: &ProgressNotificationParam) -> Option<ToolContext> {
        let Some(call) = self.followed.get_mut(&progress.progress_token) else {
            if self.early.len() == EARLY {
                self.early.pop_front();
            }
            self.early.push_back(progress.clone());
            return None;
        };
        if progress.progress <= call.reached {
            return None;
        }
        call.reached = progress.progress;
        Some(call.cx.clone())
    }
}

/// What observers read: `progress`, `total` and a `message`.
fn reported(progress: &ProgressNotificationParam) -> Value {
    let ProgressNotificationParam { progress: reached, total, message, .. } = progress;
    let words = match (message, total) {
        (Some(message), _) => message.chars().take(MESSAGE).collect(),
        (None, Some(total)) => format!("{reached} of {total}"),
        (None, None) => reached.to_string(),
    };
    json!({"message": words, "progress": reached, "total": total})
}

/// A call whose progress is passed on.
pub(crate) struct Followed {
    calls: Calls,
    token: ProgressToken,
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.calls.lock().followed.remove(&self.token);
    }
}

#[cfg(test)]
mod tests;
