//! `legwork resume --all`: goes on with every session that has something to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork::agent::Rest;
use legwork::worker::WorkerEvent;

use crate::args;
use crate::commands::work::{Report, worker};
use crate::commands::{print, tell};
use crate::config::Config;
use crate::display::text::count;
use crate::error::Error;
use crate::exit::Exit;
use crate::store_address::StoreAddress;

pub(super) async fn resume_all(args: args::Resume, config: &Config) -> Result<Exit, Error> {
    let address = StoreAddress::of(&args.store, config)?;
    let json = args.output.json;
    if !args.watch && !address.exists() {
        return nothing(json);
    }
    let store = address.open_shared()?;
    let failed = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&failed);
    let worker = worker(&store, None, (args.agent, config, &address, args.on_doubt.into()))?;
    let report = Report::new(json);
    let worker = worker.report(move |event| {
        seen.fetch_or(is_failure(event), Ordering::Relaxed);
        report.event(event);
    });
    let ran = match args.watch {
        true => {
            if !json {
                tell("resuming what is due; Ctrl-C ends the steps under way, then this");
            }
            worker.run().await;
            None
        }
        false => Some(worker.run_until_idle().await?),
    };
    match ran {
        _ if failed.load(Ordering::Relaxed) => Ok(Exit::Failed),
        Some(0) => nothing(json),
        Some(ran) if !json => print(&format!("{} resumed\n", count(ran as u64, "session"))),
        _ => Ok(Exit::Done),
    }
}

fn nothing(json: bool) -> Result<Exit, Error> {
    match json {
        true => Ok(Exit::Done),
        false => print("nothing is due: no session was interrupted, and none has anything to do\n"),
    }
}

fn is_failure(event: &WorkerEvent<'_>) -> bool {
    matches!(event, WorkerEvent::Failed { .. } | WorkerEvent::Rested { rest: Rest::Failed, .. })
}
