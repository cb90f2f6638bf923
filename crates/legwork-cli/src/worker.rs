//! The agent of the command: its model, tools, instructions and limits.

use std::sync::Arc;

use legwork::agent::Builder;
use legwork::core::Budget;
use legwork::port::Store;
use legwork::tools::{self, Bash, Edit, Environment, List, Read, Search, Workspace, Write};
use legwork::{Agent, model};

use crate::args::Sandbox;
use crate::display::Screen;
use crate::error::Error;
use crate::recorded::{BaseUrl, Recorded};
use crate::sandbox::Walls;
use crate::settings::Settings;

/// The agent before it has a store, and what its sessions shall remember.
pub(crate) struct Worker {
    agent: Builder,
    recorded: Recorded,
}

impl Worker {
    /// Checks all that was said; nothing is made or opened to write yet.
    pub(crate) fn new(settings: &Settings, screen: &Arc<Screen>) -> Result<Self, Error> {
        let workspace = Workspace::open(&settings.dir)?;
        let base_url = settings.base_url.as_ref();
        let url = base_url.map(|(url, _)| url.as_str());
        let model = model::at(&settings.model, url, settings.key.as_deref())?;
        let recorded = Recorded {
            dir: workspace.root().to_str().map(str::to_owned),
            base_url: base_url.map(|(url, by)| BaseUrl::of(url, *by)),
            sandbox: settings.sandbox,
        };
        let agent = Agent::builder(model)
            .id("legwork")
            .instructions(instructions(&workspace))
            .budget(Budget::unlimited().steps(settings.max_steps));
        let agent = with_tools(agent, workspace, settings.sandbox, screen);
        Ok(Self { agent, recorded })
    }

    /// The agent whose sessions live in a store.
    pub(crate) fn agent(self, store: Arc<dyn Store>) -> Result<(Agent, Recorded), Error> {
        Ok((self.agent.store_in(store).build()?, self.recorded))
    }
}

fn with_tools(
    agent: Builder,
    workspace: Workspace,
    sandbox: Sandbox,
    screen: &Arc<Screen>,
) -> Builder {
    let environment = Environment::filtered(std::env::vars_os());
    let sandbox = match sandbox {
        Sandbox::Bubblewrap => {
            tools::Sandbox::By(Arc::new(Walls::new(&environment, Arc::clone(screen))))
        }
        Sandbox::Off => {
            screen.warn_later("commands run without a sandbox (--sandbox off)");
            tools::Sandbox::Off
        }
    };
    let bash = Bash::new(workspace.clone(), environment, sandbox);
    agent
        .tool(Read::new(workspace.clone()))
        .tool(Write::new(workspace.clone()))
        .tool(Edit::new(workspace.clone()))
        .tool(List::new(workspace.clone()))
        .tool(Search::new(workspace))
        .tool(bash)
}

/// The same for the same directory, so that a resumed session has the same definition.
fn instructions(workspace: &Workspace) -> String {
    format!(
        "You are Legwork, an agent that works on a task in a directory, on its own, until the \
         task is done. Nobody answers questions while you work: where something is unclear, \
         choose what is sensible and say so at the end.\n\
         \n\
         Workspace: {} (paths are relative to it)\n\
         Platform: {} {}\n\
         \n\
         Find out by reading and running, do not guess. Check what you did before you call it \
         done. When a command was interrupted, look whether it had happened before you repeat \
         it. End with a short answer that says what you found or did, and what is left.",
        workspace.root().display(),
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}
