//! Histories in which other models answered.

use legwork_core::message::{Author, Message, Part, ProviderData, Thinking};
use legwork_models::{Api, providers};
use serde_json::json;

use super::Case;
use super::answers::Said;
use super::conversation::{call, conversation, result, resumed, text, with_tools};
use super::wire::Wire;

/// Providers whose answers differ from those of others of their wire.
const COMPATIBLES: [&str; 3] = ["deepseek", "mistral", "openrouter"];

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let case = |name: String, messages| Case::new(name, with_tools(conversation(messages)));
    let mut cases = vec![case("handed_off".to_owned(), invented())];
    let mut chain = answers(wire, 1)?;
    for (other, turn) in others(wire)?.iter().zip((10..).step_by(10)) {
        let name = other.provider.map_or(other.api.name(), |provider| provider.name);
        let messages = answers(other, turn)?;
        cases.push(case(format!("handed_off_from_{name}"), messages.clone()));
        chain.push(Message::user("Ask another."));
        chain.extend(messages);
    }
    cases.push(case("handed_off_chain".to_owned(), chain.clone()));
    chain.push(Message::user("And you?"));
    chain.extend(answers(wire, 4)?);
    cases.push(case("handed_off_and_back".to_owned(), chain.clone()));
    cases.push(Case::new("handed_off_and_back_resumed", with_tools(resumed(&chain)?)));
    Ok(cases)
}

/// The other wires, and providers that differ from others of theirs.
fn others(wire: &Wire) -> Result<Vec<Wire>, String> {
    let apis = Api::ALL.iter().filter(|api| **api != wire.api);
    let compatibles = COMPATIBLES.iter().filter(|name| **name != wire.provider_name());
    let compatibles = compatibles.filter_map(|name| providers::find(name));
    apis.map(|api| Wire::of_api(*api)).chain(compatibles.map(Wire::of_provider)).collect()
}

/// Answers of a model with all that its provider attaches to them.
fn answers(wire: &Wire, turn: u32) -> Result<Vec<Message>, String> {
    let add = || Said::Call("add", json!({"a": 17, "b": 25}));
    let messages = [
        wire.turn(turn, &[Said::Thought("Add."), Said::Text("Let me add."), add(), add()])?,
        wire.turn(turn + 1, &[Said::Hidden, Said::Ran, Said::Text("42.")])?,
        vec![Message::user("Are you sure?")],
        wire.turn(turn + 2, &[Said::Thought("I am.")])?,
    ];
    Ok(messages.concat())
}

/// What a provider answered that no wire knows.
fn invented() -> Vec<Message> {
    let provider = Some(ProviderData::new("other", json!({"secret": "s"})));
    let thinking = |text: &str| {
        let (text, provider) = (text.to_owned(), provider.clone());
        Part::Thinking(Thinking { text, id: Some("th_1".to_owned()), provider })
    };
    let id = "functions.add:0|a-very-long-id-of-a-call-that-another-provider-made-0123456789";
    let by = |parts| Message::assistant(parts).by(Author::Model("other:model".into()));
    vec![
        by(vec![thinking("Hm."), Part::Other(json!({"type": "novel"})), call(id, "{}")]),
        result(id, text("42")),
        by(vec![thinking("Only a thought.")]),
        Message::user("And?"),
        by(vec![]),
        Message::user("So?"),
    ]
}
