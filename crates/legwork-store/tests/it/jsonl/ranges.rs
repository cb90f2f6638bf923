//! What a read of a range costs.

use std::fs;

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Range};
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::sample::{said, session};

/// Bytes that this process has read by system calls; this test has the process to itself.
fn bytes_read() -> u64 {
    let io = fs::read_to_string("/proc/self/io").unwrap();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    read.parse().unwrap()
}

async fn fill(store: &Store, appends: u64) {
    let claim = store.claim(&session("s")).await.unwrap();
    let text = "x".repeat(2_000);
    for number in 0..appends {
        let entries = [said(2 * number + 1, &text), said(2 * number + 2, &text)];
        claim.append(Seq(2 * number), Batch::of(&entries)).await.unwrap();
    }
}

async fn read_at(store: &Store, after: u64, limit: usize) -> (Vec<u64>, u64) {
    let before = bytes_read();
    let range = Range::after(Seq(after)).limit(limit);
    let loaded = store.read(&session("s"), range).await.unwrap();
    let numbers = loaded.journal.entries().iter().map(|entry| entry.seq.0).collect();
    assert_eq!(loaded.damage, None);
    (numbers, bytes_read() - before)
}

#[tokio::test]
async fn s8_8_what_comes_before_a_range_is_not_read() {
    let folder = Folder::in_memory();
    let store = folder.store();
    fill(&store, 500).await;
    let (all, whole) = read_at(&store, 0, usize::MAX).await;
    assert_eq!(all.len(), 1_000);
    assert!(whole > 2_000_000, "{whole} bytes of the whole journal");
    let (last, near) = read_at(&store, 990, 100).await;
    assert_eq!(last, (991..=1_000).collect::<Vec<_>>());
    assert!(near < 250_000, "{near} bytes for the last ten entries");
    let (first, front) = read_at(&store, 2, 3).await;
    assert_eq!(first, [3, 4, 5]);
    assert!(front < 600_000, "{front} bytes for three of the first entries");
    // Without the index it is read from the front, and the next claim makes the index anew.
    fs::remove_file(folder.session("s").join("index")).unwrap();
    let (last, far) = read_at(&store, 990, 100).await;
    assert_eq!(last.len(), 10);
    assert!(far > 2_000_000, "{far} bytes without the index");
    let claim = store.claim(&session("s")).await.unwrap();
    claim.append(Seq(1_000), Batch::of(&[said(1_001, "next")])).await.unwrap();
    let (last, near) = read_at(&store, 990, 100).await;
    assert_eq!(last.len(), 11);
    assert!(near < 250_000, "{near} bytes with the index that was made anew");
}

/// Bytes and calls of an append do not depend on what is in the journal.
#[tokio::test]
async fn s12_1_an_append_reads_as_much_however_long_the_journal_is() {
    let folder = Folder::in_memory();
    let store = folder.store();
    let claim = store.claim(&session("s")).await.unwrap();
    let text = "x".repeat(2_000);
    let mut costs = Vec::new();
    for seq in 1..=600 {
        let before = bytes_read();
        claim.append(Seq(seq - 1), Batch::of(&[said(seq, &text)])).await.unwrap();
        costs.push(bytes_read() - before);
    }
    let most = |part: &[u64]| part.iter().max().copied().unwrap();
    let (early, late) = (most(&costs[2..50]), most(&costs[550..]));
    assert!(late <= early + 64, "{early} bytes at first, {late} in the end");
    assert!(late < 2_000, "{late} bytes are read by an append");
}
