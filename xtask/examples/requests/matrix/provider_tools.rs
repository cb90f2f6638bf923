//! Tools that a provider runs itself: as a setting, and what came of them in a history.

use legwork_core::inference::ModelSettings;
use legwork_core::message::Message;
use legwork_models::Api;
use serde_json::{Value, json};

use super::Case;
use super::answers::Said;
use super::conversation::{conversation, resumed, set, with_tools};
use super::wire::Wire;

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let ran = [
        wire.turn(1, &[Said::Thought("Look it up."), Said::Ran, Said::Text("42.")])?,
        vec![Message::user("And 2 + 2?")],
    ];
    let beside = wire.turn(1, &[Said::Ran, Said::Call("add", json!({"a": 17, "b": 25}))])?;
    let (ran, with) = (ran.concat(), || settings(wire.api));
    Ok(vec![
        Case::new("provider_tools", set(conversation([]), with())),
        Case::new("provider_tools_and_functions", set(with_tools(conversation([])), with())),
        Case::new("provider_tools_ran", set(conversation(ran.clone()), with())),
        Case::new("provider_tools_ran_resumed", set(resumed(&ran)?, with())),
        Case::new("provider_tools_ran_before", with_tools(conversation(ran))),
        Case::new("provider_tools_ran_beside_a_call", {
            set(with_tools(conversation(beside)), with())
        }),
    ])
}

/// Settings that offer a search and a place for code, where the API has them.
pub(super) fn settings(api: Api) -> ModelSettings {
    let fields = match api {
        Api::ChatCompletions => json!({"web_search_options": {"search_context_size": "low"}}),
        Api::Responses => json!({"tools": [
            {"type": "web_search"},
            {"type": "code_interpreter", "container": {"type": "auto"}}]}),
        Api::Messages => json!({"tools": [
            {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
            {"type": "code_execution_20250825", "name": "code_execution"}]}),
        Api::GenerateContent => json!({"tools": [{"googleSearch": {}}, {"codeExecution": {}}]}),
        _ => json!({"toolConfig": {"tools": [{"systemTool": {"name": "nova_grounding"}}]}}),
    };
    let extra = match fields {
        Value::Object(fields) => fields,
        _ => serde_json::Map::new(),
    };
    ModelSettings { extra, ..ModelSettings::default() }
}
