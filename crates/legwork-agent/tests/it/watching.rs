//! Several who watch one run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use legwork_agent::{Agent, Override};
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
    agent.run("go").observer(of_run).await.unwrap();
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

#[tokio::test]
async fn a_closure_is_an_observer_and_all_of_an_agent_are_told() {
    let counts = [(); 4].map(|()| Arc::new(AtomicUsize::new(0)));
    let counting = |at: usize| {
        let count = Arc::clone(&counts[at]);
        move |_: &RunEvent| {
            count.fetch_add(1, Ordering::SeqCst);
        }
    };
    let model = ScriptedModel::new([Turn::text("hello")]);
    let shared: Arc<dyn Observer> = Arc::new(counting(1));
    let agent = Agent::builder(model).observer(counting(0)).observer(shared).build().unwrap();
    let agent = agent.with_override(Override::new().observer(counting(2))).unwrap();
    agent.run("go").observer(counting(3)).await.unwrap();
    let told = counts.map(|count| count.load(Ordering::SeqCst));
    assert!(told[0] > 0 && told == [told[0]; 4], "{told:?}");
}
