#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail loudly")]

use super::*;

fn summary(title: &str) -> (Summary, Vec<u8>) {
    let mut summary = Summary::default();
    summary.title = title.to_owned();
    let bytes = serde_json::to_vec(&summary).unwrap();
    (summary, bytes)
}

fn bytes(file: &File) -> Vec<u8> {
    let (mut bytes, mut file) = (Vec::new(), file);
    file.seek(SeekFrom::Start(0)).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

fn file_of(bytes: &[u8]) -> File {
    let file = tempfile::tempfile().unwrap();
    files::write_at(&file, 0, bytes).unwrap();
    file
}

#[test]
fn s8_4_a_write_that_was_cut_at_any_byte_leaves_the_head_before() {
    let file = tempfile::tempfile().unwrap();
    assert_eq!(Head::read_all(&file).unwrap(), None);
    let mut head = Head { fence: 7, due_at: Some(9), marked: true, ..Head::default() };
    for round in 0..40 {
        let before = (head.clone(), bytes(&file));
        let known = Head::read_all(&file).unwrap();
        head.entries += 1;
        // Longer and shorter by turns, so that places move.
        let (said, encoded) = summary(&"x".repeat(round * 7 % 90));
        let brings = round % 3 == 0;
        head.write(&file, brings.then_some(&encoded)).unwrap();
        let (found, listed) = Head::read_all(&file).unwrap().unwrap();
        assert_eq!(found, head);
        let expected = if brings { &said } else { &known.as_ref().unwrap().1 };
        assert_eq!(listed, *expected);
        assert_eq!(Head::read(&file).unwrap(), Some(head.clone()));

        // The bytes that differ are written one after another, the summary first.
        let after = bytes(&file);
        let mut torn = before.1.clone();
        torn.resize(after.len().max(torn.len()), 0);
        let order = (2 * SLOT..after.len()).chain(0..2 * SLOT);
        for at in order.filter(|at| after[*at] != before.1.get(*at).copied().unwrap_or(0)) {
            let read = Head::read_all(&file_of(&torn)).unwrap();
            assert_eq!(read, known, "before byte {at}");
            torn[at] = after[at];
        }
        assert_eq!(before.0.generation + 1, head.generation);
    }
    assert!(bytes(&file).len() < 2_000, "places are used again");
}

#[test]
fn a_summary_that_was_lost_is_the_one_before() {
    let file = tempfile::tempfile().unwrap();
    let mut head = Head::default();
    let (old, encoded) = summary("old");
    head.write(&file, Some(&encoded)).unwrap();
    head.write(&file, Some(&summary("new").1)).unwrap();
    let at = usize::try_from(head.summary.at).unwrap();
    let mut lost = bytes(&file);
    lost[at..].fill(0);
    let (found, listed) = Head::read_all(&file_of(&lost)).unwrap().unwrap();
    assert_eq!((found, listed), (head, old));
}
