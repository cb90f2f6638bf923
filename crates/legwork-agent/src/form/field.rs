//! A field of a form, and what a person may write in it.

use serde_json::{Number, Value};

use super::Refused;

/// Choices that are named where none of them was meant.
const SHOWN: usize = 20;

/// What is to be filled in.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its name in the answer.
    pub name: String,
    /// Its name for people; none if it has only the one above.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What it takes.
    pub kind: Kind,
    /// Whether it may not be left out.
    pub is_required: bool,
    /// Its value where a person writes nothing.
    pub default: Option<Value>,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Text, with so many characters.
    Text {
        /// The least number of characters.
        least: u64,
        /// The greatest number of characters; none = any.
        most: Option<u64>,
    },
    /// A number.
    Number {
        /// Whether it has no fraction.
        is_whole: bool,
        /// The least value.
        least: Option<f64>,
        /// The greatest value.
        most: Option<f64>,
    },
    /// Yes or no.
    Boolean,
    /// One of these.
    One(Vec<Choice>),
    /// Any of these.
    Many(Vec<Choice>),
}

/// What can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Choice {
    /// Its value in the answer.
    pub value: String,
    /// What people read; none if that is the value.
    pub title: Option<String>,
}

impl Choice {
    /// A choice, with what people read of it.
    pub(super) fn new(value: &str, title: Option<&str>) -> Self {
        Self { value: value.to_owned(), title: title.map(str::to_owned) }
    }

    /// What people read.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.value)
    }
}

impl Kind {
    /// Whether a text says yes or no, as a person writes it; none if it says neither.
    pub fn yes_or_no(text: &str) -> Option<bool> {
        match text.trim().to_lowercase().as_str() {
            "y" | "yes" | "true" => Some(true),
            "n" | "no" | "false" => Some(false),
            _ => None,
        }
    }
}

impl Field {
    /// The only field where any text will do.
    pub(super) fn any() -> Self {
        Self {
            name: "answer".to_owned(),
            title: None,
            description: None,
            kind: Kind::Text { least: 1, most: None },
            is_required: true,
            default: None,
        }
    }

    /// Its name for people.
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// What can be chosen; empty where it is no choice.
    pub fn choices(&self) -> &[Choice] {
        match &self.kind {
            Kind::One(choices) | Kind::Many(choices) => choices,
            _ => &[],
        }
    }

    /// The value that a person wrote: a choice by its words or its number, several of them with
    /// commas between; none if they wrote nothing, which leaves it out or takes its default.
    ///
    /// # Errors
    /// When it does not fit, or may not be left out.
    pub fn read(&self, text: &str) -> Result<Option<Value>, Refused> {
        let text = text.trim();
        if text.is_empty() {
            return match (&self.default, self.is_required) {
                (Some(default), _) => Ok(Some(default.clone())),
                (None, false) => Ok(None),
                (None, true) => Err(Refused(format!("{} may not be empty", self.label()))),
            };
        }
        let value = match &self.kind {
            Kind::Text { .. } => Value::String(text.to_owned()),
            Kind::Number { is_whole, .. } => number(text, *is_whole).ok_or_else(|| {
                Refused(format!(
                    "{text:?} is no {}",
                    if *is_whole { "whole number" } else { "number" }
                ))
            })?,
            Kind::Boolean => Kind::yes_or_no(text)
                .map(Value::Bool)
                .ok_or_else(|| Refused(format!("{text:?} is neither yes nor no")))?,
            Kind::One(choices) => chosen(choices, text)?,
            Kind::Many(choices) => {
                let all = text.split(',').map(|one| chosen(choices, one.trim()));
                Value::Array(all.collect::<Result<_, _>>()?)
            }
        };
        self.check(&value)?;
        Ok(Some(value))
    }

    /// Whether a value fits.
    pub(super) fn check(&self, value: &Value) -> Result<(), Refused> {
        let refused = |what: &str| Err(Refused(format!("{} is to be {what}", self.label())));
        let is_offered = |choices: &[Choice], value: &Value| {
            value.as_str().is_some_and(|value| choices.iter().any(|choice| choice.value == value))
        };
        match (&self.kind, value) {
            (Kind::Text { least, most }, Value::String(text)) => {
                let length = text.chars().count() as u64;
                match most {
                    Some(most) if length > *most => {
                        refused(&format!("{most} characters long at most"))
                    }
                    _ if length < *least => refused(&format!("{least} characters long at least")),
                    _ => Ok(()),
                }
            }
            (Kind::Number { is_whole, least, most }, Value::Number(number)) => {
                let value = number.as_f64().unwrap_or(f64::NAN);
                match (least, most) {
                    _ if *is_whole && value.fract() != 0.0 => refused("a whole number"),
                    (Some(least), _) if value < *least => refused(&format!("at least {least}")),
                    (_, Some(most)) if value > *most => refused(&format!("at most {most}")),
                    _ => Ok(()),
                }
            }
            (Kind::Boolean, Value::Bool(_)) => Ok(()),
            (Kind::One(choices), value) if is_offered(choices, value) => Ok(()),
            (Kind::Many(choices), Value::Array(values))
                if values.iter().all(|value| is_offered(choices, value)) =>
            {
                Ok(())
            }
            (Kind::Text { .. }, _) => refused("a text"),
            (Kind::Number { .. }, _) => refused("a number"),
            (Kind::Boolean, _) => refused("true or false"),
            (Kind::One(choices), _) => refused(&format!("one of {}", numbered(choices))),
            (Kind::Many(choices), _) => refused(&format!("a list of {}", numbered(choices))),
        }
    }
}

fn number(text: &str, is_whole: bool) -> Option<Value> {
    match (text.parse::<i64>(), is_whole) {
        (Ok(whole), _) => Some(whole.into()),
        (Err(_), true) => None,
        (Err(_), false) => Number::from_f64(text.parse().ok()?).map(Value::Number),
    }
}

/// The choice that a text means, by the words that people read, in any case, or by its number; or
/// by its value, if it is nothing of these.
fn chosen(choices: &[Choice], text: &str) -> Result<Value, Refused> {
    let same = |choice: &&Choice| choice.label().to_lowercase() == text.to_lowercase();
    let exact = choices.iter().find(|choice| choice.label() == text);
    let number = || choices.get(text.parse::<usize>().ok()?.checked_sub(1)?);
    let value = || choices.iter().find(|choice| choice.value == text);
    match exact.or_else(|| choices.iter().find(same)).or_else(number).or_else(value) {
        Some(choice) => Ok(Value::String(choice.value.clone())),
        None => Err(Refused(format!("{text:?} is none of the choices: {}", numbered(choices)))),
    }
}

/// The choices with their numbers, in a line.
fn numbered(choices: &[Choice]) -> String {
    let all = (1..).zip(choices).map(|(number, choice)| format!("{number} {}", choice.label()));
    let shown = all.take(SHOWN).collect::<Vec<_>>().join(", ");
    match choices.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
