//! Files that were cut at any byte.

use std::fs::{self, File};

use legwork_core::inbox::{Cursor, Item};
use legwork_port::Store as _;
use legwork_port::store::Range;

use super::folder::Folder;
use crate::sample::{append, entries, numbers, session, write};

fn note() -> Item {
    Item::Stop("enough".into())
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

/// The head as it was before the last append is what a killed process leaves; the head after it
/// is what a disk leaves that lost the last bytes of the journal.
#[derive(Clone, Copy, Debug)]
enum Head {
    Before,
    After,
    Lost,
}

#[tokio::test]
async fn s8_4_an_append_that_was_cut_anywhere_is_whole_or_not_there() {
    for head in [Head::Before, Head::After, Head::Lost] {
        let folder = Folder::in_memory();
        let store = folder.store();
        write(&store, &session("s"), &[1..=3, 4..=4]).await;
        let start = fs::metadata(folder.journal("s")).unwrap().len();
        let old = fs::read(folder.session("s").join("head")).unwrap();
        write(&store, &session("s"), &[5..=7]).await;
        let journal = fs::read(folder.journal("s")).unwrap();
        match head {
            Head::Before => fs::write(folder.session("s").join("head"), old).unwrap(),
            Head::After => {}
            Head::Lost => fs::remove_file(folder.session("s").join("head")).unwrap(),
        }
        for cut in start..=journal.len() as u64 {
            let name = session(&format!("cut{cut}"));
            let path = folder.session(name.as_str());
            copy(&folder.session("s"), &path);
            File::options()
                .write(true)
                .open(path.join("journal.jsonl"))
                .unwrap()
                .set_len(cut)
                .unwrap();
            let is_whole = cut == journal.len() as u64;
            let last = if is_whole { 7 } else { 4 };
            let loaded = store.read(&name, Range::ALL).await.unwrap();
            assert_eq!(loaded.journal.entries(), entries(1..=last), "{head:?} {cut}");
            let is_lost = matches!(head, Head::After) && !is_whole;
            let is_damaged = loaded.damage.is_some();
            assert_eq!(is_damaged, is_lost || (cut > start && !is_whole), "{head:?} {cut}");

            let claim = store.claim(&name).await.unwrap();
            append(&*claim, last + 1..=last + 2).await;
            let loaded = store.read(&name, Range::ALL).await.unwrap();
            assert_eq!(loaded.damage, None, "{head:?} {cut}");
            assert_eq!(loaded.journal.entries(), entries(1..=last + 2), "{head:?} {cut}");
            let torn = &journal[usize::try_from(start).unwrap()..usize::try_from(cut).unwrap()];
            if !is_whole && !torn.is_empty() {
                let aside = fs::read(path.join("cut")).unwrap();
                assert!(aside.windows(torn.len()).any(|window| window == torn), "{head:?} {cut}");
            }
        }
    }
}

#[tokio::test]
async fn s8_2_an_item_that_was_cut_anywhere_is_whole_or_not_there() {
    let folder = Folder::in_memory();
    let store = folder.store();
    store.post(&session("s"), "first", &note()).await.unwrap();
    let start = fs::metadata(folder.inbox("s")).unwrap().len();
    let old = fs::read(folder.session("s").join("head")).unwrap();
    store.post(&session("s"), "second", &note()).await.unwrap();
    let inbox = fs::read(folder.inbox("s")).unwrap();
    fs::write(folder.session("s").join("head"), old).unwrap();
    for cut in start..=inbox.len() as u64 {
        let name = session(&format!("cut{cut}"));
        let path = folder.session(name.as_str());
        copy(&folder.session("s"), &path);
        let file = File::options().write(true).open(path.join("inbox.jsonl")).unwrap();
        file.set_len(cut).unwrap();
        let last = if cut == inbox.len() as u64 { 2 } else { 1 };
        let items = store.inbox(&name, Cursor(0)).await.unwrap();
        assert_eq!(items.len(), last, "{cut}");
        assert_eq!(store.read(&name, Range::ALL).await.unwrap().inbox.0, last as u64, "{cut}");
        let third = store.post(&name, "third", &note()).await.unwrap();
        assert_eq!(third, Cursor(last as u64 + 1), "{cut}");
        assert_eq!(store.post(&name, "first", &note()).await.unwrap(), Cursor(1), "{cut}");
        let items = store.inbox(&name, Cursor(0)).await.unwrap();
        let cursors: Vec<_> = items.iter().map(|item| item.cursor.0).collect();
        assert_eq!(cursors, (1..=last as u64 + 1).collect::<Vec<_>>(), "{cut}");
    }
    assert_eq!(numbers(&store, &session("s")).await, Vec::<u64>::new());
}
