//! `legwork submit`: leaves a task in the store for a worker.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use legwork::agent::memory::RandomIds;
use legwork::agent::{Beginning, StoredSession};
use legwork::core::event::Definition;
use legwork::core::inference::ModelSettings;
use legwork::core::{AgentId, SessionId};
use legwork::port::Ids as _;
use serde_json::json;

use crate::args;
use crate::commands::{print, print_json, warn};
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::recorded::Recorded;
use crate::session::find;
use crate::settings::Settings;
use crate::shell::quoted;
use crate::store_address::StoreAddress;
use crate::task;
use crate::toolset;
use crate::trust::Asks;

pub(crate) async fn submit(args: args::Submit, config: &Config) -> Result<Exit, Error> {
    let task = task::of(args.task, &args.more, &[])?;
    let address = StoreAddress::of(&args.store, config)?;
    address.check_kept()?;
    let store = address.open()?;
    let (id, beginning, dir) = match &args.session {
        Some(asked) => {
            let found = find(Some(&store), asked, &address).await?;
            found.check_readable()?;
            let state = found.journal.fold(&found.id);
            let agent = state.facts().agent.clone().unwrap_or_else(|| AgentId::from("legwork"));
            let dir = Recorded::of(&state).dir;
            (found.id, Beginning { agent, metadata: BTreeMap::new(), definition: None }, dir)
        }
        None => {
            let settings = Settings::fresh(&args.agent, config, Asks::Never)?;
            let workspace = toolset::workspace(&settings, warn)?;
            let dir = workspace.root().to_str().map(str::to_owned);
            let recorded = Recorded { dir: dir.clone(), ..settings.record() };
            let agent = settings.agent.as_ref().map(|chosen| chosen.definition().name.as_str());
            let agent = AgentId::from(agent.unwrap_or("legwork"));
            let model = settings.model.value.as_str().into();
            let asked = ModelSettings { model, ..settings.asked.clone() };
            let definition =
                Definition { settings: asked, budget: settings.budget(), ..Definition::default() };
            let (metadata, definition) = (recorded.metadata(), Some(definition.into()));
            let id = args.id.map_or_else(|| RandomIds.session(), SessionId::from);
            (id, Beginning { agent, metadata, definition }, dir)
        }
    };
    let session = StoredSession::new(Arc::clone(&store), id.clone());
    session.submit_to(&beginning, task).await?;
    if args.json {
        return print_json(&format!("{}\n", json!({"session": id})));
    }
    let flag = address.flag();
    let dir = dir.filter(|dir| !is_here(dir)).map(|dir| format!(" --dir {}", quoted(&dir)));
    print(&format!(
        "{id}\nto work on it: legwork work{flag}{}\nto see how it stands: legwork sessions show \
         {}{flag}\n",
        dir.unwrap_or_default(),
        quoted(id.as_str())
    ))
}

/// Whether a directory is the current one, whose sessions a worker runs without a flag.
fn is_here(dir: &str) -> bool {
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    here.is_ok_and(|here| Path::new(dir).canonicalize().is_ok_and(|dir| dir == here))
}
