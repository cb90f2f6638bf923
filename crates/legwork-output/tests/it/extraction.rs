//! Values asked of scripted models.

use std::sync::{Arc, Mutex};

use legwork_core::inference::{Incomplete, ThinkingLevel, ToolChoice};
use legwork_core::message::Author;
use legwork_core::{FinishReason, ModelSettings, Role};
use legwork_output::extraction::{Error, Extract as _, Mode, Problem};
use legwork_output::output::Stage;
use legwork_output::schema::Dialect;
use legwork_output::{Maybe, Output};
use legwork_port::{Ability, Model, Profile};
use legwork_testkit::{ScriptedModel, Turn};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
struct City {
    name: String,
    population: Option<u32>,
    #[serde(default)]
    rivers: Vec<String>,
}

fn paris() -> City {
    City { name: "Paris".to_owned(), population: Some(2_100_000), rivers: Vec::new() }
}

fn call() -> Turn {
    Turn::call("answer", json!({"name": "Paris", "population": 2_100_000}))
}

fn without_tools(model: ScriptedModel) -> ScriptedModel {
    model.with_profile(Profile::new().without(Ability::Tools))
}

#[tokio::test]
async fn a_model_with_tools_calls_one() {
    let model = ScriptedModel::new([call()]);
    let city = model.extract::<City>("Which city?").instructions("Be brief.").await.unwrap();
    assert_eq!(city, paris());
    let request = &model.requests()[0];
    assert_eq!(request.tool_choice, ToolChoice::Named("answer".to_owned()));
    assert_eq!(request.tools.len(), 1);
    assert!(request.instructions.starts_with("Be brief.\n\nGive your answer by calling"));
    assert_eq!(&*request.settings.model, "scripted:model");
}

#[tokio::test]
async fn a_call_is_demanded_beside_thinking_only_where_it_may_be() {
    let demanded = async |name: &str, level: ThinkingLevel| {
        let model = ScriptedModel::new([call()]).named(name);
        let settings = ModelSettings { thinking: Some(level), ..ModelSettings::default() };
        let city = model.extract::<City>("Which city?").settings(settings).await.unwrap();
        assert_eq!(city, paris());
        model.requests()[0].tool_choice != ToolChoice::Auto
    };
    for name in ["anthropic:claude-sonnet-4-6", "deepseek:deepseek-reasoner"] {
        assert!(!demanded(name, ThinkingLevel::Low).await, "{name}");
        assert!(demanded(name, ThinkingLevel::Off).await, "{name}");
    }
    assert!(demanded("openai:gpt-5", ThinkingLevel::Low).await);
}

#[tokio::test]
async fn another_model_writes_a_fenced_block() {
    let text = "Here:\n```json\n{\"name\": \"Paris\", \"population\": 2100000}\n```";
    let model = without_tools(ScriptedModel::new([Turn::text(text)]));
    let answer = model.extract::<City>("Which city?").answer().await.unwrap();
    assert_eq!((answer.value, answer.mode), (paris(), Mode::Fenced));
    assert_eq!(answer.response.text(), text);
    assert!(model.requests()[0].instructions.contains("\"population\""));
}

#[tokio::test]
async fn a_native_schema_is_fitted_and_its_nulls_are_removed() {
    let text = r#"{"name": "Paris", "population": 2100000, "rivers": null}"#;
    let model = ScriptedModel::new([Turn::text(text)]).named("openai:gpt");
    let asked = model.extract::<City>("Which city?").mode(Mode::NativeSchema);
    assert_eq!(asked.await.unwrap(), paris());
    let schema = model.requests()[0].response_format.clone().unwrap();
    assert_eq!(schema["required"], json!(["name", "population", "rivers"]));
    let full = ScriptedModel::new([Turn::text(text)]);
    let asked = full.extract::<City>("Which city?").mode(Mode::NativeSchema).repairs(0);
    let error = asked.await.unwrap_err();
    assert_eq!(error.attempts()[0].problem.stage(), Some(Stage::Schema), "{error}");
}

#[tokio::test]
async fn each_mode_has_its_request() {
    let text = r#"{"name": "Paris", "population": 2100000}"#;
    for mode in [Mode::JsonObject, Mode::Fenced, Mode::Prompted] {
        let model = ScriptedModel::new([Turn::text(text)]);
        assert_eq!(model.extract::<City>("Which?").mode(mode).await.unwrap(), paris());
        let request = &model.requests()[0];
        assert!(request.tools.is_empty());
        let format = request.response_format.as_deref().cloned();
        assert_eq!(format, (mode == Mode::JsonObject).then(|| json!({"type": "object"})));
    }
}

#[tokio::test]
async fn what_is_wrong_is_sent_back_until_it_is_right() {
    let model = ScriptedModel::new([
        Turn::call("answer", json!({"name": 7})).after([Turn::raw_call("answer", "no JSON")])
    ]);
    let error = model.extract::<City>("Which city?").repairs(0).await.unwrap_err();
    let Error::Rejected { attempts } = &error else { panic!("{error}") };
    assert_eq!(attempts[0].problem.stage(), Some(Stage::Extraction));

    let model = ScriptedModel::new([Turn::call("answer", json!({"name": 7})), call()]);
    let answer = model.extract::<City>("Which city?").answer().await.unwrap();
    assert_eq!(answer.value, paris());
    assert_eq!(answer.attempts.len(), 1);
    assert_eq!((answer.usage().input, answer.usage().output), (20, 10));
    let second = &model.asked()[1];
    let roles: Vec<_> = second.messages.iter().map(|said| said.role.clone()).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool]);
    // Otherwise a provider would be sent none of what it signed.
    let rejected = model.requests()[1].messages().iter().nth(1).unwrap().author.clone();
    assert_eq!(rejected, Some(Author::Model("scripted:model".into())));
    assert!(second.last().contains("(schema)"), "{}", second.last());
    assert!(second.last().contains("at /name: 7 is not of type"), "{}", second.last());
}

#[tokio::test]
async fn two_repairs_are_allowed_and_all_answers_are_kept() {
    let model =
        without_tools(ScriptedModel::new([Turn::text("{}").after([Turn::text("I do not know")])]));
    let endless = legwork_testkit::Script::from_fn(|_| Turn::text("{\"name\": 1}"));
    let error = without_tools(ScriptedModel::new(endless)).extract::<City>("?").await.unwrap_err();
    assert_eq!(error.attempts().len(), 3);
    assert_eq!(error.usage().output, 15);
    assert!(error.to_string().starts_with("none of 3 answers can be taken"), "{error}");
    let error = model.extract::<City>("?").repairs(0).await.unwrap_err();
    assert_eq!(error.attempts().len(), 1);
}

#[tokio::test]
async fn validators_speak_to_the_model() {
    let model = without_tools(ScriptedModel::new([Turn::text("[3]"), Turn::text("[3, 4]")]));
    let pair = Output::<Vec<u8>>::of().unwrap().validate(|all: &Vec<u8>| match all.len() {
        2 => Ok(()),
        other => Err(format!("two are wanted, not {other}")),
    });
    let sum = pair.transform(|all| Ok::<_, String>(all.iter().sum::<u8>()));
    assert_eq!(model.extract::<u8>("?").output(sum).await.unwrap(), 7);
    let asked = model.asked();
    assert!(asked[1].last().contains("(validation)"));
    assert!(asked[1].last().contains("two are wanted, not 1"));
}

#[tokio::test]
async fn a_broken_off_answer_is_never_taken() {
    let cut = call().incomplete(Incomplete::Cut);
    let long = Turn::text("[1, 2, 3]").with_finish(FinishReason::Length);
    let (with, without) = (Profile::new(), Profile::new().without(Ability::Tools));
    for (turn, profile) in [(cut, with), (long, without)] {
        let script = legwork_testkit::Script::from_fn(move |_| turn.clone());
        let model = ScriptedModel::new(script);
        let model = model.with_profile(profile);
        let error = model.extract::<Vec<u8>>("?").repairs(1).await.unwrap_err();
        assert_eq!(error.attempts().len(), 2);
        assert!(matches!(error.attempts()[1].problem, Problem::Incomplete(_)), "{error}");
        let second = &model.asked()[1];
        assert!(second.messages.iter().all(|said| said.role == Role::User), "it is not shown");
    }
}

#[tokio::test]
async fn an_error_of_the_model_keeps_what_came_before() {
    let model = ScriptedModel::new([Turn::call("answer", json!({})), Turn::status(500)]);
    let error = model.extract::<City>("?").await.unwrap_err();
    let Error::Model { error, attempts } = error else { panic!("{error}") };
    assert_eq!((error.status, attempts.len()), (Some(500), 1));
}

#[tokio::test]
async fn a_schema_that_a_dialect_cannot_say_is_an_error_or_another_mode() {
    type Map = std::collections::BTreeMap<String, u8>;
    let model = ScriptedModel::new([Turn::text("{\"a\": 1}")]).named("gemini:pro");
    let asked = model.extract::<Map>("?").mode(Mode::NativeSchema);
    assert!(
        matches!(asked.await.unwrap_err(), Error::Unfit(unfit) if unfit.dialect == Dialect::Gemini)
    );
    let answer = model.extract::<Map>("?").answer().await.unwrap();
    assert_eq!((answer.mode, answer.value["a"]), (Mode::Fenced, 1));
}

#[tokio::test]
async fn a_value_is_shown_while_it_arrives() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let model =
        ScriptedModel::new([Turn::call("answer", json!({"items": ["one", "two", "three"]}))]);
    let seen = Arc::clone(&shown);
    let asked = model.extract::<Vec<String>>("?");
    let words = asked.on_partial(move |value| seen.lock().unwrap().push(value.to_json())).await;
    assert_eq!(words.unwrap(), ["one", "two", "three"]);
    let shown = shown.lock().unwrap();
    let wanted = [json!(["o"]), json!(["one", "two", "t"]), json!(["one", "two", "three"])];
    assert_eq!(*shown, wanted);
}

#[tokio::test]
async fn a_model_behind_a_pointer_and_a_reason_why_not() {
    let missing = json!({"value": {"missing": "nobody lives there"}});
    let model: Arc<dyn Model> = Arc::new(ScriptedModel::new([Turn::call("answer", missing)]));
    let count = model.extract::<Maybe<u32>>("How many?").await.unwrap();
    assert_eq!(count, Maybe::Missing("nobody lives there".to_owned()));
    let by_reference: &dyn Model = &*model;
    assert!(by_reference.extract::<Maybe<u32>>("How many?").await.is_ok());
}

#[tokio::test]
async fn each_item_of_a_list_is_handed_out_once_an_answer() {
    for mode in [Mode::ToolCall, Mode::Prompted] {
        let turn = |items: serde_json::Value| match mode {
            Mode::ToolCall => Turn::call("answer", json!({"items": items})),
            _ => Turn::text(json!({"items": items}).to_string()),
        };
        let model = ScriptedModel::new([turn(json!([1, "x"])), turn(json!([1, 2]))]);
        let mut seen = Vec::new();
        let list = model.extract::<Vec<u8>>("?").mode(mode);
        let list = list.on_item(|number, item| seen.push((number, item.ok()))).await.unwrap();
        assert_eq!(list, [1, 2]);
        assert_eq!(seen, [(0, Some(1)), (1, None), (0, Some(1)), (1, Some(2))], "{mode:?}");
    }
}
