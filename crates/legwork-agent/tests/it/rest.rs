//! Sessions that are run until they rest, and those that were forked, suspended or left a task.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Back, Error, Rest, Session};
use legwork_core::inbox::Answer;
use legwork_core::state::Refusal;
use legwork_core::{EffectClass, Seq, Timestamp, ToolOutcome};
use legwork_port::store::DueQuery;
use legwork_port::{Clock as _, Store as _};
use legwork_testkit::{CountingIds, Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::tools::{World, guarded, made, noting, said, spec};

struct Desk {
    clock: VirtualClock,
    store: MemoryStore,
    world: World,
}

impl Desk {
    fn new() -> Self {
        let (clock, store, world) = (VirtualClock::new(), MemoryStore::new(), World::default());
        Self { clock, store, world }
    }

    fn agent(&self, turns: impl IntoIterator<Item = Turn>) -> Agent {
        let (clock, world) = (self.clock.clone(), self.world.clone());
        let until = self.in_an_hour();
        let poll = made(spec("poll").effect(EffectClass::ReadOnly), move |_, _| {
            world.note("polled");
            let outcome = match clock.now().wall < until {
                true => ToolOutcome::deferred_until(until),
                false => ToolOutcome::text("ready"),
            };
            Box::pin(std::future::ready(outcome))
        });
        let ask = made(spec("ask"), |_, _| Box::pin(async { ToolOutcome::deferred() }));
        Agent::builder(ScriptedModel::new(turns.into_iter().collect::<Vec<_>>()))
            .id("clerk")
            .tools([poll, ask, noting("look", EffectClass::ReadOnly, &self.world)])
            .store_in(Arc::new(self.store.clone()))
            .clock(Arc::new(self.clock.clone()))
            .ids(Arc::new(CountingIds::new()))
            .build()
            .unwrap()
    }

    fn in_an_hour(&self) -> Timestamp {
        Timestamp(self.clock.now().wall.0 + 3_600_000)
    }

    async fn due(&self) -> Vec<String> {
        let query = DueQuery::at(self.clock.now().wall);
        let page = self.store.due(&query).await.unwrap();
        page.sessions.into_iter().map(|info| info.session.as_str().to_owned()).collect()
    }
}

async fn texts(session: &Session) -> Vec<String> {
    said(&session.state().await.unwrap())
}

#[tokio::test]
async fn s10_6_a_task_that_was_left_is_done_by_whoever_works_in_the_session_next() {
    let desk = Desk::new();
    let agent = desk.agent([Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let session = agent.session("job");
    session.submit("first").await.unwrap();
    assert_eq!(desk.due().await, ["job"]);
    let info = &desk.store.sessions(&legwork_port::store::Query::all()).await.unwrap().sessions[0];
    assert_eq!(
        (info.summary.title.as_str(), info.summary.agent.as_ref()),
        ("first", Some(agent.id()))
    );
    session.submit("second").await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await, ["first", "one", "second", "two"]);
    assert_eq!(desk.due().await, [] as [&str; 0]);
    // Nothing is due: nothing happens.
    let before = session.state().await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(session.state().await.unwrap(), before);
    session.submit("third").await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await[4..], ["third", "three"]);
}

#[tokio::test]
async fn s10_6_a_session_that_nobody_began_is_unknown_and_one_in_use_is_busy() {
    let desk = Desk::new();
    let agent = desk.agent([Turn::text("done")]);
    let error = agent.session("nowhere").run_until_rest().await.unwrap_err();
    assert!(error.to_string().contains("there is no session nowhere"), "{error}");
    let session = agent.session("s");
    session.submit("go").await.unwrap();
    let held = desk.store.claim(session.id()).await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Busy);
    held.release().await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
}

#[tokio::test]
async fn s10_6_s10_3_a_worker_holds_no_session_that_only_waits_for_a_time() {
    let desk = Desk::new();
    let until = desk.in_an_hour();
    let agent = desk.agent([Turn::call("poll", json!({"n": 1})), Turn::text("done")]);
    let session = agent.session("s");
    session.submit("go").await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::AwaitingUntil(until));
    assert_eq!(desk.due().await, [] as [&str; 0]);
    // Before its time nothing happens.
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::AwaitingUntil(until));
    desk.clock.advance(Duration::from_secs(3_600));
    assert_eq!(desk.due().await, ["s"]);
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(desk.world.count("polled"), 2);
    assert_eq!(texts(&session).await[1..], ["ready", "done"]);
}

#[tokio::test]
async fn s8_9_an_answer_makes_a_session_due() {
    let desk = Desk::new();
    let agent = desk.agent([Turn::call("ask", json!({"n": 1})), Turn::text("done")]);
    let session = agent.session("s");
    session.submit("go").await.unwrap();
    let rest = session.run_until_rest().await.unwrap();
    let Rest::AwaitingAnswer { calls, until: None } = rest else { panic!("{rest:?}") };
    assert_eq!(desk.due().await, [] as [&str; 0]);
    session.answer(Answer::supply(&calls[0].pending, json!("yes"))).await.unwrap();
    assert_eq!(desk.due().await, ["s"]);
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await[1..], ["yes", "done"]);
}

#[tokio::test]
async fn s8_10_a_suspended_session_rests_until_it_is_resumed() {
    let (desk, gate) = (Desk::new(), Gate::new());
    let model = ScriptedModel::new([Turn::call("slow", json!({"n": 1})), Turn::text("done")]);
    let agent = Agent::builder(model)
        .tool(guarded(spec("slow").effect(EffectClass::ReadOnly), &desk.world, &gate))
        .store_in(Arc::new(desk.store.clone()))
        .build()
        .unwrap();
    let session = agent.session("s");
    let suspend = async {
        gate.arrived(1).await;
        session.suspend("lunch").await.unwrap();
        gate.open();
    };
    let run = tokio::join!(session.run("go").outcome(), suspend).0.unwrap();
    assert_eq!(run.end().to_string(), "suspended: lunch");
    assert_eq!(run.state().step_results().count(), 1, "the step under way was made");
    // Neither a worker nor somebody who speaks to it wakes it.
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Suspended);
    session.steer("hurry").await.unwrap();
    assert_eq!(desk.due().await, [] as [&str; 0]);
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Suspended);
    let run = session.resume().await.unwrap();
    assert_eq!(run.text(), "done");
    assert!(run.state().facts().suspended.is_none());
    // One that is idle is suspended at once, and a task ends that.
    session.suspend("night").await.unwrap();
    session.follow_up("one more").await.unwrap();
    assert_eq!(desk.due().await, [] as [&str; 0]);
}

#[tokio::test]
async fn s8_10_a_task_that_is_left_for_a_suspended_session_ends_the_suspension() {
    let desk = Desk::new();
    let session = desk.agent(["one", "two", "three"].map(Turn::text)).session("s");
    session.run("first").await.unwrap();
    session.suspend("night").await.unwrap();
    session.follow_up("second").await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await, ["first", "one"]);
    session.submit("third").await.unwrap();
    assert_eq!(desk.due().await, ["s"]);
    assert!(session.state().await.unwrap().facts().suspended.is_none());
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await, ["first", "one", "second", "two", "third", "three"]);
}

#[tokio::test]
async fn s8_10_a_task_that_is_left_while_a_process_works_ends_a_suspension() {
    let desk = Desk::new();
    let session = desk.agent(["one", "two"].map(Turn::text)).session("s");
    session.submit("first").await.unwrap();
    let held = desk.store.claim(session.id()).await.unwrap();
    session.suspend("night").await.unwrap();
    session.submit("second").await.unwrap();
    held.release().await.unwrap();
    assert_eq!(session.run_until_rest().await.unwrap(), Rest::Completed);
    assert_eq!(texts(&session).await, ["first", "one", "second", "two"]);
}

#[tokio::test]
async fn s8_1_a_fork_goes_on_by_itself() {
    let desk = Desk::new();
    let turns = ["one", "two"].map(Turn::text);
    let agent = desk.agent(turns);
    let session = agent.session("s");
    session.run("first").await.unwrap();
    let end = session.state().await.unwrap().version();
    session.run("second").await.unwrap();
    let fork = session.fork(end).await.unwrap();
    assert_eq!(texts(&fork).await, ["first", "one"]);
    assert_eq!(fork.run_until_rest().await.unwrap(), Rest::Completed);
    let run = fork.run("other").await.unwrap();
    assert_eq!(said(run.state()), ["first", "one", "other", "two"]);
    assert_eq!(run.session_used().steps, 1, "what was copied was not used here");
    assert_eq!(texts(&session).await, ["first", "one", "second", "two"]);
    let taken = session.fork_into(end, fork.id().clone()).await.unwrap_err();
    assert!(taken.to_string().contains("give the new one another id"), "{taken}");
}

#[tokio::test]
async fn s8_1_a_session_that_waits_is_forked_without_its_call_and_left_with_it() {
    let desk = Desk::new();
    let agent = desk.agent([Turn::call("ask", json!({"n": 1})), Turn::text("done")]);
    let session = agent.session("s");
    session.run("go").outcome().await.unwrap();
    let waits = session.state().await.unwrap();
    let fork = session.fork(waits.head()).await.unwrap();
    assert!(fork.pending().await.unwrap().is_empty());
    assert_eq!(desk.due().await, [] as [&str; 0]);
    let run = fork.resume().await.unwrap();
    assert!(said(run.state())[1].contains("forked before"), "{:?}", said(run.state()));
    // The head may leave the call, which waits for it to come back.
    session.rewind(Back::Task).await.unwrap();
    let call = &waits.pending()[0];
    let refused = session.answer(Answer::supply(call, json!("late"))).await.unwrap_err();
    assert!(matches!(refused, Error::Refused(Refusal::Withdrawn { .. })), "{refused}");
    session.move_head(waits.head()).await.unwrap();
    assert_eq!(session.state().await.unwrap().pending(), waits.pending());
}

#[tokio::test]
async fn s8_1_the_head_is_moved_back_by_steps_and_by_the_task() {
    let desk = Desk::new();
    let look = |n: u32| Turn::call("look", json!({"n": n}));
    let turns = [look(1), look(2), Turn::text("done")];
    let agent = desk.agent(turns);
    let session = agent.session("s");
    session.run("go").await.unwrap();
    session.rewind(Back::Steps(2)).await.unwrap();
    assert_eq!(texts(&session).await, ["go", "1"]);
    assert_eq!(desk.due().await, [] as [&str; 0], "nobody goes on from there unasked");
    let run = session.resume().await.unwrap();
    assert_eq!(said(run.state()), ["go", "1", "2", "done"]);
    assert_eq!(desk.world.count("look 2"), 2, "the step was made again");
    let far = session.rewind(Back::Steps(9)).await.unwrap_err();
    assert!(far.to_string().contains("the session has 3"), "{far}");
    session.rewind(Back::Task).await.unwrap();
    assert_eq!(texts(&session).await, [] as [&str; 0]);
    let run = session.run("other").await.unwrap();
    assert_eq!(said(run.state()), ["other", "1", "2", "done"]);
    assert_eq!(run.session_used().steps, 8);
    let nowhere = session.fork(Seq(999)).await.unwrap_err();
    assert!(matches!(nowhere, Error::Refused(Refusal::UnknownEntry { .. })), "{nowhere}");
}

#[tokio::test]
async fn s8_7_a_title_is_given_and_taken_away() {
    let desk = Desk::new();
    let agent = desk.agent([Turn::text("done")]);
    let session = agent.session("s");
    session.run("Sort the mail\nplease").await.unwrap();
    let title = async || session.state().await.unwrap().summary().title.clone();
    assert_eq!(title().await, "Sort the mail");
    session.title(Some(" Mail \nof Monday".into())).await.unwrap();
    assert_eq!(title().await, "Mail");
    session.title(None).await.unwrap();
    assert_eq!(title().await, "Sort the mail");
}
