//! An agent asks a person: first nobody is there, then another process answers, then a program asks
//! in its own way.
//!
//! A script takes the place of the model.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, NoModel, Scripted};
use legwork::capability::ask_user::{AskUser, Question, asking};
use legwork::prelude::*;
use serde_json::json;

fn painter() -> legwork::agent::Builder {
    let question = json!({
        "question": "Which colour is the door to be?",
        "choices": ["red", "green"],
        "free_text": false
    });
    let script = Scripted::new([Line::call("ask_user", question), Line::text("Painted.")]);
    Agent::builder(NoModel).driver(script).capability(AskUser).store("memory:")
}

fn answers(run: &legwork::agent::Run) {
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("the model reads: {}", execution.outcome.to_text());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Nobody is there: the session rests, and is answered later, from wherever the store is.
    let agent = painter().build()?;
    let session = agent.session("door");
    let run = session.run("Paint the door.").outcome().await?;
    println!("{}", run.status());
    for waiting in session.pending().await? {
        let Some(question) = Question::of(&waiting.pending) else { continue };
        println!("{} {}", question.text, question.choices.join(" or "));
        if let Err(refused) = question.answer(&waiting.pending, "blue") {
            println!("{refused}");
        }
        session.answer(question.answer(&waiting.pending, "2")?).await?;
    }
    answers(&session.resume().await?);

    // A program that asks while the run waits: a dialog, a chat; here somebody who likes red.
    let person = asking(async |question: Question| question.choices.first().cloned());
    answers(&painter().approver(person).build()?.run("Paint the door.").await?);
    Ok(())
}
