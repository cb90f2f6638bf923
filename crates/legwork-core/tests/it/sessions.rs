//! S8: moving the head, the inbox, damage.

use std::sync::Arc;

use legwork_core::event::{Answered, HeadMoved, InboxTaken, RefusedItem};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Posted, Verdict};
use legwork_core::journal::Journal;
use legwork_core::state::{Input, Refusal};
use legwork_core::{
    AgentState, Entry, Event, Message, Seq, SessionId, StopReason, StopSignal, Timestamp,
};

use crate::story::{blank, go_on, owes, tell, transcript};

fn journal(state: &AgentState) -> Journal {
    Journal::new(state.uncommitted().to_vec())
}

/// Moves the head as a program does: decided, recorded, the other path folded.
fn move_head(state: AgentState, to: u64) -> AgentState {
    let events = state.decide(Input::MoveHead(Seq(to))).unwrap();
    let state = events.into_iter().fold(state, AgentState::with);
    let path = journal(&state).path(Seq(to));
    state.on_path(path)
}

const TWO_TURNS: &str = "user: first; inference; answer: one; decides; ends; \
                         user: second; inference; answer: two; decides; ends";

#[test]
fn s8_1_a_move_of_the_head_is_an_entry_and_the_next_one_follows_the_new_head() {
    let state = move_head(tell(TWO_TURNS), 5);
    assert_eq!(transcript(&state), ["user: first", "assistant: one"]);
    assert_eq!(owes(&state), "owes nothing");
    let state = go_on(state, "user: another; inference; answer: three; decides; ends");
    assert_eq!(
        transcript(&state),
        ["user: first", "assistant: one", "user: another", "assistant: three"]
    );
    let journal = journal(&state);
    assert_eq!(journal.fold(state.session()), state);
    assert_eq!(journal.head(), state.head());
    let children: Vec<_> = journal.children(Seq(5)).map(|entry| entry.seq).collect();
    assert_eq!(children, [Seq(6), Seq(12)]);
    assert_eq!(journal.entries().len(), 16, "nothing is lost");
}

#[test]
fn s8_1_a_journal_that_ends_with_a_move_has_the_new_head() {
    let state = move_head(tell(TWO_TURNS), 5);
    let journal = journal(&state);
    assert_eq!((journal.head(), journal.version()), (Seq(5), Seq(11)));
    assert_eq!(journal.fold(state.session()), state);
}

#[test]
fn s8_1_the_head_may_move_forward_again_and_before_the_first_entry() {
    let first = tell(TWO_TURNS);
    let state = move_head(move_head(first.clone(), 5), 10);
    assert_eq!(state.context(), first.context());
    assert_eq!(state.execution(), first.execution());
    let state = move_head(state, 0);
    assert!(transcript(&state).is_empty() && state.execution().is_none());
    assert_eq!(state.facts().executions, 2);
    let state = go_on(state, "user: anew");
    assert_eq!(state.uncommitted().last().unwrap().parent, Seq::ZERO);
    assert_eq!(transcript(&state), ["user: anew"]);
}

#[test]
fn s8_1_the_head_does_not_move_in_a_step_nor_to_what_is_not_there() {
    let state = tell("user: hi; inference");
    assert_eq!(state.decide(Input::MoveHead(Seq(1))), Err(Refusal::StepUnderWay));
    let state = tell("user: hi");
    let (entry, last) = (Seq(9), Seq(1));
    assert_eq!(state.decide(Input::MoveHead(entry)), Err(Refusal::UnknownEntry { entry, last }));
}

#[test]
fn s8_1_labels_stay_on_every_path() {
    let label = |entry, text: Option<&str>| {
        Event::Labelled(Label { entry: Seq(entry), text: text.map(str::to_owned) })
    };
    let state = tell(TWO_TURNS).with(label(5, Some("good"))).with(label(10, Some("bad")));
    let state = move_head(state, 5);
    let labels: Vec<_> = state.facts().labels.iter().map(|(at, text)| (at.0, &**text)).collect();
    assert_eq!(labels, [(5, "good"), (10, "bad")]);
    let state = state.with(label(10, None));
    assert_eq!(state.facts().labels.len(), 1);
    // A label that is given again moves.
    let state = state.with(label(3, Some("good")));
    let labels: Vec<_> = state.facts().labels.iter().map(|(at, text)| (at.0, &**text)).collect();
    assert_eq!(labels, [(3, "good")]);
}

fn posted(cursor: u64, item: Item) -> Posted {
    Posted { cursor: Cursor(cursor), key: format!("k{cursor}"), item }
}

fn take(state: AgentState, posted: Posted) -> Result<AgentState, Refusal> {
    let events = state.decide(Input::Take(posted))?;
    Ok(events.into_iter().fold(state, AgentState::with))
}

#[test]
fn s8_2_an_item_moves_the_cursor_and_its_effect_is_the_next_entry() {
    let item = Item::Steer(Arc::new(Message::user("look here")));
    let state = take(tell("user: hi"), posted(3, item.clone())).unwrap();
    let entries = state.uncommitted().to_vec();
    let [_, taken, steered] = &entries[..] else { panic!("two entries") };
    let Event::InboxTaken(taken) = &taken.event else { panic!("{:?}", taken.event) };
    assert_eq!((taken.cursor, &*taken.key, &taken.refused), (Cursor(3), "k3", &None));
    assert_eq!(steered.event, Event::Steered(Arc::new(Message::user("look here"))));
    assert_eq!(state.facts().inbox_cursor, Cursor(3));
    assert_eq!(transcript(&state), ["user: hi", "user: look here"]);
    // Neither it nor an older one is taken again, in this process or a later one.
    let later = journal(&state).fold(state.session());
    for state in [state, later] {
        assert_eq!(take(state.clone(), posted(3, item.clone())), Err(Refusal::AlreadyTaken));
        assert_eq!(take(state, posted(2, item.clone())), Err(Refusal::AlreadyTaken));
    }
}

#[test]
fn s8_2_each_effect_has_one_fold_whoever_causes_it() {
    let label = Label { entry: Seq(1), text: Some("here".into()) };
    let message = || Arc::new(Message::user("look"));
    let doubt = "user: hi; inference; calls: bash; starts: 0; pauses: 0";
    let answer = Answer::new("s/3/0", Verdict::Tell);
    let stop = StopSignal::new(StopReason::UserRequested, "inbox", "enough");
    for (item, effect) in [
        (Item::Steer(message()), Event::Steered(message())),
        (Item::FollowUp(message()), Event::FollowUpQueued(message())),
        (Item::Task(message()), Event::FollowUpQueued(message())),
        (Item::Stop("enough".into()), Event::StopRaised(stop.into())),
        (Item::Answer(answer.clone()), Event::Answered(Answered { answer }.into())),
        (Item::Label(label.clone()), Event::Labelled(label)),
    ] {
        // Behind an entry that is about something else, so that the effect has the same number.
        let labelled = Event::Labelled(Label { entry: Seq(9), text: None });
        let told = tell(doubt).with(labelled).with(effect.clone());
        let taken = take(tell(doubt), posted(1, item)).unwrap();
        assert_eq!(taken.uncommitted().last().unwrap().event, effect);
        assert_eq!((taken.context(), taken.execution()), (told.context(), told.execution()));
        assert_eq!(taken.facts().labels, told.facts().labels);
        assert_eq!(taken.facts().answers, told.facts().answers);
        assert_eq!(taken.facts().follow_ups, told.facts().follow_ups);
        // The entry of the inbox alone moves the cursor and nothing else.
        let cursor = InboxTaken { cursor: Cursor(1), key: "k1".into(), refused: None };
        let alone = tell(doubt).with(Event::InboxTaken(cursor.into()));
        assert_eq!(alone.context(), tell(doubt).context());
        assert_eq!(alone.execution(), tell(doubt).execution());
        assert_eq!(alone.facts().inbox_cursor, Cursor(1));
    }
}

#[test]
fn s8_2_steering_lets_an_execution_go_on_that_was_about_to_stop() {
    let state = go_on(tell("user: hi; inference; answer: x; decides"), "steer: wait");
    assert_eq!(owes(&state), "asks the model");
    assert_eq!(transcript(&state), ["user: hi", "assistant: x", "user: wait"]);
    let forbidden = tell("user: hi; inference; fails: no; decides");
    assert_eq!(owes(&go_on(forbidden, "steer: wait")), "stops", "what is forbidden stays so");
    let signalled = tell("user: hi; inference; answer: x; decides; stop: enough");
    assert_eq!(owes(&go_on(signalled, "steer: wait")), "stops");
    let ended = tell("user: hi; inference; answer: x; decides; ends");
    let state = go_on(ended.clone(), "steer: wait");
    assert_eq!(state.execution(), ended.execution(), "what is over stays over");
}

#[test]
fn s8_2_every_kind_of_item_does_what_it_says() {
    let idle = || tell(TWO_TURNS);
    let message = || Arc::new(Message::user("later"));
    let state = take(idle(), posted(1, Item::FollowUp(message()))).unwrap();
    assert_eq!(state.facts().follow_ups.len(), 1);
    assert_eq!(transcript(&state).len(), 4);
    let state = take(tell("user: hi"), posted(1, Item::Stop("enough".into()))).unwrap();
    assert_eq!(owes(&state), "stops");
    let label = Label { entry: Seq(2), text: Some("here".into()) };
    let state = take(idle(), posted(1, Item::Label(label))).unwrap();
    assert_eq!(state.facts().labels[&Seq(2)], "here");
    let state = take(idle(), posted(1, Item::MoveHead(Seq(5)))).unwrap();
    assert_eq!((state.head(), state.facts().inbox_cursor), (Seq(5), Cursor(1)));
    let doubt = tell("user: hi; inference; calls: bash; starts: 0; pauses: 0");
    let answer = Answer::new(doubt.pending()[0].id.clone(), Verdict::Tell);
    let state = take(doubt, posted(1, Item::Answer(answer.clone()))).unwrap();
    assert_eq!(owes(&state), "ends the step");
    assert_eq!(*state.facts().answers, [answer]);
}

#[test]
fn s8_2_a_refused_item_is_consumed_and_changes_nothing_else() {
    let label = Label { entry: Seq(1), text: Some("here".into()) };
    let state = tell("user: hi; inference; calls: bash; starts: 0; pauses: 0; tell: 0; decides");
    let state = go_on(state.with(Event::Labelled(label)), "follow up: later; inference");
    assert!(!state.facts().answers.is_empty() && !state.facts().follow_ups.is_empty());
    for item in [
        Item::MoveHead(Seq(1)),
        Item::Answer(Answer::new("s/9/0", Verdict::Tell)),
        Item::Label(Label { entry: Seq(99), text: Some("x".into()) }),
        Item::FollowUp(Arc::new(Message::user("x"))),
        Item::Stop("x".into()),
        Item::Steer(Arc::new(Message::user("x"))),
    ] {
        let refused = Some(RefusedItem { item, reason: "no".to_owned() });
        let (cursor, key) = (Cursor(9), "k".to_owned());
        let event = Event::InboxTaken(InboxTaken { cursor, key, refused }.into());
        let after = state.clone().with(event);
        assert_eq!((after.context(), after.execution()), (state.context(), state.execution()));
        let mut facts = after.facts().clone();
        assert_eq!(facts.inbox_cursor, Cursor(9));
        facts.inbox_cursor = state.facts().inbox_cursor;
        facts.head = state.head();
        facts.version = state.version();
        assert_eq!(&facts, state.facts());
    }
}

#[test]
fn s8_2_moving_the_head_redelivers_nothing() {
    let state = go_on(tell(TWO_TURNS), "steer: look; follow up: later");
    let state = move_head(state, 5);
    assert_eq!(state.facts().inbox_cursor, Cursor(2));
    assert_eq!(state.facts().follow_ups.len(), 1);
    let again = Item::Steer(Arc::new(Message::user("look")));
    assert_eq!(take(state, posted(1, again)), Err(Refusal::AlreadyTaken));
}

fn entry(seq: u64, parent: u64, event: Event) -> Arc<Entry> {
    Arc::new(Entry { seq: Seq(seq), parent: Seq(parent), at: Timestamp(0), event })
}

fn said(seq: u64, parent: u64) -> Arc<Entry> {
    entry(seq, parent, Event::MessageAdded(Arc::new(Message::user(format!("m{seq}")))))
}

#[test]
fn s8_4_a_missing_or_impossible_parent_ends_the_path_and_never_panics() {
    let fold =
        |entries: Vec<Arc<Entry>>| transcript(&Journal::new(entries).fold(&SessionId::new("s")));
    assert_eq!(fold(vec![said(1, 0), said(2, 1), said(4, 3)]), ["user: m4"]);
    assert_eq!(fold(vec![said(1, 0), said(2, 2)]), ["user: m2"], "its own parent");
    assert_eq!(fold(vec![said(1, 2), said(2, 1)]), ["user: m1", "user: m2"], "a circle");
    assert_eq!(fold(vec![said(5, u64::MAX)]), ["user: m5"]);
    let gone = entry(2, 1, Event::HeadMoved(HeadMoved { to: Seq(77) }));
    assert!(fold(vec![said(1, 0), gone]).is_empty());
    assert!(fold(Vec::new()).is_empty());
}

#[test]
fn s8_4_what_is_cut_off_at_the_tail_leaves_a_session_that_goes_on() {
    let whole = tell("user: hi; inference; calls: a, b; starts: 0; result: 0 x; starts: 1");
    let lines: Vec<_> = whole.uncommitted().iter().map(|e| e.encode().unwrap()).collect();
    for kept in 0..=lines.len() {
        let entries = lines[..kept].iter().map(|line| Arc::new(Entry::decode(line).unwrap()));
        let state = Journal::new(entries.collect()).fold(whole.session());
        assert_eq!(state.version(), Seq(kept as u64));
        let next = go_on(state, "message: next");
        let entry = next.uncommitted().last().unwrap();
        assert_eq!((entry.seq.0, entry.parent.0), (kept as u64 + 1, kept as u64));
    }
}

#[test]
fn s8_5_entries_out_of_order_fold_as_in_order() {
    let whole = tell(TWO_TURNS);
    let mut entries = whole.uncommitted().to_vec();
    entries.reverse();
    assert_eq!(Journal::new(entries).fold(whole.session()), whole);
    assert_eq!(Journal::default().fold(whole.session()), blank());
}
