//! The scripted model in process.

use std::ops::ControlFlow;

use legwork_core::event::ExecutionStarted;
use legwork_core::inference::Incomplete;
use legwork_core::message::ToolResult;
use legwork_core::{AgentState, Event, FinishReason, Message, ModelRequest, Part, SessionId};
use legwork_port::model::{self, Delta, Kind, Model as _, Profile};
use legwork_testkit::{Gate, Script, ScriptedModel, Turn};
use serde_json::json;

fn request() -> ModelRequest {
    let input = vec![Message::user("hi").into()];
    let state = AgentState::new(SessionId::new("s"));
    let state = state.with(Event::ExecutionStarted(ExecutionStarted { input }));
    let settings = state.settings().clone().into();
    ModelRequest::new(state.context().transcript.settled().unwrap(), settings)
}

#[tokio::test]
async fn says_its_turns_in_order() {
    let model = ScriptedModel::new([Turn::call("add", json!({"a": 1})), Turn::text("1")]);
    let first = model.infer(request(), None).await.unwrap();
    assert_eq!(first.finish, FinishReason::ToolCalls);
    let call = first.message.tool_calls().next().unwrap();
    assert_eq!((call.id.as_str(), &*call.arguments), ("call_0_0", "{\"a\":1}"));

    let result = ToolResult::new(call.id.clone(), call.name.clone(), "one");
    let second =
        request().with_message((*first.message).clone()).with_message(Message::tool_result(result));
    let last = model.infer(second, None).await.unwrap();
    assert_eq!((last.text(), last.finish.clone()), ("1".to_owned(), FinishReason::Stop));
    assert_eq!(last.usage.unwrap().total(), 15);

    assert_eq!(model.requests().len(), 2);
    let asked = model.asked();
    assert_eq!((asked[0].last(), asked[1].results()), ("hi", vec!["one"]));
    assert_eq!(asked[1].messages[2].answers.as_deref(), Some("call_0_0"));
    assert_eq!((asked[0].stream, asked[1].stream), (false, false));
}

#[tokio::test]
async fn a_turn_chooses_the_ids_of_its_calls_and_may_keep_quiet_about_its_usage() {
    let turn = Turn::calls([("add", json!({})), ("add", json!({})), ("sub", json!({}))]);
    let model = ScriptedModel::new([turn.with_call_ids(["same", ""]).without_usage()]);
    let response = model.infer(request(), None).await.unwrap();
    let ids: Vec<_> = response.message.tool_calls().map(|call| call.id.to_string()).collect();
    assert_eq!(ids, ["same", "", "call_0_2"]);
    assert_eq!(response.usage, None);
}

#[tokio::test]
async fn streams_in_pieces() {
    let turn = Turn::call("add", json!({"numbers": [1, 2, 3, 4, 5, 6]}))
        .with_text("Adding them all up for you now.")
        .with_thinking("Six numbers.");
    let model = ScriptedModel::new([turn]);
    let (mut text, mut thought, mut json, mut names, mut count) =
        (String::new(), String::new(), String::new(), vec![], 0);
    let mut deltas = |delta: Delta<'_>| {
        count += 1;
        match delta {
            Delta::Text(piece) => text.push_str(piece),
            Delta::Thinking(piece) => thought.push_str(piece),
            Delta::ToolCall { index, name } => names.push((index, name.to_owned())),
            Delta::Arguments { json: piece, .. } => json.push_str(piece),
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let response = model.infer(request(), Some(&mut deltas)).await.unwrap();
    assert_eq!(text, response.text());
    assert_eq!(thought, "Six numbers.");
    assert_eq!(names, [(0, "add".to_owned())]);
    assert_eq!(json, "{\"numbers\":[1,2,3,4,5,6]}");
    assert!(count > 7, "{count}");
    assert!(model.asked()[0].stream, "it was to be streamed");
    assert!(matches!(&response.message.parts[0], Part::Thinking(t) if t.text == "Six numbers."));
}

#[tokio::test]
async fn a_listener_may_cut_the_stream() {
    let turn = Turn::call("add", json!({})).with_text("one two three four five six seven");
    let model = ScriptedModel::new([turn]);
    let mut seen = 0;
    let mut deltas = |_: Delta<'_>| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let response = model.infer(request(), Some(&mut deltas)).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::OverReserve));
    assert_eq!(response.text(), "one two three four five ".get(..24).unwrap());
    assert_eq!(response.message.tool_calls().count(), 0);
    assert_eq!(seen, 2);
}

#[tokio::test]
async fn an_incomplete_call_breaks_off() {
    let turn = Turn::call("add", json!({"a": 1234567, "b": 7654321}));
    let model = ScriptedModel::new([turn.incomplete(Incomplete::LengthInCall)]);
    let response = model.infer(request(), None).await.unwrap();
    assert_eq!(response.incomplete, Some(Incomplete::LengthInCall));
    assert_eq!(response.finish, FinishReason::Length);
    let call = response.message.tool_calls().next().unwrap();
    assert_eq!(&*call.arguments, "{\"a\":1234567");
}

#[tokio::test]
async fn errors_are_those_of_the_script() {
    let error = model::Error::new(Kind::ContextOverflow, "too long");
    let faults = [Turn::error(error.clone()), Turn::status(401), Turn::html(), Turn::disconnect()];
    let model = ScriptedModel::new([Turn::text("at last").after(faults)]);
    assert_eq!(model.infer(request(), None).await.unwrap_err(), error);
    let mut kinds = Vec::new();
    while let Err(error) = model.infer(request(), None).await {
        kinds.push(error.kind);
    }
    assert_eq!(kinds, [Kind::Unauthorized, Kind::Malformed, Kind::Unreachable]);
    assert_eq!(model.requests().len(), 5);
}

#[tokio::test]
async fn a_request_past_the_script_is_refused() {
    let model = ScriptedModel::new(Vec::new());
    let error = model.infer(request(), None).await.unwrap_err();
    assert_eq!(error.kind, Kind::BadRequest);
    assert!(error.message.contains("0 turns"));
}

#[tokio::test]
async fn a_turn_halts_at_its_gate() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Turn::text("one two three four").halting(&gate)]);
    let mut text = String::new();
    let mut deltas = |delta: Delta<'_>| {
        if let Delta::Text(piece) = delta {
            text.push_str(piece);
        }
        ControlFlow::Continue(())
    };
    {
        let mut infer = model.infer(request(), Some(&mut deltas));
        tokio::select! {
            biased;
            _ = &mut infer => panic!("it did not halt"),
            () = gate.arrived(1) => {}
        }
        gate.open();
        assert_eq!(infer.await.unwrap().text(), "one two three four");
    }
    assert_eq!(text, "one two three four");
}

#[tokio::test]
async fn a_stalled_turn_can_be_dropped() {
    let gate = Gate::new();
    let model = ScriptedModel::new([Turn::stall().behind(&gate)]);
    tokio::select! {
        biased;
        _ = model.infer(request(), None) => panic!("it answered"),
        () = gate.arrived(1) => {}
    }
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn has_the_name_and_profile_it_is_given() {
    let profile = Profile::new().with_context_window(9);
    let model = ScriptedModel::new(Script::new([])).named("test:tiny").with_profile(profile);
    assert_eq!((model.name(), model.profile().context_window), ("test:tiny", Some(9)));
}
