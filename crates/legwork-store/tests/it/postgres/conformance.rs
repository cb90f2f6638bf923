//! The suite that every store passes.

use legwork_core::SessionId;
use legwork_store::postgres::Store;
use legwork_testkit::conformance::Violations;
use legwork_testkit::conformance::store::{
    check, check_fencing, check_listing, check_shared, check_unreadable,
};
use sqlx::postgres::PgConnection;
use sqlx::{Row as _, query};

use super::Scratch;

fn kept(result: Result<(), Violations>) {
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_the_promises_of_the_port() {
    let Some(scratch) = Scratch::new() else { return };
    kept(check(async || scratch.new_store()).await);
}

#[tokio::test]
async fn postgres_keeps_them_on_one_thread() {
    let Some(scratch) = Scratch::new() else { return };
    kept(check(async || scratch.new_store()).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_keeps_them_across_handles() {
    let Some(scratch) = Scratch::new() else { return };
    kept(check_shared(async || scratch.store("shared")).await);
}

#[tokio::test]
async fn postgres_refuses_the_holder_of_a_lost_claim() {
    let Some(scratch) = Scratch::new() else { return };
    let lose = async |_| {
        let sql = "UPDATE lost.session SET lease_until = clock_timestamp() - interval '1 ms'";
        scratch.sql(sql).await;
    };
    kept(check_fencing(async || scratch.store("lost"), lose).await);
}

#[tokio::test]
async fn s8_7_postgres_lists_without_reading_a_journal() {
    let Some(scratch) = Scratch::new() else { return };
    let overwrite = async |session: SessionId| {
        let sql =
            "UPDATE listed.journal SET entries = convert_to(repeat('x', length(entries)), 'UTF8')
            WHERE session = (SELECT id FROM listed.session WHERE name = $1)";
        let update = query(sql).bind(session.as_str());
        let done = update.execute(&mut scratch.admin().await).await.unwrap();
        assert!(done.rows_affected() > 0);
    };
    kept(check_listing(async || scratch.store("listed"), overwrite).await);
}

/// Writes lines into the journal of a new session, each a row of its own.
async fn plant(admin: &mut PgConnection, session: &SessionId, lines: &[Vec<u8>]) {
    let sql = "INSERT INTO newer.session (name, fence, last, created, updated)
        VALUES ($1, 0, $2, 1, 1) RETURNING id";
    let count = i64::try_from(lines.len()).unwrap();
    let row = query(sql).bind(session.as_str()).bind(count).fetch_one(&mut *admin).await.unwrap();
    let id: i64 = row.get(0);
    for (seq, line) in (1_i64..).zip(lines) {
        let sql = "INSERT INTO newer.journal (session, last, at, entries) VALUES ($1, $2, 1, $3)";
        query(sql).bind(id).bind(seq).bind(line).execute(&mut *admin).await.unwrap();
    }
}

/// All that the journal of a session has in its rows.
async fn bytes(admin: &mut PgConnection, session: &SessionId) -> Vec<u8> {
    let sql = "SELECT entries FROM newer.journal
        WHERE session = (SELECT id FROM newer.session WHERE name = $1) ORDER BY last";
    let rows = query(sql).bind(session.as_str()).fetch_all(admin).await.unwrap();
    rows.iter().map(|row| row.get::<Vec<u8>, _>(0)).collect::<Vec<_>>().concat()
}

#[tokio::test]
async fn s8_4_postgres_keeps_what_it_cannot_read() {
    let Some(scratch) = Scratch::new() else { return };
    let store = scratch.store("newer");
    let admin = tokio::sync::Mutex::new(scratch.admin().await);
    let make = async || {
        let sql = "TRUNCATE newer.session, newer.journal, newer.inbox, newer.cut";
        // Before the first use there is nothing to empty.
        let _ = query(sql).execute(&mut *admin.lock().await).await;
        store.clone()
    };
    legwork_port::Store::sessions(&store, &legwork_port::store::Query::all()).await.unwrap();
    let plant = async |_: &Store, session: &SessionId, lines: &[Vec<u8>]| {
        plant(&mut *admin.lock().await, session, lines).await;
    };
    let bytes =
        async |_: &Store, session: &SessionId| bytes(&mut *admin.lock().await, session).await;
    kept(check_unreadable(make, plant, bytes).await);
}
