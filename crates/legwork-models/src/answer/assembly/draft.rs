//! A part of an answer that is being received.

use std::sync::Arc;

use legwork_core::message::{Part, ProviderData, Text, Thinking};
use legwork_port::Delta;
use serde_json::{Map, Value};

use crate::answer::call::{self, Origin, Taken};
use crate::answer::remainder;

#[derive(Debug)]
pub(crate) enum Draft {
    /// Words, and what the provider attached to them.
    Words(Words, String, Option<Box<Attached>>),
    /// A part of another kind, and JSON text of its input that came in pieces.
    Other(Value, String),
    /// A call, and its number among the calls.
    Call(usize, call::Draft),
}

/// What a provider attached to words.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    pub(crate) id: Option<String>,
    data: Map<String, Value>,
}

/// What words are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    Text,
    Thinking,
    Refusal,
}

impl Words {
    /// How they are streamed: a refusal as text, so that it is shown.
    pub(crate) fn delta(self, text: &str) -> Delta<'_> {
        match self {
            Self::Text | Self::Refusal => Delta::Text(text),
            Self::Thinking => Delta::Thinking(text),
        }
    }
}

impl Draft {
    pub(crate) fn words(kind: Words, text: &str) -> Self {
        Self::Words(kind, text.to_owned(), None)
    }

    pub(crate) fn other(value: Value) -> Self {
        Self::Other(value, String::new())
    }

    /// Merges a field of the provider; how much its weight grew.
    pub(crate) fn attach(&mut self, key: &str, value: Value) -> usize {
        match self {
            Self::Words(_, _, attached) => {
                remainder::merge(&mut attached.get_or_insert_default().data, key, value)
            }
            Self::Call(_, call) => call.attach(key, value),
            Self::Other(Value::Object(fields), _) => remainder::merge(fields, key, value),
            Self::Other(..) => 0,
        }
    }

    /// The order of parts in a body, whose fields come in any order.
    pub(crate) fn place_in_body(&self) -> u8 {
        match self {
            Self::Words(Words::Thinking, ..) => 0,
            Self::Words(..) | Self::Other(..) => 1,
            Self::Call(..) => 2,
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Words(_, text, _) => text.len(),
            Self::Call(_, call) => call.len(),
            Self::Other(..) => 0,
        }
    }

    /// Cuts it to so many bytes; false if it is to be dropped.
    pub(crate) fn clip(&mut self, bytes: usize) -> bool {
        match self {
            Self::Words(_, text, attached) => {
                *attached = None;
                text.truncate(text.floor_char_boundary(bytes));
            }
            Self::Call(_, call) => call.clip(bytes),
            Self::Other(..) => return false,
        }
        true
    }

    pub(crate) fn part(self, taken: &mut Taken, origin: &Origin<'_>) -> Part {
        match self {
            Self::Words(kind, text, attached) => {
                let Attached { id, data } = attached.map(|attached| *attached).unwrap_or_default();
                let provider = (!data.is_empty())
                    .then(|| ProviderData::new(Arc::clone(origin.provider), Value::Object(data)));
                match kind {
                    Words::Text => Part::Text(Text { text, id, provider }),
                    Words::Thinking => Part::Thinking(Thinking { text, id, provider }),
                    Words::Refusal => Part::Refusal(Text { text, id, provider }),
                }
            }
            Self::Other(mut value, input) => {
                if let Some(fields) = fields_of(&mut value).filter(|_| !input.is_empty()) {
                    let input = serde_json::from_str(&input).unwrap_or(Value::String(input));
                    fields.insert("input".to_owned(), input);
                }
                Part::Other(value)
            }
            Self::Call(_, call) => Part::ToolCall(call.finish(taken, origin)),
        }
    }
}

/// The fields of a part of another kind; where one field names the kind, those inside it.
fn fields_of(value: &mut Value) -> Option<&mut Map<String, Value>> {
    let fields = value.as_object_mut()?;
    match fields.len() == 1 && fields.values().all(Value::is_object) {
        true => fields.values_mut().next()?.as_object_mut(),
        false => Some(fields),
    }
}
