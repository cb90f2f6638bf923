//! Whose the files are, where they may lie, and what they hold.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use legwork_core::inbox::Item;
use legwork_port::Store as _;
use legwork_port::store::{Error, Query};
use legwork_store::jsonl::Store;

use super::folder::{Folder, files};
use crate::child::Child;
use crate::disk::Disk;
use crate::sample::{append, entries, numbers, session, write};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// All folders below a folder.
fn folders(folder: &Path) -> Vec<std::path::PathBuf> {
    let found = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let found: Vec<_> = found.filter(|path| path.is_dir()).collect();
    found.iter().flat_map(|path| folders(path)).chain(found.clone()).collect()
}

#[test]
fn all_files_are_the_owners_alone_whatever_the_umask() {
    for umask in ["000", "022", "077", "277"] {
        let folder = Folder::new();
        let root = folder.path().join("deep").join("er").join("store");
        let mut shell = Command::new("sh");
        let script = format!("umask {umask}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(std::env::current_exe().unwrap());
        let mut child = Child::start_by(shell, "hold", &root);
        child.next_line().unwrap();
        let found = files(folder.path());
        // The mark, the head, the journal, its index, and the claim.
        assert_eq!(found.len(), 5, "{found:?}");
        for path in found {
            assert_eq!(mode(&path), 0o600, "{} under umask {umask}", path.display());
        }
        for path in folders(folder.path()) {
            assert_eq!(mode(&path), 0o700, "{} under umask {umask}", path.display());
        }
        child.kill();
    }
}

#[tokio::test]
async fn a_journal_is_text_with_an_entry_a_line() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=3, 4..=4]).await;
    let text = fs::read_to_string(folder.journal("s")).unwrap();
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    let encoded = entries(1..=4).iter().map(|entry| entry.encode().unwrap()).collect::<Vec<_>>();
    assert_eq!(lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>(), encoded);
    let item = Item::Stop("enough \"now\"".into());
    store.post(&session("s"), "a \"key\"", &item).await.unwrap();
    let inbox = fs::read_to_string(folder.inbox("s")).unwrap();
    assert_eq!(
        inbox,
        r#"{"cursor":1,"key":"a \"key\"","item":{"stop":"enough \"now\""}}"#.to_owned() + "\n"
    );
}

#[tokio::test]
async fn s13_9_no_id_leads_out_of_the_folder_or_is_another_whatever_the_case() {
    let folder = Folder::new();
    let store = folder.store();
    let long = "漢".repeat(341);
    let ids = ["a", "A", "../../up", "/tmp/x", ".", "..", "con", "a\\b", "%41", "é", "e\u{301}"];
    let ids: Vec<_> = ids.into_iter().chain([long.as_str()]).collect();
    for (number, id) in (1..).zip(&ids) {
        write(&store, &session(id), &[1..=number]).await;
        store.post(&session(id), id, &Item::Stop("x".into())).await.unwrap();
    }
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    for (number, id) in (1..).zip(&ids) {
        assert_eq!(numbers(&store, &session(id)).await.len(), number, "{id}");
        let info = listed.iter().find(|info| info.session == session(id)).unwrap();
        assert_eq!(info.entries, number as u64, "{id}");
    }
    let names = fs::read_dir(folder.root().join("sessions")).unwrap();
    let names: std::collections::BTreeSet<_> =
        names.map(|name| name.unwrap().file_name().to_str().unwrap().to_lowercase()).collect();
    assert_eq!(names.len(), ids.len());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is beside the store");
}

#[tokio::test]
async fn a_path_may_hold_anything() {
    for name in ["a b", "50%", "q?x=1#y", "file:x", ":memory:", "漢字"] {
        let folder = Folder::new();
        let path = folder.path().join(name);
        write(&Store::open(&path).unwrap(), &session("s"), &[1..=2]).await;
        assert!(path.is_dir(), "{name}");
        assert_eq!(numbers(&Store::open(&path).unwrap(), &session("s")).await, [1, 2], "{name}");
    }
}

#[test]
fn a_store_shows_where_it_is() {
    let folder = Folder::new();
    let shown = format!("{:?}", folder.store());
    let path = folder.root().canonicalize().unwrap();
    assert!(shown.starts_with("Store") && shown.contains(path.to_str().unwrap()), "{shown}");
}

#[test]
fn an_impossible_path_is_an_error() {
    let folder = Folder::new();
    let file = folder.path().join("file");
    fs::write(&file, "no folder").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nowhere"), &link).unwrap();
    for path in [file.clone(), file.join("store"), link] {
        let error = Store::open(&path).unwrap_err();
        assert!(matches!(error, Error::Unusable { .. }), "{error}");
        assert!(error.to_string().contains("it "), "{error}");
    }
}

#[test]
fn a_path_that_cannot_be_written_is_an_error() {
    let folder = Folder::new();
    let disk = Disk::new(folder.path(), "1m");
    if disk.freeze() {
        for path in ["store", "folder/store"] {
            let error = Store::open(folder.path().join(path)).unwrap_err().to_string();
            assert!(error.contains("it cannot be made"), "{error}");
        }
    }
}

/// Puts something that is not a regular file in the place of one.
fn put(kind: &str, path: &Path, elsewhere: &Path) {
    let _ = fs::remove_file(path);
    match kind {
        "pipe" => assert!(Command::new("mkfifo").arg(path).status().unwrap().success()),
        "link" => std::os::unix::fs::symlink(elsewhere, path).unwrap(),
        "name" => fs::hard_link(elsewhere, path).unwrap(),
        _ => fs::create_dir(path).unwrap(),
    }
}

#[tokio::test]
async fn s13_9_a_file_that_leads_elsewhere_is_not_opened() {
    for kind in ["pipe", "link", "name", "folder"] {
        let folder = Folder::new();
        let store = folder.store();
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "mine").unwrap();
        for name in ["head", "inbox", "journal"] {
            write(&store, &session(name), &[1..=1]).await;
            store.post(&session(name), "key", &Item::Stop("x".into())).await.unwrap();
        }
        put(kind, &folder.session("head").join("head"), &elsewhere);
        put(kind, &folder.inbox("inbox"), &elsewhere);
        put(kind, &folder.journal("journal"), &elsewhere);
        let item = Item::Stop("y".into());
        for name in ["head", "inbox"] {
            let error = store.post(&session(name), "new", &item).await.unwrap_err();
            assert!(matches!(error, Error::Failed { .. }), "{kind} {name}: {error}");
        }
        for name in ["head", "journal"] {
            let claim = store.claim(&session(name)).await;
            let error = match claim {
                Err(error) => error,
                Ok(claim) => claim
                    .append(legwork_core::Seq(1), legwork_port::store::Batch::of(&entries(2..=2)))
                    .await
                    .unwrap_err(),
            };
            assert!(matches!(error, Error::Failed { .. }), "{kind} {name}: {error}");
        }
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    }
}

#[tokio::test]
async fn what_is_opened_again_is_as_it_was() {
    let folder = Folder::new();
    for round in 0..5 {
        let store = folder.store();
        let claim = store.claim(&session("s")).await.unwrap();
        append(&*claim, round * 2 + 1..=round * 2 + 2).await;
    }
    assert_eq!(numbers(&folder.store(), &session("s")).await, (1..=10).collect::<Vec<_>>());
    let info = folder.store().sessions(&Query::first(10)).await.unwrap().sessions;
    assert_eq!(info[0].entries, 10);
}

/// A folder of a session that was copied away and back, without all that can be made anew.
#[tokio::test]
async fn a_journal_alone_is_a_session() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=3, 4..=4]).await;
    fs::create_dir(folder.session("copy")).unwrap();
    fs::copy(folder.journal("s"), folder.journal("copy")).unwrap();
    let listed = store.sessions(&Query::all()).await.unwrap().sessions;
    assert_eq!(listed.len(), 2);
    assert_eq!(
        (listed[0].entries, listed[0].updated_at),
        (listed[1].entries, listed[1].updated_at)
    );
    assert_eq!(numbers(&store, &session("copy")).await, [1, 2, 3, 4]);
    let claim = store.claim(&session("copy")).await.unwrap();
    append(&*claim, 5..=5).await;
    assert_eq!(numbers(&store, &session("copy")).await, [1, 2, 3, 4, 5]);
}
