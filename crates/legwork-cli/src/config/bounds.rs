//! The bounds of one answer of a model: the table `[bounds]`.

use std::time::Duration;

use legwork::model::Bounds;
use legwork::model::http::Timeouts;
use serde_json::Value;

use super::item::Item;
use super::key::OF_BOUNDS;
use super::retry::in_words;
use super::tables::entries;
use crate::error::Error;

/// The bounds of one answer, and its time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Answers {
    pub(crate) bounds: Bounds,
    pub(crate) timeouts: Timeouts,
}

/// The bounds of a table; keys that are missing keep their default.
pub(super) fn answers(outer: &Item<'_>) -> Result<Answers, Error> {
    let mut answers = Answers::default();
    for entry in entries(outer, &OF_BOUNDS)? {
        let Some(field) = answers.field(&entry.name) else { continue };
        let expects = match field {
            Field::Time(_) => "a length of time above 0 as text, such as \"30m\" or \"90s\"",
            _ => "a whole number from 1 on",
        };
        let whole = Item { name: format!("{}.{}", outer.name, entry.name), expects, ..entry };
        match field {
            Field::Count(field) => *field = usize::try_from(whole.count()?).unwrap_or(usize::MAX),
            Field::Tokens(field) => *field = whole.count()?,
            Field::Time(field) => *field = whole.time_limit()?,
        }
    }
    Ok(answers)
}

/// The field that a key sets.
enum Field<'a> {
    Count(&'a mut usize),
    Tokens(&'a mut u64),
    Time(&'a mut Duration),
}

impl Field<'_> {
    fn value(&self) -> Value {
        match self {
            Self::Count(count) => Value::from(**count),
            Self::Tokens(count) => Value::from(**count),
            Self::Time(time) => Value::from(in_words(**time)),
        }
    }
}

impl Answers {
    fn field(&mut self, key: &str) -> Option<Field<'_>> {
        let Self { bounds, timeouts } = self;
        Some(match key {
            "answer_bytes" => Field::Count(&mut bounds.answer_bytes),
            "received_bytes" => Field::Count(&mut bounds.received_bytes),
            "event_bytes" => Field::Count(&mut bounds.event_bytes),
            "events" => Field::Count(&mut bounds.events),
            "calls" => Field::Count(&mut bounds.calls),
            "values" => Field::Count(&mut bounds.values),
            "nesting" => Field::Count(&mut bounds.nesting),
            "tokens" => Field::Tokens(&mut bounds.tokens),
            "first_byte" => Field::Time(&mut timeouts.first_byte),
            "idle" => Field::Time(&mut timeouts.idle),
            "silence" => Field::Time(&mut timeouts.silence),
            "answer_time" => Field::Time(&mut timeouts.answer),
            _ => return None,
        })
    }

    /// All of them by key, as a file has them.
    pub(crate) fn listed(mut self) -> Vec<(&'static str, Value)> {
        OF_BOUNDS.iter().filter_map(|key| Some((*key, self.field(key)?.value()))).collect()
    }
}
