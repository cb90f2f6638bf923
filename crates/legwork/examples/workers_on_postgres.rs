//! Workers on a Postgres database: processes that run what any process submitted.
//!
//! ```text
//! STORE=postgres://ann:PASSWORD@db.example.com/agents workers_on_postgres
//! ```
//!
//! The program submits tasks and runs itself as two workers. These may be on any machine: what they
//! share is the store. A script takes the place of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::process::Command;
use std::sync::Arc;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::port::Store;
use legwork::prelude::*;
use legwork::worker::{Agents, Worker};
use serde_json::json;

/// Sorts the mail in a tray.
#[tool]
async fn sort(tray: u32) -> String {
    format!("the mail in tray {tray} is sorted")
}

/// The agent, as each process builds it.
fn clerk(store: &Arc<dyn Store>) -> legwork::Result<Agent> {
    let script =
        Scripted::new([Line::call("sort", json!({"tray": 1})), Line::text("The mail is sorted.")]);
    let agent = Agent::builder(NoModel).id("clerk").driver(script).tools([sort]);
    Ok(agent.store_in(Arc::clone(store)).build()?)
}

/// A worker, which ends when nothing is due any more; with `run` it would go on.
async fn work(store: Arc<dyn Store>) -> legwork::Result<()> {
    let agents = Agents::new([clerk(&store)?]);
    Worker::new(store, agents).concurrency(8).run_until_idle().await?;
    Ok(())
}

/// Leaves tasks, has workers run them, and prints what came of each.
async fn submit(store: &Arc<dyn Store>) -> Result<(), Box<dyn std::error::Error>> {
    let clerk = clerk(store)?;
    let sessions: Vec<_> = (1..=6).map(|number| clerk.session(format!("job-{number}"))).collect();
    for session in &sessions {
        session.submit("Sort the mail.").await?;
    }
    let start = || Command::new(std::env::current_exe()?).arg("work").spawn();
    for mut worker in [start()?, start()?] {
        worker.wait()?;
    }
    for session in &sessions {
        let run = session.last_run().await?;
        println!("{}: {} {}", session.id(), run.status(), run.text());
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::var("STORE").map_err(|_| "set STORE to the address of a database")?;
    let store = legwork::store::open(&address)?;
    match std::env::args().nth(1).as_deref() {
        Some("work") => Ok(work(store).await?),
        _ => submit(&store).await,
    }
}
