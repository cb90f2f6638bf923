//! Thinking: how much is asked for, and what goes back of what came.

use legwork_core::inference::{ModelSettings, ThinkingLevel};
use legwork_core::message::Message;
use legwork_models::answer::Streaming;
use serde_json::json;

use super::Case;
use super::answers::Said;
use super::conversation::{conversation, resumed, set, with_tools};
use super::wire::Wire;

pub(super) fn cases(wire: &Wire) -> Result<Vec<Case>, String> {
    let case = |name, messages| Case::new(name, with_tools(conversation(messages)));
    let (once, twice) = (once(wire)?, twice(wire)?);
    let mut cases = vec![
        case("thinking", once.clone()),
        case("thinking_twice", twice.clone()),
        case("thinking_hidden", wire.turn(1, &[Said::Hidden, add(17, 25)])?),
        case("thinking_alone", {
            let alone = wire.says(1, &[Said::Thought("Add them.")])?;
            vec![alone, Message::user("And?")]
        }),
        case("thinking_without_tools", {
            let said = wire.says(1, &[Said::Thought("Add them."), Said::Text("42.")])?;
            vec![said, Message::user("And 2 + 2?")]
        }),
        cached(wire, "cached", once.clone()),
        cached(wire, "cached_thinking_twice", twice.clone()),
        Case::new("resumed", with_tools(resumed(&once)?)),
        Case::new("resumed_thinking_twice", with_tools(resumed(&twice)?)),
    ];
    for level in ["off", "minimal", "low", "medium", "high", "4096"] {
        let thinking = Some(ThinkingLevel::from(level));
        let settings = ModelSettings { thinking, ..ModelSettings::default() };
        let name = format!("thinking_{level}");
        cases.push(Case::new(name.as_str(), set(conversation([]), settings.clone())));
        let twice = with_tools(conversation(twice.clone()));
        cases.push(Case::new(format!("{name}_twice"), set(twice, settings)));
    }
    Ok(cases)
}

fn add(a: i64, b: i64) -> Said<'static> {
    Said::Call("add", json!({"a": a, "b": b}))
}

/// An answer of the model with thinking, and the result of its call.
fn once(wire: &Wire) -> Result<Vec<Message>, String> {
    wire.turn(1, &[Said::Thought("Add them."), Said::Text("Let me add."), add(17, 25)])
}

/// Answers of two rounds, each with what the provider signed or encrypted.
pub(super) fn twice(wire: &Wire) -> Result<Vec<Message>, String> {
    let rounds = [
        once(wire)?,
        wire.turn(2, &[Said::Hidden, Said::Thought("That is it."), Said::Text("42.")])?,
        vec![Message::user("And 2 + 2, and 3 + 3?")],
        wire.turn(3, &[Said::Thought("Both at once."), add(2, 2), add(3, 3)])?,
    ];
    Ok(rounds.concat())
}

/// A request whose messages were encoded before, and one more.
fn cached(wire: &Wire, name: &str, messages: Vec<Message>) -> Case {
    let request = with_tools(conversation(messages));
    let _ = wire.model.body(&request, Streaming::No);
    Case::new(name, request.with_message(Message::user("And 4 + 4?")))
}
