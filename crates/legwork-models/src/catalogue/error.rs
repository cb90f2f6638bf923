//! What can be wrong with rows of a catalogue.

use legwork_port::Ability;
use legwork_port::model::UnknownAbility;

/// Why rows of a catalogue cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not a JSON array of rows.
    #[error(
        "the catalogue cannot be read, line {line}: {problem}; each row is an object with model, \
         source and date, and with context_window, max_output, price, can and cannot, such as \
         {{\"model\": \"openai:gpt-5-mini\", \"price\": {{\"input\": \"0.25\", \"output\": \
         \"2.00\"}}, \"source\": \"...\", \"date\": \"2026-11-22\"}}"
    )]
    Form {
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        problem: String,
    },
    /// A model's name is not of the form `provider:name`.
    #[error("{model:?} is not a model name: write it as provider:name, such as openai:gpt-5-mini")]
    Model {
        /// What was given.
        model: String,
    },
    /// An amount that is none.
    #[error(
        "the price of {model}: {field} is {text:?}; write US dollars for a million tokens with at \
         most six places, such as \"0.25\""
    )]
    Amount {
        /// The model.
        model: String,
        /// Which of its prices.
        field: &'static str,
        /// What was given.
        text: String,
    },
    /// No source, or a date that is none.
    #[error("the row of {model}: {field} is {text:?}; say {wanted}")]
    Origin {
        /// The model.
        model: String,
        /// `source` or `date`.
        field: &'static str,
        /// What was given.
        text: String,
        /// What belongs there.
        wanted: &'static str,
    },
    /// An ability that there is none of.
    #[error("the row of {model}: {unknown}")]
    Ability {
        /// The model.
        model: String,
        /// What was given.
        unknown: UnknownAbility,
    },
    /// An ability that a row names twice.
    #[error(
        "the row of {model} names the ability `{ability}` twice; name it once, in can or cannot"
    )]
    Twice {
        /// The model.
        model: String,
        /// The ability.
        ability: Ability,
    },
}
