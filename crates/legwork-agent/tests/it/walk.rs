//! The way from a task to the first durable byte is the one that ARCHITECTURE.md describes.

use std::backtrace::Backtrace;
use std::sync::{Arc, Mutex};

use legwork_agent::Agent;
use legwork_agent::memory::MemoryStore;
use legwork_core::{Entry, Seq, SessionId};
use legwork_testkit::{ScriptedModel, Turn};

use crate::meddled::{Meddled, Meddler};

/// Notes the files whose functions lead to the first append, the outermost first.
#[derive(Default)]
struct Walk(Mutex<Vec<String>>);

impl Meddler for Walk {
    fn hangs(&self, _: &SessionId, expected: Seq, _: &[Arc<Entry>]) -> bool {
        if expected == Seq::ZERO {
            *self.0.lock().unwrap() = files(&Backtrace::force_capture().to_string());
        }
        false
    }
}

/// The files of the runtime and of sessions in a backtrace, without the wrappers that only poll
/// what is in them.
fn files(backtrace: &str) -> Vec<String> {
    let at = backtrace.lines().rev().filter_map(|line| line.trim().strip_prefix("at "));
    let ours = ["legwork-runtime/src/", "legwork-session/src/"];
    let in_ours = at.filter_map(|place| ours.iter().find_map(|of| place.split_once(of)));
    let file = in_ours.filter_map(|(_, place)| place.split(':').next());
    let mut files: Vec<_> = file.map(str::to_owned).collect();
    files.retain(|file| !["renewal.rs", "unwind.rs"].contains(&&**file));
    files.dedup();
    files
}

#[tokio::test]
async fn no_file_is_visited_twice_on_the_way_to_the_first_append() {
    let walk = Arc::new(Walk::default());
    let store = Meddled::by(walk.clone(), &MemoryStore::new());
    let model = ScriptedModel::new([Turn::text("done")]);
    let agent = Agent::builder(model).store_in(Arc::new(store)).build().unwrap();
    agent.run("Go.").await.unwrap();
    let walked = walk.0.lock().unwrap().clone();
    let way = ["open.rs", "run.rs", "driver/mod.rs", "driver/infer/mod.rs", "context.rs"];
    assert_eq!(walked, [&way[..], &["writer.rs", "kept.rs"]].concat());
}
