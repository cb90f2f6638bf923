#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use legwork_port::Store as _;

use crate::sqlite::{Commits, Options};

#[tokio::test]
async fn after_a_removal_nothing_else_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options::new().commits(Commits::Inline);
    let store = options.open(folder.path().join("store.db")).unwrap();
    let overwrites = || {
        let writer = store.0.writer.as_ref().unwrap();
        // The thread has it for a moment after its last answer.
        let committer = loop {
            match writer.at_hand() {
                Some(committer) => break committer,
                None => std::thread::yield_now(),
            }
        };
        committer.ask(|connection, _| {
            connection.query_row("PRAGMA secure_delete", (), |row| row.get::<_, i64>(0)).unwrap()
        })
    };
    assert!(store.remove(&["unknown".into()]).await.is_err());
    assert_eq!(overwrites(), 0, "a removal failed");
    let claim = store.claim(&"known".into()).await.unwrap();
    assert!(store.remove(&["known".into()]).await.is_err());
    claim.release().await.unwrap();
    store.post(&"known".into(), "key", &legwork_core::inbox::Item::Stop("x".into())).await.unwrap();
    store.remove(&["known".into()]).await.unwrap();
    assert_eq!(overwrites(), 0, "a removal succeeded");
}
