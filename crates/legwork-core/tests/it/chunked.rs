//! A chunked vector behaves like a vector and shares its chunks.

use std::cell::Cell;
use std::sync::Arc;

use legwork_core::Chunked;
use legwork_core::chunked::{Buffer, Written};
use legwork_core::message::Wire;
use proptest::prelude::*;

use crate::arbitrary;

type Items = Chunked<Arc<u32>>;

fn numbered(numbers: impl IntoIterator<Item = u32>) -> Items {
    numbers.into_iter().map(Arc::new).collect()
}

#[derive(Debug, Clone)]
enum Step {
    Push(u32),
    PushMany(usize),
    Truncate(usize),
    Replace(prop::sample::Index, u32),
    Clear,
    /// Goes on with a clone; the one left behind must stay as it was.
    Clone,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => any::<u32>().prop_map(Step::Push),
        3 => (0usize..150).prop_map(Step::PushMany),
        2 => (0usize..400).prop_map(Step::Truncate),
        2 => (any::<prop::sample::Index>(), any::<u32>()).prop_map(|(at, to)| Step::Replace(at, to)),
        1 => Just(Step::Clear),
        2 => Just(Step::Clone),
    ]
}

fn same(chunked: &Items, model: &[Arc<u32>]) -> Result<(), TestCaseError> {
    prop_assert_eq!(chunked.len(), model.len());
    prop_assert_eq!(chunked.is_empty(), model.is_empty());
    prop_assert_eq!(chunked.last(), model.last());
    prop_assert!(chunked.iter().eq(model.iter()));
    prop_assert!(chunked.iter().rev().eq(model.iter().rev()));
    prop_assert_eq!(chunked.first(), model.first());
    prop_assert_eq!(&chunked.to_vec(), model);
    prop_assert_eq!(&*chunked.to_shared(), model);
    for from in [0, 1, 31, 32, 33, 64, model.len(), model.len() + 1] {
        prop_assert!(chunked.iter_from(from).eq(model.iter().skip(from)));
    }
    for at in [0, 1, 30, 31, 32, 33, 63, 64, 128, model.len().saturating_sub(1), model.len()] {
        prop_assert_eq!(chunked.get(at), model.get(at));
    }
    prop_assert_eq!(chunked.get(usize::MAX), None);
    prop_assert_eq!(chunked, &model.iter().cloned().collect());
    let json = serde_json::to_string(chunked).unwrap();
    prop_assert_eq!(&json, &serde_json::to_string(model).unwrap());
    prop_assert_eq!(&serde_json::from_str::<Items>(&json).unwrap(), chunked);
    for wire in [Wire::new("test"), Wire::new("other")] {
        let mut bytes = Buffer::default();
        bytes.extend(b"before");
        chunked.append_encoded(&wire, &mut bytes, |item, out| out.extend(item.to_be_bytes()));
        let expected: Vec<u8> = model.iter().flat_map(|item| item.to_be_bytes()).collect();
        prop_assert_eq!(bytes.strip_prefix(b"before".as_slice()), Some(&expected[..]));
    }
    let joined = |items: &mut dyn Iterator<Item = &Arc<u32>>| {
        items.map(|item| item.to_string()).collect::<Vec<_>>().join("|")
    };
    for wire in [Wire::new("joined"), Wire::new("joined")] {
        let mut bytes = Buffer::default();
        let (join, encode) =
            (|_: &Arc<u32>, _: &Arc<u32>, out: &mut Vec<u8>| out.push(b'|'), write);
        chunked.append_joined(&wire, &mut bytes, join, encode);
        prop_assert_eq!(String::from_utf8(bytes.to_vec()).unwrap(), joined(&mut model.iter()));
    }
    Ok(())
}

fn write(item: &Arc<u32>, out: &mut Vec<u8>) {
    out.extend(item.to_string().bytes());
}

proptest! {
    #![proptest_config(arbitrary::cases(256))]

    #[test]
    fn s1_1_a_chunked_vector_is_a_vector(steps in prop::collection::vec(step(), 0..25)) {
        let (mut chunked, mut model) = (Chunked::new(), Vec::new());
        let mut left = Vec::new();
        let mut last = Written::default();
        for step in steps {
            match step {
                Step::Push(item) => {
                    let item = Arc::new(item);
                    chunked.push(Arc::clone(&item));
                    model.push(item);
                }
                Step::PushMany(count) => for item in 0..u32::try_from(count).unwrap() {
                    let item = Arc::new(item);
                    chunked.push(Arc::clone(&item));
                    model.push(item);
                },
                Step::Truncate(len) => { chunked.truncate(len); model.truncate(len); }
                Step::Replace(at, item) => {
                    let (at, item) = (at.index(model.len() + 1), Arc::new(item));
                    chunked.replace(at, Arc::clone(&item));
                    if let Some(place) = model.get_mut(at) {
                        *place = item;
                    }
                }
                Step::Clear => { chunked.clear(); model.clear(); }
                Step::Clone => left.push((chunked.clone(), model.clone())),
            }
            same(&chunked, &model)?;
            let head = if model.len() % 5 == 0 { "other" } else { "head" };
            last = list(&chunked, head, Buffer::after(last)).into_written();
            let anew = list(&chunked, head, Buffer::default()).into_written();
            prop_assert_eq!(&last.bytes, &anew.bytes, "a buffer that continues another has the same bytes");
        }
        for (chunked, model) in &left {
            same(chunked, model)?;
        }
    }
}

/// Items as a list behind a head; a comma behind each one, but for the last, which is taken off
/// again, and nothing of every third one.
fn list(items: &Items, head: &str, mut out: Buffer<u32>) -> Buffer<u32> {
    out.extend(head.bytes());
    items.append_encoded(&Wire::new("list"), &mut out, |item, out| {
        if **item % 3 != 0 {
            out.extend(format!("{item},").bytes());
        }
    });
    if out.last() == Some(&b',') {
        out.pop();
    }
    out.extend(b"]");
    out
}

fn places(chunked: &Items) -> Vec<*const Arc<u32>> {
    chunked.iter().map(std::ptr::from_ref).collect()
}

#[test]
fn a_push_on_a_clone_shares_every_whole_chunk() {
    let old = numbered(0..200);
    let before = places(&old);
    let mut new = old.clone();
    assert_eq!(places(&new), before, "a clone is the same memory");
    new.push(Arc::new(200));
    assert_eq!(places(&new)[..192], before[..192]);
    assert_ne!(places(&new)[192], before[192], "the shared tail was copied");
    assert_eq!(places(&old), before, "the old value was not touched");
    // Its tail is its own now: pushes copy nothing but themselves.
    let tail = places(&new);
    new.push(Arc::new(201));
    assert_eq!(places(&new)[..201], tail);
}

#[test]
fn equal_are_those_with_the_same_items_however_they_came_about() {
    let long = numbered(0..130);
    let mut cut = numbered(0..200);
    assert_ne!(cut, long, "one is longer");
    cut.truncate(130);
    assert_eq!(cut, long);
    for other in [0, 31, 32, 63, 127, 128, 129] {
        let changed = (0..130).map(|item| if item == other { 999 } else { item });
        assert_ne!(numbered(changed), long, "item {other} differs");
    }
    cut.truncate(129);
    assert_ne!(cut, long);
    assert_ne!(cut, Chunked::new());
}

#[test]
fn a_truncated_clone_shares_what_it_keeps() {
    let old = numbered(0..200);
    let before = places(&old);
    let mut new = old.clone();
    new.truncate(128);
    assert_eq!(places(&new), before[..128]);
    new.truncate(32);
    assert_eq!(places(&new), before[..32]);
}

#[test]
fn what_is_truncated_between_chunks_or_to_its_length_goes_on_as_it_was() {
    for len in [64, 128] {
        let mut items = numbered(0..200);
        items.truncate(len);
        items.push(Arc::new(7));
        let expected: Vec<u32> = (0..len as u32).chain([7]).collect();
        assert_eq!(items.iter().map(|item| **item).collect::<Vec<_>>(), expected);
        assert_eq!(
            (items.len(), items.get(len), items.get(len + 1)),
            (len + 1, Some(&Arc::new(7)), None)
        );
        let whole = numbered(expected);
        assert!(items.iter().eq(whole.iter()) && items == whole);
    }
    let old = numbered(0..100);
    let mut same = old.clone();
    same.truncate(100);
    same.truncate(900);
    assert_eq!(places(&same), places(&old), "nothing was copied");
}

#[test]
fn s9_1_a_full_chunk_is_encoded_once_for_all_clones() {
    let encoded = Cell::new(0);
    let test = &Wire::new("test");
    let bytes = |items: &Items, wire: &Wire| {
        encoded.set(0);
        let mut out = Buffer::default();
        items.append_encoded(wire, &mut out, |item, out| {
            encoded.set(encoded.get() + 1);
            out.extend(item.to_be_bytes());
        });
        (out.into_written().bytes, encoded.get())
    };
    let mut items = numbered(0..130);
    let (first, count) = bytes(&items, test);
    assert_eq!(count, 130);
    assert_eq!(bytes(&items.clone(), test), (first, 2), "only what is behind the full chunks");
    items.push(Arc::new(130));
    assert_eq!(bytes(&items, test).1, 3);
    let other = &Wire::new("other");
    assert_eq!(bytes(&items, other).1, 131, "another wire has other bytes");
    assert_eq!(bytes(&items, other).1, 3, "which are kept as well");
    assert_eq!(bytes(&items, test).1, 3, "beside the first ones");
    items.replace(70, Arc::new(7));
    assert_eq!(bytes(&items, test).1, 32 + 3, "the chunk that was changed, and what is behind");
    items.truncate(100);
    assert_eq!(bytes(&items, test).1, 4, "the chunk that was cut is none any more");
}

#[test]
fn s9_1_what_is_between_items_depends_on_both_in_chunks_and_between_them() {
    let join = |last: &Arc<u32>, next: &Arc<u32>, out: &mut Vec<u8>| {
        out.extend(format!("({last}{next})").bytes());
    };
    let bytes = |items: &Items| {
        let mut out = Buffer::default();
        items.append_joined(&Wire::new("test"), &mut out, join, write);
        String::from_utf8(out.into_written().bytes).unwrap()
    };
    let mut items = numbered(0..70);
    let expected = |items: &Items| {
        let mut text = String::new();
        for (at, item) in items.iter().enumerate() {
            let last = at.checked_sub(1).and_then(|last| items.get(last));
            last.into_iter().for_each(|last| text += &format!("({last}{item})"));
            text += &item.to_string();
        }
        text
    };
    assert_eq!(bytes(&items), expected(&items));
    assert_eq!(bytes(&items), expected(&items), "from what was kept, too");
    // The chunk behind the changed one is shared, and what is between them is not.
    items.replace(31, Arc::new(99));
    assert_eq!(bytes(&items), expected(&items));
}

#[test]
fn s9_1_what_is_between_items_follows_those_that_a_buffer_holds() {
    let join = |last: &Arc<u32>, next: &Arc<u32>, out: &mut Vec<u8>| {
        out.extend(format!("({last}{next})").bytes());
    };
    let bytes = |items: &Items, last| {
        let mut out = Buffer::after(last);
        items.append_joined(&Wire::new("test"), &mut out, join, write);
        out.extend(b"]");
        out.into_written()
    };
    let (mut items, mut last) = (numbered(0..30), Written::default());
    for item in 30..100 {
        items.push(Arc::new(item));
        last = bytes(&items, last);
        let anew = bytes(&items, Written::default());
        assert_eq!(String::from_utf8_lossy(&last.bytes), String::from_utf8_lossy(&anew.bytes));
    }
}

#[test]
fn s9_1_a_buffer_that_continues_another_copies_only_what_was_added() {
    let one = |_: &Arc<u32>, out: &mut Vec<u8>| out.push(b'.');
    let write = |items: &Items, wire: &str, head: &[u8], last| {
        let mut out = Buffer::after(last);
        out.extend(head);
        items.append_encoded(&Wire::new(wire), &mut out, one);
        out.extend(b"]");
        out.into_written()
    };
    // What was not copied again is known by what was written over it.
    let marked = |items: &Items| {
        let mut written = write(items, "test", b"head", Written::default());
        written.bytes.iter_mut().for_each(|byte| *byte = if *byte == b'.' { b'-' } else { *byte });
        written
    };
    let kept = |written: Written<u32>| written.bytes.iter().filter(|byte| **byte == b'-').count();
    let mut items = numbered(0..130);
    assert_eq!(kept(write(&items, "test", b"head", marked(&items))), 129, "all but the last");
    let before = marked(&items);
    items.push(Arc::new(130));
    assert_eq!(kept(write(&items, "test", b"head", before)), 129, "also when one was added");
    assert_eq!(kept(write(&items, "other", b"head", marked(&items))), 0, "of another wire");
    assert_eq!(kept(write(&items, "test", b"Head", marked(&items))), 0, "behind another head");
    assert_eq!(kept(write(&items, "test", b"he", marked(&items))), 0, "behind a shorter head");
    let same = numbered(items.iter().map(|item| **item));
    assert_eq!(kept(write(&same, "test", b"head", marked(&items))), 0, "of other chunks");
    let before = marked(&items);
    items.replace(40, Arc::new(7));
    assert_eq!(
        kept(write(&items, "test", b"head", before)),
        32,
        "the chunks before what was changed"
    );
    let before = marked(&items);
    items.replace(129, Arc::new(7));
    assert_eq!(kept(write(&items, "test", b"head", before)), 129, "behind the full chunks, too");
    let before = marked(&items);
    items.truncate(96);
    assert_eq!(kept(write(&items, "test", b"head", before)), 96, "of what was cut");
}

#[test]
fn s9_1_a_chunk_whose_last_byte_was_removed_is_written_again() {
    for count in [16, 32, 64, 128] {
        let mut items = numbered(1..=count);
        let last = list(&items, "head", Buffer::default()).into_written();
        items.push(Arc::new(1));
        let next = list(&items, "head", Buffer::after(last)).into_written();
        assert_eq!(next.bytes, *list(&items, "head", Buffer::default()), "behind {count}");
    }
}

#[test]
fn a_chunk_that_was_cut_in_the_buffer_is_written_again() {
    let items = numbered(0..70);
    let mut out = list(&items, "head", Buffer::default());
    out.truncate(20);
    let out = list(&items, "head", Buffer::after(out.into_written()));
    assert_eq!(*out, *list(&items, "head", Buffer::default()));
}

#[test]
fn a_buffer_keeps_no_item_alive() {
    let item = Arc::new(1);
    let items: Chunked<_> = std::iter::repeat_n(Arc::clone(&item), 40).collect();
    let mut out = Buffer::default();
    items.append_encoded(&Wire::new("test"), &mut out, |_, out| out.push(b'.'));
    let written = out.into_written();
    drop(items);
    assert_eq!((written.bytes.len(), Arc::strong_count(&item)), (40, 1));
}
