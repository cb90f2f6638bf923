//! Custom criteria: one requests to go on, one forbids it, and the outcome says why.
//!
//! A script takes the place of the model, so that this runs anywhere.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::core::continuation::{self, criterion};
use legwork::core::{Criterion, Decision, StopReason, StopSignal};
use legwork::prelude::*;

/// Requests another step while the answer contains a TODO: a type.
struct NoTodo;

impl Criterion for NoTodo {
    fn name(&self) -> &str {
        "no_todo"
    }

    fn decide(&self, state: &AgentState) -> Result<Option<Decision>, continuation::Error> {
        let open = state.final_response().is_some_and(|response| response.text().contains("TODO"));
        // A request overrules the stop at the end of an answer; a limit overrules a request.
        Ok(open.then_some(Decision::Request))
    }
}

/// Forbids more than three drafts: a closure, evaluated only if the execution would go on.
fn three_drafts() -> impl Criterion {
    criterion("three_drafts", |state: &AgentState| {
        let drafts = state.step_results().count() + usize::from(state.current_step().is_some());
        let words = "three drafts are enough";
        let signal = StopSignal::new(StopReason::StopRequested, "three_drafts", words);
        Ok((drafts >= 3).then_some(Decision::Forbid(signal)))
    })
    .limit()
}

async fn write(drafts: &[&str]) -> legwork::Result<()> {
    // A criterion is pure; the message to the model is added by a hook.
    let remind = hook::step_end("remind", async |step, _cx| {
        match step.outcome().is_some_and(|outcome| outcome.should_continue()) {
            true => step.with_message("There is a TODO in it."),
            false => step,
        }
    });
    let agent = Agent::builder(NoModel)
        .driver(Scripted::new(drafts.iter().map(|draft| Line::text(*draft))))
        .criterion(NoTodo)
        .criterion(three_drafts())
        .hook(remind)
        .build()?;
    let run = agent.run("Write a letter.").outcome().await?;
    let why = run.continuation().map_or_else(String::new, |outcome| outcome.explain());
    println!("{}: {} ({why})", run.status(), run.text());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> legwork::Result<()> {
    write(&["Dear TODO", "Dear Ann"]).await?;
    write(&["TODO 1", "TODO 2", "TODO 3", "TODO 4"]).await
}
