//! What others leave for a session.

use std::sync::Arc;

use legwork_core::SessionId;
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_port::store::{Error, check_id};
use redis::Pipeline;
use tracing::trace;

use super::link::Request;
use super::reply::read;
use super::script::{self, Call};
use super::{Inner, VERSION};

const POSTING: &str = "posting to an inbox";
const READING: &str = "reading an inbox";

impl Inner {
    pub(super) async fn post(
        self: &Arc<Self>,
        session: &SessionId,
        key: &str,
        item: &Item,
    ) -> Result<Cursor, Error> {
        check_id(session)?;
        self.check_writable()?;
        let item = serde_json::to_vec(item).map_err(|error| {
            self.link.name.failed(format!("the item cannot be encoded: {error}"))
        })?;
        let keys = &self.keys;
        let call = Call::of(&script::POST)
            .key(keys.version())
            .key(keys.session(session))
            .key(keys.inbox(session))
            .key(keys.posted(session))
            .key(keys.due())
            .arg(VERSION)
            .arg(session.as_str())
            .arg(&self.channel)
            .arg(key)
            .arg(item);
        let (store, of) = (Arc::clone(self), session.clone());
        let cursor = self.in_task(async move {
            let reply = store.link.write(POSTING, call).await?;
            store.watchers.notify(&of);
            match (reply.word(), reply.get(0)) {
                ("ok", Some(cursor)) => {
                    store.report_new(&reply);
                    Ok(Cursor(cursor))
                }
                _ => Err(store.refused(POSTING, &reply)),
            }
        });
        let cursor = cursor.await?;
        trace!(session = session.as_str(), cursor = cursor.0, "an item was posted");
        Ok(cursor)
    }

    pub(super) async fn inbox(
        &self,
        session: &SessionId,
        after: Cursor,
    ) -> Result<Vec<Posted>, Error> {
        let Some(first) = after.0.checked_add(1) else { return Ok(Vec::new()) };
        let mut pipeline = Pipeline::new();
        let start = format!("{first}-0");
        pipeline.cmd("XRANGE").arg(self.keys.inbox(session)).arg(start).arg("+");
        let value = self.link.ask(READING, &Request::Commands(pipeline)).await?;
        let answers: Option<Vec<Vec<(String, Fields)>>> = read(value);
        let items = answers.and_then(|mut answers| answers.pop());
        let items = items.ok_or_else(|| self.link.name.odd(READING))?;
        items.into_iter().map(|(id, fields)| self.posted(session, &id, fields)).collect()
    }

    fn posted(&self, session: &SessionId, id: &str, fields: Fields) -> Result<Posted, Error> {
        let cursor = id.split_once('-').and_then(|(number, _)| number.parse().ok());
        let fields: Option<[Vec<u8>; 4]> = fields.try_into().ok();
        let (Some(cursor), Some([_, key, _, item])) = (cursor, fields) else {
            return Err(self.link.name.odd(READING));
        };
        let item = serde_json::from_slice(&item).map_err(|error| {
            self.link.name.failed(format!(
                "item {cursor} in the inbox of session {session} cannot be read: {error}; \
                 a newer Legwork may have left it, then use that one"
            ))
        })?;
        let key = String::from_utf8(key).map_err(|_| self.link.name.odd(READING))?;
        Ok(Posted { cursor: Cursor(cursor), key, item })
    }
}

/// The fields of an item, names and values by turns.
type Fields = Vec<Vec<u8>>;
