//! What an API refuses though its schema allows it.

use legwork_models::Api;
use serde_json::Value;

/// What is wrong with a body that no schema says: calls without results, results without calls,
/// and two turns of one side in a row.
pub(crate) fn problems(api: Api, body: &Value) -> Vec<String> {
    let (mut calls, mut results) = (Vec::new(), Vec::new());
    ids(api, body, &mut calls, &mut results);
    let unpaired = (calls != results).then(|| format!("{calls:?} are called, not {results:?}"));
    unpaired.into_iter().chain(repeated_side(api, body)).collect()
}

/// The ids of calls and of results, in order; those of tools that the provider ran are its own.
fn ids(api: Api, value: &Value, calls: &mut Vec<String>, results: &mut Vec<String>) {
    let (call, result) = match api {
        Api::ChatCompletions => (
            value.get("function").filter(|function| function.get("arguments").is_some()),
            value.get("tool_call_id"),
        ),
        Api::Responses => (of_type(value, "function_call"), of_type(value, "function_call_output")),
        Api::Messages => (of_type(value, "tool_use"), of_type(value, "tool_result")),
        Api::GenerateContent => (value.get("functionCall"), value.get("functionResponse")),
        _ => (untyped(value, "toolUse"), untyped(value, "toolResult")),
    };
    let keys = match api {
        Api::ChatCompletions => ["id", "tool_call_id"],
        Api::Responses => ["call_id", "call_id"],
        Api::Messages => ["id", "tool_use_id"],
        Api::GenerateContent => ["id", "id"],
        _ => ["toolUseId", "toolUseId"],
    };
    let [call_id, result_id] = keys;
    // Chat Completions has the id beside the function, and others inside of what they name.
    let id =
        |inner: &Value, key: &str| inner.get(key).or_else(|| value.get(key)).map(Value::to_string);
    calls.extend(call.and_then(|call| id(call, call_id)));
    results.extend(result.and_then(|result| id(result, result_id)));
    match value {
        Value::Object(fields) => fields.values().for_each(|inner| ids(api, inner, calls, results)),
        Value::Array(items) => items.iter().for_each(|inner| ids(api, inner, calls, results)),
        _ => {}
    }
}

fn of_type<'v>(value: &'v Value, kind: &str) -> Option<&'v Value> {
    Some(value).filter(|value| value.get("type").is_some_and(|of| of == kind))
}

fn untyped<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    value.get(key).filter(|inner| inner.get("type").is_none())
}

fn repeated_side(api: Api, body: &Value) -> Option<String> {
    let turns = match api {
        Api::Messages | Api::Converse => &body["messages"],
        Api::GenerateContent => &body["contents"],
        _ => return None,
    };
    // Gemini takes results in a turn of their own, and after them one that a person says.
    let gives_results = |turn: &Value| turn["parts"][0].get("functionResponse").is_some();
    let side = |turn: &Value| (turn["role"].to_string(), gives_results(turn));
    let at = turns.as_array()?.windows(2).position(|two| side(&two[0]) == side(&two[1]))?;
    Some(format!("two turns of one side, the first is number {at}"))
}
