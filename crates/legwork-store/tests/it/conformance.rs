//! The suite that every store passes.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_store::sqlite::{Commits, Options, Store};
use legwork_testkit::conformance::store::{check, check_fencing, check_shared};

use crate::sample::Folder;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_the_promises_of_the_port() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let make = async || {
        let name = format!("{}.db", next.fetch_add(1, Ordering::SeqCst));
        Store::open(folder.path().join(name)).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_them_when_it_commits_inline() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let open = |name: String| {
        Options::new().commits(Commits::Inline).open(folder.path().join(name)).unwrap()
    };
    let make = async || open(format!("{}.db", next.fetch_add(1, Ordering::SeqCst)));
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
    let shared = check_shared(async || open("shared.db".to_owned())).await;
    shared.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_keeps_them_across_handles() {
    let folder = Folder::new();
    check_shared(async || folder.store()).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn sqlite_refuses_whoever_lost_its_claim() {
    let folder = Folder::new();
    // The lock is on a file: without the file there is none.
    let lose = async |_| fs::remove_dir_all(folder.path().join("store.db-claims")).unwrap();
    let result = check_fencing(async || folder.store(), lose).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}
