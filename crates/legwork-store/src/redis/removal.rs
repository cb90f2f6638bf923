//! Removing sessions: all of them or none, in one script.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::SessionId;
use legwork_port::store::{Error, Removal};
use tracing::info;

use super::fault::held;
use super::script::{self, Call};
use super::{Inner, VERSION};

const TRIED: &str = "removing sessions";

/// What is true of every server: it does not overwrite what it frees.
const TRACES: &str = "the server's data has nothing of it any more, but its append-only file and \
    its snapshot may: `redis-cli BGREWRITEAOF` and then `redis-cli BGSAVE` write them anew without \
    it; replicas and backups have files of their own";

impl Inner {
    pub(super) async fn remove(self: &Arc<Self>, sessions: &[SessionId]) -> Result<Removal, Error> {
        self.check_writable()?;
        let sessions: BTreeSet<_> = sessions.iter().cloned().collect();
        if sessions.is_empty() {
            return Ok(Removal::Complete);
        }
        self.runtime()?;
        let (store, mut turn) = (Arc::clone(self), self.turns.take_all(&sessions));
        let count = sessions.len();
        let removed = self.in_task(async move {
            turn.begin().await;
            store.remove_all(&sessions).await
        });
        removed.await?;
        info!(sessions = count, "sessions were removed");
        Ok(Removal::Traces(TRACES.to_owned()))
    }

    async fn remove_all(&self, sessions: &BTreeSet<SessionId>) -> Result<(), Error> {
        let keys = &self.keys;
        let token = format!("{}:{:016x}", self.id, fastrand::u64(..));
        let mut call = Call::of(&script::REMOVE)
            .key(keys.version())
            .key(keys.listed())
            .key(keys.due())
            .key(keys.removal(&token))
            .arg(VERSION)
            .arg(&self.channel);
        for session in sessions {
            call = call
                .key(keys.session(session))
                .key(keys.journal(session))
                .key(keys.inbox(session))
                .key(keys.posted(session))
                .key(keys.cut(session))
                .arg(session.as_str());
        }
        let reply = self.link.write(TRIED, call).await?;
        let at = |position| reply.get(position).and_then(|at| sessions.iter().nth(at));
        match (reply.word(), at(0)) {
            ("ok", _) => {
                sessions.iter().for_each(|session| self.watchers.notify(session));
                Ok(())
            }
            ("unknown", Some(session)) => Err(Error::Unknown { session: session.clone() }),
            ("held", Some(session)) => Err(held(session, self.holder(reply.get(1)))),
            _ => Err(self.refused(TRIED, &reply)),
        }
    }
}
