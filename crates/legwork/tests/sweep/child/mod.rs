//! The program that is killed: this test binary as a process of its own.
//!
//! It is idempotent, as a program that survives crashes has to be: run again, it looks at the store
//! and goes on. Read `program` for what it does, then `script` (its model) and `tools`.

mod lines;
mod program;
mod script;
mod tools;

use std::env;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use legwork::agent::Error;
use legwork::port::{Store, store};
use legwork_testkit::fault::{Fault as StoreFault, FaultyStore, Operation};
use rustix::process::{Signal, getpid, kill_process};

use crate::fault::{Commit, Fault, Side};
use crate::kind;
use crate::world::World;

pub(crate) use lines::{BEGINS, ENDS, Line};
pub(crate) use program::{FORK, SESSION};
pub(crate) use script::{TOLD, done};

/// The variables that tell a child what to do.
pub(crate) const ADDRESS: &str = "LEGWORK_SWEEP_ADDRESS";
pub(crate) const EFFECTS: &str = "LEGWORK_SWEEP_EFFECTS";
pub(crate) const FAULT: &str = "LEGWORK_SWEEP_FAULT";

/// How often a program that goes on after an error tries again.
const TRIES: usize = 8;

/// How long it waits for the claims of a process that was killed.
const CLAIMED: Duration = Duration::from_secs(60);

/// In a child it runs the program; in a run of the tests there is none.
#[test]
fn plays_its_role() {
    let (Ok(address), Some(effects)) = (env::var(ADDRESS), env::var_os(EFFECTS)) else { return };
    let fault = env::var(FAULT).unwrap().parse().unwrap();
    let world = World::open(&PathBuf::from(effects)).unwrap();
    lines::mark_begin();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    // A store of files needs no network, whose own writes would fail in its place.
    match address.contains("://") {
        true => runtime.enable_all(),
        false => runtime.enable_time(),
    };
    runtime.build().unwrap().block_on(play(&address, &fault, Arc::new(world)));
    lines::mark_end();
}

/// Runs the program to its end, and dies on the way if the fault says so.
async fn play(address: &str, fault: &Fault, world: Arc<World>) {
    let Some(store) = opened(address, fault) else { return };
    let mut store = FaultyStore::over(store);
    if let Fault::Commit { commit, number, side } = fault {
        store = store.fault(operation(*commit), *number, side_of(*side));
    }
    let program = program::Program::new(Arc::new(store.clone()), world);
    tokio::select! {
        is_done = repeat(&program, fault) => if !is_done { return },
        () = store.hung().cancelled() => kill_process(getpid(), Signal::KILL).unwrap(),
    }
    let count = |commit| store.count(operation(commit));
    let (appends, posts) = (count(Commit::Append), count(Commit::Post));
    lines::say(&Line::Finished { appends, posts });
}

/// Opens the store; none if that failed and the program ends then.
fn opened(address: &str, fault: &Fault) -> Option<Arc<dyn Store>> {
    let tries = if fault.goes_on() { 2 } else { 1 };
    (0..tries).find_map(|_| {
        kind::open(address, fault.patience()).map_err(|error| lines::failed(&error.into())).ok()
    })
}

/// Runs the program until it is through; false if it ended with an error.
async fn repeat(program: &program::Program, fault: &Fault) -> bool {
    let until = Instant::now() + CLAIMED;
    let mut failures = 0;
    loop {
        match program.run().await {
            Ok(()) => return true,
            // The process that was killed has a lease on a server.
            Err(Error::Store(store::Error::Held { .. })) if Instant::now() < until => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(error) => {
                failures += 1;
                lines::failed(&error);
                if !fault.goes_on() || failures == TRIES {
                    return false;
                }
            }
        }
    }
}

fn operation(commit: Commit) -> Operation {
    match commit {
        Commit::Append => Operation::Append,
        Commit::Post => Operation::Post,
    }
}

fn side_of(side: Side) -> StoreFault {
    match side {
        Side::Before => StoreFault::HangBefore,
        Side::After => StoreFault::HangAfter,
    }
}
