//! Redaction of texts.

use std::sync::Arc;

use legwork_core::message::{ProviderData, ResultPart, Thinking, ToolResult};
use legwork_core::{Message, Part, ToolCall};
use legwork_models::layers::{ModelExt as _, Redaction};
use legwork_port::model::{Delta, Model};
use legwork_testkit::{Script, ScriptedModel, Turn};
use serde_json::json;

use super::{Heard, ask, request, stream};

fn hide() -> Redaction {
    Redaction::new(|line| line.replace("eve@example.org", "[email]"))
}

fn thought(text: &str, provider: Option<ProviderData>) -> Part {
    Part::Thinking(Thinking { text: text.to_owned(), id: None, provider })
}

#[tokio::test]
async fn a_request_is_changed_but_not_its_calls() {
    let scripted = ScriptedModel::new(Script::from_fn(|_| Turn::text("done")));
    let model = scripted.clone().with_redaction(hide());
    let call = Arc::new(ToolCall::new("c1", "mail", r#"{"to":"eve@example.org"}"#));
    let signed = ProviderData::new("a", json!("signature"));
    let mut result = ToolResult::new("c1", "mail", "sent to eve@example.org");
    result.parts.push(ResultPart::Json(json!({"to": ["eve@example.org", 1]})));
    let mut sent = request("ask eve@example.org")
        .with_message(Message::assistant(vec![
            thought("eve@example.org?", None),
            thought("eve@example.org!", Some(signed)),
            Part::ToolCall(Arc::clone(&call)),
        ]))
        .with_message(Message::tool_result(result));
    sent.instructions = "write to eve@example.org".into();
    sent.max_output = Some(7);
    model.infer(sent, None).await.unwrap();

    let got = scripted.requests().remove(0);
    assert_eq!((&*got.instructions, got.max_output), ("write to [email]", Some(7)));
    let messages: Vec<_> = got.messages().iter().collect();
    assert_eq!(messages[0].text(), "ask [email]");
    assert_eq!(messages[1].parts[0], thought("[email]?", None));
    let Part::Thinking(kept) = &messages[1].parts[1] else { panic!("thinking") };
    assert_eq!(kept.text, "eve@example.org!", "it is signed");
    assert_eq!(messages[1].parts[2], Part::ToolCall(call));
    let Part::ToolResult(result) = &messages[2].parts[0] else { panic!("a result") };
    assert_eq!(result.text(), "sent to [email]\n{\"to\":[\"[email]\",1]}");
}

#[tokio::test]
async fn a_streamed_answer_is_changed_line_by_line() {
    let text = "ask eve@example.org\nor nobody, or eve@example.org";
    let scripted = ScriptedModel::new([Turn::text(text).with_thinking("eve@example.org?")]);
    let model = scripted.clone().with_redaction(hide());
    let (answer, heard) = stream(&model).await;
    let hidden = "ask [email]\nor nobody, or [email]";
    assert_eq!((answer.unwrap().text().as_str(), heard.text.as_str()), (hidden, hidden));
    assert_eq!(heard.pieces, 3, "the thinking and two lines");

    let plain = scripted.with_redaction(hide().of_requests());
    assert_eq!(ask(&plain).await.unwrap().text(), text);
}

#[tokio::test]
async fn a_call_ends_the_line_before_it() {
    let turn = Turn::call("look", json!({"at": "eve@example.org"})).with_text("eve@example.org:");
    let model = ScriptedModel::new([turn]).with_redaction(hide());
    let mut came = Vec::new();
    let mut note = |delta: Delta<'_>| {
        came.push(match delta {
            Delta::Text(text) => text.to_owned(),
            Delta::ToolCall { name, .. } => format!("call {name}"),
            _ => return std::ops::ControlFlow::Continue(()),
        });
        std::ops::ControlFlow::Continue(())
    };
    let answer = model.infer(request("hi"), Some(&mut note)).await.unwrap();
    assert_eq!(came, ["[email]:", "call look"]);
    let call = answer.message.tool_calls().next().unwrap();
    assert_eq!(&*call.arguments, r#"{"at":"eve@example.org"}"#, "calls stay as they are");
}

#[tokio::test]
async fn errors_and_breaks_pass_through() {
    let model = ScriptedModel::new([Turn::status(503)]).with_redaction(hide());
    assert!(ask(&model).await.is_err());
    let model = ScriptedModel::new([Turn::text("one\ntwo\nthree\nfour")]).with_redaction(hide());
    let mut heard = Heard { breaks_at: Some(1), ..Heard::default() };
    let answer = model.infer(request("hi"), Some(&mut heard)).await.unwrap();
    assert!(answer.incomplete.is_some());
}
