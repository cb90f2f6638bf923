//! Which stage failed, and why.

use std::fmt;

use crate::extract;
use crate::schema::Problem;

/// A stage between the text of a model and a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// A JSON value is found in the text.
    Extraction,
    /// It is checked against the schema.
    Schema,
    /// It is deserialized.
    Deserialization,
    /// The validators check the result.
    Validation,
    /// It is made into something else.
    Transformation,
}

impl Stage {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Extraction => "extraction",
            Self::Schema => "schema",
            Self::Deserialization => "deserialization",
            Self::Validation => "validation",
            Self::Transformation => "transformation",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why an answer is no value, by stage; its text is for people and models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no JSON value in the text.
    #[error(transparent)]
    Extraction(#[from] extract::Error),
    /// The value does not fit the schema.
    #[error("the value does not fit the schema: {}", listed(.0))]
    Schema(Vec<Problem>),
    /// The value fits the schema, but cannot be deserialized.
    #[error("the value cannot be deserialized: {0}")]
    Deserialization(String),
    /// Validators refuse the value.
    #[error("the value is not valid: {}", listed(.0))]
    Validation(Vec<Problem>),
    /// The value cannot be made into what is wanted.
    #[error("the value cannot be used: {0}")]
    Transformation(String),
}

impl Error {
    /// The stage that failed.
    pub fn stage(&self) -> Stage {
        match self {
            Self::Extraction(_) => Stage::Extraction,
            Self::Schema(_) => Stage::Schema,
            Self::Deserialization(_) => Stage::Deserialization,
            Self::Validation(_) => Stage::Validation,
            Self::Transformation(_) => Stage::Transformation,
        }
    }
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(Problem::to_string).collect::<Vec<_>>().join("; ")
}
