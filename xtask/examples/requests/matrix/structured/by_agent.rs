//! A shape that an agent with tools of its own is asked for.

use legwork::prelude::*;
use legwork_output::Mode;
use serde_json::json;

use super::asked::{Asked, wait_for};
use super::rejected;
use super::shapes::sum;
use crate::matrix::Case;
use crate::matrix::answers::Said;
use crate::matrix::conversation::QUESTION;
use crate::matrix::wire::Wire;

/// Adds two numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// The requests of an agent: the first one, the one after a call of its tool, and the one after an
/// answer that was rejected.
pub(super) fn cases(wire: &Wire, mode: &str, asked: Option<Mode>) -> Result<Vec<Case>, String> {
    let call = Said::Call("add", json!({"a": 17, "b": 25}));
    let called = wire.response(1, &[Said::Thought("Add."), Said::Text("Let me add."), call])?;
    let model = Asked::new(wire, vec![called, rejected(wire, 2, asked)?]);
    let agent = Agent::builder(model.clone()).instructions("Be careful.").tool(add);
    let agent = agent.build().map_err(|error| error.to_string())?.output_as(sum()?);
    let agent = match asked {
        Some(mode) => agent.mode(mode),
        None => agent,
    };
    let names = ["", "_after_call", "_repaired"];
    let names = names.map(|end| format!("structured_agent_{mode}{end}"));
    // It fails where the answers end; its requests are what counts.
    let error = wait_for(async { agent.run(QUESTION).await.err().map(|error| error.to_string()) })?;
    Ok(model.cases(&names, error))
}
