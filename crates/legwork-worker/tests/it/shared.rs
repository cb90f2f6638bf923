//! Sessions that several workers contend for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use legwork_agent::capability::ask_user::AskUser;
use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Rest, Subagent, subagent};
use legwork_core::event::{ExecutionStarted, ParentLink, SessionStarted};
use legwork_core::inbox::Answer;
use legwork_core::{AgentState, Event, Message, Seq, SessionId, Timestamp};
use legwork_port::Store;
use legwork_port::store::{Batch, Range};
use legwork_store::sqlite;
use legwork_testkit::{ScriptedModel, Turn};
use legwork_worker::{Agents, Failure, Worker, WorkerEvent};
use serde_json::json;

fn clerk(store: &Arc<dyn Store>, turns: &[Turn]) -> Agent {
    let model = ScriptedModel::new(turns.to_vec());
    Agent::builder(model).id("clerk").store_in(Arc::clone(store)).build().unwrap()
}

async fn texts(store: &dyn Store, session: &str) -> String {
    let session = SessionId::from(session);
    let state = store.read(&session, Range::ALL).await.unwrap().journal.fold(&session);
    state.final_response().map_or_else(String::new, |response| response.text())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn s10_6_four_workers_on_one_store_finish_each_session_once() {
    let folder = tempfile::tempdir().unwrap();
    let open = || -> Arc<dyn Store> {
        Arc::new(sqlite::Store::open(folder.path().join("jobs.db")).unwrap())
    };
    let store = open();
    let agent = clerk(&store, &[Turn::text("done")]);
    for number in 0..60 {
        agent.session(format!("job-{number}")).submit("go").await.unwrap();
    }
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let store = open();
            let agent = clerk(&store, &[Turn::text("done")]);
            Worker::new(store, Agents::new([agent])).concurrency(3)
        })
        .collect();
    let tasks = workers
        .into_iter()
        .map(|worker| tokio::spawn(async move { worker.run_until_idle().await.unwrap() }));
    let mut ran = 0;
    for task in tasks.collect::<Vec<_>>() {
        ran += task.await.unwrap();
    }
    assert!(ran >= 60, "{ran} sessions were run");
    for number in 0..60 {
        let session = SessionId::from(format!("job-{number}"));
        let journal = store.read(&session, Range::ALL).await.unwrap().journal;
        let count = |kind: &str| {
            journal.entries().iter().filter(|entry| entry.event.kind() == kind).count()
        };
        assert_eq!((count("responded"), count("execution_finished")), (1, 1), "{session}");
    }
}

#[tokio::test]
async fn s10_6_the_root_is_run_where_a_subagent_was_answered() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let helper = Agent::builder(ScriptedModel::new([
        Turn::call("ask_user", json!({"question": "Which?"})),
        Turn::text("that one"),
    ]))
    .id("helper")
    .capability(AskUser)
    .build()
    .unwrap();
    let boss = Agent::builder(ScriptedModel::new([
        Turn::call(subagent::TOOL, json!({"agent": "helper", "prompt": "Ask."})),
        Turn::text("thanks"),
    ]))
    .id("boss")
    .subagent(Subagent::of("helper", "Asks people.", helper))
    .store_in(Arc::clone(&store))
    .build()
    .unwrap();
    let session = boss.session("s");
    session.submit("go").await.unwrap();
    let worker = Worker::new(Arc::clone(&store), Agents::new([boss.clone()]));
    worker.run_until_idle().await.unwrap();
    let waiting = session.pending().await.unwrap();
    assert_ne!(waiting[0].session, *session.id(), "the subagent's call waits");
    session.answer(Answer::supply(&waiting[0].pending, json!("this"))).await.unwrap();
    assert_eq!(worker.run_until_idle().await.unwrap(), 1);
    assert_eq!(texts(&*store, "s").await, "thanks");
}

#[tokio::test]
async fn s10_6_a_session_of_another_agent_is_left_to_others() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mine = clerk(&store, &[Turn::text("done")]);
    let model = ScriptedModel::new([Turn::text("else")]);
    let other = Agent::builder(model).id("other").store_in(Arc::clone(&store)).build().unwrap();
    other.session("theirs").submit("go").await.unwrap();
    mine.session("mine").submit("go").await.unwrap();
    let seen: Arc<Mutex<BTreeMap<String, String>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let worker = Worker::new(Arc::clone(&store), Agents::new([mine])).report(move |event| {
        let (session, what) = match event {
            WorkerEvent::Rested { session, rest: Rest::Completed } => {
                (session, "completed".to_owned())
            }
            WorkerEvent::Began(due) if due.session.as_str() == "theirs" => {
                panic!("a session of another agent is begun")
            }
            WorkerEvent::Failed { session, failure: failure @ Failure::NoAgent(_), .. } => {
                (session, failure.to_string())
            }
            _ => return,
        };
        notes.lock().unwrap().insert(session.as_str().to_owned(), what);
    });
    assert_eq!(worker.run_until_idle().await.unwrap(), 1);
    let seen = seen.lock().unwrap().clone();
    assert_eq!(seen["mine"], "completed");
    assert!(seen["theirs"].contains("no agent `other`"), "{seen:?}");
    assert_eq!(texts(&*store, "theirs").await, "");
}

/// Adds a session whose parent is named, with a task.
async fn add_child(store: &dyn Store, session: &str, parent: &str) {
    let (id, agent) = (SessionId::from(session), "clerk".into());
    let parent = Some(ParentLink { session: parent.into(), call: "c".into(), began: Timestamp(1) });
    let started = SessionStarted { session: id.clone(), agent, parent, forked_from: None };
    let input = vec![Arc::new(Message::user("go"))];
    let state = AgentState::new(id.clone())
        .with(Event::SessionStarted(started))
        .with(Event::ExecutionStarted(ExecutionStarted { input }));
    let claim = store.claim(&id).await.unwrap();
    let entries = state.uncommitted().to_vec();
    let batch = Batch::of(&entries).with_summary(state.summary());
    claim.append(Seq::ZERO, batch).await.unwrap();
    claim.release().await.unwrap();
}

#[tokio::test]
async fn s10_6_sessions_that_are_their_own_parents_keep_no_worker_from_the_others() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    add_child(&*store, "a", "b").await;
    add_child(&*store, "b", "a").await;
    add_child(&*store, "self", "self").await;
    let agent = clerk(&store, &[Turn::text("done")]);
    agent.session("good").submit("go").await.unwrap();
    let worker = Worker::new(Arc::clone(&store), Agents::new([agent]));
    assert_eq!(worker.run_until_idle().await.unwrap(), 1);
    assert_eq!(texts(&*store, "good").await, "done");
}
