use serde_json::json;

use super::*;

/// What the call was supplied when it asked this.
fn supplied(outcome: ToolOutcome, value: Value) -> Supplied {
    let ToolOutcome::NeedsInput(request) = outcome else { panic!("{outcome:?}") };
    Supplied { request: *request, value }
}

#[test]
fn s18_17_a_round_is_journaled_once_and_gets_all_answers() {
    let form = |message: &str| Question::Form { message: message.to_owned(), schema: json!({}) };
    let names = ["a", "b", "c"];
    let questions = names.map(|name| (name.to_owned(), form(name))).into();
    let mut round = Round { questions, state: Some("so".to_owned()), ..Round::default() };
    round.digest = Some(Digest::of_bytes(b"so"));
    let (mut all, mut next) = (Vec::new(), Ok(round));
    for (at, name) in names.iter().enumerate() {
        let asks = next.and_then(Round::asks).map_err(|_| ()).unwrap();
        all.push(supplied(asks, json!({ (*name): at })));
        let state = all[at].request.state().unwrap().to_string();
        assert_eq!(state.contains("questions"), at == 0, "{state}");
        next = Round::of(&all).map_err(|_| Round::default());
    }
    let params = next.and_then(|round| round.asks().err().ok_or_else(Round::default));
    let params = params.map(|round| round.request(CallToolRequestParams::new("paint"))).ok();
    let params = params.unwrap();
    let responses = params.input_responses.unwrap();
    for (at, name) in names.iter().enumerate() {
        assert_eq!(responses[*name], json!({"action": "accept", "content": { (*name): at }}));
    }
    assert_eq!(params.request_state.as_deref(), Some("so"));
}
