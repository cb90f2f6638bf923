//! A store that cannot be read for a while: nothing is counted as nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Error, Subagent};
use legwork_core::inbox::{Cursor, Item, Posted};
use legwork_core::{ExecutionStatus, SessionId, ToolOutcome, Usage};
use legwork_port::store::{self, Claim, Loaded, Removal, SessionInfo};
use legwork_port::{BoxFuture, Store};
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

    fn read<'a>(&'a self, session: &'a SessionId) -> BoxFuture<'a, Result<Loaded, store::Error>> {
        if self.blind.load(Ordering::SeqCst) && session.as_str() != "s" {
            let (store, reason) = ("blind".to_owned(), "the disk is away".to_owned());
            let error = store::Error::Failed { store, reason };
            return Box::pin(std::future::ready(Err(error)));
        }
        self.inner.read(session)
    }

    fn sessions(&self, limit: usize) -> BoxFuture<'_, Result<Vec<SessionInfo>, store::Error>> {
        self.inner.sessions(limit)
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
    let (run, ()) = tokio::join!(async { run.await.unwrap() }, leaver);
    assert_eq!(run.status(), ExecutionStatus::InProgress);

    gate.open();
    store.blind.store(true, Ordering::SeqCst);
    let error = agent.resume("s").await.unwrap_err();
    assert!(matches!(&error, Error::Store(_)), "{error:?}");
    assert!(error.to_string().contains("the disk is away"), "{error}");

    store.blind.store(false, Ordering::SeqCst);
    let run = agent.resume("s").await.unwrap();
    assert_eq!(outcomes(run.state()), [ToolOutcome::text("ok")]);
    assert!(run.usage().input >= 140 && run.usage().output >= 14, "{:?}", run.usage());
}
