//! Tools: calls, results, and whether one must be called.

use legwork_core::inference::ToolChoice;
use legwork_core::message::{Message, Part, ResultPart, ToolResult};
use serde_json::{Value, json};

use super::Case;
use super::answers::Said;
use super::content::{document, image};
use super::conversation::{call, conversation, result, text, with_tools};
use super::wire::Wire;

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let case = |name, messages| Case::new(name, with_tools(conversation(messages)));
    let sum = || json!({"a": 1, "b": 2});
    let own = wire.turn(1, &[Said::Call("add", sum()), Said::Call("subtract", sum())])?;
    let silent = wire.turn(1, &[Said::Call("add", Value::Object(serde_json::Map::new()))])?;
    let mut cases = vec![
        case("tools", one_call()),
        case("parallel_calls", parallel_calls()),
        case("own_parallel_calls", own),
        case("own_call_without_arguments", silent),
        case("image_result", rich_result(ResultPart::Image(image()))),
        case("file_result", rich_result(ResultPart::File(document()))),
        case(
            "empty_result",
            vec![Message::assistant(vec![call("c1", "{}")]), result("c1", vec![])],
        ),
        case("broken_arguments", broken_arguments()),
        case("long", long()),
        Case::new("tools_withdrawn", conversation(one_call())),
    ];
    for (name, choice) in [
        ("auto", ToolChoice::Auto),
        ("none", ToolChoice::None),
        ("required", ToolChoice::Required),
        ("named", ToolChoice::Named("add".to_owned())),
    ] {
        let mut request = with_tools(conversation([]));
        request.tool_choice = choice.clone();
        cases.push(Case::new(format!("tool_choice_{name}"), request));
        let mut request = with_tools(conversation(one_call()));
        request.tool_choice = choice;
        cases.push(Case::new(format!("tool_choice_{name}_after_call"), request));
    }
    Ok(cases)
}

fn one_call() -> Vec<Message> {
    vec![Message::assistant(vec![call("c1", r#"{"a":17,"b":25}"#)]), result("c1", text("42"))]
}

fn parallel_calls() -> Vec<Message> {
    let calls = vec![Part::text("Both."), call("c1", "{\"a\":1,\"b\":2}"), call("c2", "")];
    let failed = ToolResult { is_error: true, ..ToolResult::new("c2", "add", "no numbers") };
    vec![
        Message::assistant(calls),
        result("c1", text("3")),
        Message::tool_result(failed),
        Message::assistant(vec![Part::text("3.")]),
        Message::user("Thanks."),
    ]
}

fn rich_result(part: ResultPart) -> Vec<Message> {
    let json = ResultPart::Json(json!({"points": 3}));
    let parts = vec![ResultPart::Text("A plot:".to_owned()), part, json];
    vec![Message::assistant(vec![call("c1", "{}")]), result("c1", parts)]
}

fn broken_arguments() -> Vec<Message> {
    let failed = ToolResult { is_error: true, ..ToolResult::new("c1", "add", "not JSON") };
    vec![Message::assistant(vec![call("c1", "{\"a\":")]), Message::tool_result(failed)]
}

/// More than a chunk of messages.
fn long() -> Vec<Message> {
    (0..40)
        .flat_map(|number| {
            let (one, other) = (format!("a{number}"), format!("b{number}"));
            let calls = Message::assistant(vec![call(&one, "{}"), call(&other, "{}")]);
            [calls, result(&one, text("1")), result(&other, text("2"))]
        })
        .collect()
}
