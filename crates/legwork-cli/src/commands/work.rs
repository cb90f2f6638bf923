//! `legwork work`: runs the sessions of a store that are due.

mod report;
mod runner;
mod served;

use std::sync::Arc;

use legwork::agent::Control;
use legwork::core::{OnDoubt, Timestamp};
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
use report::Report;
use runner::SessionRunner;
use served::Served;

pub(crate) async fn work(args: args::Work, config: &Config) -> Result<Exit, Error> {
    let served = Served::read(&args.agents)?;
    let address = StoreAddress::of(&args.store, config)?;
    let store = address.open_shared()?;
    // A wrong address or password ends it now; a server that is away later is waited for.
    store.due(&DueQuery::at(Timestamp(0)).limit(1)).await?;
    let control = Control::default();
    watch(control.clone())?;
    let of = served.as_ref().map(|served| format!(" as {}", served.names())).unwrap_or_default();
    let on_doubt = on_doubt(args.on_doubt);
    let runner = SessionRunner::new(&store, args.agent, served, config, &address, on_doubt);
    let (json, report) = (args.json, Report::new(args.json));
    let worker = Worker::new(Arc::clone(&store), runner)
        .concurrency(usize::from(args.concurrency))
        .poll(args.poll)
        .control(control)
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

fn on_doubt(flag: args::OnDoubt) -> OnDoubt {
    match flag {
        args::OnDoubt::Ask => OnDoubt::Ask,
        args::OnDoubt::Tell => OnDoubt::Tell,
    }
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
