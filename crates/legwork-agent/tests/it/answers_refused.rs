//! Answers that are refused, each with its own error, before any model call: of a call of the
//! session itself, and of one two subagents deep.

use std::sync::Arc;
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::{Ask, Tools, ToolsetExt as _};
use legwork_agent::{Agent, Error, Subagent, Waiting};
use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, Refusal};
use legwork_core::{ExecutionStatus, Seq};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::subagents::{scripted, spawn};
use crate::tools::{World, noting, once};

/// A call that waits, and all that its run had to do with.
struct Rests {
    deep: bool,
    world: World,
    store: MemoryStore,
    clock: VirtualClock,
    models: [ScriptedModel; 3],
}

impl Rests {
    async fn new(deep: bool) -> (Self, Waiting) {
        let send = || Turn::call("send", json!({"n": 1}));
        let first = if deep { Turn::calls([spawn("a", "go")]) } else { send() };
        let models = [
            scripted("x:root", [first, Turn::text("done")]),
            scripted("x:a", [Turn::calls([spawn("b", "go")]), Turn::text("a is done")]),
            scripted("x:b", [send(), Turn::text("b is done")]),
        ];
        let (world, store, clock) = Default::default();
        let rests = Self { deep, world, store, clock, models };
        let run = rests.agent().run("go").in_session("s").outcome().await.unwrap();
        assert_eq!(run.status(), ExecutionStatus::AwaitingApproval);
        let waiting = rests.agent().session("s").pending().await.unwrap().remove(0);
        assert_eq!(waiting.session.as_str() != "s", deep);
        (rests, waiting)
    }

    /// The agent, as another process has it.
    fn agent(&self) -> Agent {
        let [root, a, b] = &self.models;
        let ask = Ask::always().expires_in(Duration::from_secs(60));
        let send = noting("send", once(), &self.world);
        Agent::builder(root.clone())
            .toolset(Tools::new("asked", [send]).approval_required(ask))
            .subagent(Subagent::new("a", "Works.", "").model(a.clone()))
            .subagent(Subagent::new("b", "Works.", "").model(b.clone()))
            .store_in(Arc::new(self.store.clone()))
            .clock(Arc::new(self.clock.clone()))
            .build()
            .unwrap()
    }

    /// How an answer is refused; nothing was asked of a model, and nothing ran.
    async fn refused(&self, answer: Answer) -> Refusal {
        let refusal = match self.agent().session("s").answer(answer).await {
            Err(Error::Refused(refusal)) => refusal,
            other => panic!("deep: {}: not refused: {other:?}", self.deep),
        };
        let asked: usize = self.models.iter().map(|model| model.requests().len()).sum();
        assert_eq!(asked, if self.deep { 3 } else { 1 }, "a model was asked");
        assert!(self.world.notes().is_empty(), "it ran");
        refusal
    }
}

/// The same call with other arguments, as it would wait.
async fn changed(rests: &Rests, waiting: &Waiting) -> Pending {
    let state = rests.agent().session(waiting.session.as_str()).state().await.unwrap();
    let pending = &waiting.pending;
    let (slot, key) =
        (state.call(pending.index).unwrap(), state.effect_key(pending.index).unwrap());
    let waits = |arguments: &str, after: Seq| {
        let (reason, at) = (pending.reason.clone(), pending.asked_at);
        let spec = pending.spec.as_ref();
        Pending::new(&key, &slot.call, &arguments.into(), spec, reason, after, at)
    };
    // With the entry before it waited, the digest is the same.
    let is_its = |after: &Seq| waits(&pending.arguments, *after).digest == pending.digest;
    let after = (0..100).map(Seq).find(is_its).unwrap();
    Pending { digest: waits(r#"{"n":2}"#, after).digest, ..pending.clone() }
}

#[tokio::test]
async fn s7_3_changed_arguments_a_second_answer_and_a_late_one_are_each_their_own_error() {
    for deep in [false, true] {
        let (rests, waiting) = Rests::new(deep).await;
        let pending = &waiting.pending;
        let id = pending.id.clone();
        let other = rests.refused(Answer::approve(&changed(&rests, &waiting).await)).await;
        assert!(matches!(other, Refusal::OtherCall { .. }), "{deep}: {other:?}");
        rests.agent().session("s").answer(Answer::approve(pending)).await.unwrap();
        let again = rests.refused(Answer::approve(pending)).await;
        assert_eq!(again, Refusal::AnsweredBefore { id: id.clone() });
        let denied = rests.refused(Answer::deny(pending, "no")).await;
        assert_eq!(denied, Refusal::AnsweredBefore { id });
        // The first answer holds.
        rests.agent().resume("s").await.unwrap();
        assert_eq!(rests.world.notes(), ["send 1"]);

        let (rests, waiting) = Rests::new(deep).await;
        rests.clock.advance(Duration::from_secs(61));
        let late = rests.refused(Answer::approve(&waiting.pending)).await;
        assert!(matches!(late, Refusal::Expired { .. }), "{deep}: {late:?}");
    }
}

#[tokio::test]
async fn s7_3_an_answer_to_a_call_that_was_withdrawn_says_so() {
    for deep in [false, true] {
        let (rests, waiting) = Rests::new(deep).await;
        rests.agent().session("s").stop("enough").await.unwrap();
        let run = rests.agent().resume("s").outcome().await.unwrap();
        assert!(run.status().is_terminal());
        let late = rests.refused(Answer::approve(&waiting.pending)).await;
        assert_eq!(late, Refusal::Withdrawn { id: waiting.pending.id }, "{deep}");
    }
}
