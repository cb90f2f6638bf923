//! What a model answered.

use legwork_core::output::{Rejection, Stage};
use legwork_core::{Response, Usage};

use crate::Output;
use crate::extraction::request::Plan;
use crate::extraction::{Mode, Problem};

/// A value that a model gave, and how it came about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Answer<T> {
    /// The value.
    pub value: T,
    /// How the model was asked.
    pub mode: Mode,
    /// The response that the value was read from.
    pub response: Response,
    /// The answers before it that could not be taken.
    pub attempts: Vec<Attempt>,
}

/// An answer that could not be taken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// The response.
    pub response: Response,
    /// What is wrong with it.
    pub problem: Problem,
}

impl<T> Answer<T> {
    pub(super) fn new(value: T, mode: Mode, response: Response, attempts: Vec<Attempt>) -> Self {
        Self { value, mode, response, attempts }
    }

    /// The tokens of all responses, as far as the provider reported them; those that a fallback
    /// discarded included.
    pub fn usage(&self) -> Usage {
        reported(&self.response).plus(&usage(&self.attempts))
    }
}

/// The tokens of some attempts.
pub(super) fn usage(attempts: &[Attempt]) -> Usage {
    let each = attempts.iter().map(|attempt| reported(&attempt.response));
    each.fold(Usage::default(), |sum, one| sum.plus(&one))
}

/// The tokens of a response and of those discarded before it.
fn reported(response: &Response) -> Usage {
    let own = response.usage.unwrap_or_default();
    response.discarded.iter().fold(own, |sum, one| sum.plus(&one.usage))
}

/// Reads the value in a response.
pub(super) fn read<T: 'static>(
    output: &Output<T>,
    plan: &Plan,
    response: &Response,
) -> Result<T, Problem> {
    if let Some(incomplete) = &response.incomplete {
        return Err(Problem::Incomplete(incomplete.to_string()));
    }
    if let Some(unread) = Rejection::unread(response) {
        return Err(match unread.stage {
            Stage::Refused => Problem::Refused(unread.problem),
            _ => Problem::Incomplete(response.finish.to_string()),
        });
    }
    let mut calls = response.message.tool_calls();
    let read = match calls.find(|call| call.name == *output.name()) {
        Some(call) => output.read_fitted(&call.arguments, &plan.fitted),
        None => output.read_fitted(&response.text(), &plan.fitted),
    };
    read.map_err(Problem::Output)
}
