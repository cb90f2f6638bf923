use std::sync::Arc;

use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, Part, ToolSpec};
use serde_json::json;

use super::*;

fn settings(options: &str) -> Result<serde_json::Value, String> {
    let named: Named =
        format!("a:m?{options}").parse().map_err(|error: Error| error.to_string())?;
    assert_eq!(named.name, "a:m");
    let mut settings = serde_json::to_value(named.settings).unwrap();
    settings.as_object_mut().unwrap().remove("model");
    Ok(settings)
}

#[test]
fn each_option_is_a_setting() {
    let table = [
        ("thinking=high", json!({"thinking": "high"})),
        ("thinking=off", json!({"thinking": "off"})),
        ("thinking=2048", json!({"thinking": "2048"})),
        ("temperature=0.2", json!({"temperature": 0.2})),
        ("top_p=1", json!({"top_p": 1.0})),
        ("max_output=512", json!({"max_output": 512})),
        ("tool_choice=required", json!({"tool_choice": "required"})),
        ("tool_choice=look_up", json!({"tool_choice": {"named": "look_up"}})),
        ("parallel_calls=false", json!({"parallel_calls": false})),
        ("seed=-1", json!({"seed": -1})),
        ("stop=END&stop=%0A%26", json!({"stop": ["END", "\n&"]})),
        ("background=true", json!({"extra": {"background": true}})),
        ("previous_response_id=auto", json!({"extra": {"previous_response_id": "auto"}})),
        ("thinking=low&seed=7", json!({"thinking": "low", "seed": 7})),
    ];
    let names = table.each_ref().map(|(options, _)| *options);
    for (options, expected) in table {
        assert_eq!(settings(options), Ok(expected), "{options}");
    }
    let is_tried = |name: &str| names.iter().any(|options| options.starts_with(name));
    assert!(OPTIONS.iter().all(|(name, _)| is_tried(name)));
}

#[test]
fn what_is_no_option_is_refused_with_what_is_meant() {
    let table = [
        ("thinkng=high", "no option `thinkng` of a model; did you mean `thinking`? There are "),
        ("colour=red", "no option `colour` of a model; there are thinking, temperature, "),
        ("thinking=much", "cannot be `much`: it is off, minimal, low, medium, high, or a number"),
        ("thinking=0", "cannot be `0`"),
        ("temperature=warm", "cannot be `warm`: it is a number of 0 or more"),
        ("temperature=NaN", "cannot be `NaN`"),
        ("temperature=-1", "cannot be `-1`"),
        ("top_p=1.5", "cannot be `1.5`"),
        ("max_output=0", "cannot be `0`"),
        ("parallel_calls=yes", "cannot be `yes`: it is true or false"),
        ("background=1", "cannot be `1`: it is true or false"),
        ("previous_response_id=r1", "cannot be `r1`: it is auto"),
        ("seed=1.5", "cannot be `1.5`"),
        ("stop=", "cannot be ``: it is a text"),
        ("tool_choice=", "cannot be ``"),
        ("seed=1&seed=2", "`seed` of a model is given twice"),
        ("thinking", "`thinking` is no option of a model: write it as option=value"),
        ("", "`` is no option"),
    ];
    for (options, words) in table {
        let error = settings(options).unwrap_err();
        assert!(error.contains(words), "{options}: {error}");
    }
}

#[test]
fn a_name_without_options_is_itself() {
    let named: Named = "bedrock:arn:aws:bedrock:us-east-1::model/x".parse().unwrap();
    assert_eq!(named.to_string(), "bedrock:arn:aws:bedrock:us-east-1::model/x");
    assert_eq!(named.settings, ModelSettings::default());
}

#[test]
fn s6_12_a_call_is_demanded_of_no_answer_to_the_result_of_one() {
    let named: Named = "a:m?tool_choice=required".parse().unwrap();
    let spec = ToolSpec::new("look", "Looks.", serde_json::json!({"type": "object"}));
    let mut asked = ModelRequest::blank(Arc::default()).with_message(Message::user("Look."));
    asked.tools = Arc::new(ToolSpecs::new(vec![Arc::new(spec)]));
    let choice =
        |request: &ModelRequest| with_defaults(request.clone(), &named.settings).tool_choice;
    assert_eq!(choice(&asked), ToolChoice::Required);
    let result = Message::new(Role::Tool, vec![Part::text("seen")]);
    let answered = asked.with_message(result);
    assert_eq!(choice(&answered), ToolChoice::Auto);
    let more = answered.with_message(Message::user("Look again."));
    assert_eq!(choice(&more), ToolChoice::Required);
}

#[test]
fn a_request_keeps_what_it_sets_itself() {
    let named: Named =
        "a:m?seed=1&temperature=0.5&max_output=100&tool_choice=none".parse().unwrap();
    let own = ModelSettings { seed: Some(2), max_output: Some(10), ..ModelSettings::default() };
    let request = with_defaults(ModelRequest::blank(Arc::new(own)), &named.settings);
    let settings = &request.settings;
    assert_eq!((settings.seed, settings.temperature), (Some(2), Some(0.5)));
    assert_eq!(request.max_output, Some(10));
    assert_eq!(request.tool_choice, ToolChoice::Auto, "there is no tool to choose");
    let mut clamped = ModelRequest::blank(Arc::default());
    clamped.max_output = Some(50);
    assert_eq!(with_defaults(clamped, &named.settings).max_output, Some(50));
}
