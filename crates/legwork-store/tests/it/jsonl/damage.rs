//! Journals that were damaged.

use std::fs;

use legwork_core::Seq;
use legwork_port::Store as _;
use legwork_port::store::{Batch, Error, Query, Range};
use legwork_store::jsonl::Store;

use super::folder::Folder;
use crate::sample::{append, entries, numbers, session, write};

/// Writes entries 1 to 9 in three appends, damages them, and looks at what is left.
async fn check(damage: impl Fn(&str) -> Vec<u8>, left: u64, said: &str) {
    let folder = Folder::new();
    let (name, other) = (session("hurt"), session("fine"));
    let store = folder.store();
    write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
    write(&store, &other, &[1..=3]).await;
    let before = fs::read_to_string(folder.journal("hurt")).unwrap();
    let damaged = damage(&before);
    assert_ne!(damaged, before.as_bytes(), "nothing was damaged");
    fs::write(folder.journal("hurt"), &damaged).unwrap();

    for _ in 0..2 {
        let loaded = store.read(&name, Range::ALL).await.unwrap();
        assert_eq!(loaded.journal.entries(), entries(1..=left), "{said}");
        let report = loaded.damage.unwrap();
        assert!(report.contains("session hurt") && report.contains(said), "{report}");
    }
    fine(&store).await;

    let claim = store.claim(&name).await.unwrap();
    assert!(store.read(&name, Range::ALL).await.unwrap().damage.is_some(), "{said}");
    for wrong in [left + 20, left.saturating_sub(1)] {
        if wrong != left {
            let refused =
                claim.append(Seq(wrong), Batch::of(&entries(wrong + 1..=wrong + 1))).await;
            assert!(refused.is_err_and(|error| error.is_conflict()), "{wrong}: {said}");
        }
    }
    assert_eq!(fs::read(folder.journal("hurt")).unwrap(), damaged);
    append(&*claim, left + 1..=left + 2).await;
    append(&*claim, left + 3..=left + 3).await;
    let loaded = store.read(&name, Range::ALL).await.unwrap();
    assert_eq!(loaded.damage, None, "{said}");
    assert_eq!(loaded.journal.entries(), entries(1..=left + 3), "{said}");
    fine(&store).await;
    let info = store.sessions(&Query::all()).await.unwrap().sessions;
    let listed = info.iter().find(|info| info.session == name).unwrap();
    assert_eq!((listed.entries, listed.updated_at), (left + 3, entries(left + 3..=left + 3)[0].at));
    nothing_is_lost(&folder, &damaged);
}

/// Each damaged line is in the journal or in the file of what was cut.
fn nothing_is_lost(folder: &Folder, damaged: &[u8]) {
    let journal = fs::read(folder.journal("hurt")).unwrap();
    let cut = fs::read(folder.session("hurt").join("cut")).unwrap_or_default();
    let holds = |bytes: &[u8], line: &[u8]| bytes.windows(line.len()).any(|part| part == line);
    for line in damaged.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let line = line.trim_ascii_end();
        let text = String::from_utf8_lossy(line);
        assert!(holds(&journal, line) || holds(&cut, line), "{text} is gone");
    }
}

async fn fine(store: &Store) {
    assert_eq!(numbers(store, &session("fine")).await, [1, 2, 3]);
    assert_eq!(store.sessions(&Query::first(10)).await.unwrap().sessions.len(), 2);
}

/// The journal with a line replaced by other bytes of the same length.
fn with_line(text: &str, number: usize, line: &str) -> Vec<u8> {
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    let end = if lines[number - 1].ends_with(' ') { " " } else { "" };
    lines[number - 1] = format!("{line}{end}");
    format!("{}\n", lines.join("\n")).into_bytes()
}

#[tokio::test]
async fn s8_4_a_line_that_was_cut_is_left_out_with_its_append() {
    let cut = |text: &str| text.as_bytes()[..text.len() - 20].to_vec();
    check(cut, 6, "damaged after entry 6").await;
}

#[tokio::test]
async fn s8_4_a_line_break_that_is_missing_is_noticed() {
    check(|text: &str| text.trim_end().as_bytes().to_vec(), 6, "is not whole").await;
}

#[tokio::test]
async fn s8_4_garbage_in_place_of_the_last_append_is_left_out() {
    for line in [7, 8, 9] {
        check(|text| with_line(text, line, "\u{0}\u{0}garbage"), 6, "damaged after entry 6").await;
    }
}

#[tokio::test]
async fn s8_4_garbage_behind_the_last_append_is_left_out() {
    for junk in ["x", "{}", "\u{0}\u{0}\u{0}\u{0}", "{\"v\":2,\"seq\":10"] {
        let add = |text: &str| format!("{text}{junk}").into_bytes();
        check(add, 9, "damaged after entry 9").await;
    }
    check(|text| format!("{text}x\n").into_bytes(), 9, "damaged after entry 9").await;
}

#[tokio::test]
async fn s8_4_damage_in_the_middle_cuts_all_after_the_last_whole_entry() {
    for (line, left) in [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5)] {
        let said = format!("damaged after entry {left}");
        check(|text| with_line(text, line, "{\"v\":2,\"seq\":"), left, &said).await;
    }
}

#[tokio::test]
async fn s8_4_a_number_that_is_not_the_next_is_damage() {
    let wrong = |text: &str| text.replace("\"seq\":5,", "\"seq\":55,").into_bytes();
    check(wrong, 4, "found entry 55 in place of entry 5").await;
    let missing = |text: &str| {
        let lines = text.split_inclusive('\n').enumerate();
        lines.filter(|(at, _)| !(3..6).contains(at)).map(|(_, line)| line).collect::<String>()
    };
    check(|text| missing(text).into_bytes(), 3, "found entry 7 in place of entry 4").await;
}

#[tokio::test]
async fn s8_4_appends_that_are_gone_are_noticed() {
    let lost = |text: &str| {
        let lines: Vec<_> = text.split_inclusive('\n').take(6).collect();
        lines.concat().into_bytes()
    };
    check(lost, 6, "the entries up to 9 are not all there").await;
    check(|_| Vec::new(), 0, "the entries up to 9 are not all there").await;
}

/// A line that this version cannot read, as entry 5.
const UNREADABLE: &str = r#"{"v":1,"seq":5,"parent":4,"at":1,"type":"head_moved","body":{}}"#;

#[tokio::test]
async fn s8_4_readable_lines_before_an_unreadable_one_of_their_append_are_read() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("hurt"), &[1..=3, 4..=6]).await;
    let text = fs::read_to_string(folder.journal("hurt")).unwrap();
    let before = with_line(&text, 5, UNREADABLE);
    fs::write(folder.journal("hurt"), &before).unwrap();

    let loaded = store.read(&session("hurt"), Range::ALL).await.unwrap();
    assert_eq!((loaded.journal.entries(), loaded.damage), (&entries(1..=4)[..], None));
    let unreadable = loaded.unreadable.unwrap();
    assert_eq!(unreadable.entry, Seq(5));
    assert!(unreadable.to_string().contains("use a newer Legwork"), "{unreadable}");
    let claim = store.claim(&session("hurt")).await.unwrap();
    for expected in [3, 4, 5] {
        let error =
            claim.append(Seq(expected), Batch::of(&entries(expected + 1..=expected + 1))).await;
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Unreadable { entry: Seq(5), .. }), "{error}");
        assert!(error.to_string().contains("session hurt was not changed"), "{error}");
    }
    assert_eq!(fs::read(folder.journal("hurt")).unwrap(), before);
    assert!(!folder.session("hurt").join("cut").exists());
}

#[tokio::test]
async fn s8_4_a_head_that_is_lost_is_made_anew() {
    let folder = Folder::new();
    let store = folder.store();
    write(&store, &session("s"), &[1..=3, 4..=6]).await;
    let info = store.sessions(&Query::all()).await.unwrap().sessions;
    for bytes in [&b""[..], &[7; 300], &[0; 512]] {
        fs::write(folder.session("s").join("head"), bytes).unwrap();
        assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions, info);
        assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5, 6]);
        drop(store.claim(&session("s")).await.unwrap());
        assert_eq!(store.sessions(&Query::all()).await.unwrap().sessions, info);
    }
    let claim = store.claim(&session("s")).await.unwrap();
    append(&*claim, 7..=8).await;
    assert_eq!(numbers(&store, &session("s")).await, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn s8_8_a_range_is_read_up_to_damage_and_past_it_nothing() {
    let folder = Folder::new();
    let (store, name) = (folder.store(), session("parts"));
    write(&store, &name, &[1..=3, 4..=6, 7..=9]).await;
    let text = fs::read_to_string(folder.journal("parts")).unwrap();
    fs::write(folder.journal("parts"), with_line(&text, 8, "\u{0}")).unwrap();
    let read = async |after, limit| {
        let range = Range::after(Seq(after)).limit(limit);
        let loaded = store.read(&name, range).await.unwrap();
        let numbers: Vec<_> = loaded.journal.entries().iter().map(|entry| entry.seq.0).collect();
        (numbers, loaded.damage.is_some(), loaded.next.map(|range| range.after.0))
    };
    assert_eq!(read(1, 3).await, (vec![2, 3, 4], false, Some(4)));
    assert_eq!(read(4, 2).await, (vec![5, 6], false, Some(6)));
    assert_eq!(read(4, 3).await, (vec![5, 6], true, None));
    assert_eq!(read(6, 9).await, (vec![], true, None));
}
