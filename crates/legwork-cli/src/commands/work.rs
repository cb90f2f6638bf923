//! `legwork work`: runs the sessions of a store that are due.

mod report;
mod runner;
mod served;

use std::sync::Arc;

use legwork::agent::Control;
use legwork::core::{OnDoubt, Timestamp};
use legwork::port::Store;
use legwork::port::store::DueQuery;
use legwork::worker::Worker;
use tokio::signal::unix::{SignalKind, signal};

use crate::args;
use crate::commands::{print, tell};
use crate::config::Config;
use crate::display::text::count;
use crate::error::Error;
use crate::exit::Exit;
use crate::store_address::StoreAddress;
pub(super) use report::Report;
use runner::SessionRunner;
use served::Served;

pub(crate) async fn work(args: args::Work, config: &Config) -> Result<Exit, Error> {
    let served = Served::read(&args.agents)?;
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_shared()?;
    // A wrong address or password ends it now; a server that is away later is waited for.
    store.due(&DueQuery::at(Timestamp(0)).limit(1)).await?;
    let of = served.as_ref().map(|served| format!(" as {}", served.names())).unwrap_or_default();
    let (json, report) = (args.json, Report::new(args.json));
    let worker = worker(&store, served, (args.agent, config, &address, args.on_doubt.into()))?
        .concurrency(usize::from(args.concurrency))
        .poll(args.poll)
        .report(move |event| report.event(event));
    if args.until_idle {
        let ran = worker.run_until_idle().await?;
        if !json {
            print(&format!("{} worked on\n", count(ran as u64, "session")))?;
        }
        return Ok(Exit::Done);
    }
    if !json {
        tell(&format!(
            "working on {}{of}; Ctrl-C ends the steps under way, then this",
            address.as_str()
        ));
    }
    worker.run().await;
    Ok(Exit::Done)
}

/// A worker that runs sessions with the settings that they were begun with, and stops gracefully
/// at a signal.
pub(super) fn worker(
    store: &Arc<dyn Store>,
    served: Option<Served>,
    (flags, config, address, on_doubt): (args::Agent, &Config, &StoreAddress, OnDoubt),
) -> Result<Worker, Error> {
    let control = Control::default();
    watch(control.clone())?;
    let runner = SessionRunner::new(store, flags, served, config, address, on_doubt);
    Ok(Worker::new(Arc::clone(store), runner).control(control))
}

/// The first signal lets the steps under way end, the second ends them.
fn watch(control: Control) -> Result<(), Error> {
    let signal = |kind| {
        signal(kind).map_err(|source| Error::System { doing: "watching for signals", source })
    };
    let (mut typed, mut asked) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        for cancel in [&control.rest, &control.interrupt] {
            tokio::select! {
                _ = typed.recv() => {}
                _ = asked.recv() => {}
            }
            cancel.cancel();
        }
    });
    Ok(())
}
