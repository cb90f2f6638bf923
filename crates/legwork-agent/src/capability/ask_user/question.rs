//! A question to a person, and whether an answer answers it.

use legwork_core::inbox::Answer;
use legwork_core::state::{Pending, PendingReason};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::tool::TOOL;

/// How many choices a question has at most.
pub const CHOICES: usize = 20;
/// How many characters a choice has at most.
const CHOICE: usize = 200;
/// How many characters a question has at most.
const LENGTH: usize = 4_000;

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Question {
    /// What is asked.
    #[serde(rename = "question")]
    pub text: String,
    /// The answers that are offered; may be empty.
    #[serde(default)]
    pub choices: Vec<String>,
    /// Whether another answer than those is one; without choices any answer is.
    #[serde(default = "yes")]
    pub free_text: bool,
}

fn yes() -> bool {
    true
}

/// Why a text is no answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// It is empty.
    #[error("the answer is empty")]
    Empty,
    /// It is none of the choices, and the question takes no other answer.
    #[error("{given:?} is none of the choices: {}", numbered(choices))]
    NotOffered {
        /// The answer that was given.
        given: String,
        /// The answers that are offered.
        choices: Vec<String>,
    },
}

impl Question {
    /// A question that takes any answer.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), choices: Vec::new(), free_text: true }
    }

    /// The same with answers to choose from, and no other.
    #[must_use]
    pub fn with_choices<C: Into<String>>(self, choices: impl IntoIterator<Item = C>) -> Self {
        let choices = choices.into_iter().map(Into::into).collect();
        Self { choices, free_text: false, ..self }
    }

    /// The same, to which an answer in words of one's own is an answer, too.
    #[must_use]
    pub fn with_free_text(self) -> Self {
        Self { free_text: true, ..self }
    }

    /// The question that a call which waits asks; none if it is another call.
    pub fn of(pending: &Pending) -> Option<Self> {
        let asks = *pending.tool == *TOOL && pending.reason == PendingReason::External;
        // Read as they were judged: a key that is there twice counts once.
        let arguments: Option<Value> = serde_json::from_str(&pending.arguments).ok();
        arguments.filter(|_| asks).and_then(|arguments| serde_json::from_value(arguments).ok())
    }

    /// Whether an answer that is none of the choices is one.
    pub fn takes_any(&self) -> bool {
        self.free_text || self.choices.is_empty()
    }

    /// What a text answers: a choice by its words or its number, or else the text itself.
    ///
    /// # Errors
    /// When it is empty, or not offered.
    pub fn read(&self, text: &str) -> Result<String, Refused> {
        let text = text.trim();
        if text.is_empty() {
            return Err(Refused::Empty);
        }
        let same = |choice: &&String| choice.trim().to_lowercase() == text.to_lowercase();
        let number = || text.parse::<usize>().ok()?.checked_sub(1);
        let exact = self.choices.iter().find(|choice| choice.trim() == text);
        let chosen = exact.or_else(|| self.choices.iter().find(same));
        match chosen.or_else(|| self.choices.get(number()?)) {
            Some(choice) => Ok(choice.clone()),
            None if self.takes_any() => Ok(text.to_owned()),
            None => {
                let (given, choices) = (text.chars().take(CHOICE).collect(), self.choices.clone());
                Err(Refused::NotOffered { given, choices })
            }
        }
    }

    /// The answer to the call that asks this, to be given to its session.
    ///
    /// # Errors
    /// As [`Question::read`].
    pub fn answer(&self, pending: &Pending, text: &str) -> Result<Answer, Refused> {
        Ok(Answer::supply(pending, Value::String(self.read(text)?)))
    }

    /// What is wrong with it, in words for the model.
    pub(super) fn problem(&self) -> Option<String> {
        let (length, count) = (self.text.chars().count(), self.choices.len());
        if self.text.trim().is_empty() {
            return Some("The question is empty: say what you want to know.".to_owned());
        }
        if length > LENGTH {
            return Some(format!("The question has {length} characters, and {LENGTH} fit."));
        }
        if count > CHOICES {
            return Some(format!("There are {count} choices, and {CHOICES} fit: offer fewer."));
        }
        for (index, choice) in self.choices.iter().enumerate() {
            let number = index.saturating_add(1);
            let length = choice.chars().count();
            if choice.trim().is_empty() || choice.trim() != choice {
                return Some(format!("Choice {number} is empty, or has spaces around it."));
            }
            if length > CHOICE || choice.contains('\n') {
                return Some(format!(
                    "Choice {number} is no single line of at most {CHOICE} characters."
                ));
            }
            if self.choices.iter().take(index).any(|other| other == choice) {
                return Some(format!("Choice {number} is there twice."));
            }
        }
        None
    }
}

/// The choices with their numbers, in a line.
fn numbered(choices: &[String]) -> String {
    let all = (1..).zip(choices).map(|(number, choice)| format!("{number} {choice}"));
    all.collect::<Vec<_>>().join(", ")
}
