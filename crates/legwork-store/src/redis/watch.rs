//! Changes that other processes make, as the server publishes them.
//!
//! A second connection subscribes to one channel of the store, once somebody watches a session.
//! Its task ends with the store.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use futures_util::StreamExt as _;
use legwork_core::SessionId;
use redis::RedisResult;
use redis::aio::PubSubStream;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tracing::debug;

use super::Inner;

/// How long to wait before a server is connected again.
const WAIT: Duration = Duration::from_secs(1);

/// The task that listens to the server.
#[derive(Debug, Default)]
pub(super) struct Listener(Mutex<Option<JoinHandle<()>>>);

impl Drop for Listener {
    fn drop(&mut self) {
        let task = self.0.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            task.abort();
        }
    }
}

impl Inner {
    /// Sees that the task runs; without a runtime only changes of this process are noticed.
    pub(super) fn listen(self: &Arc<Self>) {
        let Ok(runtime) = self.runtime() else { return };
        // Nothing panics while it holds the lock, so what it guards is whole.
        let mut task = self.listener.0.lock().unwrap_or_else(PoisonError::into_inner);
        // It ends with the runtime that it was started in.
        if task.as_ref().is_none_or(JoinHandle::is_finished) {
            *task = Some(runtime.spawn(notify(Arc::downgrade(self))));
        }
    }

    async fn subscribe(&self) -> RedisResult<PubSubStream> {
        let (mut sink, stream) = self.link.client().get_async_pubsub().await?.split();
        sink.subscribe(&self.channel).await?;
        // The connection lasts as long as this half of it.
        Ok(stream)
    }
}

/// Wakes the tasks that wait for a change of a session, as long as the store lives.
async fn notify(store: Weak<Inner>) {
    loop {
        let Some(inner) = store.upgrade() else { return };
        let (subscribed, watchers) = (inner.subscribe().await, inner.watchers.clone());
        drop(inner);
        match subscribed {
            Ok(mut changes) => {
                while let Some(change) = changes.next().await {
                    if let Ok(session) = change.get_payload::<String>() {
                        watchers.notify(&SessionId::from(session));
                    }
                }
            }
            Err(error) => debug!(%error, "changes of other processes are not noticed"),
        }
        sleep(WAIT).await;
    }
}
