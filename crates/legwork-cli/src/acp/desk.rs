//! The agent of one session of an editor.

use std::io::Read as _;
use std::sync::Arc;

use legwork::Agent;
use legwork::acp::{Workplace, host};
use legwork::agent::request::{Run, RunRequest};
use legwork::core::approval::Remember;
use legwork::core::state::Pending;
use legwork::port::BoxFuture;
use legwork::tools::Workspace;
use tokio::sync::Mutex;

use super::said;
use crate::approval::always;
use crate::display::Screen;
use crate::work::rested;
use crate::worker::Ready;

/// Most bytes of a file that a change is shown of.
const SHOWN: u64 = 1 << 20;

/// The agent of one session, run as by `legwork chat`.
pub(super) struct Desk {
    agent: Agent,
    ready: Mutex<Ready>,
    workspace: Workspace,
    mode: &'static str,
    screen: Arc<Screen>,
}

impl Desk {
    pub(super) fn new(
        ready: Ready,
        workspace: Workspace,
        mode: &'static str,
        screen: &Arc<Screen>,
    ) -> Self {
        let (agent, screen) = (ready.agent.clone(), Arc::clone(screen));
        Self { agent, ready: Mutex::new(ready), workspace, mode, screen }
    }
}

impl Workplace for Desk {
    fn agent(&self) -> &Agent {
        &self.agent
    }

    fn mode(&self) -> Option<&str> {
        Some(self.mode)
    }

    fn run(&self, request: RunRequest) -> BoxFuture<'_, Result<Run, host::Error>> {
        Box::pin(async move {
            let mut ready = self.ready.lock().await;
            ready.begins(&self.screen);
            self.screen.tell_later();
            let ran = rested(request, &ready, &self.screen).await;
            let (run, done) = ran.map_err(|error| said(&error))?;
            done.map(|()| run).map_err(|error| said(&error))
        })
    }

    fn remembers(&self, pending: &Pending) -> Option<Remember> {
        always(pending)
    }

    fn text_of(&self, path: &str) -> Option<String> {
        let mut text = Vec::new();
        let file = self.workspace.open_file(path).ok()?;
        file.take(SHOWN).read_to_end(&mut text).ok()?;
        let is_whole = (text.len() as u64) < SHOWN;
        String::from_utf8(text).ok().filter(|_| is_whole)
    }
}
