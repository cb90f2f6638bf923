//! Lines of a journal, and what they fold to: any lines, any beginning of them, in any order.

use std::sync::Arc;

use fastrand::Rng;
use legwork_core::journal::Journal;
use legwork_core::state::{AgentState, SessionFacts};
use legwork_core::{Entry, ModelRequest, Seq, SessionId};

use super::{MIB, Target};

/// A journal with every event that there is.
const GOLDEN: &str = include_str!("../../../../crates/legwork-core/tests/golden/v1.jsonl");

pub(super) const TARGET: Target = Target {
    name: "journal",
    seeds,
    grammar: None,
    words: &[
        "{\"v\":1,\"seq\":1,\"parent\":0,\"at\":0,\"type\":\"",
        "\",\"body\":{}}\n",
        "\"seq\":0",
        "\"parent\":18446744073709551615",
        "\"at\":18446744073709551615",
        "\"v\":2",
        "execution_started",
        "inference_started",
        "responded",
        "tool_started",
        "tool_finished",
        "step_finished",
        "execution_finished",
        "head_moved",
        "inbox_taken",
        "paused",
        "$serde_json::private::RawValue",
        "\"calls\":[",
        "null",
        "\\ud800",
    ],
    longest: MIB,
    // Where a line has the room for it, there are objects with one field: 8 bytes of JSON that
    // take about 690 in memory, a node of a map most of all. A line is read twice here.
    memory: 192 * MIB,
    one_of: 1,
    run,
};

/// The whole, parts of it, and each line.
fn seeds() -> Vec<Vec<u8>> {
    let lines: Vec<&str> = GOLDEN.lines().collect();
    let parts = [3, 8, 20].into_iter().flat_map(|length| lines.windows(length).step_by(length / 2));
    let parts = parts.map(|part| part.join("\n").into_bytes());
    let whole = GOLDEN.as_bytes().to_vec();
    std::iter::once(whole)
        .chain(parts)
        .chain(lines.iter().map(|line| line.as_bytes().to_vec()))
        .collect()
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let lines = input.split(|byte| *byte == b'\n');
    let mut entries: Vec<Entry> = lines.filter_map(decoded).collect();
    let session = SessionId::new("fuzzed");
    fold(&session, &entries, random);
    // As a store would have them: numbered from 1, without a gap.
    for (entry, seq) in entries.iter_mut().zip(1..) {
        entry.seq = Seq(seq);
        if random.u8(..8) > 0 {
            entry.parent = Seq(seq - 1);
        }
    }
    fold(&session, &entries, random);
    !entries.is_empty()
}

/// The entry of a line, which is written and read again as the same.
fn decoded(line: &[u8]) -> Option<Entry> {
    let entry = match Entry::decode(line) {
        Ok(entry) => entry,
        Err(error) => {
            assert!(error.to_string().len() < 4_096 + line.len(), "an endless error");
            return None;
        }
    };
    if let Ok(written) = entry.encode() {
        match Entry::decode(&written) {
            Ok(again) => assert!(again == entry, "read again it is {again:?}, not {entry:?}"),
            Err(error) => panic!("written it cannot be read: {error}"),
        }
    }
    Some(entry)
}

/// Folds all, and some beginnings, and asks what comes of it.
fn fold(session: &SessionId, entries: &[Entry], random: &mut Rng) {
    let entries: Vec<_> = entries.iter().cloned().map(Arc::new).collect();
    for count in [entries.len(), random.usize(..=entries.len()), random.usize(..=entries.len())] {
        let part = entries.get(..count).unwrap_or_default();
        let journal = Journal::new(part.to_vec());
        let state = journal.fold(session);
        ask(&state);
        // Entry by entry it is the same.
        let facts = SessionFacts::of(session, journal.entries().iter());
        let path = journal.path(journal.head());
        let one_by_one = AgentState::fold(facts, path);
        assert!(one_by_one.owed() == state.owed(), "it owes something else");
    }
}

fn ask(state: &AgentState) {
    let owed = state.owed();
    assert!(owed == state.owed(), "what is owed changes by asking");
    let _ = (state.status(), state.used(), state.ledger(), state.final_response());
    let _ = (state.errors().count(), state.current_error(), state.awaits_model());
    let slim = state.slim(100);
    assert!(slim.is_ok(), "it cannot be written: {slim:?}");
    let transcript = &state.context().transcript;
    if let Some(settled) = transcript.settled() {
        let request = ModelRequest::new(settled, Arc::new(state.settings().clone()));
        let _ = (request.messages().len(), request.weight());
    }
}
