//! Several who watch one run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use legwork_agent::Agent;
use legwork_port::{Observer, RunEvent};
use legwork_testkit::{RecordingObserver, ScriptedModel, Turn};

/// Listens to nothing, and remembers whether it was notified all the same.
#[derive(Clone, Default)]
pub(crate) struct Deaf(Arc<AtomicBool>);

impl Deaf {
    pub(crate) fn was_notified(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Observer for Deaf {
    fn listens(&self) -> bool {
        false
    }

    fn observe(&self, _: &RunEvent) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What each of the two hears of a run: that of the agent, and that of the run.
async fn run(of_agent: Arc<dyn Observer>, of_run: Arc<dyn Observer>) {
    let model = ScriptedModel::new([Turn::text("hello")]);
    let agent = Agent::builder(model).observer(of_agent).build().unwrap();
    agent.run("go").in_session("s").observer(of_run).await.unwrap();
}

#[tokio::test]
async fn two_observers_are_told_the_same_live_and_committed() {
    let (one, two) = (RecordingObserver::new(), RecordingObserver::new());
    run(Arc::new(one.clone()), Arc::new(two.clone())).await;
    assert!(one.text().contains("hello") && !one.entries().is_empty(), "{:?}", one.events());
    assert_eq!(one.events(), two.events());
}

#[tokio::test]
async fn who_listens_is_told_beside_one_who_does_not() {
    let (deaf, alone) = (Deaf::default(), RecordingObserver::new());
    run(Arc::new(alone.clone()), Arc::new(deaf.clone())).await;
    for swapped in [false, true] {
        let listens = RecordingObserver::new();
        let (deaf_one, other) = (Arc::new(deaf.clone()), Arc::new(listens.clone()));
        match swapped {
            true => run(deaf_one, other).await,
            false => run(other, deaf_one).await,
        }
        assert_eq!(listens.names(), alone.names());
    }
    assert!(!deaf.was_notified(), "one that does not listen was told something");
}
