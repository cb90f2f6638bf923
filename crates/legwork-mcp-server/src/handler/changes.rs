//! Changes of a service, passed on to clients.

use std::sync::{Arc, Mutex};

use legwork_port::Cancellation;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{ServiceError, SubscriptionContext};
use rmcp::{Peer, RoleServer};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::{Connection, locked};
use crate::service::{About, Change};

/// Passes changes on to a subscription of the revision of 2026 until it is cancelled.
pub(super) async fn pass_on(subscription: &SubscriptionContext, mut changes: Receiver<Change>) {
    let sink = subscription.sink();
    let watched = || subscription.accepted().resource_subscriptions.clone().unwrap_or_default();
    loop {
        let changed = tokio::select! {
            () = subscription.cancelled() => return,
            changed = next(&mut changes, watched) => changed,
        };
        let Some(changed) = changed else { return };
        for change in changed {
            let sent = match change {
                Change::Tools => sink.notify_tool_list_changed().await,
                Change::Prompts => sink.notify_prompt_list_changed().await,
                Change::Resources => sink.notify_resource_list_changed().await,
                Change::Resource(uri) => sink.notify_resource_updated(uri).await,
            };
            // The sink refuses what the client did not subscribe to.
            drop(sent);
        }
    }
}

/// Notifies a client of the revision of 2025 of changes.
pub(super) struct Notifier {
    pub(super) peer: Peer<RoleServer>,
    /// What the client was told that the server has.
    pub(super) about: About,
    pub(super) connection: Arc<Mutex<Connection>>,
}

impl Notifier {
    /// Notifies the client until its connection is over.
    pub(super) async fn run(self, mut changes: Receiver<Change>, over: Cancellation) {
        let watched = || locked(&self.connection).watched.iter().cloned().collect();
        loop {
            let changed = tokio::select! {
                () = over.cancelled() => return,
                changed = next(&mut changes, watched) => changed,
            };
            let Some(changed) = changed else { return };
            for change in changed {
                if self.notify(change).await.is_err() {
                    return;
                }
            }
        }
    }

    async fn notify(&self, change: Change) -> Result<(), ServiceError> {
        match change {
            Change::Tools => self.peer.notify_tool_list_changed().await,
            Change::Prompts if self.about.prompts => self.peer.notify_prompt_list_changed().await,
            Change::Resources if self.about.resources => {
                self.peer.notify_resource_list_changed().await
            }
            Change::Resource(uri) if locked(&self.connection).watched.contains(&uri) => {
                let updated = ResourceUpdatedNotificationParam::new(uri);
                self.peer.notify_resource_updated(updated).await
            }
            Change::Prompts | Change::Resources | Change::Resource(_) => Ok(()),
        }
    }
}

/// What changed next: after a gap, all that may have changed; none once the service is gone.
pub(super) async fn next(
    changes: &mut Receiver<Change>,
    watched: impl FnOnce() -> Vec<String>,
) -> Option<Vec<Change>> {
    match changes.recv().await {
        Ok(change) => Some(vec![change]),
        Err(RecvError::Lagged(_)) => {
            let lists = [Change::Tools, Change::Prompts, Change::Resources];
            Some(lists.into_iter().chain(watched().into_iter().map(Change::Resource)).collect())
        }
        Err(RecvError::Closed) => None,
    }
}
