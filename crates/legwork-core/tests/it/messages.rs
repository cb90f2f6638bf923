//! S11 and the shape of a transcript: each call has its one result, in call order.

use std::sync::Arc;

use legwork_core::continuation::StopReason;
use legwork_core::event::{ExecutionStarted, ResponseChanged};
use legwork_core::inference::Incomplete;
use legwork_core::message::{Form, JsonText, ProviderData, Thinking, ToolResult};
use legwork_core::{
    AgentState, Event, FinishReason, Message, ModelRequest, Part, Response, Role, ToolCall,
    ToolOutcome,
};
use serde_json::json;

use crate::story::{asks, blank, go_on, outcome, says, tell, told, transcript};

#[test]
fn s11_1_one_message_per_response_then_one_result_per_call_in_call_order() {
    let story = "user: hi; inference; calls: a, b, c; result: 2 third; result: 0 first";
    let state = tell(story);
    assert_eq!(transcript(&state), ["user: hi", "assistant: [c0 a] [c1 b] [c2 c]"]);
    assert_eq!(state.context().transcript.open_calls(), 3);
    let state = go_on(state, "result: 1 second");
    assert_eq!(
        transcript(&state)[2..],
        ["tool: [c0] first", "tool: [c1] second", "tool: [c2] third"]
    );
}

#[test]
fn s11_1_parts_keep_the_order_they_came_in_with_what_the_provider_put_there() {
    let call = ToolCall {
        provider: Some(ProviderData::new("p", json!({"sig": "x"}))),
        ..ToolCall::new("c0", "a", "{}")
    };
    let parts = vec![
        Part::text("first"),
        Part::Thinking(Thinking::default()),
        Part::ToolCall(Arc::new(call)),
        Part::text("last"),
        Part::Other(json!({"odd": 1})),
    ];
    let response = Response::new(Message::assistant(parts.clone()), FinishReason::ToolCalls);
    let state = crate::story::respond(tell("user: hi; inference"), response, None);
    assert_eq!(state.context().transcript.messages().last().unwrap().parts, parts);
}

#[test]
fn s11_1_a_request_is_built_from_a_settled_transcript_only() {
    let open = tell("user: hi; inference; calls: a, b; result: 0 x");
    assert!(open.context().transcript.settled().is_none());
    let state = go_on(open, "result: 1 y");
    let settled = state.context().transcript.settled().unwrap();
    let request = ModelRequest::new(settled, Arc::default());
    let lines: Vec<_> = request.messages().iter().map(|m| told(m)).collect();
    assert_eq!(lines, transcript(&state));
}

#[test]
fn s11_1_what_is_said_while_calls_are_open_enters_behind_their_results() {
    let story = "user: hi; inference; calls: a, b; steer: hurry; result: 1 y; message: note";
    let state = tell(story);
    assert_eq!(transcript(&state).len(), 2);
    let state = go_on(state, "result: 0 x");
    let lines = ["tool: [c0] x", "tool: [c1] y", "user: hurry", "user: note"];
    assert_eq!(transcript(&state)[2..], lines);
}

#[test]
fn s11_1_what_waits_survives_as_json() {
    let state = tell("user: hi; inference; calls: a; steer: hurry");
    let text = serde_json::to_string(&state).unwrap();
    let back: AgentState = serde_json::from_str(&text).unwrap();
    assert_eq!(transcript(&go_on(back, "result: 0 x"))[3], "user: hurry");
}

fn result(call: &str) -> Message {
    Message::tool_result(ToolResult::new(call, "a", "imported"))
}

fn imported(messages: Vec<Message>) -> AgentState {
    let input = messages.into_iter().map(Arc::new).collect();
    blank().with(Event::ExecutionStarted(ExecutionStarted { input }))
}

#[test]
fn s11_1_a_result_that_answers_no_call_never_enters() {
    let state = imported(vec!["hi".into(), result("c0"), "there".into()]);
    assert_eq!(transcript(&state), ["user: hi", "user: there"]);
    assert!(state.context().transcript.settled().is_some());
}

#[test]
fn s11_1_an_imported_conversation_is_settled_when_its_calls_are_answered() {
    let turn = || (*asks("a, b").message).clone();
    let state = imported(vec!["hi".into(), turn(), result("c0"), result("c1"), "go on".into()]);
    assert!(state.context().transcript.settled().is_some());
    // Results that came in another order take their places.
    let state = imported(vec![turn(), result("c1"), "go on".into(), result("c0")]);
    let lines = ["tool: [c0] imported", "tool: [c1] imported", "user: go on"];
    assert_eq!(transcript(&state)[1..], lines);
    // One without its results makes no request.
    let state = imported(vec!["hi".into(), turn(), result("c0"), "go on".into()]);
    assert!(state.context().transcript.settled().is_none());
}

#[test]
fn s1_2_a_changed_response_takes_the_place_of_the_one_it_changes() {
    let state = tell("user: hi; inference; answer: secret; message: a hook's note");
    let state = state.with_response(says("*****"));
    let lines = ["user: hi", "assistant: *****", "user: a hook's note"];
    assert_eq!(transcript(&state), lines);
    let state = tell("user: hi; inference; calls: a, b; message: note");
    let state = state.with_response(asks("z"));
    assert_eq!(state.current_step().unwrap().calls.len(), 1);
    let state = go_on(state, "result: 0 x");
    assert_eq!(transcript(&state)[1..], ["assistant: [c0 z]", "tool: [c0] x", "user: note"]);
}

#[test]
fn s1_2_a_response_does_not_change_once_a_call_of_it_began() {
    for begun in ["starts: 0", "result: 0 x"] {
        let state = tell(&format!("user: hi; inference; calls: a, b; {begun}"));
        let response = Arc::new(says("never mind"));
        let after = state.clone().with(Event::ResponseChanged(ResponseChanged { response }));
        assert_eq!(after.context(), state.context(), "{begun}");
        assert_eq!(after.execution(), state.execution(), "{begun}");
    }
}

#[test]
fn s1_2_a_changed_outcome_takes_the_place_of_the_one_it_changes() {
    let state = tell("user: hi; inference; calls: a, b; result: 0 x; result: 1 y; message: note");
    let state = state.with_tool_outcome(0, ToolOutcome::text("changed"));
    let lines = ["tool: [c0] changed", "tool: [c1] y", "user: note"];
    assert_eq!(transcript(&state)[2..], lines);
    // Before the turn is settled it only waits changed.
    let state = tell("user: hi; inference; calls: a, b; result: 0 x");
    let state = state.with_tool_outcome(0, ToolOutcome::text("changed"));
    assert_eq!(transcript(&go_on(state, "result: 1 y"))[2], "tool: [c0] changed");
}

#[test]
fn s11_2_signed_thinking_is_kept_untouched_with_who_made_it() {
    let thinking = Thinking {
        text: "hm\u{0}".into(),
        id: Some("rs_1".into()),
        provider: Some(ProviderData::new(
            "anthropic",
            json!({"signature": "EqQBCkYIARgCIkD+/==\n"}),
        )),
    };
    let part = Part::Thinking(thinking.clone());
    let response = Response::new(Message::assistant(vec![part]), FinishReason::Stop);
    let state = crate::story::respond(tell("user: hi; inference"), response, None);
    let text = serde_json::to_string(&state).unwrap();
    let back: AgentState = serde_json::from_str(&text).unwrap();
    let parts = &back.context().transcript.messages().last().unwrap().parts;
    assert_eq!(parts, &[Part::Thinking(thinking)]);
}

#[test]
fn s11_3_an_incomplete_response_is_kept_once_never_sent_back_and_runs_no_call() {
    let kinds = [
        Incomplete::LengthInCall,
        Incomplete::Cut,
        Incomplete::NoEnd,
        Incomplete::OverReserve,
        Incomplete::OverBound,
        Incomplete::Other("odd".into()),
    ];
    for kind in kinds {
        let state =
            crate::story::respond(tell("user: hi; inference"), asks("a"), Some(kind.clone()));
        let step = state.current_step().unwrap();
        assert_eq!(step.response.as_ref().unwrap().incomplete, Some(kind));
        assert!(step.calls.is_empty());
        assert_eq!(transcript(&state), ["user: hi"]);
        assert!(state.final_response().is_none() && !state.awaits_model());
        assert!(state.context().transcript.settled().is_some());
    }
}

#[test]
fn s11_3_an_incomplete_response_is_not_taken_for_a_finished_answer() {
    let mut response = says("half an ans");
    response.finish = FinishReason::Stop;
    let state = tell("user: hi; inference");
    let state = crate::story::respond(state, response, Some(Incomplete::Cut));
    let outcome = outcome(&state);
    assert!(!outcome.should_continue());
    assert_ne!(outcome.stop_reason(), Some(&StopReason::Completed), "{}", outcome.explain());
}

#[test]
fn s11_4_unknown_words_of_a_wire_are_kept_as_other() {
    let text = r#"{"message":{"role":"developer","parts":[{"other":{"x":1}}]},
        "finish":"pause_turn","incomplete":"who_knows","unheard_of":[1,2]}"#;
    let response: Response = serde_json::from_str(text).unwrap();
    assert_eq!(response.finish, FinishReason::Other("pause_turn".into()));
    assert_eq!(response.incomplete, Some(Incomplete::Other("who_knows".into())));
    assert_eq!(response.message.role, Role::Other("developer".into()));
    let again: Response = serde_json::from_value(serde_json::to_value(&response).unwrap()).unwrap();
    assert_eq!(again, response);
}

#[test]
fn s11_4_an_unknown_finish_reason_stops_for_that_reason() {
    let mut response = says("hm");
    response.finish = "pause_turn".into();
    let state = crate::story::respond(tell("user: hi; inference"), response, None);
    let outcome = outcome(&state);
    assert_eq!(outcome.stop_reason(), Some(&StopReason::FinishReason));
    assert!(outcome.explain().contains("pause_turn"));
}

#[test]
fn a_form_of_a_message_is_made_once_and_only_of_itself() {
    let (loud, other) = (Form("loud"), Form("other"));
    let shout = |message: &Message| Some(Message::user(message.text().to_uppercase()));
    let message = Arc::new(Message::user("hi"));
    let first = message.rendered(loud, shout);
    assert_eq!(first.text(), "HI");
    assert!(Arc::ptr_eq(&first, &message.rendered(loud, |_| panic!("made twice"))));
    assert_eq!(message.rendered(other, |_| Some(Message::user("else"))).text(), "else");
    assert_eq!(*message, Message::user("hi"), "a form is no part of what it says");

    let mut changed = (*message).clone();
    changed.parts = vec![Part::text("bye")];
    assert_eq!(Arc::new(changed).rendered(loud, shout).text(), "BYE", "a clone starts without");

    let own = Arc::new(Message::user("own"));
    assert!(Arc::ptr_eq(&own, &own.rendered(loud, |_| None)));
    assert!(Arc::ptr_eq(&own, &own.rendered(loud, |_| panic!("made twice"))));
}

#[test]
fn a_rendered_request_weighs_what_it_shows() {
    let state = tell("user: hi; inference; answer: hello");
    let settled = state.context().transcript.settled().unwrap();
    let long = |message: &Arc<Message>| Arc::new(Message::user(message.text().repeat(10)));
    let request = ModelRequest::rendered(settled, Arc::default(), long);
    let texts: Vec<_> = request.messages().iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["hi".repeat(10), "hello".repeat(10)]);
    assert_eq!(request.weight(), request.messages().iter().map(|m| m.weight()).sum::<u64>());
    assert_eq!(ModelRequest::blank(Arc::default()).weight(), 0);
}

#[test]
fn a_message_weighs_what_its_parts_are_in_bytes_and_a_bit_for_itself() {
    use legwork_core::message::{Image, MediaSource};
    let weight = |parts: Vec<Part>| Message::assistant(parts).weight();
    let none = weight(Vec::new());
    assert_eq!(none, 16);
    let of = |part: Part| weight(vec![part]) - none;
    assert_eq!(of(Part::text("h\u{e4}")), 3, "bytes, not characters");
    assert_eq!(of(Part::Refusal("never".into())), 5);
    let (text, signed) = ("hmm".to_owned(), json!({"signature": "x".repeat(900)}));
    let provider = Some(ProviderData::new("anthropic", signed));
    assert_eq!(of(Part::Thinking(Thinking { text, id: None, provider })), 3);
    let call = ToolCall::new("an id that is long", "look", r#"{"n":1}"#);
    assert_eq!(of(Part::ToolCall(Arc::new(call))), 4 + 7 + 32);
    let result = ToolResult { is_error: true, ..ToolResult::new("c0", "look", "seen") };
    assert_eq!(of(Part::ToolResult(result)), 4 + 32);
    let source = MediaSource::Base64("x".repeat(90_000));
    assert_eq!(of(Part::Image(Image { media_type: "image/png".into(), source })), 4_800);
    assert_eq!(of(Part::Other(json!({"a": [1]}))), 9);
    // Together they weigh what each does.
    let two = weight(vec![Part::text("abc"), Part::Refusal("de".into())]);
    assert_eq!(two, none + 3 + 2);
}

#[test]
fn a_request_weighs_its_messages_its_tools_and_its_instructions() {
    use legwork_core::tool::{ToolSpec, ToolSpecs};
    let state = tell("user: hello; inference; answer: there");
    let settled = || state.context().transcript.settled().unwrap();
    let said = (16 + 5) + (16 + 5);
    assert_eq!(settled().weight(), said);
    let mut request = ModelRequest::new(settled(), Arc::default());
    assert_eq!(request.weight(), said);
    request.instructions = Arc::from("be brief");
    assert_eq!(request.weight(), said + 8);
    let tools = ToolSpecs::new(vec![Arc::new(ToolSpec::new("look", "Looks.", json!({})))]);
    let tools = Arc::new(tools);
    assert!(tools.weight() > 0);
    request.tools = Arc::clone(&tools);
    assert_eq!(request.weight(), said + 8 + tools.weight());
    let request = request.with_message(Message::user("more"));
    assert_eq!(request.weight(), said + 8 + tools.weight() + 16 + 4);
    assert_eq!(request.messages().last().unwrap().text(), "more");
}

#[test]
fn a_transcript_weighs_what_stands_in_it_also_after_changes() {
    let sum = |state: &AgentState| {
        let transcript = &state.context().transcript;
        let sum = transcript.messages().iter().map(|message| message.weight()).sum::<u64>();
        assert_eq!(transcript.weight(), sum);
        sum
    };
    let state = tell("user: hi; inference; calls: a, b; message: later");
    assert_eq!(sum(&state), (16 + 2) + (16 + 2 * (1 + 2 + 32)), "what waits does not weigh");
    let state = go_on(state, "result: 0 xyz; result: 1 y");
    assert_eq!(sum(&state), (16 + 2) + (16 + 70) + (16 + 35) + (16 + 33) + (16 + 5));
    let shorter = state.with_tool_outcome(0, ToolOutcome::text("x"));
    assert_eq!(sum(&shorter), (16 + 2) + (16 + 70) + (16 + 33) + (16 + 33) + (16 + 5));
    let state = tell("user: hi; inference; answer: a long answer").with_response(says("ok"));
    assert_eq!(sum(&state), (16 + 2) + (16 + 2));
}

#[test]
fn s1_2_of_equal_messages_the_one_of_the_step_is_changed() {
    // The same words were said before: only those of the step under way change.
    let turn = "inference; answer: the same; decides";
    let before = tell(&format!("user: the same; {turn}; user: again; inference; answer: the same"));
    let state = go_on(before, "message: note").with_response(says("another"));
    let lines = [
        "user: the same",
        "assistant: the same",
        "user: again",
        "assistant: another",
        "user: note",
    ];
    assert_eq!(transcript(&state), lines);
    // Equal calls with equal ids, as some providers give them in each turn.
    let turn = "inference; calls: a, b; result: 0 x; result: 1 y; decides";
    let second = "inference; calls: a, b; result: 0 x; result: 1 y; message: note";
    let state = tell(&format!("user: hi; {turn}; {second}"));
    let state = state.with_tool_outcome(1, ToolOutcome::text("changed"));
    let lines = ["assistant: [c0 a] [c1 b]", "tool: [c0] x", "tool: [c1] y"];
    assert_eq!(transcript(&state)[1..4], lines, "the turn before is as it was");
    let lines = ["assistant: [c0 a] [c1 b]", "tool: [c0] x", "tool: [c1] changed", "user: note"];
    assert_eq!(transcript(&state)[4..], lines);
}

#[test]
fn s11_4_data_of_a_provider_is_kept_as_text_and_is_the_same_value() {
    let value = json!({"b": [1, 2.5, null], "a": {"z": "\n\"ü", "y": true}});
    let kept = JsonText::from(value.clone());
    assert_eq!(kept.as_str(), value.to_string());
    assert_eq!(kept.value(), value);
    assert_eq!(kept, value);
    assert_ne!(kept, json!({"a": 1}));
    // In a journal it is the value, not its text.
    assert_eq!(serde_json::to_value(&kept).unwrap(), value);
    let spaced = serde_json::to_string_pretty(&value).unwrap();
    assert_eq!(serde_json::from_str::<JsonText>(&spaced).unwrap(), kept);
    assert_eq!(serde_json::from_value::<JsonText>(value).unwrap(), kept);
}

#[test]
fn an_object_of_texts_is_what_the_value_would_be() {
    let texts = ["", "plain", "ü – 🦀", "a\"b", "back\\slash", "line\nbreak", "\u{1}", "\u{7f}"];
    for (name, text) in texts.iter().flat_map(|name| texts.map(|text| (*name, text))) {
        let object = JsonText::object([(name, text), ("other", text)]);
        assert_eq!(object, json!({name: text, "other": text}));
    }
    assert_eq!(JsonText::object([]), json!({}));
}
