//! S8.5: the words that stand in journals: those of each enum, all of them listed.
//!
//! An older Legwork of the same format cannot read a journal with a word that it does not
//! know. So `tests/golden/v2-words.txt` lists them, and a word that is added fails here: raise
//! `FORMAT`, with golden files, or, as long as no version with this
//! format was released, add it to the list.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_core::entry::{Error, FORMAT, Unreadable};
use legwork_core::{Entry, Event};
use serde_json::Value;

use crate::samples;
use crate::traced::{Seen, Traced};

/// The words that are read but never written, for they are what is meant without them.
const NEVER_WRITTEN: [(&str, &str); 1] = [("Place", "here")];

/// The sample entries of known types, each with its line.
fn known() -> impl Iterator<Item = (Arc<Entry>, Value)> {
    let known = |entry: &Arc<Entry>| !matches!(entry.event, Event::Other(_));
    samples::entries().into_iter().filter(known).map(|entry| {
        let line = serde_json::from_slice(&entry.encode().unwrap()).unwrap();
        (entry, line)
    })
}

/// Reads an entry as its type does, and notes what it asks for.
fn trace(entry: &Entry, line: &Value, seen: &RefCell<Seen>) {
    let body = Traced::new(&line["body"], "/body", seen);
    let event = Event::deserialize_body(entry.event.kind(), body).unwrap();
    assert_eq!(event.unwrap(), entry.event, "{line}");
}

fn seen() -> Seen {
    let seen = RefCell::default();
    known().for_each(|(entry, line)| trace(&entry, &line, &seen));
    seen.into_inner()
}

/// All Rust files of the core.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The enums that keep what they do not know, with their words, read from the sources: a text
/// does not say which enum it belongs to.
fn open_enums() -> BTreeMap<String, Vec<String>> {
    let (mut files, mut enums) = (Vec::new(), BTreeMap::new());
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    for file in files.iter().filter(|path| !path.ends_with("string_enum.rs")) {
        let source = std::fs::read_to_string(file).unwrap();
        for block in source.split("\nstring_enum! {\n").skip(1) {
            let block = &block[..block.find("\n}").unwrap()];
            let lines = block.lines().map(str::trim).filter(|line| !line.starts_with("//"));
            let mut lines = lines.filter(|line| !line.starts_with('#'));
            let name = lines.next().unwrap().trim_end_matches(" {").to_owned();
            let words = lines.filter_map(|line| line.split('"').nth(1)).map(str::to_owned);
            enums.insert(name, words.collect());
        }
    }
    assert!(enums.len() > 5, "the sources of the core have the open enums {enums:?}");
    enums
}

/// The list as it should be: an enum a line.
fn list() -> String {
    let mut list = String::from("# A line with an unknown one of these words cannot be read.\n");
    for (name, words) in seen().enums {
        writeln!(list, "{name}: {}", words.join(" ")).unwrap();
    }
    list.push_str("# An unknown one of these is kept as it came.\n");
    writeln!(list, "Event: {}", Event::KINDS.join(" ")).unwrap();
    for (name, words) in open_enums() {
        writeln!(list, "{name}: {}", words.join(" ")).unwrap();
    }
    list
}

#[test]
fn s8_5_every_word_of_a_journaled_enum_is_listed_with_its_format() {
    let path = format!("{}/tests/golden/v{FORMAT}-words.txt", env!("CARGO_MANIFEST_DIR"));
    let list = list();
    if !Path::new(&path).exists() && std::env::var_os("LEGWORK_GOLDEN").is_some() {
        std::fs::write(&path, &list).unwrap();
    }
    let listed = std::fs::read_to_string(&path).unwrap();
    let missing: Vec<_> = list.lines().filter(|line| !listed.lines().any(|l| l == *line)).collect();
    let extra: Vec<_> = listed.lines().filter(|line| !list.lines().any(|l| l == *line)).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "the words of journaled enums changed.\nin the code:\n  {}\nin {path}:\n  {}\nA released \
         Legwork of format {FORMAT} cannot read a word that it does not know: raise `FORMAT` \
         (with new golden files). If no release has this format yet, or an enum \
         that keeps unknown words got one that old versions may overlook, change the list.",
        missing.join("\n  "),
        extra.join("\n  "),
    );
}

#[test]
fn s8_5_the_samples_hold_every_word_and_field_that_a_journal_may_have() {
    let Seen { enums, words, structs, fields, .. } = seen();
    let all = |of: BTreeMap<&'static str, &'static [&'static str]>| {
        of.into_iter().flat_map(|(name, of)| of.iter().map(move |one| (name, (*one).to_owned())))
    };
    let written = |(name, word): &(&str, String)| !NEVER_WRITTEN.contains(&(*name, word.as_str()));
    let lacks = |word: &(&'static str, String)| written(word) && !words.contains(word);
    let words: Vec<_> = all(enums).filter(lacks).collect();
    let fields: Vec<_> = all(structs).filter(|field| !fields.contains(field)).collect();
    assert!(words.is_empty() && fields.is_empty(), "samples.rs lacks {words:?}, {fields:?}");
}

const UNKNOWN: &str = "from_the_future";

/// The line with another word at a place: a text, or the one key of an object.
fn changed(line: &Value, place: &str) -> Vec<u8> {
    let mut line = line.clone();
    let word = line.pointer_mut(place).unwrap();
    match word {
        Value::Object(map) => {
            let inner = std::mem::take(map).into_iter().next().unwrap().1;
            map.insert(UNKNOWN.to_owned(), inner);
        }
        text => *text = UNKNOWN.into(),
    }
    serde_json::to_vec(&line).unwrap()
}

/// The places of all texts in a value.
fn texts(value: &Value, place: &str, found: &mut Vec<String>) {
    let key = |key: &str| format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::String(_) => found.push(place.to_owned()),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(at, item)| texts(item, &key(&at.to_string()), found));
        }
        Value::Object(map) => map.iter().for_each(|(name, item)| texts(item, &key(name), found)),
        _ => {}
    }
}

#[test]
fn s8_4_an_unknown_word_at_any_place_is_unreadable_and_any_other_text_is_read() {
    let (mut enums, mut others) = (BTreeMap::new(), 0);
    for (entry, line) in known() {
        let seen = RefCell::default();
        trace(&entry, &line, &seen);
        let places = seen.into_inner().places;
        for (name, place) in &places {
            match Entry::decode(&changed(&line, place)) {
                Err(Error::Unreadable { seq, reason: Unreadable::Body(error) }) => {
                    assert_eq!(seq, Some(entry.seq), "{place} of {line}");
                    let said = error.to_string();
                    assert!(said.contains(UNKNOWN), "{place} of {line}: {said}");
                }
                other => panic!("{place} of {line}: {other:?}"),
            }
            *enums.entry(*name).or_insert(0) += 1;
        }
        let mut found = Vec::new();
        texts(&line, "", &mut found);
        found.retain(|place| !places.iter().any(|(_, word)| word == place));
        for place in &found {
            let read = Entry::decode(&changed(&line, place));
            assert!(read.is_ok(), "{place} of {line}: {read:?}");
        }
        others += found.len();
    }
    assert!(enums.keys().eq(seen().enums.keys()), "{enums:?}");
    assert!(others > 100, "{others} other texts were changed");
}
