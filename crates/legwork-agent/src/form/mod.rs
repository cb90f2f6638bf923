//! Forms: what a call that waits for input asks a person, field by field.

mod field;
mod schema;

#[cfg(test)]
mod tests;

use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use serde_json::{Map, Value};

pub use field::{Choice, Field, Kind};

/// What a call that waits for input ([`PendingReason::Input`]) asks a person.
///
/// A form can be made of a request without a schema, which takes one text, and of one whose schema
/// is an object with properties that a person can fill in: texts, numbers, yes or no, and choices.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Form {
    /// What is asked.
    pub message: String,
    /// What is to be filled in, what is required first; empty where only a yes counts.
    pub fields: Vec<Field>,
    /// Whether the answer is an object with the fields; else it is the value of the only field.
    is_object: bool,
}

/// Why what a person wrote is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl Form {
    /// The form of a call that waits; none if it does not wait for input, or no form can be made
    /// of what it asks for.
    pub fn of(pending: &Pending) -> Option<Self> {
        let request = pending.input.as_ref().filter(|_| pending.reason == PendingReason::Input)?;
        let message = request.message.clone();
        match request.schema() {
            None => Some(Self { message, fields: vec![Field::any()], is_object: false }),
            Some(schema) => {
                let fields = schema::fields(schema)?;
                Some(Self { message, fields, is_object: true })
            }
        }
    }

    /// The answer with these values of fields, by their names.
    ///
    /// # Errors
    /// When a value is missing that is required, does not fit its field, or has no field.
    pub fn answer(
        &self,
        pending: &Pending,
        mut values: Map<String, Value>,
    ) -> Result<Answer, Refused> {
        for field in &self.fields {
            match (values.get(&field.name), &field.default) {
                (Some(value), _) => field.check(value)?,
                (None, Some(default)) => drop(values.insert(field.name.clone(), default.clone())),
                (None, None) if field.is_required => {
                    return Err(Refused(format!("{} is missing", field.label())));
                }
                (None, None) => {}
            }
        }
        let known = |name: &String| self.fields.iter().any(|field| field.name == *name);
        if let Some(name) = values.keys().find(|name| !known(name)) {
            return Err(Refused(format!("there is no field `{name}`")));
        }
        let value = match self.is_object {
            true => Value::Object(values),
            false => values.into_iter().next().map_or(Value::Null, |(_, value)| value),
        };
        Ok(Answer::supply(pending, value))
    }

    /// The shape of an answer, for people: `{"colour": .., "coats": ..}`.
    pub fn example(&self) -> String {
        let names = self.fields.iter().map(|field| format!("\"{}\": ..", field.name));
        format!("{{{}}}", names.collect::<Vec<_>>().join(", "))
    }

    /// The answer that a text gives: of a form with several fields a JSON object, of one with a
    /// single field also what that reads, of one without fields also a yes.
    ///
    /// # Errors
    /// As [`Form::answer`].
    pub fn read(&self, pending: &Pending, text: &str) -> Result<Answer, Refused> {
        if self.is_object
            && let Ok(Value::Object(values)) = serde_json::from_str(text)
        {
            return self.answer(pending, values);
        }
        if self.fields.is_empty() && Kind::yes_or_no(text) == Some(true) {
            return self.answer(pending, Map::new());
        }
        let [only] = &self.fields[..] else {
            return Err(Refused(format!("give a JSON object: {}", self.example())));
        };
        let value = only.read(text)?;
        self.answer(pending, value.map(|value| (only.name.clone(), value)).into_iter().collect())
    }
}
