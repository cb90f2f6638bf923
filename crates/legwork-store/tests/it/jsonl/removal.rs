//! Sessions that are removed are gone, from the files too.

use std::fs;
use std::sync::Arc;

use futures_util::FutureExt as _;
use legwork_core::inbox::{Cursor, Item};
use legwork_core::{Message, Seq};
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Removal};
use legwork_store::jsonl::{Commits, Options, Store};

use super::folder::{Folder, files};
use crate::child::Child;
use crate::sample::{entries, numbers, said, session, write};

const SECRET: &str = "correct horse battery staple";

/// Whether any file of the store, or the name of one, holds the bytes.
fn holds(folder: &Folder, wanted: &str) -> bool {
    files(folder.path()).iter().any(|path| {
        let bytes = [path.as_os_str().as_encoded_bytes(), &fs::read(path).unwrap()].concat();
        bytes.windows(wanted.len()).any(|window| window == wanted.as_bytes())
    })
}

async fn fill(store: &Store) {
    for (name, text) in [("one", SECRET), ("two", "plain")] {
        let claim = store.claim(&session(name)).await.unwrap();
        for seq in 1..=3 {
            claim.append(Seq(seq - 1), Batch::of(&[said(seq, text)])).await.unwrap();
        }
        let item = Item::Steer(Arc::new(Message::user(text)));
        store.post(&session(name), "key", &item).await.unwrap();
    }
    // Damage that is set aside is a copy, too.
    let claim = store.claim(&session("one")).await.unwrap();
    let large = [said(4, &SECRET.repeat(9)), said(5, SECRET)];
    claim.append(Seq(3), Batch::of(&large)).await.unwrap();
}

#[tokio::test]
async fn s8_6_nothing_of_a_removed_session_is_left_in_the_files() {
    for commits in [Commits::Threads, Commits::Inline] {
        let folder = Folder::new();
        let store = Options::new().commits(commits).open(folder.root()).unwrap();
        fill(&store).await;
        let journal = fs::read(folder.journal("one")).unwrap();
        fs::write(folder.journal("one"), &journal[..journal.len() - 5]).unwrap();
        write_one(&store).await;
        assert!(folder.session("one").join("cut").exists());
        assert!(holds(&folder, SECRET));
        assert_eq!(store.remove(&[session("one")]).await.unwrap(), Removal::Complete);
        assert!(!holds(&folder, SECRET), "{commits:?}");
        assert!(!folder.session("one").exists() && !folder.root().join("removing").exists());
        assert_eq!(fs::read_dir(folder.root().join("trash")).unwrap().count(), 0);
        assert_eq!(numbers(&store, &session("two")).await, [1, 2, 3]);
    }
}

async fn write_one(store: &Store) {
    let claim = store.claim(&session("one")).await.unwrap();
    claim.append(Seq(3), Batch::of(&entries(4..=4))).await.unwrap();
}

#[tokio::test]
async fn s8_6_a_removal_whose_caller_gave_up_is_whole() {
    let folder = Folder::new();
    let store = folder.store();
    for round in 0..10 {
        let names = [session("a"), session("b")];
        for name in &names {
            write(&store, name, &[1..=1]).await;
        }
        let mut removing = store.remove(&names);
        for _ in 0..round {
            let _ = (&mut removing).now_or_never();
        }
        drop(removing);
        // Waits for the threads.
        drop(store.clone());
        let left = [numbers(&store, &names[0]).await, numbers(&store, &names[1]).await];
        while let Err(Error::Held { .. }) = store.remove(&names).await {}
        assert!(left[0].len() <= 1, "{left:?}");
        assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions, []);
    }
}

#[tokio::test]
async fn s8_6_a_lost_claim_writes_into_no_session_that_took_the_place() {
    let folder = Folder::new();
    let store = folder.store();
    for next in ["s", "other"] {
        let lost = store.claim(&session("s")).await.unwrap();
        lost.append(Seq(0), Batch::of(&[said(1, "old")])).await.unwrap();
        // The lock is on a file: without the file there is none.
        fs::remove_dir_all(folder.root().join("claims")).unwrap();
        store.remove(&[session("s")]).await.unwrap();
        let refused = lost.append(Seq(1), Batch::of(&[said(2, "old")])).await.unwrap_err();
        assert!(refused.is_conflict() && refused.to_string().contains("removed"), "{refused}");
        write(&store, &session(next), &[1..=1]).await;
        assert!(lost.append(Seq(1), Batch::of(&[said(2, "old")])).await.unwrap_err().is_conflict());
        assert_eq!(numbers(&store, &session(next)).await, [1]);
        drop(lost);
        store.remove(&[session(next)]).await.unwrap();
    }
}

#[tokio::test]
async fn s8_3_a_removal_ends_a_lost_claim_before_it_decides() {
    let folder = Folder::new();
    let store = folder.store();
    let lost = store.claim(&session("s")).await.unwrap();
    lost.append(Seq(0), Batch::of(&[said(1, "old")])).await.unwrap();
    fs::remove_dir_all(folder.root().join("claims")).unwrap();
    // Which sessions are removed cannot be written.
    fs::create_dir(folder.root().join("removing.draft")).unwrap();
    store.remove(&[session("s")]).await.unwrap_err();
    let refused = lost.append(Seq(1), Batch::of(&[said(2, "old")])).await.unwrap_err();
    assert!(refused.is_conflict(), "{refused}");
    assert_eq!(numbers(&store, &session("s")).await, [1]);
    write(&store, &session("s"), &[2..=2]).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2]);
}

/// The file that says which sessions are removed, as a process leaves it that dies then.
#[tokio::test]
async fn s8_6_a_removal_that_was_decided_is_finished_by_whoever_comes_next() {
    for (next, moved) in [("open", false), ("open", true), ("read", false), ("write", true)] {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b", "c"] {
            write(&store, &session(name), &[1..=2]).await;
            store.post(&session(name), "key", &Item::Stop("x".into())).await.unwrap();
        }
        fs::write(folder.root().join("removing"), r#"["a","b"]"#).unwrap();
        if moved {
            fs::create_dir(folder.root().join("trash")).unwrap();
            fs::rename(folder.session("a"), folder.root().join("trash/a")).unwrap();
        }
        let reader = Options::new().read_only().open(folder.root()).unwrap();
        for store in [&reader, &store] {
            for name in ["a", "b"] {
                assert!(numbers(store, &session(name)).await.is_empty(), "{name} before {next}");
                assert!(store.inbox(&session(name), Cursor(0)).await.unwrap().is_empty());
            }
            assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions.len(), 1);
        }
        match next {
            "open" => drop(folder.store()),
            "read" => {}
            _ => write(&store, &session("b"), &[1..=1]).await,
        }
        if next != "read" {
            assert!(!folder.root().join("removing").exists() && !folder.session("a").exists());
            assert_eq!(folder.session("b").exists(), next == "write");
        }
        let expected: &[u64] = if next == "write" { &[1] } else { &[] };
        assert_eq!(numbers(&store, &session("b")).await, expected);
        assert_eq!(numbers(&store, &session("c")).await, [1, 2]);
    }
}

#[tokio::test]
async fn s8_6_a_killed_process_removed_sessions_whole_or_not_at_all() {
    let folder = Folder::new();
    let store = folder.store();
    let name = |number: u64| session(&format!("{number:02}"));
    for number in 0..24 {
        let claim = store.claim(&name(number)).await.unwrap();
        claim.append(Seq(0), Batch::of(&entries(1..=4))).await.unwrap();
        store.post(&name(number), "key", &Item::Stop("enough".into())).await.unwrap();
    }
    for round in 0..6 {
        let mut child = Child::start("remove", &folder.root());
        for _ in 0..=round % 3 {
            if child.next_line().unwrap() == "none left" {
                break;
            }
        }
        child.kill();
        let left = folder.store();
        let sessions = left.sessions(&Query::all()).await.unwrap().sessions;
        assert_eq!(sessions.len() % 2, 0, "two were removed at a time: {sessions:?}");
        for number in 0..24 {
            let entries = numbers(&left, &name(number)).await.len();
            let items = left.inbox(&name(number), Cursor(0)).await.unwrap().len();
            assert!(matches!((entries, items), (4, 1) | (0, 0)), "{entries} {items}");
        }
    }
}

#[tokio::test]
async fn s8_6_damaged_sessions_are_removed() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=2]).await;
    fs::write(folder.journal("s"), "rubbish").unwrap();
    fs::write(folder.session("s").join("head"), "rubbish").unwrap();
    assert_eq!(store.remove(&[session("s")]).await.unwrap(), Removal::Complete);
    assert!(!folder.session("s").exists());
}
