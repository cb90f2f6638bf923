//! Sessions: moving the head, the inbox, claims, resuming.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Error, Session};
use legwork_core::inbox::{FollowUps, Item, Label};
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, EffectClass, Event, ExecutionStatus, Message, Seq, StopReason, ToolOutcome,
};
use legwork_testkit::{CountingIds, Gate, RecordingObserver, ScriptedModel, Turn, crash};
use serde_json::{Value, json};

use crate::tools::{
    World, answering, guarded, journal, made, noting, once, outcomes, said, signal, spec,
};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

/// An agent that looks, and its session `s`.
fn session(model: &ScriptedModel) -> (Agent, Session) {
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .store_in(Arc::new(MemoryStore::new()))
        .ids(Arc::new(CountingIds::new()))
        .build()
        .unwrap();
    let session = agent.session("s");
    (agent, session)
}

async fn entry(session: &Session, kind: &str) -> Seq {
    let journal = session.journal().await.unwrap();
    journal.entries().iter().find(|entry| entry.event.kind() == kind).unwrap().seq
}

async fn steer(session: &Session, text: &str) {
    session.post(text, Item::Steer(Arc::new(Message::user(text)))).await.unwrap();
}

async fn follow_up(session: &Session, text: &str) {
    session.post(text, Item::FollowUp(Arc::new(Message::user(text)))).await.unwrap();
}

/// The items taken up, with the reason where one was refused.
async fn taken(session: &Session) -> Vec<(String, Option<String>)> {
    let journal = session.journal().await.unwrap();
    let item = |entry: &Arc<legwork_core::Entry>| match &entry.event {
        Event::InboxTaken(taken) => {
            let refused = taken.refused.as_ref().map(|refused| refused.reason.clone());
            Some((taken.key.clone(), refused))
        }
        _ => None,
    };
    journal.entries().iter().filter_map(item).collect()
}

#[tokio::test]
async fn s8_1_moving_the_head_changes_the_conversation_and_not_the_ledger() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let (_, session) = session(&model);
    session.run("first").await.unwrap();
    let end = entry(&session, "execution_finished").await;
    let second = session.run("second").await.unwrap();
    let before = second.state().ledger().clone();
    assert_eq!(said(second.state()), ["first", "one", "second", "two"]);

    let moved = session.move_head(end).await.unwrap().into_state().unwrap();
    assert_eq!(said(&moved), ["first", "one"]);
    assert_eq!(moved.head(), end);
    assert_eq!(*moved.ledger(), before);
    assert_eq!(session.state().await.unwrap(), moved, "what is read is what was returned");

    let other = session.run("other").await.unwrap();
    assert_eq!(said(other.state()), ["first", "one", "other", "two"]);
    assert_eq!(other.state().ledger().lifetime.input, before.lifetime.input + 10);
    assert_eq!(session.journal().await.unwrap().children(end).count(), 2, "both stay in the tree");

    // Before its first entry there is no conversation.
    let moved = session.move_head(Seq::ZERO).await.unwrap().into_state().unwrap();
    assert_eq!((said(&moved).len(), moved.head()), (0, Seq::ZERO));
    assert_eq!(*moved.ledger(), *other.state().ledger());
}

#[tokio::test]
async fn s8_1_the_head_does_not_move_into_or_out_of_a_step() {
    let gate = Gate::new();
    let model = ScriptedModel::new([call(1), Turn::text("done").behind(&gate)]);
    let (_, session) = session(&model);
    tokio::select! {
        _ = session.run("go") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    let before = session.journal().await.unwrap();
    let started = entry(&session, "execution_started").await;
    let error = session.move_head(started).await.unwrap_err();
    assert!(matches!(error, Error::Refused(Refusal::StepUnderWay)), "out of one: {error}");
    gate.open();
    session.resume().await.unwrap();
    for kind in ["inference_started", "responded", "tool_started", "tool_finished"] {
        let inside = entry(&session, kind).await;
        let error = session.move_head(inside).await.unwrap_err();
        assert!(matches!(error, Error::Refused(Refusal::StepUnderWay)), "{kind}: {error}");
    }
    let error = session.move_head(Seq(99)).await.unwrap_err();
    assert!(matches!(error, Error::Refused(Refusal::UnknownEntry { .. })), "{error}");
    let after = session.journal().await.unwrap();
    assert_eq!(after.entries()[..before.entries().len()], *before.entries());
    assert!(after.entries().iter().all(|entry| entry.event.kind() != "head_moved"));
    let refused = taken(&session).await.into_iter().filter(|(_, why)| why.is_some()).count();
    assert_eq!(refused, 6, "each was consumed");
}

#[tokio::test]
async fn s8_1_an_execution_goes_on_from_between_its_steps() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let (_, session) = session(&model);
    session.run("go").await.unwrap();
    let first_end = entry(&session, "step_finished").await;
    let moved = session.move_head(first_end).await.unwrap().into_state().unwrap();
    assert_eq!(moved.status(), Some(&ExecutionStatus::InProgress));
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state()), ["go", "1", "2", "done"]);
    assert_eq!(model.requests().len(), 5, "the second step was made again");
    assert_eq!(run.state().ledger().lifetime.steps, 5);
}

#[tokio::test]
async fn s8_1_the_head_is_not_moved_by_the_inbox_of_a_running_session() {
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let (_, session) = session(&model);
    let mut open = session.run("go").open().await.unwrap();
    open.next().await.unwrap().unwrap();
    session.post("back", Item::MoveHead(Seq(1))).await.unwrap();
    while open.next().await.unwrap().is_some() {}
    assert_eq!(open.into_run().text(), "done");
    let all = taken(&session).await;
    assert_eq!(all.len(), 1);
    assert!(all[0].1.as_ref().unwrap().contains("under way"), "{all:?}");
}

#[tokio::test]
async fn s8_2_steering_reaches_the_very_next_inference() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let (_, session) = session(&model);
    let mut open = session.run("go").open().await.unwrap();
    open.next().await.unwrap().unwrap();
    session.steer("look left").await.unwrap();
    while open.next().await.unwrap().is_some() {}
    assert_eq!(model.asked()[1].last(), "look left");
    let run = open.into_run();
    assert_eq!(said(run.state()), ["go", "1", "look left", "2", "done"]);
}

#[tokio::test]
async fn s8_2_steering_of_a_session_that_does_not_exist_yet_waits_for_its_first_inference() {
    let model = ScriptedModel::new([Turn::text("done")]);
    let (_, session) = session(&model);
    steer(&session, "be brief").await;
    session.run("go").await.unwrap();
    assert!(model.asked()[0].messages.iter().any(|message| message.text == "be brief"));
}

#[tokio::test]
async fn s8_2_steering_during_the_last_inference_is_heard_before_it_stops() {
    let gate = Gate::new();
    let model = ScriptedModel::new([
        Turn::text("one").behind(&gate),
        Turn::text("two"),
        Turn::text("three"),
    ]);
    let (_, session) = session(&model);
    let say = async {
        gate.arrived(1).await;
        follow_up(&session, "and then?").await;
        steer(&session, "wait").await;
        gate.open();
    };
    let run = tokio::join!(session.run("go"), say).0.unwrap();
    // Steering goes first.
    assert_eq!(said(run.state()), ["go", "one", "wait", "two", "and then?", "three"]);
    assert_eq!(run.status(), ExecutionStatus::Completed);
}

#[tokio::test]
async fn s7_5_s8_2_a_follow_up_is_taken_only_where_the_agent_would_stop_one_at_a_time() {
    let model =
        ScriptedModel::new([call(1), Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let (_, session) = session(&model);
    follow_up(&session, "then this").await;
    follow_up(&session, "and this").await;
    let run = session.run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", "1", "one", "then this", "two", "and this", "three"]);
    assert_eq!(run.state().facts().executions, 1);
    assert!(run.state().facts().follow_ups.is_empty());
}

#[tokio::test]
async fn s7_5_follow_ups_may_be_delivered_together() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::builder(model).store_in(store).follow_ups(FollowUps::Together);
    let session = agent.build().unwrap().session("s");
    follow_up(&session, "then this").await;
    follow_up(&session, "and this").await;
    let run = session.run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", "one", "then this", "and this", "two"]);
    assert!(run.state().facts().follow_ups.is_empty());
}

#[tokio::test]
async fn s8_2_after_a_forbid_a_follow_up_stays_queued_for_the_next_stop() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let store = Arc::new(MemoryStore::new());
    let forbid =
        legwork_agent::hook("once", [legwork_port::Trigger::StepEnd], |state: AgentState, _| {
            let first = state.facts().executions == 1;
            let stopped = || state.clone().with_stop_signal(signal(StopReason::StopRequested));
            std::future::ready(Ok(if first { stopped() } else { state }))
        });
    let agent = Agent::builder(model).hook(forbid).store_in(store).build().unwrap();
    let session = agent.session("s");
    follow_up(&session, "then this").await;
    let run = session.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    assert_eq!(run.state().facts().follow_ups.len(), 1);
    let run = session.run("again").await.unwrap();
    assert_eq!(said(run.state()), ["go", "one", "again", "two", "then this", "three"]);
}

#[tokio::test]
async fn s8_2_labels_and_refused_items_are_consumed_once_with_their_reason() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let (_, session) = session(&model);
    let label = |entry, text: &str| Item::Label(Label { entry, text: Some(text.to_owned()) });
    session.post("good", label(Seq(1), "start")).await.unwrap();
    session.post("bad", label(Seq(99), "nowhere")).await.unwrap();
    let verdict = legwork_core::inbox::Verdict::Tell;
    let answer = legwork_core::inbox::Answer::new("s/9/9", verdict);
    session.post("answer", Item::Answer(answer)).await.unwrap();
    session.post("good", label(Seq(2), "the same key again")).await.unwrap();
    session.run("go").await.unwrap();
    let run = session.run("again").await.unwrap();
    let labels: Vec<_> = run.state().facts().labels.iter().collect();
    assert_eq!(labels, [(&Seq(1), &"start".to_owned())]);
    let all = taken(&session).await;
    let keys: Vec<_> = all.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["good", "bad", "answer"]);
    assert_eq!(all[0].1, None);
    assert!(all[1].1.as_ref().unwrap().contains("no entry 99"), "{all:?}");
    assert!(all[2].1.as_ref().unwrap().contains("s/9/9"), "{all:?}");
}

#[tokio::test]
async fn s8_2_what_was_posted_is_delivered_exactly_once_also_across_a_crash() {
    let report = crash::simulate("go", |world: &World, store| {
        let model =
            ScriptedModel::new(vec![call(1), call(2), Turn::text("one"), Turn::text("two")]);
        let (kept, noted) = (Arc::clone(&store), world.clone());
        let look = made(spec("look").effect(EffectClass::Idempotent), move |arguments, cx| {
            let (store, session, n) =
                (Arc::clone(&kept), cx.session.clone(), arguments["n"].clone());
            noted.note(format!("look {n}"));
            Box::pin(async move {
                let say = |text: String| Arc::new(Message::user(text));
                let (key, text) = (format!("steer {n}"), format!("left {n}"));
                store.post(&session, &key, &Item::Steer(say(text))).await.unwrap();
                let then = Item::FollowUp(say("then this".to_owned()));
                store.post(&session, "then", &then).await.unwrap();
                ToolOutcome::value(n)
            })
        });
        Agent::builder(model).tools([look]).store_in(store).build()
    })
    .crash_everywhere()
    .await
    .unwrap();
    let expected = ["go", "1", "left 1", "2", "left 2", "one", "then this", "two"];
    assert_eq!(said(&report.plain.state), expected);
    report.check(|_, crashed| match said(&crashed.state) {
        said if said == expected => Ok(()),
        said => Err(format!("{said:?}")),
    });
}

#[tokio::test]
async fn s8_3_a_second_run_while_one_is_running_is_a_conflict_before_any_effect() {
    let gate = Gate::new();
    let model = ScriptedModel::new([call(1), Turn::text("done").behind(&gate)]);
    let (agent, session) = session(&model);
    let second = async {
        gate.arrived(1).await;
        let before = session.journal().await.unwrap();
        for error in
            [agent.resume("s").await.unwrap_err(), session.run("me too").await.unwrap_err()]
        {
            assert!(error.is_conflict(), "{error}");
        }
        assert_eq!(session.journal().await.unwrap(), before);
        assert_eq!(model.requests().len(), 2);
        gate.open();
    };
    let run = tokio::join!(session.run("go"), second).0.unwrap();
    assert_eq!(run.text(), "done");
}

#[tokio::test]
async fn s8_3_the_claim_is_given_back_at_the_end() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let (_, session) = session(&model);
    let open = session.run("go").open().await.unwrap();
    assert!(session.run("again").open().await.is_err());
    drop(open);
    session.run("go").await.unwrap();
    assert_eq!(session.run("again").await.unwrap().text(), "two");
}

/// JSON nested this deeply.
fn nested(levels: usize) -> Value {
    (0..levels).fold(json!("x"), |inner, _| json!([inner]))
}

#[tokio::test]
async fn s1_7_a_tool_that_answers_very_deep_json_leaves_a_journal_that_can_be_read() {
    let model = ScriptedModel::new([call(1), Turn::text("done")]);
    let deep = answering("look", |_| ToolOutcome::value(nested(300)));
    let agent = Agent::builder(model.clone()).tools([deep]).build().unwrap();
    let run = agent.run("go").await.unwrap();
    assert_eq!(said(run.state()), ["go", &nested(300).to_string(), "done"]);
    for entry in agent.session(run.session().clone()).journal().await.unwrap().entries() {
        assert_eq!(&legwork_core::Entry::decode(&entry.encode().unwrap()).unwrap(), &**entry);
    }
}

#[tokio::test]
async fn s1_7_an_item_too_deep_for_a_journal_is_refused_when_it_is_posted() {
    let (_, session) = session(&ScriptedModel::new([]));
    let deep = |levels| {
        let verdict = legwork_core::inbox::Verdict::Supply(nested(levels));
        Item::Answer(legwork_core::inbox::Answer::new("7", verdict))
    };
    let refused = session.post("deep", deep(110)).await;
    assert!(matches!(refused, Err(Error::Refused(Refusal::TooDeep))), "{refused:?}");
    session.post("less", deep(90)).await.unwrap();
}

#[tokio::test]
async fn s1_7_a_state_behind_its_store_is_a_conflict_when_it_is_used() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let (agent, session) = session(&model);
    let old = session.run("first").await.unwrap().into_state();
    let text = serde_json::to_string(&old).unwrap();
    let old: AgentState = serde_json::from_str(&text).unwrap();
    session.run("second").await.unwrap();
    let before = session.journal().await.unwrap();
    let seen = RecordingObserver::new();
    let run = agent.run("third").on_state(old).observer(Arc::new(seen.clone()));
    let error = run.await.unwrap_err();
    assert!(error.is_conflict(), "{error}");
    assert_eq!(model.requests().len(), 2, "the model was asked");
    assert_eq!(session.journal().await.unwrap(), before);
    assert!(seen.entries().is_empty(), "told of what never was committed");
}

#[tokio::test]
async fn s1_7_a_state_that_went_through_serde_runs_on() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let (agent, session) = session(&model);
    let state = session.run("first").await.unwrap().into_state();
    let text = serde_json::to_string(&state).unwrap();
    let back: AgentState = serde_json::from_str(&text).unwrap();
    assert_eq!(back, state);
    let run = agent.run("second").on_state(back).await.unwrap();
    assert_eq!(said(run.state()), ["first", "one", "second", "two"]);
}

#[tokio::test]
async fn s10_1_a_run_dropped_in_an_inference_asks_again_and_ends_like_an_undisturbed_one() {
    let gate = Gate::new();
    let model = ScriptedModel::new([call(1), Turn::text("done").behind(&gate)]);
    let (agent, session) = session(&model);
    tokio::select! {
        _ = session.run("go") => unreachable!("it waits at the gate"),
        () = gate.arrived(1) => {}
    }
    gate.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(said(run.state()), ["go", "1", "done"]);
    let steps: Vec<_> = run.state().step_results().map(|result| result.step.number).collect();
    assert_eq!(steps, [1, 2]);
    assert_eq!(model.requests().len(), 3);
    let asked = model.asked();
    assert_eq!(asked[1].messages, asked[2].messages, "the same was asked again");
}

#[tokio::test]
async fn s10_2_what_has_a_response_or_an_outcome_is_never_asked_for_or_run_again() {
    let (world, gate, store) = (World::default(), Gate::new(), MemoryStore::new());
    let two = [("send", json!({"n": 1})), ("look", json!({"n": 2}))];
    let model = ScriptedModel::new([Turn::calls(two), Turn::text("done")]);
    let agent = Agent::builder(model.clone())
        .tools([
            noting("send", once(), &world),
            guarded(spec("look").effect(EffectClass::ReadOnly), &world, &gate),
        ])
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    // The outcome of the `Once` call is committed while the other still runs.
    let seen = RecordingObserver::new();
    let run = agent.run("go").in_session("s").observer(Arc::new(seen.clone()));
    tokio::select! {
        _ = run => unreachable!("it waits at the gate"),
        _ = seen.until_committed("tool_finished") => {}
    }
    assert!(journal(&store, "s").await.contains(&"tool_finished".to_owned()));
    gate.open();
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::value(json!(1)), ToolOutcome::value(json!(2))]);
    assert_eq!((world.count("send 1"), world.count("look 2 began")), (1, 2));
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test]
async fn a_session_of_an_agent_without_a_store_is_not_run_as_if_it_were_kept() {
    let model = ScriptedModel::new(["one", "two", "three"].map(Turn::text));
    let agent = Agent::builder(model.clone()).build().unwrap();
    for run in [agent.session("a").run("go"), agent.run("go").in_session("a"), agent.resume("a")] {
        let error = run.await.unwrap_err();
        assert!(matches!(&error, Error::NoStore(id) if id.as_str() == "a"), "{error}");
    }
    assert!(model.requests().is_empty());
    // The way without a store: the program keeps the state.
    let first = agent.run("go").await.unwrap();
    let session = first.session().clone();
    let then = agent.run("and now?").on_state(first.into_state()).await.unwrap();
    assert_eq!(said(then.state()), ["go", "one", "and now?", "two"]);
    let then = agent.session(&session).run("more").on_state(then.into_state());
    assert_eq!(then.await.unwrap().session(), &session);
}
