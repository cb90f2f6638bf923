//! Requests whose answers are streams.

use super::conversation::{conversation, set, with_tools};
use super::wire::Wire;
use super::{Case, provider_tools, structured, thinking};

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let twice = thinking::twice(wire)?;
    let provider_tools = provider_tools::settings(wire.api);
    let mut cases = vec![
        Case::new("text", conversation([])),
        Case::new("tools", with_tools(conversation([]))),
        Case::new("thinking_twice", with_tools(conversation(twice))),
        Case::new("provider_tools", set(conversation([]), provider_tools)),
    ];
    cases.extend(structured::in_each_mode(wire)?);
    Ok(cases.into_iter().map(Case::streamed).collect())
}
