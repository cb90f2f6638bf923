//! Posts of other processes, of which the server notifies those that listen.
//!
//! Appends do not notify. Transactions that notify are committed one after another, whatever
//! sessions they are of: appends would then no longer share a sync of the server's log.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use legwork_core::SessionId;
use legwork_port::store::Watchers;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tracing::debug;

/// The pause before the first attempt to listen again; the next is twice as long, and so on.
const PAUSE: Duration = Duration::from_millis(100);

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// A task that listens, on a connection of its own, from the first watcher on.
#[derive(Default)]
pub(super) struct Listening(Mutex<Option<JoinHandle<()>>>);

impl Listening {
    /// Starts it, unless it runs. Without a runtime, or over a pool that shares connections
    /// between transactions, only posts of this process are noticed.
    pub(super) fn start(&self, options: &PgConnectOptions, channel: &str, watchers: &Watchers) {
        // Nothing panics while it holds the lock, so what it guards is whole.
        let mut task = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It ends with the runtime that it was started on.
        let runs = task.as_ref().is_some_and(|task| !task.is_finished());
        let Some(runtime) = Handle::try_current().ok().filter(|_| !runs) else { return };
        let (options, channel) = (options.clone(), channel.to_owned());
        *task = Some(runtime.spawn(listen(options, channel, watchers.clone())));
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let task = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = task.take() {
            task.abort();
        }
    }
}

async fn listen(options: PgConnectOptions, channel: String, watchers: Watchers) {
    let mut pause = PAUSE;
    loop {
        let mut listening = false;
        if let Err(error) = notify(&options, &channel, &watchers, &mut listening).await {
            debug!(%error, "posts of other processes are not noticed for a while");
        }
        pause = if listening { PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep(pause).await;
    }
}

/// Wakes the tasks that watch the session of each notification, until the connection breaks.
async fn notify(
    options: &PgConnectOptions,
    channel: &str,
    watchers: &Watchers,
    listening: &mut bool,
) -> Result<(), sqlx::Error> {
    let one = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
    let mut listener = PgListener::connect_with(&one).await?;
    listener.listen(channel).await?;
    *listening = true;
    while let Some(notification) = listener.try_recv().await? {
        watchers.notify(&SessionId::from(notification.payload()));
    }
    Ok(())
}
