//! Streams and bodies of every kind.

use legwork_core::inference::{FinishReason, Incomplete};
use legwork_core::message::ProviderData;
use legwork_core::{Part, Response};
use legwork_models::answer::{ApiError, Unreadable};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{body, completed, delta, item, said, stream};
use crate::answers::calls;

fn parts(response: &Response) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text(text) => json!(["text", text.text]),
        Part::Refusal(text) => json!(["refusal", text.text]),
        Part::Thinking(thinking) => json!(["thinking", thinking.text]),
        Part::ToolCall(call) => json!(["call", call.id.as_str(), &*call.arguments]),
        Part::Other(value) => json!(["other", value["type"]]),
        other => panic!("{other:?}"),
    };
    response.message.parts.iter().map(part).collect()
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "add",
        "arguments": arguments, "status": "completed"})
}

fn thought(summary: &[&str]) -> Value {
    let part = |text: &&str| json!({"type": "summary_text", "text": text});
    let summary: Vec<_> = summary.iter().map(part).collect();
    json!({"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gA"})
}

#[test]
fn a_stream_of_whole_items_only_is_an_answer() {
    let (result, seen) = stream(&[
        item("done", 0, thought(&["One.", "Two."])),
        item("done", 1, said("msg_1", "Hi.")),
        item("done", 2, call("c1", "{}")),
        completed(json!([])),
    ]);
    let response = result.unwrap();
    let expected =
        json!([["thinking", "One."], ["thinking", "Two."], ["text", "Hi."], ["call", "c1", "{}"]]);
    assert_eq!(json!(parts(&response)), expected);
    assert_eq!((seen.text.as_str(), seen.thinking.as_str()), ("Hi.", "One.Two."));
    assert_eq!(seen.calls, [("add".to_owned(), "{}".to_owned())]);
    assert_eq!((response.finish, response.incomplete), (FinishReason::ToolCalls, None));
}

#[test]
fn a_stream_whose_last_event_alone_has_content_is_an_answer() {
    let output = json!([thought(&[]), said("msg_1", "Hi."), call("c1", "{}")]);
    let (result, seen) = stream(&[completed(output.clone())]);
    let response = result.unwrap();
    assert_eq!(seen.text, "Hi.");
    let whole = completed(output)["response"].take();
    assert_eq!(response, body(&whole).0.unwrap());
}

#[test]
fn whole_texts_bring_only_what_the_deltas_did_not() {
    let text = |text: &str| {
        json!({"type": "response.output_text.done", "output_index": 0,
        "content_index": 0, "text": text})
    };
    let arguments = |all: &str| {
        json!({"type": "response.function_call_arguments.done",
        "output_index": 1, "arguments": all})
    };
    let begun = item("added", 1, call("c1", ""));
    let (result, seen) = stream(&[
        delta("output_text", 0, "Hel"),
        text("Hello"),
        item("done", 0, said("msg_1", "Hello.")),
        begun,
        delta("function_call_arguments", 1, "{\"a\""),
        arguments("{\"a\": 1"),
        item("done", 1, call("c1", "{\"a\": 1}")),
        completed(json!([said("msg_1", "Hello."), call("c1", "{\"a\": 1}")])),
    ]);
    let response = result.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("Hello.", "Hello."));
    assert_eq!(calls(&response), [["c1", "add", "{\"a\": 1}"].map(str::to_owned)]);
    assert_eq!(seen.calls, [("add".to_owned(), "{\"a\": 1}".to_owned())]);
}

#[test]
fn what_a_stream_says_again_is_not_doubled() {
    let mut cited = said("msg_1", "Hi.");
    cited["content"][0]["annotations"] = json!([{"type": "x"}]);
    let (result, seen) = stream(&[
        delta("output_text", 1, "Hi."),
        item("done", 1, cited.clone()),
        item("done", 1, cited.clone()),
        // A server may count the items of its last event in another way.
        completed(json!([cited])),
    ]);
    let response = result.unwrap();
    assert_eq!((parts(&response), seen.text.as_str()), (vec![json!(["text", "Hi."])], "Hi."));
    let annotations = &response.message.parts[0].provider().unwrap().data.value()["annotations"];
    assert_eq!(*annotations, json!([{"type": "x"}]));
}

#[test]
fn deltas_without_whole_items_are_completed_by_the_last_event() {
    let (result, seen) = stream(&[
        item("added", 0, json!({"type": "message", "content": []})),
        delta("output_text", 0, "Hel"),
        completed(json!([said("msg_1", "Hello."), call("c1", "{}")])),
    ]);
    let response = result.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("Hello.", "Hello."));
    let Part::Text(text) = &response.message.parts[0] else { panic!("no text") };
    assert_eq!(text.id.as_deref(), Some("msg_1"));
    assert_eq!(response.finish, FinishReason::ToolCalls);
}

#[test]
fn fields_of_an_event_come_in_any_order() {
    let text = "data: {\"delta\": \"A\\n\\u00e9\", \"obfuscation\": {\"type\": [\"x\"]}, \
        \"output_index\": 0 , \"item_id\": null, \"content_index\": 0, \
        \"type\": \"response.output_text.delta\"}\n\n\
        data: {\"item\": {\"status\": 1, \"type\": \"message\", \"content\": [{\"text\": \"A\\né!\", \
        \"type\": \"output_text\"}]}, \"output_index\": 0, \"type\": \"response.output_item.done\"}\n\n\
        data: {\"response\": {\"status\": \"completed\"}, \"type\": \"response.completed\"}\n\n";
    let (result, seen) = crate::answers::read_of(
        legwork_models::Api::Responses,
        200,
        "text/event-stream",
        [text.as_bytes()],
        legwork_models::answer::Ended::Whole,
    );
    let response = result.unwrap();
    assert_eq!((response.text().as_str(), seen.text.as_str()), ("A\né!", "A\né!"));
    assert_eq!(response.incomplete, None);
}

#[test]
fn s11_1_parts_are_in_the_order_of_the_output() {
    let (result, _) = stream(&[
        delta("output_text", 1, "Hi."),
        item("added", 3, call("c2", "")),
        item("added", 2, call("c1", "")),
        delta("function_call_arguments", 2, "{}"),
        delta("function_call_arguments", 3, "[]"),
        item("done", 0, thought(&["Hm."])),
        item("done", 2, call("c1", "{}")),
        item("done", 3, call("c2", "[]")),
        item("done", 1, said("msg_1", "Hi.")),
        item("done", 4, json!({"type": "web_search_call", "id": "ws_1"})),
        completed(json!([])),
    ]);
    let expected = json!([
        ["thinking", "Hm."],
        ["text", "Hi."],
        ["call", "c1", "{}"],
        ["call", "c2", "[]"],
        ["other", "web_search_call"]
    ]);
    assert_eq!(json!(parts(&result.unwrap())), expected);
}

#[test]
fn a_refusal_is_shown_as_text_and_kept_as_a_refusal() {
    let refusal = json!({"type": "message", "id": "msg_1", "role": "assistant",
        "content": [{"type": "refusal", "refusal": "I won't."}]});
    let done = json!({"type": "response.refusal.done", "output_index": 0, "refusal": "I won't."});
    let streamed = stream(&[
        delta("refusal", 0, "I "),
        done,
        item("done", 0, refusal.clone()),
        completed(json!([refusal])),
    ]);
    assert_eq!(streamed.1.text, "I won't.");
    let whole = body(&completed(json!([refusal]))["response"]);
    for response in [streamed.0.unwrap(), whole.0.unwrap()] {
        assert_eq!(json!(parts(&response)), json!([["refusal", "I won't."]]));
    }
}

#[test]
fn reasoning_itself_is_thinking_as_its_summary_is() {
    let whole = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text",
        "text": "Short."}], "content": [{"type": "reasoning_text", "text": "Long."}]});
    let (result, seen) = stream(&[
        delta("reasoning_summary_text", 0, "Short."),
        delta("reasoning_text", 0, "Lo"),
        json!({"type": "response.reasoning_text.done", "output_index": 0, "text": "Long."}),
        json!({"type": "response.reasoning_summary_text.done", "output_index": 0,
            "text": "Short."}),
        item("done", 0, whole),
        completed(json!([])),
    ]);
    assert_eq!(seen.thinking, "Short.Long.");
    let response = result.unwrap();
    assert_eq!(json!(parts(&response)), json!([["thinking", "Short."], ["thinking", "Long."]]));
}

#[test]
fn an_item_holds_what_must_be_sent_back() {
    let response = body(&completed(json!([thought(&["a", "b"]), call("c1", "{}")]))["response"]);
    let response = response.0.unwrap();
    let [Part::Thinking(first), Part::Thinking(second), Part::ToolCall(call)] =
        &response.message.parts[..]
    else {
        panic!("{response:?}")
    };
    let data = |data: Value| Some(ProviderData::new("openai", data));
    assert_eq!(first.provider, data(json!({"type": "reasoning", "encrypted_content": "gA"})));
    assert_eq!(second.provider, data(json!({"type": "reasoning"})));
    assert_eq!((&first.id, &second.id), (&Some("rs_1".to_owned()), &Some("rs_1".to_owned())));
    assert_eq!(call.provider, data(json!({"type": "function_call", "id": "fc_c1"})));
}

fn ended(kind: &str, status: &str, reason: Option<&str>, output: Value) -> Value {
    let details = reason.map(|reason| json!({"reason": reason}));
    json!({"type": kind, "response": {"status": status, "output": output,
        "incomplete_details": details}})
}

#[test]
fn an_incomplete_response_says_why() {
    let cases = [
        (Some("max_output_tokens"), FinishReason::Length),
        (Some("content_filter"), FinishReason::ContentFilter),
        (Some("tired"), FinishReason::from("tired")),
        (None, FinishReason::from("incomplete")),
    ];
    for (reason, finish) in cases {
        let end = ended("response.incomplete", "incomplete", reason, json!([said("m", "Hi")]));
        let (result, _) = stream(std::slice::from_ref(&end));
        let response = result.unwrap();
        assert_eq!((&response.finish, response.incomplete.clone()), (&finish, None));
        assert_eq!(response, body(&end["response"]).0.unwrap());
    }
}

#[test]
fn s11_3_a_length_limit_in_a_call_makes_the_answer_incomplete() {
    let output = json!([call("c1", "{\"a\": ")]);
    let end = ended("response.incomplete", "incomplete", Some("max_output_tokens"), output);
    for (result, _) in [stream(std::slice::from_ref(&end)), body(&end["response"])] {
        assert_eq!(result.unwrap().incomplete, Some(Incomplete::LengthInCall));
    }
}

#[test]
fn s11_3_a_stream_without_its_last_event_is_incomplete() {
    let (result, _) = stream(&[delta("output_text", 0, "Hi."), item("done", 0, said("m", "Hi."))]);
    let response = result.unwrap();
    assert_eq!((response.text().as_str(), response.incomplete), ("Hi.", Some(Incomplete::NoEnd)));
}

#[test]
fn a_response_that_failed_is_an_error() {
    let failed = |code: &str| {
        let error = json!({"code": code, "message": "no"});
        json!({"type": "response.failed", "response": {"status": "failed", "error": error}})
    };
    let cases = [
        ("server_error", 500),
        ("rate_limit_exceeded", 429),
        ("invalid_prompt", 400),
        ("insufficient_quota", 429),
        ("image_content_policy_violation", 400),
    ];
    for (code, status) in cases {
        let event = failed(code);
        for (result, _) in [stream(std::slice::from_ref(&event)), body(&event["response"])] {
            let body = json!({"error": {"code": code, "message": "no"}});
            let error = ApiError::from_body(status, body.to_string().as_bytes());
            assert_eq!(result.unwrap_err(), Unreadable::Api(error));
        }
    }
    let silent = json!({"type": "response.failed", "response": {"status": "failed"}});
    assert!(matches!(stream(&[silent]).0.unwrap_err(), Unreadable::Api(_)));
}

#[test]
fn an_error_event_is_an_error_in_either_shape() {
    let flat = json!({"type": "error", "code": "rate_limit_exceeded", "message": "slow",
        "param": null, "sequence_number": 1});
    let nested = json!({"type": "error", "error": {"type": "rate_limit_exceeded", "code":
        "rate_limit_exceeded", "message": "slow", "param": null}, "sequence_number": 1});
    for event in [flat, nested] {
        let (result, _) = stream(&[delta("output_text", 0, "Hi."), event.clone()]);
        let response = result.unwrap();
        assert_eq!((response.text().as_str(), response.incomplete), ("Hi.", Some(Incomplete::Cut)));
        assert_eq!(
            (&response.raw["error"]["status"], &response.raw["error"]["message"]),
            (&json!(429), &json!("slow"))
        );
        let Unreadable::Api(error) = stream(&[event]).0.unwrap_err() else { panic!("no error") };
        assert_eq!((error.status, error.message.as_str()), (429, "slow"));
        assert_eq!(error.code.as_deref(), Some("rate_limit_exceeded"));
    }
}

#[test]
fn s11_4_what_is_unknown_is_passed_over_or_kept() {
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "mood": "good",
        "content": [{"type": "output_text", "text": "Hi.", "annotations": [{"type": "x"}], "n": 1},
            {"type": "hologram", "data": 2}]});
    let mut end = completed(json!([]));
    end["response"]["weather"] = json!("fine");
    end["response"]["instructions"] = json!("long");
    end["response"]["usage"]["input_tokens_details"] = json!({"cached_tokens": 1, "warm": 2});
    let (result, _) = stream(&[
        json!({"type": "response.telepathy.delta", "delta": {"a": [1]}, "output_index": 7}),
        json!({"type": 5, "item": 6}),
        item("done", 0, message),
        item("done", 1, json!({"type": "dance_call", "id": "d_1", "steps": [1, 2]})),
        end,
    ]);
    let response = result.unwrap();
    let [Part::Text(text), Part::Other(part), Part::Other(dance)] = &response.message.parts[..]
    else {
        panic!("{response:?}")
    };
    let data = json!({"type": "message", "mood": "good", "annotations": [{"type": "x"}], "n": 1});
    assert_eq!(text.provider.as_ref().unwrap().data, data);
    assert_eq!(*part, json!({"type": "hologram", "data": 2}));
    assert_eq!(*dance, json!({"type": "dance_call", "id": "d_1", "steps": [1, 2]}));
    assert_eq!(response.raw["weather"], "fine");
    assert_eq!(response.raw["usage"], json!({"warm": 2}));
    // What the request said is not kept once more.
    assert!(!response.raw.contains_key("instructions"));
    assert_eq!(response.usage.unwrap().cache_read, 1);
}

#[test]
fn who_answers_is_known_from_the_first_event_on() {
    let first = json!({"type": "response.created", "response": {"id": "r1", "model": "m-2026",
        "tools": [{"type": "function"}]}});
    let response = stream(&[first, delta("output_text", 0, "Hi.")]).0.unwrap();
    assert_eq!((response.id.as_deref(), response.model.as_deref()), (Some("r1"), Some("m-2026")));
    assert!(response.raw.is_empty(), "{:?}", response.raw);
}

/// Any value under names that events have.
fn value() -> impl Strategy<Value = Value> {
    let names = ["type", "text", "id", "content", "summary", "status", "arguments", "reason"];
    let kinds = ["message", "reasoning", "function_call", "output_text", "refusal", "completed"];
    let leaf = prop_oneof![
        Just(Value::Null),
        (0..3_u64).prop_map(Value::from),
        proptest::sample::select(kinds.to_vec()).prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let field = (proptest::sample::select(names.to_vec()), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(Value::from),
            proptest::collection::vec(field, 0..6).prop_map(|fields| {
                // A call without a name is not announced.
                let name = [("name".to_owned(), json!("add"))];
                fields.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(name).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn s11_4_no_event_is_too_odd_to_be_read(
        odd in proptest::collection::vec((0..KINDS.len(), value(), value(), 0..3_u64), 0..12),
    ) {
        let event = |(kind, payload, delta, index): &(usize, Value, Value, u64)| json!({
            "type": KINDS[*kind], "item": payload, "response": {"output": [payload]},
            "text": payload, "arguments": delta, "delta": delta, "output_index": index});
        let mut events: Vec<_> = odd.iter().map(event).collect();
        events.push(completed(json!([])));
        let (result, seen) = stream(&events);
        if let Ok(response) = result {
            let shown = |part: &Part| match part {
                Part::Text(text) | Part::Refusal(text) => text.text.len(),
                _ => 0,
            };
            let kept: usize = response.message.parts.iter().map(shown).sum();
            prop_assert_eq!(seen.text.len(), kept);
        }
        let (_, _) = body(&json!({"output": odd.iter().map(|odd| odd.1.clone()).collect::<Value>()}));
    }
}

const KINDS: [&str; 9] = [
    "response.output_text.delta",
    "response.output_text.done",
    "response.refusal.delta",
    "response.reasoning_text.delta",
    "response.reasoning_summary_text.done",
    "response.function_call_arguments.delta",
    "response.output_item.added",
    "response.output_item.done",
    "response.created",
];
