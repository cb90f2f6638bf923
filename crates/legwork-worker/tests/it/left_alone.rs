//! Sessions that a worker leaves alone for a while.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use legwork_agent::memory::MemoryStore;
use legwork_agent::{Agent, Control, Rest};
use legwork_core::Micros;
use legwork_port::{BoxFuture, Clock as _, Store};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};
use legwork_worker::{Due, Failure, Runner, Worker};

/// How often the runner is asked.
const TIMES: usize = 8;

/// A runner that always comes to the same, and notes when it was asked.
#[derive(Clone)]
struct Always {
    comes_to: fn() -> Result<Rest, Failure>,
    clock: VirtualClock,
    asked: Arc<Mutex<Vec<Micros>>>,
    control: Control,
}

impl Runner for Always {
    fn run<'a>(&'a self, _: &'a Due, _: Control) -> BoxFuture<'a, Result<Rest, Failure>> {
        Box::pin(async {
            let mut asked = self.asked.lock().unwrap();
            asked.push(self.clock.mono());
            if asked.len() == TIMES {
                self.control.rest.cancel();
            }
            (self.comes_to)()
        })
    }
}

/// The waits between the times at which a session is tried again.
async fn waits(comes_to: fn() -> Result<Rest, Failure>) -> Vec<u64> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let clock = VirtualClock::auto();
    let builder = Agent::builder(model).id("clerk").clock(Arc::new(clock.clone()));
    let agent = builder.store_in(Arc::clone(&store)).build().unwrap();
    agent.session("s").submit("go").await.unwrap();
    let (asked, control) = (Arc::default(), Control::default());
    let runner = Always { comes_to, clock: clock.clone(), asked, control: control.clone() };
    let worker = Worker::new(store, runner.clone()).clock(Arc::new(clock));
    worker.poll(Duration::from_millis(100)).control(control).run().await;
    let asked = runner.asked.lock().unwrap().clone();
    asked.windows(2).map(|pair| pair[1].since(pair[0]).0.div_ceil(1_000_000)).collect()
}

#[tokio::test]
async fn s10_6_a_session_that_another_process_works_in_is_tried_again_soon() {
    // A second, and what is left of the interval at which the store is asked.
    let waits = waits(|| Ok(Rest::Busy)).await;
    assert!(waits.iter().all(|wait| (1..=2).contains(wait)), "{waits:?}");
}

#[tokio::test]
async fn s10_6_a_session_that_cannot_be_run_is_tried_ever_more_rarely() {
    let waits = waits(|| Err(Failure::Other("no".to_owned()))).await;
    let at_least = [1, 2, 4, 8, 16, 32, 64];
    assert!(waits.iter().zip(at_least).all(|(wait, least)| *wait >= least), "{waits:?}");
}
