//! A change that ends when its call is ended, or happens as a whole.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use legwork_port::ToolContext;
use legwork_port::core::ToolOutcome;

use crate::changes::{self, Change};

const OPEN: u8 = 0;
const USED: u8 = 1;
const REVOKED: u8 = 2;

/// Leave to change something; it can be taken back until it is used.
#[derive(Clone, Debug, Default)]
pub(crate) struct Leave(Arc<AtomicU8>);

impl Leave {
    /// Whether the change may happen now; then it can no more be taken back.
    pub(super) fn used(&self) -> bool {
        self.turn(USED)
    }

    /// Whether it was taken back.
    pub(super) fn is_revoked(&self) -> bool {
        self.0.load(Ordering::Acquire) == REVOKED
    }

    /// Takes it back; false when the change has begun.
    pub(super) fn revoke(&self) -> bool {
        self.turn(REVOKED)
    }

    fn turn(&self, to: u8) -> bool {
        let turned = self.0.compare_exchange(OPEN, to, Ordering::AcqRel, Ordering::Acquire);
        turned.is_ok()
    }
}

/// Takes the leave back when the future of the call is dropped.
struct Revoked(Leave);

impl Drop for Revoked {
    fn drop(&mut self) {
        self.0.revoke();
    }
}

/// What a change came to.
pub(crate) struct Changed {
    text: String,
    change: Option<Change>,
}

impl Changed {
    /// The words for the model, and the change for the journal.
    pub(crate) fn new(text: String, change: Change) -> Self {
        Self { text, change: Some(change) }
    }

    /// Nothing was changed, for the reason that these words give.
    pub(crate) fn nothing(text: String) -> Self {
        Self { text, change: None }
    }

    fn attach(&self, cx: &ToolContext) {
        let change = self.change.as_ref().and_then(|change| serde_json::to_value([change]).ok());
        if let Some(change) = change {
            cx.attach(changes::METADATA, change);
        }
    }
}

/// Runs a change on a thread where it may block, and leaves it in the call's metadata.
///
/// Once this returned or was dropped, the change has happened or never will;
/// only a change that began just before a drop may end shortly after it.
pub(crate) async fn change<E: Display + Send + 'static>(
    cx: &ToolContext,
    job: impl FnOnce(&Leave) -> Result<Changed, E> + Send + 'static,
) -> ToolOutcome {
    let leave = Leave::default();
    let _revoked = Revoked(leave.clone());
    let given = leave.clone();
    let mut job = tokio::task::spawn_blocking(move || job(&given));
    let done = tokio::select! {
        biased;
        done = &mut job => done,
        () = cx.cancellation.cancelled() => {
            if leave.revoke() {
                return ToolOutcome::Interrupted;
            }
            job.await
        }
    };
    match done {
        Ok(Ok(changed)) => {
            changed.attach(cx);
            ToolOutcome::text(changed.text)
        }
        Ok(Err(error)) => ToolOutcome::failed(error.to_string()),
        Err(error) => ToolOutcome::failed(format!("it failed within: {error}")),
    }
}
