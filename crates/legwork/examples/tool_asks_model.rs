//! A tool asks the model of its session in the middle of its work, within the budget of the session.
//!
//! A script takes the place of the agent's own answers; the model is asked by the tool alone.
#![allow(clippy::print_stdout, reason = "a program speaks to its terminal")]

use legwork::agent::driver::{Line, Scripted};
use legwork::core::{FinishReason, ModelRequest, Part, Response, Usage};
use legwork::port::model::{Deltas, Error, Profile};
use legwork::port::{BoxFuture, Model};
use legwork::prelude::*;
use legwork::tool::{Prompt, Prompted};
use serde_json::json;

/// A model that says how many words it read.
struct Counts(Profile);

impl Model for Counts {
    fn name(&self) -> &str {
        "example:counts"
    }

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, std::result::Result<Response, Error>> {
        let words: usize =
            request.messages().iter().map(|message| message.text().split(' ').count()).sum();
        let message = Message::assistant(vec![Part::text(format!("It has {words} words."))]);
        let mut response = Response::new(message, FinishReason::Stop);
        response.usage = Some(Usage { input: 20, output: 5, ..Usage::default() });
        Box::pin(std::future::ready(Ok(response)))
    }
}

/// Says what a text is about.
#[tool]
async fn about(text: String, cx: &ToolContext) -> ToolOutcome {
    let Some(answer) = cx.supplied().first() else {
        return Prompt::new(text).with_instructions("Say what this is about.").into();
    };
    match answer.read() {
        Ok(Prompted::Answered { text, model, .. }) => ToolOutcome::text(format!("{model}: {text}")),
        other => ToolOutcome::failed(format!("there is no answer: {other:?}")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let call = Line::call("about", json!({"text": "High water is at seven past two."}));
    let script = Scripted::new([call, Line::text("Done.")]);
    let agent = Agent::builder(Counts(Profile::new())).driver(script).tools([about]).build()?;
    let run = agent.run("What is it about?").await?;
    for execution in run.state().step_results().flat_map(|result| result.step.tool_executions()) {
        println!("the model reads: {}", execution.outcome.to_text());
    }
    let used = run.used();
    println!("{} call, {} tokens in, {} out", used.tool_calls, used.input, used.output);
    Ok(())
}
