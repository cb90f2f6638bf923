//! The right to write one session's journal: a lease on the server, and its fence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use legwork_core::{Fence, Seq, SessionId};
use legwork_port::BoxFuture;
use legwork_port::store::{Appended, Batch, Error, Holder, Loss, check_id};
use tokio::sync::oneshot;
use tracing::{debug, info, trace, warn};

use super::append::{Append, Written};
use super::fault::held;
use super::link::Request;
use super::reply::Reply;
use super::script::{self, Call};
use super::{Inner, VERSION};
use crate::name::lost;

/// A claim by its lease. The server's clock says when it ends.
pub(super) struct Claim {
    store: Arc<Inner>,
    session: SessionId,
    fence: Fence,
    /// How many appends were begun under it.
    appends: AtomicU64,
    is_given_back: AtomicBool,
}

impl Inner {
    pub(super) async fn claim(self: &Arc<Self>, session: &SessionId) -> Result<Claim, Error> {
        check_id(session)?;
        self.check_writable()?;
        let runtime = self.runtime()?;
        let mut turn = self.turns.take(session);
        let (sender, receiver) = oneshot::channel();
        let (store, session) = (Arc::clone(self), session.clone());
        runtime.spawn(async move {
            turn.begin().await;
            let claim = store.take(&session).await;
            // Without a caller that waits it is given back within the same turn.
            if let Err(Ok(claim)) = sender.send(claim) {
                let _ = claim.end().await;
            }
        });
        let claim = receiver.await;
        let claim =
            claim.map_err(|_| self.link.name.failed("the runtime ended before it answered"))??;
        debug!(session = claim.session.as_str(), fence = claim.fence.0, "a claim was taken");
        Ok(claim)
    }

    async fn take(self: Arc<Self>, session: &SessionId) -> Result<Claim, Error> {
        const TRIED: &str = "claiming a session";
        let token = format!("{}:{:016x}", self.id, fastrand::u64(..));
        let call = Call::of(&script::CLAIM)
            .key(self.keys.version())
            .key(self.keys.session(session))
            .key(self.keys.fence())
            .arg(VERSION)
            .arg(micros(self.options.lease))
            .arg(&token);
        let reply = self.link.write(TRIED, call).await?;
        match reply.word() {
            "ok" => {
                self.report_new(&reply);
                let fence = reply.get(0).ok_or_else(|| self.link.name.odd(TRIED))?;
                let (appends, is_given_back) = <_>::default();
                let session = session.clone();
                Ok(Claim { store: self, session, fence: Fence(fence), appends, is_given_back })
            }
            "held" => Err(held(session, self.holder(reply.get(0)))),
            _ => Err(self.refused(TRIED, &reply)),
        }
    }

    /// The holder of a claim that was asked for under a token.
    pub(super) fn holder(&self, by: Option<String>) -> Holder {
        match by.is_some_and(|by| by.starts_with(&self.id)) {
            true => Holder::ThisProcess,
            false => Holder::Unknown,
        }
    }

    /// The error of an answer that any script may give.
    pub(super) fn refused(&self, tried: &str, reply: &Reply) -> Error {
        let name = &self.link.name;
        match (reply.word(), reply.get(0)) {
            ("newer", Some(found)) => name.newer(found, VERSION),
            ("strange", _) => super::greeting::strange(name),
            _ => name.odd(tried),
        }
    }

    /// Says that a script wrote the first key of a store.
    pub(super) fn report_new(&self, reply: &Reply) {
        if reply.get::<u8>(1) == Some(1) {
            info!(address = %self.link.name, version = VERSION, "a layout was created");
        }
    }

    pub(super) async fn is_claimed(&self, session: &SessionId) -> Result<bool, Error> {
        const TRIED: &str = "looking at a claim";
        // One that was dropped may still be under way.
        let mut turn = self.turns.take(session);
        turn.begin().await;
        let call = Call::of(&script::CLAIMED).key(self.keys.session(session));
        let reply = self.link.look(TRIED, call).await?;
        match reply.word() {
            "held" => Ok(true),
            "free" => Ok(false),
            _ => Err(self.refused(TRIED, &reply)),
        }
    }
}

impl Claim {
    async fn append(&self, expected: Seq, batch: Batch<'_>) -> Result<Appended, Error> {
        let nth = self.appends.fetch_add(1, Ordering::Relaxed) + 1;
        let append = Append::encode(&self.store.link.name, expected, &batch)?.under(
            self.session.clone(),
            self.fence,
            nth,
        );
        let bytes = append.bytes();
        self.store.runtime()?;
        let (store, mut turn) = (Arc::clone(&self.store), self.store.turns.take(&self.session));
        let written = self.store.in_task(async move {
            turn.begin().await;
            append.run(&store).await
        });
        let written = written.await.inspect_err(|error| self.report_lost(error))?;
        self.report_append(batch.entries.len(), bytes, expected, written);
        Ok(written.appended)
    }

    fn report_append(&self, entries: usize, bytes: usize, expected: Seq, written: Written) {
        let session = self.session.as_str();
        if written.cut_damage {
            let last = expected.0;
            warn!(session, last, "damaged entries after the last whole one were set aside");
        }
        trace!(session, entries, bytes, "entries were appended");
    }

    fn report_lost(&self, error: &Error) {
        if matches!(error, Error::Lost { .. }) {
            let (session, fence) = (self.session.as_str(), self.fence.0);
            warn!(session, fence, "a claim was lost: the session was claimed or removed since");
        }
    }

    async fn renew(&self) -> Result<(), Error> {
        self.store.runtime()?;
        let (store, mut turn) = (Arc::clone(&self.store), self.store.turns.take(&self.session));
        let (session, fence) = (self.session.clone(), self.fence);
        let renewed = self.store.in_task(async move {
            turn.begin().await;
            store.renew(&session, fence).await
        });
        renewed.await.inspect_err(|error| self.report_lost(error))
    }

    /// Gives it back, unless that was done.
    async fn end(self) -> Result<(), Error> {
        match self.is_given_back.swap(true, Ordering::Relaxed) {
            true => Ok(()),
            false => self.store.give_back(&self.session, self.fence).await,
        }
    }

    fn report_release(&self) {
        let (session, fence) = (self.session.as_str(), self.fence.0);
        debug!(session, fence, "a claim was released");
    }
}

impl Inner {
    async fn renew(&self, session: &SessionId, fence: Fence) -> Result<(), Error> {
        const TRIED: &str = "renewing a claim";
        let call = Call::of(&script::RENEW)
            .key(self.keys.session(session))
            .arg(fence.0)
            .arg(micros(self.options.lease));
        let reply = self.link.write(TRIED, call).await?;
        match reply.word() {
            "ok" => Ok(()),
            "lost" => Err(lost(session, Loss::Claimed)),
            "removed" => Err(lost(session, Loss::Removed)),
            _ => Err(self.refused(TRIED, &reply)),
        }
    }

    async fn give_back(&self, session: &SessionId, fence: Fence) -> Result<(), Error> {
        let call = Call::of(&script::RELEASE).key(self.keys.session(session)).arg(fence.0);
        self.link.ask("releasing a claim", &Request::Write(call)).await.map(|_| ())
    }
}

impl Drop for Claim {
    /// Gives it back in a task; without a runtime for that it expires.
    fn drop(&mut self) {
        if self.is_given_back.swap(true, Ordering::Relaxed) {
            return;
        }
        let Ok(runtime) = self.store.runtime() else { return };
        self.report_release();
        let (store, mut turn) = (Arc::clone(&self.store), self.store.turns.take(&self.session));
        let (session, fence) = (self.session.clone(), self.fence);
        runtime.spawn(async move {
            turn.begin().await;
            if let Err(error) = store.give_back(&session, fence).await {
                let session = session.as_str();
                warn!(session, %error, "a claim was not released: it lasts until it expires");
            }
        });
    }
}

impl legwork_port::Claim for Claim {
    fn fence(&self) -> Fence {
        self.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(self.append(expected, batch))
    }

    fn renew_every(&self) -> Option<Duration> {
        Some(self.store.options.lease / 3)
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.renew())
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(async move {
            self.store.runtime()?;
            let store = Arc::clone(&self.store);
            let mut turn = store.turns.take(&self.session);
            self.report_release();
            store
                .in_task(async move {
                    turn.begin().await;
                    self.end().await
                })
                .await
        })
    }
}

/// A time as the scripts take it.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
