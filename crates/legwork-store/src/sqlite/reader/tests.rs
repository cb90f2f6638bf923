#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use futures_util::FutureExt as _;
use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;

use super::*;
use crate::sqlite::Options;

#[tokio::test]
async fn a_read_ends_when_its_store_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    for options in [Options::new(), Options::new().read_only()] {
        let store = options.open(&path).unwrap();
        let (begins, has_begun) = mpsc::channel();
        let endless = move |connection: &Connection, _: &Name| {
            begins.send(()).unwrap();
            let sql = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n)
                       SELECT count(*) FROM n";
            Ok(connection.query_row(sql, (), |row| row.get::<_, i64>(0)).is_ok())
        };
        let mut reading = Box::pin(store.0.read(endless));
        assert!((&mut reading).now_or_never().is_none());
        has_begun.recv().unwrap();
        drop(reading);
        drop(store);
    }
}

#[tokio::test]
async fn a_long_read_holds_up_neither_an_inbox_nor_a_claim() {
    let folder = tempfile::tempdir().unwrap();
    let store = Options::new().open(folder.path().join("store.db")).unwrap();
    let session = "s".into();
    let claim = store.claim(&session).await.unwrap();
    store.post(&session, "key", &Item::Stop("enough".into())).await.unwrap();
    let (end, ends) = mpsc::channel::<()>();
    let long = move |_: &Connection, _: &Name| Ok(ends.recv().is_err());
    let mut reading = Box::pin(store.0.read(long));
    assert!((&mut reading).now_or_never().is_none());
    assert_eq!(store.inbox(&session, Cursor(0)).await.unwrap().len(), 1);
    claim.renew().await.unwrap();
    drop(end);
    assert!(reading.await.unwrap());
}
