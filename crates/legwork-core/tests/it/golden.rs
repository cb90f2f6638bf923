//! The golden file of each format version is kept for ever and read by this version.
//!
//! `LEGWORK_GOLDEN=write` writes the file of a format version that has none yet; a file
//! that is there is never written again. An event that is added within a version goes
//! into a file of its own next to it, such as `v1-forks.jsonl`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use legwork_core::entry::FORMAT;
use legwork_core::journal::Journal;
use legwork_core::{AgentState, ContinuationOutcome, Entry, Event, SessionId};

use crate::samples;
use crate::story::owes;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The golden files, each with the version it is of.
fn files() -> Vec<(PathBuf, u32)> {
    write_what_is_new();
    let mut files: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no golden file in {}", folder().display());
    let version = |path: &Path| {
        let name = path.file_stem().unwrap().to_str().unwrap().trim_start_matches('v');
        name.split('-').next().unwrap().parse().unwrap()
    };
    files
        .into_iter()
        .map(|path| {
            let v = version(&path);
            (path, v)
        })
        .collect()
}

/// Writes the files of this format version that are not there if `LEGWORK_GOLDEN=write`.
fn write_what_is_new() {
    write_new(&folder().join(format!("v{FORMAT}.jsonl")), samples::entries);
    write_new(&folder().join(format!("v{FORMAT}-outputs.jsonl")), samples::outputs);
    write_new(&folder().join(format!("v{FORMAT}-inputs.jsonl")), samples::inputs);
    write_new(&folder().join(format!("v{FORMAT}-prompts.jsonl")), samples::prompts);
}

fn write_new(path: &Path, entries: fn() -> Vec<Arc<Entry>>) {
    if path.exists() || std::env::var_os("LEGWORK_GOLDEN").is_none_or(|told| told != "write") {
        return;
    }
    let mut lines = Vec::new();
    for entry in entries() {
        lines.extend(entry.encode().unwrap());
        lines.push(b'\n');
    }
    std::fs::write(path, lines).unwrap();
    std::fs::write(path.with_extension("txt"), summary(&read(path))).unwrap();
}

fn lines(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    assert_eq!(bytes.last(), Some(&b'\n'), "{} has no end", path.display());
    bytes[..bytes.len() - 1].split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn read(path: &Path) -> Journal {
    let decode = |(at, line): (usize, Vec<u8>)| {
        let entry = Entry::decode(&line);
        Arc::new(entry.unwrap_or_else(|error| panic!("{}:{}: {error}", path.display(), at + 1)))
    };
    Journal::new(lines(path).into_iter().enumerate().map(decode).collect())
}

fn fold(journal: &Journal) -> AgentState {
    let session = journal.entries().iter().find_map(|entry| match &entry.event {
        Event::SessionStarted(started) => Some(started.session.clone()),
        _ => None,
    });
    journal.fold(&session.unwrap_or_else(|| SessionId::new("unnamed")))
}

#[test]
fn s8_5_every_golden_file_is_read_and_folds_to_what_it_did() {
    for (path, _) in files() {
        let expected = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let found = summary(&read(&path));
        for (at, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert_eq!(found, expected, "{}, line {} of its summary", path.display(), at + 1);
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{}", path.display());
    }
}

#[test]
fn s1_7_a_golden_file_of_this_version_is_encoded_again_to_the_same_bytes() {
    for (path, version) in files() {
        if version != FORMAT {
            continue;
        }
        for (at, (entry, line)) in read(&path).entries().iter().zip(lines(&path)).enumerate() {
            let again = String::from_utf8(entry.encode().unwrap()).unwrap();
            let line = String::from_utf8(line).unwrap();
            assert_eq!(again, line, "{}:{}", path.display(), at + 1);
        }
    }
}

#[test]
fn s1_7_every_event_of_this_version_is_in_a_golden_file() {
    let files = files().into_iter().filter(|(_, version)| *version == FORMAT);
    let journals: Vec<_> = files.map(|(path, _)| read(&path)).collect();
    let entries = journals.iter().flat_map(|journal| journal.entries());
    let there: BTreeSet<_> = entries.map(|entry| entry.event.kind()).collect();
    for kind in Event::KINDS {
        assert!(there.contains(kind), "no golden file has a `{kind}` event");
    }
}

#[test]
fn s1_7_the_state_of_a_golden_file_survives_json() {
    for (path, _) in files() {
        let state = fold(&read(&path));
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<AgentState>(&text).unwrap(), state);
    }
}

#[test]
fn s8_4_any_beginning_of_a_golden_file_folds() {
    for (path, _) in files() {
        let journal = read(&path);
        for count in 0..journal.entries().len() {
            let _ = fold(&Journal::new(journal.entries()[..count].to_vec())).owed();
        }
    }
}

#[test]
fn s8_5_what_today_writes_is_read_back_today() {
    let entries = samples::entries();
    let kinds: BTreeSet<_> = entries.iter().map(|entry| entry.event.kind()).collect();
    let missing: Vec<_> = Event::KINDS.iter().filter(|kind| !kinds.contains(*kind)).collect();
    assert!(missing.is_empty(), "tests/it/samples.rs has no {missing:?}");
    for entry in entries {
        assert_eq!(Entry::decode(&entry.encode().unwrap()).unwrap(), *entry);
    }
}

/// What a journal says, in words that outlive the types: an entry a line, then the state.
/// A line with one more field at its beginning, which is passed over, is not read in the order
/// in which entries are written: the reader has two ways, and both give the same entry.
#[test]
fn s8_5_the_order_of_the_fields_changes_nothing() {
    let both = |line: &[u8]| {
        let other = [br#"{"more":0,"#, line.strip_prefix(b"{").unwrap()].concat();
        let [one, other] = [line, &other].map(|line| Entry::decode(line).ok());
        assert_eq!(one, other, "{}", String::from_utf8_lossy(line));
        one.is_some()
    };
    let (mut read, mut refused) = (0, 0);
    for line in files().iter().flat_map(|(path, _)| lines(path)) {
        assert!(both(&line));
        // Of a long line not each byte: what takes up most of it is text of one kind.
        for at in (1..line.len()).step_by(1 + line.len() / 128) {
            for byte in [b'0', b'"', b' ', b'x', b'{', b'}'] {
                let mut changed = line.clone();
                changed[at] = byte;
                if both(&changed) { read += 1 } else { refused += 1 }
            }
            refused += u32::from(!both(&line[..at]));
        }
    }
    assert!(read > 1000 && refused > 1000, "{read} lines are read, {refused} are refused");
}

fn summary(journal: &Journal) -> String {
    let mut out = String::new();
    for entry in journal.entries() {
        let state = fold(&Journal::new(upto(journal, entry)));
        let (seq, parent, at, kind) = (entry.seq, entry.parent, entry.at.0, entry.event.kind());
        let status = state.status().map_or_else(|| "none".to_owned(), ToString::to_string);
        let owes = owes(&state);
        writeln!(out, "{seq} < {parent} at {at}: {kind}; {status}, {owes}").unwrap();
    }
    let state = fold(journal);
    session(&mut out, &state);
    conversation(&mut out, &state);
    longest(&mut out, journal);
    out
}

fn upto(journal: &Journal, entry: &Entry) -> Vec<Arc<Entry>> {
    journal.entries().iter().filter(|other| other.seq <= entry.seq).cloned().collect()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn session(out: &mut String, state: &AgentState) {
    let facts = state.facts();
    let told = [
        ("session", json(&facts.session)),
        ("agent", json(&facts.agent)),
        ("spawned by", json(&facts.parent)),
        ("head", json(&facts.head)),
        ("version", json(&facts.version)),
        ("definition", json(&facts.definition_digest)),
        ("instructions", json(state.instructions())),
        ("settings", json(state.settings())),
        ("executions", json(&facts.executions)),
        ("inbox", json(&facts.inbox_cursor)),
        ("labels", json(&facts.labels)),
        ("answers", json(&facts.answers)),
        ("follow-ups", json(&facts.follow_ups)),
        ("budget", json(&facts.ledger.budget)),
        ("spent", json(&facts.ledger.spent)),
        ("lifetime", json(&facts.ledger.lifetime)),
        ("reserved", json(&facts.ledger.reserved)),
    ];
    for (name, value) in told {
        writeln!(out, "{name}: {value}").unwrap();
    }
}

fn conversation(out: &mut String, state: &AgentState) {
    let transcript = &state.context().transcript;
    for message in transcript.messages().iter() {
        writeln!(out, "- {}: {}", message.role, json(&message.parts)).unwrap();
    }
    writeln!(out, "open calls: {}", transcript.open_calls()).unwrap();
    writeln!(out, "metadata: {}", json(&state.context().metadata)).unwrap();
    for result in state.step_results() {
        let (number, kind) = (result.step.number, result.step.kind());
        writeln!(out, "step {number}, {kind:?}: {}", told(&result.outcome)).unwrap();
        for done in result.step.tool_executions() {
            let (took, attempt, effect) = (done.took.0, done.attempt, json(&done.effect));
            let id = &done.call.id;
            writeln!(
                out,
                "- {id}: {took} us, attempt {attempt}, {effect}, {}",
                json(&done.outcome)
            )
            .unwrap();
        }
        for error in result.step.errors.iter() {
            writeln!(out, "- error: {}", json(error)).unwrap();
        }
    }
}

/// What an outcome holds, in the words that the summaries were written in: those of
/// `explain` may become better.
fn told(outcome: &ContinuationOutcome) -> String {
    match &outcome.signal {
        None => format!("Goes on: {} asks for it.", outcome.by),
        Some(signal) => {
            format!("Stops ({}): {} says {}.", signal.reason, signal.source, signal.message)
        }
    }
}

/// The conversation on the path where most happened, which a moved head leaves behind.
fn longest(out: &mut String, journal: &Journal) {
    let stays = |entry: &&Arc<Entry>| !matches!(entry.event, Event::HeadMoved(_));
    let paths = journal.entries().iter().filter(stays).map(|entry| journal.path(entry.seq));
    let Some(path) = paths.max_by_key(Vec::len) else { return };
    let head = path[path.len() - 1].seq;
    writeln!(out, "--- the longest path, to {head}").unwrap();
    let facts = fold(journal).facts().clone();
    conversation(out, &AgentState::fold(facts, path));
}
