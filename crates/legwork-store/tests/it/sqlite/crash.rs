//! A process killed in the middle of many appends.

use legwork_port::Store as _;
use legwork_port::store::Range;

use super::folder::Folder;
use crate::child::Child;
use crate::sample::{entries, session};

#[tokio::test]
async fn s8_4_a_killed_process_leaves_a_whole_journal() {
    let folder = Folder::new();
    let mut last = 0;
    for round in 0..12 {
        let mut child = Child::start("append", &folder.db());
        let mut durable = last;
        for _ in 0..=(round * 7) % 23 {
            durable = child.next_line().unwrap().parse().unwrap();
        }
        child.kill();

        let loaded = folder.store().read(&session("s"), Range::ALL).await.unwrap();
        assert_eq!(loaded.damage, None);
        last = loaded.journal.version().0;
        assert!(last >= durable, "entry {durable} was reported as durable, the last one is {last}");
        assert_eq!(last % 3, 0, "an append is there whole or not at all");
        assert_eq!(loaded.journal.entries(), entries(1..=last));
    }
}
