//! S8.5: the words that stand in journals: those of each enum, all of them listed.
//!
//! An older Legwork of the same format cannot read a journal with a word that it does not
//! know. So `tests/golden/v1-words.txt` lists them, and a word that is added fails here: raise
//! `FORMAT`, with an arm of `upcast` and golden files, or, as long as no version with this
//! format was released, add it to the list.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_core::entry::FORMAT;
use legwork_core::{Entry, Event};
use serde_json::Value;

use crate::samples;
use crate::traced::{Seen, Traced};

/// The words that are read but never written, for they are what is meant without them.
const NEVER_WRITTEN: [(&str, &str); 1] = [("Place", "here")];

/// Reads every sample entry as its type does, and notes what it asks for.
fn seen() -> Seen {
    let seen = RefCell::default();
    let known = |entry: &Arc<Entry>| !matches!(entry.event, Event::Other(_));
    for entry in samples::entries().into_iter().filter(known) {
        let line: Value = serde_json::from_slice(&entry.encode().unwrap()).unwrap();
        let body = Traced::new(&line["body"], "/body", &seen);
        let event = Event::deserialize_body(entry.event.kind(), body).unwrap();
        assert_eq!(event.unwrap(), entry.event, "{line}");
    }
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
         (with `upcast` and new golden files). If no release has this format yet, or an enum \
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
