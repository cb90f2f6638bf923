//! The right to write one session's journal: a lease by the clock of the server.

use std::sync::Arc;
use std::time::Duration;

use legwork_core::{Fence, Seq, SessionId};
use legwork_port::BoxFuture;
use legwork_port::store::{self, Appended, Batch, Error, Loss};
use sqlx::postgres::types::PgInterval;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Row as _, query};
use tokio::runtime::Handle;
use tracing::{debug, trace, warn};

use super::Inner;
use super::append::{Append, Written};
use super::holders::Holder;
use super::link::{Before, Request};
use super::sql::{Sql, number, text, unsigned};
use crate::name::lost;

/// How long a renewal may take at least, however short the lease is.
const SHORTEST_LIMIT: Duration = Duration::from_secs(5);

/// Takes a session if it is free. A lease that ran out, and a claim that this process dropped,
/// are free; the holder that asks for it has it already if an earlier attempt was in doubt.
const TAKE: &str = "
    INSERT INTO @.session AS s (name, fence, holder, lease_until)
    VALUES ($1, nextval('@.fence'), $2, clock_timestamp() + $3)
    ON CONFLICT (name) DO UPDATE SET
        fence = greatest(s.fence + 1, excluded.fence), holder = $2,
        lease_until = clock_timestamp() + $3
    WHERE s.lease_until IS NULL OR s.lease_until <= clock_timestamp() OR s.holder = $2
        OR s.holder = ANY($4)
    RETURNING id, fence";

const HOLDER: &str = "SELECT holder FROM @.session WHERE name = $1";

const IS_CLAIMED: &str = "SELECT lease_until > clock_timestamp() AND holder <> ALL($2)
    FROM @.session WHERE name = $1";

const RENEW: &str = "UPDATE @.session SET lease_until = clock_timestamp() + $3
    WHERE id = $1 AND fence = $2 RETURNING id";

const RELEASE: &str = "UPDATE @.session SET lease_until = NULL WHERE id = $1 AND fence = $2";

const FENCE: &str = "SELECT fence FROM @.session WHERE id = $1";

/// A session whose claim was taken: its number in the database and the claim's token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Taken {
    pub(super) number: i64,
    pub(super) fence: Fence,
}

/// Takes the claim of a session.
pub(super) struct Take {
    pub(super) session: SessionId,
    pub(super) holder: Holder,
    pub(super) lease: PgInterval,
}

impl Request for Take {
    type Answer = Result<Taken, Error>;
    const TRIED: &'static str = "claiming a session";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Self::Answer, sqlx::Error> {
        let name = self.session.as_str();
        let take = query(sql.of(TAKE)).bind(name).bind(self.holder.number());
        let take = take.bind(self.lease).bind(Holder::given_back());
        if let Some(row) = take.fetch_optional(&mut *connection).await? {
            let fence = Fence(unsigned(row.try_get(1)?));
            return Ok(Ok(Taken { number: row.try_get(0)?, fence }));
        }
        let row = query(sql.of(HOLDER)).bind(name).fetch_optional(connection).await?;
        let holder: Option<i64> = row.map(|row| row.try_get(0)).transpose()?.flatten();
        Ok(Err(held(&self.session, holder)))
    }
}

/// The error for a session that is claimed.
pub(super) fn held(session: &SessionId, holder: Option<i64>) -> Error {
    let by = match holder.is_some_and(Holder::is_held_here) {
        true => store::Holder::ThisProcess,
        false => store::Holder::Unknown,
    };
    Error::Held { session: session.clone(), by }
}

/// Asks whether a session is claimed.
pub(super) struct IsClaimed {
    pub(super) session: SessionId,
}

impl Request for IsClaimed {
    type Answer = bool;
    const TRIED: &'static str = "looking at a claim";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<bool, sqlx::Error> {
        let look = query(sql.of(IS_CLAIMED)).bind(text(self.session.as_str()));
        let row = look.bind(Holder::given_back()).fetch_optional(connection).await?;
        let held: Option<bool> = row.map(|row| row.try_get(0)).transpose()?.flatten();
        Ok(held.unwrap_or(false))
    }
}

/// Has the lease of a claim begin anew.
struct Renew {
    session: SessionId,
    taken: Taken,
    lease: PgInterval,
    limit: Duration,
}

impl Request for Renew {
    type Answer = Result<(), Error>;
    const TRIED: &'static str = "renewing a claim";

    /// One that gets no answer is made again before the lease ends.
    fn limit(&self) -> Duration {
        self.limit
    }

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<Self::Answer, sqlx::Error> {
        let Taken { number: id, fence } = self.taken;
        let renew = query(sql.of(RENEW)).bind(id).bind(number(fence.0)).bind(self.lease);
        if renew.fetch_optional(&mut *connection).await?.is_some() {
            return Ok(Ok(()));
        }
        let row = query(sql.of(FENCE)).bind(id).fetch_optional(connection).await?;
        Ok(Err(lost(&self.session, loss(row.as_ref()))))
    }
}

fn loss(row: Option<&PgRow>) -> Loss {
    row.map_or(Loss::Removed, |_| Loss::Claimed)
}

/// Gives a claim back, unless it was lost.
struct Release {
    taken: Taken,
}

impl Request for Release {
    type Answer = ();
    const TRIED: &'static str = "giving a claim back";

    async fn ask(
        &self,
        connection: &mut PgConnection,
        sql: &Sql,
        _: Before,
    ) -> Result<(), sqlx::Error> {
        let Taken { number: id, fence } = self.taken;
        let release = query(sql.of(RELEASE)).bind(id).bind(number(fence.0));
        release.execute(connection).await.map(drop)
    }
}

/// A lease, which another process takes over once it ran out.
pub(super) struct Claim {
    store: Arc<Inner>,
    session: SessionId,
    taken: Taken,
    holder: Holder,
    is_given_back: bool,
}

impl Claim {
    pub(super) fn new(store: Arc<Inner>, session: SessionId, taken: Taken, holder: Holder) -> Self {
        debug!(session = session.as_str(), fence = taken.fence.0, "a claim was taken");
        Self { store, session, taken, holder, is_given_back: false }
    }

    async fn append(&self, expected: Seq, batch: Batch<'_>) -> Result<Appended, Error> {
        let append =
            Append::encode(&self.store.link.name, &self.session, self.taken, expected, &batch)?;
        let bytes = append.bytes();
        let (store, session) = (Arc::clone(&self.store), self.session.clone());
        let work = async move {
            let written = store.link.ask(&append).await??;
            store.watchers.notify(&session);
            Ok(written)
        };
        let written = self.store.detached(work).await;
        let Written { appended, cut_damage } =
            written.inspect_err(|error| self.report_lost(error))?;
        let (session, entries) = (self.session.as_str(), batch.entries.len());
        if cut_damage {
            let last = expected.0;
            warn!(session, last, "damaged rows after the last whole entry were set aside");
        }
        trace!(session, entries, bytes, "entries were appended");
        Ok(appended)
    }

    async fn renew(&self) -> Result<(), Error> {
        let (session, taken, lease) = (self.session.clone(), self.taken, self.store.interval());
        let limit = self.store.renew_every().max(SHORTEST_LIMIT);
        let renewed = self.store.link.ask(&Renew { session, taken, lease, limit }).await?;
        renewed.inspect_err(|error| self.report_lost(error))
    }

    fn report_lost(&self, error: &Error) {
        if matches!(error, Error::Lost { .. }) {
            let (session, fence) = (self.session.as_str(), self.taken.fence.0);
            warn!(session, fence, "a claim was lost: the session was claimed or removed since");
        }
    }

    /// Gives it back, once: for this process the session is free at once, and for others when the
    /// future that is returned has completed.
    fn give_back(&mut self) -> Option<impl Future<Output = Result<(), Error>> + Send + 'static> {
        if std::mem::replace(&mut self.is_given_back, true) {
            return None;
        }
        self.holder.give_back(self.store.lease);
        let (store, session) = (Arc::clone(&self.store), self.session.clone());
        let (taken, holder) = (self.taken, self.holder);
        Some(async move {
            let (session, fence) = (session.as_str(), taken.fence.0);
            let released = store.link.ask(&Release { taken }).await;
            match &released {
                Ok(()) => {
                    holder.forget();
                    debug!(session, fence, "a claim was released");
                }
                Err(error) => {
                    warn!(session, fence, %error, "a claim was not released, and expires")
                }
            }
            released
        })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let (Some(release), Ok(runtime)) = (self.give_back(), Handle::try_current()) {
            runtime.spawn(release);
        }
    }
}

impl legwork_port::Claim for Claim {
    fn fence(&self) -> Fence {
        self.taken.fence
    }

    fn append<'a>(
        &'a self,
        expected: Seq,
        batch: Batch<'a>,
    ) -> BoxFuture<'a, Result<Appended, Error>> {
        Box::pin(self.append(expected, batch))
    }

    fn renew_every(&self) -> Option<Duration> {
        Some(self.store.renew_every())
    }

    fn renew(&self) -> BoxFuture<'_, Result<(), Error>> {
        Box::pin(self.renew())
    }

    fn release(mut self: Box<Self>) -> BoxFuture<'static, Result<(), Error>> {
        Box::pin(async move {
            match self.give_back() {
                Some(release) => self.store.detached(release).await,
                None => Ok(()),
            }
        })
    }
}
