//! Results that come later: one from outside, one at a point in time.
//!
//! A script takes the place of the model, and time is virtual, so that nobody has to wait.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use std::sync::Arc;
use std::time::Duration;

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::core::Timestamp;
use legwork::pending::PendingReason;
use legwork::port::Clock as _;
use legwork::prelude::*;
use legwork_testkit::VirtualClock;
use serde_json::json;

/// Orders a photo; the photographer sends it when it is taken.
#[tool(idempotent)]
async fn photo(of: String) -> ToolOutcome {
    println!("photo: ordered of {of}");
    ToolOutcome::deferred()
}

/// When the cake is done.
struct Oven(Timestamp);

/// Takes the cake out of the oven, as soon as it is done.
#[tool(read_only)]
async fn cake(cx: &ToolContext, #[dep] oven: &Oven) -> ToolOutcome {
    if cx.state.now().wall < oven.0 {
        println!("cake: not done yet");
        return ToolOutcome::deferred_until(oven.0);
    }
    ToolOutcome::text("a cake")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    let clock = VirtualClock::auto();
    let start = clock.now();
    let script = Scripted::new([
        Line::call("cake", json!({})),
        Line::call("photo", json!({"of": "the cake"})),
        Line::text("It looks good."),
    ]);
    let agent = Agent::builder(NoModel)
        .driver(script)
        .tools([photo, cake])
        .dep(Oven(start.wall.after(Duration::from_secs(40 * 60).into())))
        .clock(Arc::new(clock.clone()))
        .store("memory:")
        .build()?;
    let session = agent.session("party");

    // A run waits for a time by itself. It does not wait for others: it rests.
    let run = session.run("Bake a cake, and have a photo taken.").outcome().await?;
    let waited = clock.mono().since(start.mono);
    println!("{} after {:?}", run.status(), Duration::from(waited));

    // Who has the result gives it, today or next week, from any process with access to the store.
    for waiting in session.pending().await? {
        if waiting.pending.reason == PendingReason::External {
            println!("{} is supplied", waiting.pending.tool);
            session.answer(Answer::supply(&waiting.pending, json!("cake.png"))).await?;
        }
    }

    let run = session.resume().await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("{}: {}", execution.call.name, execution.outcome.to_text());
    }
    println!("{}", run.text());
    Ok(())
}
