//! An answer as its pieces came.

use std::sync::Arc;

use legwork_core::message::Thinking;
use legwork_core::{Part, ToolCall};
use legwork_port::model::Delta;

/// The pieces of an answer, put together.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Text(String),
    Thinking(String),
    Call { index: usize, name: String, json: String },
}

impl Pieces {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, delta: Delta<'_>) {
        match (delta, self.0.last_mut()) {
            (Delta::Text(more), Some(Piece::Text(text)))
            | (Delta::Thinking(more), Some(Piece::Thinking(text))) => text.push_str(more),
            (Delta::Text(text), _) => self.0.push(Piece::Text(text.to_owned())),
            (Delta::Thinking(text), _) => self.0.push(Piece::Thinking(text.to_owned())),
            (Delta::ToolCall { index, name }, _) => {
                self.0.push(Piece::Call { index, name: name.to_owned(), json: String::new() });
            }
            (Delta::Arguments { index, json: more }, _) => self.argue(index, more),
            _ => {}
        }
    }

    /// Adds to the arguments of a call.
    fn argue(&mut self, at: usize, more: &str) {
        let call = self.0.iter_mut().find_map(|piece| match piece {
            Piece::Call { index, json, .. } if *index == at => Some(json),
            _ => None,
        });
        if let Some(json) = call {
            json.push_str(more);
        }
    }

    /// The parts of a message; the ids of its calls are made up, for none of them runs.
    pub(super) fn into_parts(self) -> Vec<Part> {
        let part = |piece| match piece {
            Piece::Text(text) => Part::text(text),
            Piece::Thinking(text) => Part::Thinking(Thinking { text, ..Thinking::default() }),
            Piece::Call { index, name, json } => {
                let id = format!("cut_{index}");
                Part::ToolCall(Arc::new(ToolCall::new(id, name, json)))
            }
        };
        self.0.into_iter().map(part).collect()
    }
}
