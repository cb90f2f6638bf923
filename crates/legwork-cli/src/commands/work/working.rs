//! A worker that stops gracefully at a signal, and the exit code that it ends with.

use std::sync::Arc;
use std::time::Duration;

use legwork::agent::Control;
use legwork::core::OnDoubt;
use legwork::port::Store;
use legwork::worker::Worker;
use tokio::signal::unix::{SignalKind, signal};

use super::report::Report;
use super::runner::SessionRunner;
use super::served::Served;
use super::tally::Tally;
use crate::args;
use crate::commands::{print, tell};
use crate::config::Config;
use crate::display::text::count;
use crate::error::Error;
use crate::exit::Exit;
use crate::store_address::StoreAddress;

/// A worker that runs sessions with the settings that they were begun with, and stops gracefully
/// at a signal.
pub(in crate::commands) struct Working {
    worker: Worker,
    control: Control,
    tally: Arc<Tally>,
    json: bool,
}

impl Working {
    /// One that prints what happens.
    pub(in crate::commands) fn new(
        store: &Arc<dyn Store>,
        served: Option<Served>,
        (flags, config, address, on_doubt): (args::Agent, &Config, &StoreAddress, OnDoubt),
        json: bool,
    ) -> Result<Self, Error> {
        let control = Control::default();
        watch(control.clone())?;
        let runner = SessionRunner::new(store, flags, served, config, address, on_doubt);
        let (report, tally) = (Report::new(json), Arc::new(Tally::default()));
        let counted = Arc::clone(&tally);
        let worker = Worker::new(Arc::clone(store), runner).control(control.clone());
        let worker = worker.report(move |event| {
            counted.event(event);
            report.event(event);
        });
        Ok(Self { worker, control, tally, json })
    }

    /// The same, which runs so many sessions at once and asks the store so often.
    pub(super) fn paced(self, concurrency: usize, poll: Duration) -> Self {
        Self { worker: self.worker.concurrency(concurrency).poll(poll), ..self }
    }

    /// Runs sessions that are due until a signal, which is how this ends: not a failure.
    pub(in crate::commands) async fn until_stopped(self) -> Exit {
        self.worker.run().await;
        match self.control.is_raised() {
            true => Exit::Interrupted,
            false => Exit::Done,
        }
    }

    /// Runs the sessions that are due, and says how many; `nothing` is said if none was.
    pub(in crate::commands) async fn until_idle(
        self,
        done: &str,
        nothing: Option<&str>,
    ) -> Result<Exit, Error> {
        self.worker.run_until_idle().await?;
        let stopped = self.control.rest.is_cancelled() || self.control.is_raised();
        let (ran, failed) = (self.tally.ran(), self.tally.has_failed());
        if !self.json {
            match nothing.filter(|_| ran == 0 && !failed && !stopped) {
                Some(nothing) => print(nothing)?,
                None => print(&format!("{} {done}\n", count(ran, "session")))?,
            };
        }
        Ok(match (stopped, failed) {
            (true, _) => {
                let left = count(self.tally.left(), "session");
                tell(&format!(
                    "interrupted: {left} left between two steps; what is due goes on with the \
                     same command"
                ));
                Exit::Interrupted
            }
            (false, true) => Exit::Failed,
            (false, false) => Exit::Done,
        })
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
