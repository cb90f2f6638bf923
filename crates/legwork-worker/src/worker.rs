//! A worker and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::Control;
use legwork_agent::memory::SystemClock;
use legwork_port::{Clock, Store, store};

use crate::event::WorkerEvent;
use crate::round::Round;
use crate::runner::Runner;

type Report = dyn Fn(&WorkerEvent<'_>) + Send + Sync;

/// Runs the sessions of a store that are due, several at once.
///
/// Any number of workers may share a store. Each takes up only as many sessions as it has room
/// for, so the others wait in the store.
#[derive(Clone)]
pub struct Worker {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) runner: Arc<dyn Runner>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) concurrency: usize,
    pub(crate) poll: Duration,
    pub(crate) control: Control,
    report: Arc<Report>,
}

impl Worker {
    /// A worker on a store, which runs sessions by a runner such as [`Agents`](crate::Agents).
    pub fn new(store: Arc<dyn Store>, runner: impl Runner + 'static) -> Self {
        Self {
            store,
            runner: Arc::new(runner),
            clock: Arc::new(SystemClock::default()),
            concurrency: 4,
            poll: Duration::from_secs(1),
            control: Control::default(),
            report: Arc::new(|_| ()),
        }
    }

    /// How many sessions it runs at once; 4 by default, at least 1.
    #[must_use]
    pub fn concurrency(self, sessions: usize) -> Self {
        Self { concurrency: sessions.max(1), ..self }
    }

    /// How often it asks the store while nothing is due; each second by default.
    #[must_use]
    pub fn poll(self, interval: Duration) -> Self {
        Self { poll: interval, ..self }
    }

    /// Another clock.
    #[must_use]
    pub fn clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// Under a control that somebody else holds too: `rest` stops it once the steps under way have
    /// ended, `interrupt` at once, and `cancel` ends the executions under way.
    #[must_use]
    pub fn control(self, control: Control) -> Self {
        Self { control, ..self }
    }

    /// Calls a function with all that happens.
    #[must_use]
    pub fn report(self, report: impl Fn(&WorkerEvent<'_>) + Send + Sync + 'static) -> Self {
        Self { report: Arc::new(report), ..self }
    }

    pub(crate) fn reports(&self, event: &WorkerEvent<'_>) {
        (self.report)(event);
    }

    /// Runs sessions that are due until the control is raised, then returns once those under way
    /// rest. Must be called within a tokio runtime.
    ///
    /// A store that fails is asked again, ever more rarely. A session that cannot be run is left
    /// alone for a while, and costs no other session anything.
    ///
    /// # Cancel safety
    /// Dropping the future drops the runs: their sessions stand where they were last committed.
    pub async fn run(&self) {
        // Only a round that ends when nothing is due returns an error.
        let _ = Round::new(self).run().await;
    }

    /// Runs the sessions that are due until none is that this worker can run, then returns how many
    /// it ran.
    ///
    /// # Errors
    /// When the store cannot be asked which sessions are due.
    ///
    /// # Cancel safety
    /// As of [`Worker::run`].
    pub async fn run_until_idle(&self) -> Result<usize, store::Error> {
        Round::new(self).until_idle().run().await
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("concurrency", &self.concurrency).finish_non_exhaustive()
    }
}
