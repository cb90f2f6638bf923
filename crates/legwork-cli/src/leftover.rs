//! What the commands of a run leave behind when it ends.

use std::sync::{Arc, OnceLock};

use legwork::tools::bash::background::Ended;
use legwork::tools::{Background, Sandbox};

/// What runs in the background, and the sandbox of it; clones share them.
#[derive(Clone, Default)]
pub(crate) struct Leftover {
    pub(crate) background: Background,
    sandbox: Arc<OnceLock<Sandbox>>,
}

impl Leftover {
    /// Remembers the sandbox that commands run in.
    pub(crate) fn of(&self, sandbox: &Sandbox) {
        // One that is known already is the same one.
        let _ = self.sandbox.set(sandbox.clone());
    }

    /// Ends what still runs, and has the sandbox tell what it did since the last command.
    pub(crate) async fn end(&self) -> Vec<Ended> {
        let ended = self.background.end_all().await;
        if let Some(Sandbox::By(walls)) = self.sandbox.get() {
            // They are shown when they are taken.
            drop(walls.notes());
        }
        ended
    }
}
