//! Who listens, and what it costs when nobody does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, EventKind, hook};
use legwork_core::{AgentState, EffectClass, Stamp};
use legwork_port::{BoxFuture, Clock, Observer, Trigger};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn, VirtualClock};
use serde_json::json;

use crate::stream::{all, slow, work};
use crate::tools::World;
use crate::watching::Deaf;

/// Counts how often the time is read.
struct Counting(VirtualClock, Arc<AtomicUsize>);

impl Clock for Counting {
    fn now(&self) -> Stamp {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.now()
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(time)
    }
}

/// How often a run read the time, whether its model was asked to stream, and its journal.
async fn cost(observer: Option<Arc<dyn Observer>>) -> (usize, Vec<String>, Vec<String>) {
    let (clock, read) = (VirtualClock::new(), Arc::new(AtomicUsize::new(0)));
    let store = MemoryStore::new();
    let turns = [Turn::call("work", json!({"n": 1})), Turn::text("done")];
    let (model, count) = (slow("x:root", turns, &clock), Arc::clone(&read));
    let world = model.2.clone();
    let watch = hook("watch", Trigger::ALL, |state, _| std::future::ready(Ok(state)));
    let agent = Agent::builder(model)
        .tools([work(&clock)])
        .hook(watch)
        .clock(Arc::new(Counting(clock, count)))
        .store_in(Arc::new(store.clone()));
    let agent = match &observer {
        Some(observer) => agent.observer(Arc::clone(observer)),
        None => agent,
    };
    let run = agent.build().unwrap().run("go").in_session("s");
    let run = match observer {
        Some(observer) => run.observer(observer),
        None => run,
    };
    run.await.unwrap();
    (read.load(Ordering::SeqCst), world.notes(), crate::tools::journal(&store, "s").await)
}

#[tokio::test]
async fn nothing_is_built_when_nobody_listens() {
    let nobody = cost(None).await;
    let deaf = Deaf::default();
    let deaf_cost = cost(Some(Arc::new(deaf.clone()))).await;
    assert_eq!(deaf_cost, nobody, "who does not listen costs what nobody costs");
    assert!(!deaf.was_notified());
    assert_eq!(nobody.1, ["streams: false", "streams: false"]);
    let heard = RecordingObserver::new();
    let heard_of = cost(Some(Arc::new(heard.clone()))).await;
    assert_eq!(heard_of.1, ["streams: true", "streams: true"]);
    assert_eq!(heard_of.2, nobody.2, "the journal is the same");
    // The time is read twice a hook and once an answer, for the news alone.
    let kinds = heard.kinds();
    let is_hook = |kind: &&EventKind| matches!(kind, EventKind::HookExecuted { .. });
    let hooks = kinds.iter().filter(is_hook);
    // As the agent's observer and as the run's it hears everything twice.
    assert_eq!(heard_of.0 - nobody.0, 2 * (hooks.count() / 2) + 2);
}

#[tokio::test]
async fn an_observer_that_does_not_listen_is_told_nothing_beside_one_that_does() {
    let heard = RecordingObserver::new();
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).observer(Arc::new(heard.clone())).build().unwrap();
    let deaf = Deaf::default();
    agent.run("go").observer(Arc::new(deaf.clone())).await.unwrap();
    assert_eq!(heard.text(), "done");
    assert!(!deaf.was_notified());
}

#[tokio::test]
async fn a_stream_leaves_the_observer_of_its_run_in_its_place() {
    let heard = RecordingObserver::new();
    let agent = Agent::builder(ScriptedModel::new([Turn::text("done")])).build().unwrap();
    let events = all(agent.run("go").observer(Arc::new(heard.clone())).stream()).await;
    assert_eq!(heard.text(), "done");
    assert_eq!(heard.events(), events);
    let deaf = Deaf::default();
    let events = all(agent.run("go").observer(Arc::new(deaf.clone())).stream()).await;
    assert!(!events.is_empty());
    assert!(!deaf.was_notified());
}

#[tokio::test]
async fn a_request_to_stop_is_told_once_wherever_it_is_raised() {
    let told = |kinds: &[EventKind]| {
        let is = |kind: &&EventKind| matches!(kind, EventKind::StopRaised { .. });
        kinds.iter().filter(is).count()
    };
    for trigger in Trigger::ALL {
        if matches!(trigger, Trigger::ExecutionEnd | Trigger::Error | Trigger::BeforeCompaction) {
            continue;
        }
        let stops = hook("stops", [trigger], |state: AgentState, _| async move {
            let raised = state.stop_signals().is_empty();
            let signal = || crate::tools::signal(legwork_core::StopReason::StopRequested);
            Ok(if raised { state.with_stop_signal(signal()) } else { state })
        });
        let heard = RecordingObserver::new();
        let model = ScriptedModel::new([Turn::call("look", json!({"n": 1})), Turn::text("done")]);
        let look = crate::tools::noting("look", EffectClass::ReadOnly, &World::default());
        let agent = Agent::builder(model).tools([look]).hook(stops).build().unwrap();
        agent.run("go").observer(Arc::new(heard.clone())).outcome().await.unwrap();
        assert_eq!(told(&heard.kinds()), 1, "{trigger:?}");
    }
    // A limit, too.
    let heard = RecordingObserver::new();
    let model = ScriptedModel::new([Turn::text("done")]);
    let budget = legwork_core::Budget::unlimited().steps(0);
    let agent = Agent::builder(model).budget(budget).build().unwrap();
    agent.run("go").observer(Arc::new(heard.clone())).outcome().await.unwrap();
    assert_eq!(told(&heard.kinds()), 1);
}
