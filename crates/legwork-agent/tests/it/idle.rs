//! Speaking to a session that nobody runs: it is taken up at once, and by whoever runs it next.

use std::sync::Arc;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Delivery, Error, Session};
use legwork_core::inbox::{Answer, Item, Label, Verdict};
use legwork_core::state::Refusal;
use legwork_core::{
    AgentState, Budget, EffectClass, ExecutionStatus, Message, Part, Seq, SessionId, StopReason,
    ToolCall, ToolOutcome,
};
use legwork_port::Ids;
use legwork_testkit::{Gate, ScriptedModel, Turn};
use serde_json::json;

use crate::tools::{World, guarded, noting, once, outcomes, said, spec};

fn call(n: u32) -> Turn {
    Turn::call("look", json!({"n": n}))
}

fn session(model: &ScriptedModel) -> (Agent, Session) {
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    let session = agent.session("s");
    (agent, session)
}

async fn kinds(session: &Session) -> Vec<String> {
    let journal = session.journal().await.unwrap();
    journal.entries().iter().map(|entry| entry.event.kind().to_owned()).collect()
}

async fn entry(session: &Session, kind: &str) -> Seq {
    let journal = session.journal().await.unwrap();
    journal.entries().iter().find(|entry| entry.event.kind() == kind).unwrap().seq
}

fn taken_up(delivery: Delivery) -> AgentState {
    delivery.into_state().unwrap()
}

#[tokio::test]
async fn s8_2_what_is_said_to_an_idle_session_is_taken_up_at_once() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let (_, session) = session(&model);
    session.run("first").await.unwrap();
    let label = Label { entry: Seq(1), text: Some("start".to_owned()) };
    let state = taken_up(session.label(label).await.unwrap());
    assert_eq!(state.facts().labels[&Seq(1)], "start");
    taken_up(session.follow_up("and then?").await.unwrap());
    let state = taken_up(session.steer("be brief").await.unwrap());
    assert_eq!(said(&state), ["first", "one", "be brief"]);
    assert_eq!(session.state().await.unwrap(), state, "it is journaled");
    let all = kinds(&session).await;
    let tail = ["inbox_taken", "labelled", "inbox_taken", "follow_up_queued", "inbox_taken"];
    assert_eq!(all[all.len() - 6..all.len() - 1], tail);

    let run = session.run("second").await.unwrap();
    let expected = ["first", "one", "be brief", "second", "two", "and then?", "three"];
    assert_eq!(said(run.state()), expected);
}

#[tokio::test]
async fn s8_2_what_cannot_be_done_is_an_error_for_the_one_who_asked_and_consumed() {
    let (_, session) = session(&ScriptedModel::new([Turn::text("one"), Turn::text("two")]));
    session.run("first").await.unwrap();
    let label = Label { entry: Seq(99), text: Some("nowhere".to_owned()) };
    let answer = Answer::new("s/9/0".to_owned(), Verdict::Tell);
    let refused = [
        session.label(label).await.unwrap_err(),
        session.answer(answer).await.unwrap_err(),
        session.stop("too late").await.unwrap_err(),
        session.move_head(Seq(99)).await.unwrap_err(),
    ];
    let expected = ["no entry 99", "s/9/0", "nothing to stop", "no entry 99"];
    for (error, words) in refused.iter().zip(expected) {
        assert!(matches!(error, Error::Refused(_)), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let state = session.state().await.unwrap();
    assert_eq!((state.facts().inbox_cursor.0, state.facts().labels.len()), (4, 0));
    assert_eq!(session.run("second").await.unwrap().text(), "two");
}

#[tokio::test]
async fn s8_2_a_session_that_runs_takes_up_what_was_said_before_its_next_step() {
    let gate = Gate::new();
    let model = ScriptedModel::new([call(1).behind(&gate), Turn::text("done")]);
    let (_, session) = session(&model);
    let say = async {
        gate.arrived(1).await;
        let delivery = session.steer("look left").await.unwrap();
        let Delivery::Waiting(cursor) = delivery else { panic!("it is held: {delivery:?}") };
        assert_eq!(cursor.0, 1);
        gate.open();
    };
    let run = tokio::join!(session.run("go").into_future(), say).0.unwrap();
    let skipped = "Not run: the user said something, which comes first";
    assert_eq!(said(run.state()), ["go", skipped, "look left", "done"]);
}

#[tokio::test]
async fn s8_2_whoever_claims_an_idle_session_takes_up_what_was_posted() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two")]);
    let (agent, session) = session(&model);
    session.run("first").await.unwrap();
    let end = entry(&session, "execution_finished").await;
    session.run("second").await.unwrap();
    let label = Label { entry: Seq(1), text: Some("start".to_owned()) };
    session.post("label", Item::Label(label)).await.unwrap();
    session.post("back", Item::MoveHead(end)).await.unwrap();
    // There is nothing to do, and what was posted is taken up all the same.
    let refused = agent.resume("s").await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::NothingToDo { .. })), "{refused}");
    let state = session.state().await.unwrap();
    assert_eq!((said(&state), state.head()), (vec!["first".into(), "one".into()], end));
    assert_eq!(state.facts().labels[&Seq(1)], "start");
}

#[tokio::test]
async fn s8_1_the_head_is_moved_by_the_inbox_between_executions() {
    let model = ScriptedModel::new([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let (_, session) = session(&model);
    session.run("first").await.unwrap();
    let end = entry(&session, "execution_finished").await;
    session.run("second").await.unwrap();
    session.post("back", Item::MoveHead(end)).await.unwrap();
    let run = session.run("other").await.unwrap();
    assert_eq!(said(run.state()), ["first", "one", "other", "two"]);
    let inside = entry(&session, "responded").await;
    session.post("inside", Item::MoveHead(inside)).await.unwrap();
    let before = session.state().await.unwrap();
    assert!(session.resume().await.is_err());
    let after = session.state().await.unwrap();
    assert_eq!((after.context(), after.execution()), (before.context(), before.execution()));
    let last = session.journal().await.unwrap().entries().last().unwrap().event.clone();
    let legwork_core::Event::InboxTaken(taken) = last else { panic!("{last:?}") };
    assert!(taken.refused.unwrap().reason.contains("step is under way"));
}

#[tokio::test]
async fn s7_6_a_queued_message_is_a_task_on_resume() {
    let turns = [Turn::text("one"), Turn::text("two"), Turn::text("three"), Turn::text("four")];
    let (_, session) = session(&ScriptedModel::new(turns));
    session.run("first").await.unwrap();
    session.follow_up("and then?").await.unwrap();
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state()), ["first", "one", "and then?", "two"]);
    assert_eq!(run.status(), ExecutionStatus::Completed);
    session.post("k", Item::Steer(Arc::new(Message::user("really?")))).await.unwrap();
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state())[4..], ["really?", "three"]);
    assert_eq!(run.state().facts().executions, 3);
    let refused = session.resume().await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::NothingToDo { .. })), "{refused}");
}

#[tokio::test]
async fn s1_9_steering_that_a_limit_leaves_unasked_is_a_task_once() {
    // The limit leaves no room for any inference.
    let agent = Agent::builder(ScriptedModel::new([]))
        .budget(Budget::guards().tokens(5))
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    let session = agent.session("s");
    session.steer("be brief").await.unwrap();
    let run = session.run("go").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Stopped);
    let entries = kinds(&session).await;
    let refused = session.resume().await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::LimitHolds { .. })), "{refused}");
    assert_eq!(kinds(&session).await, entries);
}

#[tokio::test]
async fn s1_9_input_that_is_refused_does_not_end_an_interrupted_execution() {
    let (agent, session) = session(&ScriptedModel::new([call(1), Turn::text("done")]));
    let mut first = session.run("go").open().await.unwrap();
    first.next().await.unwrap().unwrap();
    drop(first);
    let entries = kinds(&session).await;
    let open = Message::assistant(vec![Part::ToolCall(Arc::new(ToolCall::new("c", "look", "{}")))]);
    for input in [vec![], vec!["and now".into(), open]] {
        let refused = agent.run_messages(input).in_session("s").await.unwrap_err();
        assert!(matches!(refused, Error::Refused(_)), "{refused}");
    }
    assert_eq!(kinds(&session).await, entries);
    assert_eq!(session.resume().await.unwrap().text(), "done");
}

#[tokio::test]
async fn s7_7_a_stop_posted_after_the_end_does_not_stop_the_next_run() {
    let (_, session) = session(&ScriptedModel::new([Turn::text("one"), Turn::text("two")]));
    session.post("early", Item::Stop("before it began".to_owned())).await.unwrap();
    assert_eq!(session.run("first").await.unwrap().text(), "one");
    session.post("late", Item::Stop("too late".to_owned())).await.unwrap();
    let run = session.run("second").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "two"));
}

/// The same name for every session, as some programs have it.
struct Same;

impl Ids for Same {
    fn session(&self) -> SessionId {
        SessionId::from("same")
    }
}

#[tokio::test]
async fn s7_6_steering_is_delivered_where_session_ids_repeat() {
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let agent = Agent::builder(model.clone())
        .tools([noting("look", EffectClass::ReadOnly, &World::default())])
        .ids(Arc::new(Same))
        .build()
        .unwrap();
    let mut run = agent.iterate("go").await.unwrap();
    for text in ["left", "right"] {
        run.next().await.unwrap().unwrap();
        run.steer(text).await.unwrap();
    }
    while run.next().await.unwrap().is_some() {}
    assert_eq!(said(run.state()), ["go", "1", "left", "2", "right", "done"]);
}

#[tokio::test]
async fn s12_1_a_session_that_is_not_there_and_an_agent_that_keeps_none_are_told_apart() {
    let (agent, session) = session(&ScriptedModel::new([]));
    for error in [
        agent.resume("s").await.unwrap_err(),
        session.state().await.unwrap_err(),
        session.stop("x").await.unwrap_err(),
        session.move_head(Seq(1)).await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::UnknownSession(_)), "{error}");
    }
    let forgets = Agent::builder(ScriptedModel::new([Turn::text("one")])).build().unwrap();
    let id = forgets.run("go").await.unwrap().session().clone();
    let session = forgets.session(id.clone());
    for error in [
        forgets.resume(id).await.unwrap_err(),
        session.last_run().await.unwrap_err(),
        session.steer("more").await.unwrap_err(),
    ] {
        assert!(matches!(error, Error::NoStore(_)), "{error}");
        assert!(error.to_string().contains("the agent has no store"), "{error}");
    }
}

/// An agent with a session left with calls under way: one that may run again, one that may
/// not, and one that had not begun.
async fn left_under_way(model: &ScriptedModel) -> (Agent, World, Gate) {
    let (world, gate) = (World::default(), Gate::new());
    let agent = Agent::builder(model.clone())
        .tools([
            guarded(spec("look").effect(EffectClass::ReadOnly), &world, &gate),
            guarded(spec("send").effect(once()), &world, &gate),
            guarded(
                spec("late").mode(legwork_core::tool::ExecutionMode::Sequential),
                &world,
                &gate,
            ),
        ])
        .store_in(Arc::new(MemoryStore::new()))
        .build()
        .unwrap();
    (agent, world, gate)
}

fn three_calls() -> Turn {
    Turn::calls([("look", json!({"n": 1})), ("send", json!({"n": 2})), ("late", json!({"n": 3}))])
}

#[tokio::test]
async fn s1_9_a_new_task_ends_the_execution_that_was_interrupted() {
    let model = ScriptedModel::new([three_calls(), Turn::text("as you say")]);
    let (agent, world, gate) = left_under_way(&model).await;
    // By the death of the process, as a dropped run is.
    tokio::select! {
        _ = agent.run("go").in_session("s").into_future() => unreachable!("it waits"),
        () = gate.arrived(2) => {}
    }
    let run = agent.session("s").run("no, do this").await.unwrap();
    assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "as you say"));
    assert_eq!(world.notes().iter().filter(|note| note.contains("began")).count(), 2);
    assert_eq!(run.state().facts().executions, 2);
    assert_eq!(model.asked()[1].last(), "no, do this");
    let asked: Vec<_> = model.asked()[1].messages.iter().map(|said| said.role.clone()).collect();
    assert_eq!(asked.len(), 6, "go, calls, three results, the task: {asked:?}");

    // How the one before ended is journaled.
    let journal = agent.session("s").journal().await.unwrap();
    let ended = journal.entries().iter().find(|e| e.event.kind() == "execution_finished").unwrap();
    let before = AgentState::fold(run.state().facts().clone(), journal.path(ended.seq));
    assert_eq!(before.status(), Some(&ExecutionStatus::Cancelled));
    assert_eq!(before.stop_reason(), Some(&StopReason::UserRequested));
    let all = outcomes(&before);
    assert_eq!(all[..2], [ToolOutcome::Interrupted, ToolOutcome::Interrupted]);
    assert!(matches!(&all[2], ToolOutcome::Skipped(_)), "{all:?}");
    let why = before.continuation_outcome().unwrap().explain();
    assert!(why.contains("another task was given"), "{why}");
}

#[tokio::test]
async fn s1_9_a_new_task_ends_an_execution_interrupted_while_the_model_was_asked() {
    let gate = Gate::new();
    let turns = [Turn::text("never").after([Turn::text("never").behind(&gate)]), Turn::text("b")];
    let model = ScriptedModel::new(turns);
    let (agent, session) = session(&model);
    let control = legwork_agent::Control::default();
    let interrupt = async {
        gate.arrived(1).await;
        control.interrupt.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let run = tokio::join!(run.outcome(), interrupt).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    let run = session.run("no, do this").await.unwrap();
    assert_eq!(said(run.state()), ["go", "no, do this", "never"], "nothing was said between");
    assert_eq!(model.requests().len(), 2, "what was interrupted is not asked again");
    assert!(run.state().ledger().reserved.is_empty());
}

#[tokio::test]
async fn s1_9_a_new_task_waits_for_the_answer_that_a_person_owes_unless_it_is_stopped() {
    let model = ScriptedModel::new([three_calls(), Turn::text("as you say")]);
    let (agent, _, gate) = left_under_way(&model).await;
    tokio::select! {
        _ = agent.run("go").in_session("s").into_future() => unreachable!("it waits"),
        () = gate.arrived(2) => {}
    }
    let session = agent.session("s");
    let paused = session.resume().outcome().await.unwrap();
    assert_eq!(paused.status(), ExecutionStatus::AwaitingApproval);
    let refused = session.run("no, do this").await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::UnderWay { .. })), "{refused}");
    taken_up(session.stop("never mind").await.unwrap());
    let run = session.run("no, do this").await.unwrap();
    assert_eq!(run.text(), "as you say");
}

#[tokio::test]
async fn s1_9_resuming_a_run_that_failed_for_its_model_makes_the_step_anew() {
    for failure in [Turn::status(503), Turn::status(401), Turn::disconnect()] {
        let turn = Turn::text("done").after([failure]);
        let (_, session) = session(&ScriptedModel::new([call(1), turn]));
        let failed = session.run("go").outcome().await.unwrap();
        assert_eq!(failed.status(), ExecutionStatus::Failed);
        let run = session.resume().await.unwrap();
        assert_eq!((run.status(), &*run.text()), (ExecutionStatus::Completed, "done"));
        assert_eq!(said(run.state()), ["go", "1", "done"], "nobody said more");
        assert_eq!(run.state().facts().executions, 1);
        assert_eq!(run.state().errors().count(), 1, "what failed is still told");
    }
}

#[tokio::test]
async fn s1_9_resuming_after_a_stream_that_broke_off_asks_again() {
    let cut = || Turn::text("half an answer").incomplete(legwork_core::inference::Incomplete::Cut);
    let turn = Turn::text("done").after([cut(), cut()]);
    let model = ScriptedModel::new([turn]);
    let (_, session) = session(&model);
    assert_eq!(session.run("go").outcome().await.unwrap().status(), ExecutionStatus::Failed);
    assert_eq!(session.resume().outcome().await.unwrap().status(), ExecutionStatus::Failed);
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state()), ["go", "done"]);
    assert_eq!(run.state().step_results().count(), 3, "each attempt is a step of its own");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn s1_9_a_limit_with_a_number_of_its_own_is_not_passed_by_resuming() {
    use legwork_core::continuation::StepsLimit;
    let store = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([call(1), call(2), Turn::text("done")]);
    let agent = |most| {
        Agent::builder(model.clone())
            .tools([noting("look", EffectClass::ReadOnly, &World::default())])
            .criterion(StepsLimit::at(most))
            .store_in(store.clone())
            .build()
            .unwrap()
    };
    agent(1).run("go").in_session("s").outcome().await.unwrap();
    let refused = agent(1).resume("s").await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::LimitHolds { .. })), "{refused}");
    assert_eq!(model.requests().len(), 1);
    assert_eq!(agent(9).resume("s").await.unwrap().text(), "done");
}
