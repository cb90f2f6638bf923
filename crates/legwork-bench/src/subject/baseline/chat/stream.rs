//! Chunks of a streamed answer.

use serde::Deserialize;

use super::{Answer, Call};
use crate::error::Error;

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Delta,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<CallDelta>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: usize,
    id: Option<String>,
    #[serde(default)]
    function: FunctionDelta,
}

#[derive(Default, Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

/// Adds the data of one event to the answer.
pub(super) fn take(data: &[u8], answer: &mut Answer) -> Result<(), Error> {
    if data == b"[DONE]" {
        return Ok(());
    }
    let chunk: Chunk = serde_json::from_slice(data).map_err(Error::json("a chunk"))?;
    for Choice { delta } in chunk.choices {
        if let Some(text) = delta.content {
            answer.content.get_or_insert_default().push_str(&text);
        }
        for part in delta.tool_calls {
            extend(&mut answer.tool_calls, part);
        }
    }
    Ok(())
}

/// Adds a piece to the call that it belongs to.
fn extend(calls: &mut Vec<Call>, part: CallDelta) {
    if calls.len() <= part.index {
        calls.resize_with(part.index + 1, Call::default);
    }
    let Some(call) = calls.get_mut(part.index) else {
        return;
    };
    call.id.push_str(part.id.as_deref().unwrap_or_default());
    let FunctionDelta { name, arguments } = part.function;
    call.function.name.push_str(name.as_deref().unwrap_or_default());
    call.function.arguments.push_str(arguments.as_deref().unwrap_or_default());
}
