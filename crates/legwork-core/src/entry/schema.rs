//! The JSON Schema of an entry, generated from the types.

use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use super::FORMAT;
use crate::event::Event;

/// The JSON Schema of a line of a journal (draft 2020-12).
///
/// It accepts every entry that this version writes, and any body of an unknown event type, as
/// [`Entry::decode`](super::Entry::decode) does. Needs the feature `schema`.
pub fn schema() -> Schema {
    let mut generator = SchemaGenerator::default();
    let bodies = Event::bodies(&mut generator);
    let known: Vec<_> = bodies.iter().map(|(kind, ..)| Value::from(*kind)).collect();
    let known_events = bodies.into_iter().map(|(kind, meaning, body)| {
        json_schema!({
            "description": meaning,
            "properties": { "type": { "const": kind }, "body": body },
        })
    });
    let unknown = json_schema!({
        "description": "An event of a newer version, kept as it is.",
        "properties": { "type": { "not": { "enum": known } } },
    });
    let events: Vec<_> = known_events.chain([unknown]).collect();
    let definitions = generator.take_definitions(true);
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Entry of a Legwork journal",
        "description": "A line of a journal: what happened, when, and after which entry.",
        "type": "object",
        "required": ["v", "seq", "parent", "at", "type", "body"],
        "properties": {
            "v": { "description": "The format version.", "const": FORMAT },
            "seq": {
                "description": "The number of the entry in its session: its id.",
                "type": "integer",
                "minimum": 1,
            },
            "parent": {
                "description": "The number of the entry before it on its path; 0 for none.",
                "type": "integer",
                "minimum": 0,
            },
            "at": {
                "description": "When it was made, in milliseconds since 1970-01-01 UTC.",
                "type": "integer",
                "minimum": 0,
            },
            "type": { "description": "The type of the event.", "type": "string" },
            "body": { "description": "The event, in the shape of its type." },
        },
        "oneOf": events,
        "$defs": definitions,
    })
}
