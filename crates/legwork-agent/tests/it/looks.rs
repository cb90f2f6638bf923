//! Runs that take up an execution which waits for an answer, and only look, or find something.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_core::inbox::Item;
use legwork_core::{ExecutionStatus, Micros};
use legwork_port::Store;
use legwork_testkit::{Gate, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::sets::Set;
use crate::tools::{World, guarded, journal, once, spec};

/// A source that takes so long to open, while somebody may say something to the session.
fn opening(waiting: &Waiting, takes: Duration, says: Option<&'static str>) -> Set {
    let (clock, store) = (waiting.clock.clone(), waiting.store.clone());
    Set::new("opening").opening(move |scope| {
        let (clock, store, session) = (clock.clone(), store.clone(), scope.session.clone());
        Box::pin(async move {
            clock.advance(takes);
            if let Some(text) = says {
                store.post(&session, text, &Item::Steer(Arc::new(text.into()))).await.unwrap();
            }
            Ok(())
        })
    })
}

/// A session in which a call is in doubt.
struct Waiting {
    clock: VirtualClock,
    store: MemoryStore,
    gate: Gate,
}

impl Waiting {
    fn agent(&self, takes: Duration, says: Option<&'static str>) -> Agent {
        let model = ScriptedModel::new([Turn::call("send", json!({"n": 1})), Turn::text("done")]);
        Agent::builder(model)
            .tools([guarded(spec("send").effect(once()), &World::default(), &self.gate)])
            .toolset(opening(self, takes, says))
            .clock(Arc::new(self.clock.clone()))
            .store_in(Arc::new(self.store.clone()))
            .build()
            .unwrap()
    }

    async fn new() -> Self {
        let waiting =
            Self { clock: VirtualClock::new(), store: MemoryStore::new(), gate: Gate::new() };
        tokio::select! {
            biased;
            _ = waiting.agent(Duration::ZERO, None).run("go").in_session("s") => unreachable!(),
            () = waiting.gate.arrived(1) => {}
        }
        waiting.look(Duration::ZERO, None).await;
        waiting
    }

    /// What a run journals that takes the session up, and the active time then.
    async fn look(&self, takes: Duration, says: Option<&'static str>) -> (Vec<String>, Micros) {
        let before = journal(&self.store, "s").await.len();
        let run = self.agent(takes, says).resume("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
        let new = journal(&self.store, "s").await.split_off(before);
        (new, run.state().ledger().spent.active_time)
    }
}

#[tokio::test]
async fn s1_8_a_run_that_only_looks_is_not_charged_and_one_that_finds_something_is() {
    let (waiting, three) = (Waiting::new().await, Duration::from_secs(3));
    assert_eq!(waiting.look(three, None).await, (Vec::new(), Micros::ZERO));
    let (new, active) = waiting.look(three, Some("left")).await;
    assert_eq!(new.last().unwrap(), "worked", "{new:?}");
    assert_eq!(active, Micros::from(three));
    // Where no time passed, there is none to be charged.
    let (new, active) = waiting.look(Duration::ZERO, Some("right")).await;
    assert!(new.contains(&"inbox_taken".to_owned()), "{new:?}");
    assert!(!new.contains(&"worked".to_owned()), "{new:?}");
    assert_eq!(active, Micros::from(three));
}
