//! What cannot be read, for a while or by this version: nothing is counted as nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Delivery, Error, Subagent, hook};
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::{AgentState, ExecutionStatus, SessionId, ToolOutcome, Usage};
use legwork_port::store::{self, Claim, Loaded, Page, Query, Range, Removal};
use legwork_port::{BoxFuture, Store, Trigger};
use legwork_testkit::{Gate, Turn};
use serde_json::json;

use crate::subagents::{scripted, spawn};
use crate::tools::{World, outcomes, waiting};

/// A memory store whose sessions of subagents cannot be read while it is told so.
#[derive(Clone, Default)]
struct Blind {
    inner: MemoryStore,
    blind: Arc<AtomicBool>,
}

impl Store for Blind {
    fn claim<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Box<dyn Claim>, store::Error>> {
        self.inner.claim(session)
    }

    fn read<'a>(
        &'a self,
        session: &'a SessionId,
        range: Range,
    ) -> BoxFuture<'a, Result<Loaded, store::Error>> {
        if self.blind.load(Ordering::SeqCst) && session.as_str() != "s" {
            let (store, reason) = ("blind".to_owned(), "the disk is away".to_owned());
            let error = store::Error::Failed { store, reason };
            return Box::pin(std::future::ready(Err(error)));
        }
        self.inner.read(session, range)
    }

    fn sessions<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Page, store::Error>> {
        self.inner.sessions(query)
    }

    fn post<'a>(
        &'a self,
        session: &'a SessionId,
        key: &'a str,
        item: &'a Item,
    ) -> BoxFuture<'a, Result<Cursor, store::Error>> {
        self.inner.post(session, key, item)
    }

    fn inbox<'a>(
        &'a self,
        session: &'a SessionId,
        after: Cursor,
    ) -> BoxFuture<'a, Result<Vec<Posted>, store::Error>> {
        self.inner.inbox(session, after)
    }

    fn remove<'a>(
        &'a self,
        sessions: &'a [SessionId],
    ) -> BoxFuture<'a, Result<Removal, store::Error>> {
        self.inner.remove(sessions)
    }
}

#[tokio::test]
async fn s5_4_what_a_subagent_used_is_never_taken_for_nothing() {
    let (store, world, gate) = (Blind::default(), World::default(), Gate::new());
    let root = scripted("x:root", [Turn::calls([spawn("a", "go")]), Turn::text("done")]);
    let usage = Usage { input: 70, output: 7, ..Usage::default() };
    let wait = Turn::call("wait", json!({"n": 1})).with_usage(usage);
    let child = scripted("x:child", [wait, Turn::text("ok").with_usage(usage)]);
    let mode = legwork_core::tool::ExecutionMode::ParallelOrdered;
    let agent = Agent::builder(root)
        .tools([waiting("wait", mode, &world, &gate)])
        .subagent(Subagent::new("a", "Works.", "").model(child))
        .store_in(Arc::new(store.clone()))
        .build()
        .unwrap();
    let control = Control::default();
    let leaver = async {
        gate.arrived(1).await;
        control.interrupt.cancel();
    };
    let run = agent.run("go").in_session("s").control(control.clone());
    let (run, ()) = tokio::join!(async { run.outcome().await.unwrap() }, leaver);
    assert_eq!(run.status(), ExecutionStatus::InProgress);

    gate.open();
    store.blind.store(true, Ordering::SeqCst);
    let error = agent.resume("s").await.unwrap_err();
    assert!(error.as_store().is_some(), "{error:?}");
    assert!(error.to_string().contains("the disk is away"), "{error}");

    store.blind.store(false, Ordering::SeqCst);
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
    assert!(run.used().input >= 140 && run.used().output >= 14, "{:?}", run.used());
}

/// A store with the journal of a session in it, an entry of which a newer version wrote:
/// the first that has the words, with others in their place.
fn newer(journal: &[u8], session: &str, words: &str, others: &str) -> MemoryStore {
    let store = MemoryStore::new();
    let journal = String::from_utf8(journal.to_vec()).unwrap();
    let changed = journal.replacen(words, others, 1);
    assert_ne!(changed, journal);
    store.restore(&session.into(), changed.as_bytes()).unwrap();
    store
}

#[tokio::test]
async fn s8_4_a_session_of_a_newer_version_is_read_and_never_run() {
    let store = MemoryStore::new();
    let model = scripted("x:m", [Turn::text("one"), Turn::text("two"), Turn::text("three")]);
    let agent = Agent::builder(model.clone()).store_in(Arc::new(store.clone())).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let journal = store.lines(&"s".into()).unwrap();

    let store = newer(&journal, "s", r#"{"text":{"text":"one"}}"#, r#"{"song":{"text":"one"}}"#);
    let world = World::default();
    let noting = world.clone();
    // Hooks may do anything: none sees a session that is refused.
    let note = hook("note", Trigger::ALL, move |state: AgentState, cx| {
        noting.note(cx.trigger.name());
        std::future::ready(Ok(state))
    });
    let agent = Agent::builder(model.clone()).hook(note).store_in(Arc::new(store.clone()));
    let agent = agent.build().unwrap();
    let before = store.lines(&"s".into()).unwrap();
    let session = agent.session("s");
    let read = session.journal().await.unwrap();
    assert_eq!(read.entries().last().unwrap().event.kind(), "inference_started");
    assert_eq!(session.state().await.unwrap().status(), Some(&ExecutionStatus::InProgress));
    let refused = [
        session.run("more").await.unwrap_err(),
        session.resume().await.unwrap_err(),
        session.move_head(read.head()).await.unwrap_err(),
        session.steer("look").await.unwrap_err(),
    ];
    for error in refused {
        let Error::Store(store::Error::Unreadable { session, entry, reason }) = &error else {
            panic!("{error:?}")
        };
        assert_eq!((session.as_str(), *entry), ("s", read.version().next()));
        assert!(reason.contains("song"), "{reason}");
    }
    // Anybody may leave something, and whoever runs it takes that up.
    session.post("key", Item::Stop("enough".into())).await.unwrap();
    let held = store.claim(session.id()).await.unwrap();
    let waiting = session.steer("look").await.unwrap();
    assert!(matches!(waiting, Delivery::Waiting(Cursor(2))), "{waiting:?}");
    drop(held);
    assert_eq!(store.lines(&"s".into()).unwrap(), before);
    assert_eq!(model.requests().len(), 1);
    assert_eq!(world.notes(), Vec::<String>::new(), "refused before any effect");
}

#[tokio::test]
async fn s8_4_lines_that_are_no_journal_are_not_restored() {
    let store = MemoryStore::new();
    let model = scripted("x:m", [Turn::text("one")]);
    let agent = Agent::builder(model).store_in(Arc::new(store.clone())).build().unwrap();
    agent.run("go").in_session("s").await.unwrap();
    let journal = store.lines(&"s".into()).unwrap();
    let other = MemoryStore::new();
    let restore = |lines: &[u8]| other.restore(&"s".into(), lines).map_err(|e| e.to_string());
    let second = journal.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let error = restore(&journal[second..]).unwrap_err();
    assert!(error.contains("entry 2 stands where 1 should"), "{error}");
    let error = restore(&journal[..second + 9]).unwrap_err();
    assert!(error.contains("line 2") && error.contains("damaged"), "{error}");
    assert_eq!(other.sessions(&Query::first(9)).await.unwrap().sessions, []);
    restore(&journal).unwrap();
    assert_eq!(other.lines(&"s".into()).unwrap(), journal);
    assert!(restore(&journal).unwrap_err().contains("there is a session"));
    let held = other.claim(&"held".into()).await.unwrap();
    let error = other.restore(&"held".into(), &journal).unwrap_err();
    assert!(error.is_conflict(), "{error}");
    drop(held);
    assert_eq!(other.lines(&"nobody".into()).unwrap(), b"");
}
