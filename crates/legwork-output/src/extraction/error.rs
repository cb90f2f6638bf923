//! Why there is no value.

use legwork_core::Usage;
use legwork_port::model;

use crate::extraction::{Attempt, answer};
use crate::output;
use crate::schema;

/// Why a model gave no value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The schema of the output is not valid.
    #[error(transparent)]
    Output(schema::Error),
    /// The dialect of the provider cannot express the schema.
    #[error(transparent)]
    Unfit(#[from] schema::Unfit),
    /// The model failed.
    #[error("the model was asked for a value and failed: {error}")]
    Model {
        /// The error of the model.
        #[source]
        error: model::Error,
        /// The answers before that could not be taken.
        attempts: Vec<Attempt>,
    },
    /// No answer of the model can be taken.
    #[error("none of {} answers can be taken; the last one: {}", .attempts.len(), last(.attempts))]
    Rejected {
        /// All answers, each with what is wrong with it.
        attempts: Vec<Attempt>,
    },
}

impl Error {
    /// The answers that could not be taken.
    pub fn attempts(&self) -> &[Attempt] {
        match self {
            Self::Model { attempts, .. } | Self::Rejected { attempts } => attempts,
            Self::Output(_) | Self::Unfit(_) => &[],
        }
    }

    /// Whether the same may succeed later: the model failed for now.
    ///
    /// Answers that cannot be taken were asked for again already.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Model { error, .. } if error.is_retryable())
    }

    /// The tokens of all answers, as far as the provider reported them.
    pub fn usage(&self) -> Usage {
        answer::usage(self.attempts())
    }
}

fn last(attempts: &[Attempt]) -> String {
    attempts.last().map_or_else(String::new, |attempt| attempt.problem.to_string())
}

/// What is wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It broke off; its value is not read, because it may lack something.
    #[error("the answer is incomplete ({0}): allow more output, or ask for less")]
    Incomplete(String),
    /// The model declined to answer, in these words; it is not asked again.
    #[error("the model declined to answer: {0}")]
    Refused(String),
    /// A stage of the output failed.
    #[error("{stage} failed: {0}", stage = .0.stage())]
    Output(output::Error),
}

impl Problem {
    /// Whether a corrected answer may help.
    pub fn is_repairable(&self) -> bool {
        !matches!(self, Self::Refused(_))
    }

    /// The stage that failed, if the answer was read.
    pub fn stage(&self) -> Option<output::Stage> {
        match self {
            Self::Output(error) => Some(error.stage()),
            _ => None,
        }
    }
}
