//! The tools that ask the client while they answer.
//!
//! The names that begin with `test_input_required_result_` are of the revision of 2026-07-28, in
//! which questions are results; most others are of 2025-11-25, in which they are requests. All
//! ask through [`Client::ask`].

use legwork_core::ToolSpec;
use legwork_mcp_server::Error;
use legwork_mcp_server::client::Client;
use legwork_mcp_server::question::{Ability, Answers, Question, Questions, accepted};
use legwork_mcp_server::service::{Call, Reply};
use serde_json::{Value, json};

/// Each tool: its name, what it does, and its only argument, which is a text.
const TOOLS: &[(&str, &str, Option<&str>)] = &[
    ("test_sampling", "Asks the client's model", Some("prompt")),
    ("test_elicitation", "Asks for a name and an address", Some("message")),
    ("test_elicitation_sep1034_defaults", "Shows a form with defaults", None),
    ("test_elicitation_sep1330_enums", "Shows a form with choices", None),
    ("test_missing_capability", "Needs a client that offers its model", None),
    ("test_streaming_elicitation", "Asks for a confirmation", None),
    ("test_input_required_result_elicitation", "Asks for a name", None),
    ("test_input_required_result_sampling", "Asks the client's model", None),
    ("test_input_required_result_list_roots", "Asks for the roots", None),
    ("test_input_required_result_request_state", "Keeps state while it asks", None),
    ("test_input_required_result_tampered_state", "Keeps state while it asks", None),
    ("test_input_required_result_multiple_inputs", "Asks three questions at once", None),
    ("test_input_required_result_multi_round", "Asks twice, one after the other", None),
    ("test_input_required_result_capabilities", "Asks what the client can answer", None),
];

/// The tools of this module.
pub(crate) fn specs() -> Vec<ToolSpec> {
    let spec = |(name, what, argument): &(&str, &str, Option<&str>)| {
        let schema = match argument {
            Some(argument) => json!({
                "type": "object",
                "properties": {*argument: {"type": "string"}},
                "required": [argument],
            }),
            None => json!({"type": "object", "properties": {}}),
        };
        ToolSpec::new(*name, *what, schema)
    };
    TOOLS.iter().map(spec).collect()
}

/// Whether a tool is of this module.
pub(crate) fn is_one(tool: &str) -> bool {
    TOOLS.iter().any(|(name, ..)| *name == tool)
}

pub(crate) async fn call(call: &Call, client: &Client) -> Result<Reply, Error> {
    let name = call.name.strip_prefix("test_input_required_result_").unwrap_or(&call.name);
    match name {
        "test_sampling" => {
            let question = Question::sampling(call.required("prompt")?, 100);
            let answer = ask(client, "sampling", question).await?;
            Ok(Reply::text(format!("LLM response: {}", text_of(&answer))))
        }
        "test_elicitation" => {
            let question = Question::form(call.required("message")?, &address());
            filled(client, question, "User response").await
        }
        "test_elicitation_sep1034_defaults" => {
            let question = Question::form("Please check these values", &defaults());
            filled(client, question, "Elicitation completed").await
        }
        "test_elicitation_sep1330_enums" => {
            let question = Question::form("Please choose", &choices());
            filled(client, question, "Elicitation completed").await
        }
        "test_missing_capability" | "sampling" => capital(client).await,
        "test_streaming_elicitation" => filled(client, confirm(), "Confirmed").await,
        "elicitation" => greet(client).await,
        "list_roots" => {
            let answer = ask(client, "client_roots", Question::roots()).await?;
            Ok(Reply::text(format!("Roots: {}", field(&answer, "roots"))))
        }
        "request_state" | "tampered_state" => confirmed(client).await,
        "multiple_inputs" => several(client).await,
        "multi_round" => two_rounds(client).await,
        "capabilities" => able(client).await,
        name => Err(Error::invalid(format!("there is no tool {name:?}"))),
    }
}

async fn capital(client: &Client) -> Result<Reply, Error> {
    let question = Question::sampling("What is the capital of France?", 100);
    let answer = ask(client, "capital_question", question).await?;
    Ok(Reply::text(text_of(&answer)))
}

async fn greet(client: &Client) -> Result<Reply, Error> {
    let answer = ask(client, "user_name", name()).await?;
    let Some(fields) = accepted(&answer) else { return Ok(Reply::failed("There is no name")) };
    Ok(Reply::text(format!("Hello, {}!", field(fields, "name"))))
}

/// Asks for a confirmation, and is told again what it worked on.
async fn confirmed(client: &Client) -> Result<Reply, Error> {
    let questions = Questions::from([("confirm".to_owned(), confirm())]);
    client.ask(questions, Some(json!({"stage": "confirm"}))).await?;
    let stage = client.state().map(|state| field(state, "stage"));
    match stage.as_deref() {
        Some("confirm") => Ok(Reply::text("state-ok")),
        _ => Ok(Reply::failed("The state is missing")),
    }
}

async fn several(client: &Client) -> Result<Reply, Error> {
    let questions = Questions::from([
        ("user_name".to_owned(), name()),
        ("greeting".to_owned(), Question::sampling("Generate a greeting", 50)),
        ("client_roots".to_owned(), Question::roots()),
    ]);
    let answers = client.ask(questions, Some(json!({"stage": "several"}))).await?;
    Ok(Reply::text(format!("{} answers", answers.len())))
}

/// Asks for a name, then for a colour; the name is part of the state of the second round.
async fn two_rounds(client: &Client) -> Result<Reply, Error> {
    let known = client.state().and_then(|state| state.get("name")).cloned();
    let name = match known {
        Some(name) => name,
        None => {
            let question = text_form("Step 1: What is your name?", "name");
            let questions = Questions::from([("step1".to_owned(), question)]);
            let answers = client.ask(questions, Some(json!({"round": 1}))).await?;
            Value::from(answer_field(&answers, "step1", "name"))
        }
    };
    let question = text_form("Step 2: What is your favorite color?", "color");
    let questions = Questions::from([("step2".to_owned(), question)]);
    let answers = client.ask(questions, Some(json!({"name": name}))).await?;
    Ok(Reply::text(format!("{name} likes {}", answer_field(&answers, "step2", "color"))))
}

/// Asks only what the client can answer.
async fn able(client: &Client) -> Result<Reply, Error> {
    let all = [
        (Ability::Forms, "user_name", name()),
        (Ability::Sampling, "greeting", Question::sampling("Generate a greeting", 50)),
        (Ability::Roots, "client_roots", Question::roots()),
    ];
    let able = all.into_iter().filter(|(ability, ..)| client.can(*ability));
    let questions = able.map(|(_, key, question)| (key.to_owned(), question)).collect();
    let answers = client.ask(questions, None).await?;
    Ok(Reply::text(format!("{} answers", answers.len())))
}

/// Shows a form, and replies with how it was answered.
async fn filled(client: &Client, form: Question, what: &str) -> Result<Reply, Error> {
    let answer = ask(client, "form", form).await?;
    let content = accepted(&answer).map(Value::to_string).unwrap_or_default();
    Ok(Reply::text(format!("{what}: action={}, content={content}", field(&answer, "action"))))
}

async fn ask(client: &Client, key: &str, question: Question) -> Result<Value, Error> {
    let mut answers = client.ask(Questions::from([(key.to_owned(), question)]), None).await?;
    Ok(answers.remove(key).unwrap_or_default())
}

/// A field as a text; a text is shown without its quotes.
fn field(value: &Value, name: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

fn answer_field(answers: &Answers, key: &str, name: &str) -> String {
    answers.get(key).and_then(accepted).map(|fields| field(fields, name)).unwrap_or_default()
}

/// What the client's model wrote.
fn text_of(answer: &Value) -> String {
    answer.get("content").map(|content| field(content, "text")).unwrap_or_default()
}

fn name() -> Question {
    text_form("What is your name?", "name")
}

fn confirm() -> Question {
    let schema = json!({
        "type": "object",
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
    });
    Question::form("Please confirm", &schema)
}

/// A form with one field, a text.
pub(crate) fn text_form(message: &str, field: &str) -> Question {
    let schema = json!({
        "type": "object",
        "properties": {field: {"type": "string"}},
        "required": [field],
    });
    Question::form(message, &schema)
}

fn address() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": {"type": "string", "description": "The name of the user"},
            "email": {"type": "string", "description": "Where mail reaches the user"},
        },
        "required": ["username", "email"],
    })
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {
                "type": "string",
                "enum": ["active", "inactive", "pending"],
                "default": "active",
            },
            "verified": {"type": "boolean", "default": true},
        },
    })
}

fn choices() -> Value {
    let options = json!(["option1", "option2", "option3"]);
    let titled = json!([
        {"const": "value1", "title": "First"},
        {"const": "value2", "title": "Second"},
        {"const": "value3", "title": "Third"},
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": {"type": "string", "enum": options},
            "titledSingle": {"type": "string", "oneOf": titled},
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["First", "Second", "Third"],
            },
            "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
            "titledMulti": {"type": "array", "items": {"anyOf": titled}},
        },
    })
}
