//! `legwork undo`: takes back what a session did.

mod shown;
pub(crate) mod told;
mod within;

use std::path::PathBuf;
use std::sync::Arc;

use legwork::agent::StoredSession;
use legwork::agent::undo::{UndoFrom, UndoPlan};
use legwork::core::undo::PastCall;
use legwork::port::Undo;
use legwork::port::undo::NothingOutside;
use legwork::tools::FileUndo;
use legwork::tools::Workspace;
use legwork::tools::secret::Secrets;

use self::shown::Shown;
use crate::args;
use crate::commands::tell;
use crate::config::Config;
use crate::error::Error;
use crate::exit::Exit;
use crate::recorded::Recorded;
use crate::session::{Found, find};
use crate::store_address::StoreAddress;
use crate::toolset::secrets;

pub(crate) async fn undo(args: args::Undo, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let secrets = address.path().iter().fold(secrets(config), Secrets::with_store);
    let within = within::opened(args.dir.as_deref(), &args.allow_path, &secrets)?;
    let store = address.open_existing()?;
    let found = find(store.as_ref(), &args.session, &address).await?;
    let Some(store) = store else { return Ok(Exit::Done) };
    // What is not read may have changed something, too.
    found.check_readable()?;
    let undoes = Undoes::new(&within, dir(&found));
    let session = StoredSession::new(store, found.id.clone());
    let from = args.step.map_or(UndoFrom::Start, UndoFrom::Step);
    let plan = session.undo_by(from, |call| undoes.of(call)).await?;
    let shown = if args.json { Shown::Json } else { Shown::Text };
    shown.stays(&plan)?;
    let whole = shown.refused(&plan)?;
    if args.dry_run {
        shown.would(&plan)?;
        return Ok(if whole { Exit::Done } else { Exit::Failed });
    }
    if !whole && !args.partly {
        nothing_done(&plan).iter().for_each(|line| tell(line));
        return Ok(Exit::Failed);
    }
    let undone = plan.without_refused().run().await?;
    shown.done(&undone)?;
    Ok(if whole && undone.stopped.is_none() { Exit::Done } else { Exit::Failed })
}

/// What to do where some calls cannot be taken back.
fn nothing_done(plan: &UndoPlan) -> Vec<&'static str> {
    let outside = plan.refused().any(|(_, why)| why.0.contains(FileUndo::OUTSIDE));
    let hint = outside.then_some(
        "files elsewhere: change to their directory, or name it with --dir or --allow-path",
    );
    let done = match plan.undoes().next() {
        None => "nothing was changed",
        Some(_) => "nothing was changed; --partly takes back the rest",
    };
    hint.into_iter().chain([done]).collect()
}

/// The directory that the session worked in last, as it recorded.
fn dir(found: &Found) -> Option<PathBuf> {
    let recorded = found.journal.entries().iter().rev();
    recorded.filter_map(|entry| Recorded::of_event(&entry.event)?.dir).next().map(PathBuf::from)
}

/// Who takes back which call of the command's agents.
pub(crate) struct Undoes {
    files: Arc<dyn Undo>,
    commands: Arc<dyn Undo>,
    nothing: Arc<dyn Undo>,
}

impl Undoes {
    /// In these directories, for calls that were made in another one.
    pub(crate) fn new(within: &Workspace, dir: Option<PathBuf>) -> Self {
        let files = FileUndo::new(within.clone());
        let files = match dir {
            Some(dir) => files.in_dir(dir),
            None => files,
        };
        Self {
            commands: Arc::new(files.clone().leaving("what else the command did")),
            files: Arc::new(files),
            nothing: Arc::new(NothingOutside),
        }
    }

    pub(crate) fn of(&self, call: &PastCall) -> Option<Arc<dyn Undo>> {
        match &*call.call.name {
            "write" | "edit" => Some(Arc::clone(&self.files)),
            "bash" => Some(Arc::clone(&self.commands)),
            "update_tasks" | "ask_user" => Some(Arc::clone(&self.nothing)),
            _ => None,
        }
    }
}
