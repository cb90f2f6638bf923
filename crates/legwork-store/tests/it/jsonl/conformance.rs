//! The suite that every store passes.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use legwork_core::SessionId;
use legwork_store::jsonl::{Commits, Options, Store};
use legwork_testkit::conformance::store::{
    check, check_fencing, check_listing, check_shared, check_unreadable,
};

use super::folder::{Folder, folder_of};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jsonl_keeps_the_promises_of_the_port() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let make = async || {
        let name = next.fetch_add(1, Ordering::SeqCst).to_string();
        Store::open(folder.path().join(name)).unwrap()
    };
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jsonl_keeps_them_when_it_commits_inline() {
    let folder = Folder::new();
    let next = AtomicU32::new(0);
    let open = |name: String| {
        Options::new().commits(Commits::Inline).open(folder.path().join(name)).unwrap()
    };
    let make = async || open(next.fetch_add(1, Ordering::SeqCst).to_string());
    check(make).await.unwrap_or_else(|violations| panic!("{violations}"));
    let shared = check_shared(async || open("shared".to_owned())).await;
    shared.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jsonl_keeps_them_across_handles() {
    let folder = Folder::new();
    check_shared(async || folder.store()).await.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn jsonl_refuses_the_holder_of_a_lost_claim() {
    let folder = Folder::new();
    // The lock is on a file: without the file there is none.
    let lose = async |_| fs::remove_dir_all(folder.root().join("claims")).unwrap();
    let result = check_fencing(async || folder.store(), lose).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

#[tokio::test]
async fn s8_7_jsonl_lists_without_reading_a_journal() {
    let folder = Folder::new();
    let overwrite = async |session: SessionId| {
        let journal = folder_of(&folder.root(), &session).join("journal.jsonl");
        let length = fs::metadata(&journal).unwrap().len();
        assert!(length > 0);
        fs::write(journal, vec![0; usize::try_from(length).unwrap()]).unwrap();
    };
    let result = check_listing(async || folder.store(), overwrite).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}

/// Copies a journal into a store, as a person may do with a backup.
fn plant(root: &Path, session: &SessionId, lines: &[Vec<u8>]) {
    let folder = folder_of(root, session);
    fs::create_dir_all(&folder).unwrap();
    let mut journal = lines.join(&b'\n');
    journal.push(b'\n');
    fs::write(folder.join("journal.jsonl"), journal).unwrap();
}

#[tokio::test]
async fn s8_4_jsonl_keeps_what_it_cannot_read() {
    let folder = Folder::in_memory();
    let next = AtomicU32::new(0);
    let root = |store: &Store| {
        let shown = format!("{store:?}");
        shown.split('"').nth(1).unwrap().to_owned()
    };
    let make = async || {
        let name = next.fetch_add(1, Ordering::SeqCst).to_string();
        let options = Options::new().commits(Commits::Inline);
        options.open(folder.path().join(name)).unwrap()
    };
    let plant = async |store: &Store, session: &SessionId, lines: &[Vec<u8>]| {
        plant(Path::new(&root(store)), session, lines);
    };
    let bytes = async |store: &Store, session: &SessionId| {
        fs::read(folder_of(Path::new(&root(store)), session).join("journal.jsonl")).unwrap()
    };
    let result = check_unreadable(make, plant, bytes).await;
    result.unwrap_or_else(|violations| panic!("{violations}"));
}
