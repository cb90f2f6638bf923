//! Forks of a session, and the tree of its branches.

use legwork_core::event::{
    Compacted, CompactionCause, Defined, Definition, HeadMoved, ResultCompared, ResultKey,
    ResultSummarised,
};
use legwork_core::inbox::Item;
use legwork_core::journal::{self, Journal};
use legwork_core::metadata::PINNED;
use legwork_core::{AgentState, Entry, Event, Seq, SessionId, Timestamp};

use crate::story::{blank, go_on, owes, taken, transcript};

fn begun() -> AgentState {
    let (session, agent) = ("s".into(), "clerk".into());
    let started =
        legwork_core::event::SessionStarted { session, agent, parent: None, forked_from: None };
    blank().with(Event::SessionStarted(started))
}

fn journal(state: &AgentState) -> Journal {
    Journal::new(state.uncommitted().to_vec())
}

fn fork(state: &AgentState, at: Seq) -> (Journal, AgentState) {
    let into = SessionId::new("fork");
    let entries = journal(state).fork(state.session(), at, &into, Timestamp(5)).unwrap();
    let lines: Vec<_> = entries.iter().map(|entry| entry.encode().unwrap()).collect();
    assert_eq!(journal::check(lines.iter().map(Vec::as_slice)), [], "a fork is a sound journal");
    let read = lines.iter().map(|line| Entry::decode(line).unwrap().into());
    let journal = Journal::new(read.collect());
    let state = journal.fold(&into);
    (journal, state)
}

#[test]
fn s8_1_a_fork_has_the_conversation_and_nothing_of_the_session() {
    let story = "user: go; steer: faster; inference; answer: done; decides; ends; follow up: more";
    let state = go_on(begun(), story);
    let (journal, fork) = fork(&state, state.version());
    assert_eq!(transcript(&fork), transcript(&state));
    assert_eq!(fork.status(), state.status());
    let facts = fork.facts();
    assert_eq!((facts.agent.as_ref(), facts.inbox_cursor.0), (Some(&"clerk".into()), 0));
    assert!(facts.follow_ups.is_empty() && facts.answers.is_empty() && facts.labels.is_empty());
    assert!(fork.session_used().is_zero(), "what the other session used was not used here");
    assert_eq!(fork.summary().title, "go");
    let from = facts.forked_from.as_ref().unwrap();
    assert_eq!((from.session.as_str(), from.entry), ("s", state.version()));
    assert!(journal.entries().iter().all(|entry| !matches!(entry.event, Event::InboxTaken(_))));
    // It is worked in once somebody asks for it.
    assert_eq!(fork.due_at(), None);
}

#[test]
fn s8_1_calls_that_are_open_in_a_fork_are_skipped() {
    let check = |story: &str, owed: &str| {
        let state = go_on(begun(), story);
        let (_, fork) = fork(&state, state.version());
        assert!(fork.pending().is_empty(), "{story}");
        assert_eq!(owes(&fork), owed, "{story}");
        let last = transcript(&fork).pop().unwrap();
        assert!(last.contains("the session was forked before"), "{story}: {last}");
    };
    let asked = "user: go; inference; calls: read, bash; judged";
    check(asked, "ends the step");
    check(&format!("{asked}; starts: 0; result: 0 done; starts: 1"), "ends the step");
    check(&format!("{asked}; result: 0 done; pauses: 1"), "ends the step");
}

#[test]
fn s8_1_a_fork_begins_at_an_entry_that_there_is() {
    let (state, into) = (go_on(begun(), "user: go"), SessionId::new("fork"));
    for at in [Seq::ZERO, state.version().next()] {
        let refused = journal(&state).fork(state.session(), at, &into, Timestamp(5)).unwrap_err();
        assert!(refused.to_string().contains("has no entry"), "{refused}");
    }
}

#[test]
fn s8_1_a_fork_has_the_digest_of_an_empty_definition() {
    let definition = std::sync::Arc::new(Definition::default());
    let digest = Some(definition.digest());
    let state = begun().with(Event::Defined(Defined { definition, digest: digest.clone() }));
    let state = go_on(state, "user: go");
    assert_eq!(state.facts().definition_digest, digest);
    let (_, fork) = fork(&state, state.version());
    assert_eq!(fork.facts().definition_digest, digest);
}

#[test]
fn s8_1_the_calls_of_a_fork_are_not_taken_back_with_it() {
    let story = "user: go; inference; calls: bash; judged; starts: 0; result: 0 done; decides";
    let state = go_on(begun(), story);
    let past = |journal: &Journal, session: &SessionId| {
        legwork_core::undo::PastCall::of_journal(session, journal).len()
    };
    assert_eq!(past(&journal(&state), state.session()), 1);
    let (journal, fork) = fork(&state, state.version());
    assert_eq!(past(&journal, fork.session()), 0);
}

fn moved(state: AgentState, to: Seq) -> AgentState {
    let state = state.with(Event::HeadMoved(HeadMoved { to }));
    let path = journal(&state).path(to);
    state.on_path(path)
}

/// The branches, each with its parent and the numbers of its entries.
fn branches(state: &AgentState) -> Vec<(Option<usize>, Vec<u64>)> {
    let branches = journal(state).branches();
    for (index, branch) in branches.iter().enumerate() {
        for child in &branch.children {
            assert_eq!(branches[*child].parent, Some(index));
        }
        assert_ne!(branch.children.len(), 1);
    }
    let numbers =
        |entries: &[_]| entries.iter().map(|entry: &std::sync::Arc<Entry>| entry.seq.0).collect();
    branches.iter().map(|branch| (branch.parent, numbers(&branch.entries))).collect()
}

#[test]
fn s8_1_the_tree_has_a_branch_for_each_way_that_was_taken() {
    let state = go_on(begun(), "user: one; message: two; message: three; message: four");
    assert_eq!(branches(&state), [(None, vec![2, 3, 4, 5])]);
    // Back to an entry in its middle, then on.
    let state = go_on(moved(state, Seq(3)), "message: other");
    let first = [(None, vec![2, 3]), (Some(0), vec![4, 5]), (Some(0), vec![7])];
    assert_eq!(branches(&state), first);
    // A third way from the same entry, and one from before it.
    let state = go_on(moved(state, Seq(3)), "message: third");
    let state = go_on(moved(state, Seq(2)), "message: fourth");
    let all = [
        (None, vec![2]),
        (Some(0), vec![3]),
        (Some(1), vec![4, 5]),
        (Some(1), vec![7]),
        (Some(1), vec![9]),
        (Some(0), vec![11]),
    ];
    assert_eq!(branches(&state), all);
    assert_eq!(journal(&state).tip(), Seq(11));
    // A move to an entry that moved the head leads where that one led.
    let state = go_on(moved(state, Seq(6)), "message: fifth");
    assert_eq!(
        branches(&state)[1..],
        [
            (Some(0), vec![3]),
            (Some(1), vec![4, 5]),
            (Some(1), vec![7]),
            (Some(1), vec![9]),
            (Some(0), vec![11]),
            (Some(1), vec![13]),
        ]
    );
    assert_eq!(transcript(&state).len(), 3);
}

#[test]
fn s8_1_the_head_may_leave_a_step_whose_calls_wait_and_come_back() {
    let waits = go_on(begun(), "user: go; inference; calls: bash; judged; pauses: 0");
    let (there, to) = (waits.head(), Item::MoveHead(Seq(2)));
    let away = taken(waits.clone(), to);
    assert_eq!(away.head(), Seq(2));
    let back = moved(moved(away, Seq(2)), there);
    assert_eq!((back.pending(), owes(&back)), (waits.pending(), owes(&waits)));
    assert_eq!(back.due_at(), None);
}

/// What the entries of a conversation refer to, each as the place of its message.
fn referred(state: &AgentState) -> Vec<Option<usize>> {
    let (context, transcript) = (state.context(), &state.context().transcript);
    let compaction = context.compaction.as_ref().unwrap();
    let kept = compaction.compacted.also_kept.iter().copied();
    let pinned = context.metadata[PINNED].as_array().unwrap().iter();
    let pinned = pinned.map(|entry| Seq(entry.as_u64().unwrap()));
    let summarised = context.result_summaries.iter().map(|one| one.result.entry);
    let compared = context.comparisons.iter();
    let compared =
        compared.flat_map(|one| [one.result.entry, one.repeats.map_or(Seq::ZERO, |key| key.entry)]);
    let entries = std::iter::once(compaction.compacted.first_kept).chain(kept);
    let entries = entries.chain(pinned).chain(summarised).chain(compared);
    entries.map(|entry| transcript.first_of(entry)).collect()
}

#[test]
fn s8_1_what_entries_of_a_fork_refer_to_is_what_it_was() {
    let call = "inference; calls: bash; judged; starts: 0; result: 0 done; decides";
    // What is taken from the inbox is left out of a fork, so numbers differ.
    let state = taken(go_on(begun(), &format!("user: go; {call}")), Item::Title(None));
    let state = go_on(taken(state, Item::Title(None)), &format!("{call}; message: more"));
    let of = |nth: usize| {
        let responses = journal(&state).entries().to_vec();
        let mut responses =
            responses.iter().filter(|entry| matches!(entry.event, Event::Responded(_)));
        responses.nth(nth).unwrap().seq
    };
    let (first, second, key) = (of(0), of(1), |entry| ResultKey { entry, index: 0 });
    let compacted = Compacted {
        summary: "so far".into(),
        first_kept: second,
        also_kept: vec![first],
        cause: CompactionCause::Manual,
        tokens_before: 9,
        files_read: Vec::new(),
        files_changed: Vec::new(),
        open_tasks: Vec::new(),
    };
    let (result, repeats) = (key(second), Some(key(first)));
    let state = state
        .with_metadata(PINNED, Some(serde_json::json!([first.0, second.0])))
        .with(Event::ResultSummarised(
            ResultSummarised { result: key(second), summary: "done".into() }.into(),
        ))
        .with(Event::ResultCompared(ResultCompared { result, repeats }))
        .with(Event::Compacted(compacted.into()));
    let before = referred(&state);
    assert!(before.iter().all(Option::is_some), "{before:?}");
    let (_, fork) = fork(&state, state.version());
    assert_eq!(referred(&fork), before);
    assert_eq!(fork.context().compaction.as_ref().unwrap().first, before[0].unwrap());
    let left = fork.context().compaction.as_ref().unwrap().compacted.first_kept;
    assert!(left < second, "the entries of the inbox are not copied: {left} of {second}");
}

#[test]
fn s8_1_a_head_at_the_beginning_is_sound() {
    let state = go_on(begun(), "user: go; inference; answer: done; decides; ends");
    let state = state.with(Event::HeadMoved(HeadMoved { to: Seq::ZERO }));
    let state = go_on(state, "user: anew; inference; answer: done; decides; ends");
    let lines: Vec<_> = state.uncommitted().iter().map(|entry| entry.encode().unwrap()).collect();
    assert_eq!(journal::check(lines.iter().map(Vec::as_slice)), []);
    assert_eq!(
        transcript(&journal(&state).fold(state.session())),
        ["user: anew", "assistant: done"]
    );
}
