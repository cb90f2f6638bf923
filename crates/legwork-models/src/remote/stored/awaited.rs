//! What an attempt comes to whose answer the server keeps.

use legwork_core::Response;
use legwork_port::model::Error;

use crate::remote::HttpModel;
use crate::remote::failure::charged;
use crate::retry::Answered;

/// What an attempt comes to that did not fail in a way in which it may be repeated.
pub(super) struct Awaited {
    pub(super) outcome: Result<Response, Error>,
    /// Whether it is not repeated, even if it broke off: the server may still make the answer.
    is_last: bool,
}

impl Awaited {
    /// As an attempt came out, which is repeated if it broke off.
    pub(super) fn by_attempt(response: Response) -> Self {
        Self { outcome: Ok(response), is_last: false }
    }

    /// As it is when the response is waited for no longer.
    pub(super) fn given_up(outcome: Result<Response, Error>) -> Self {
        Self { outcome: outcome.map_err(charged), is_last: true }
    }

    pub(super) fn masked_by(self, model: &HttpModel) -> Self {
        Self { outcome: self.outcome.map_err(|error| model.masked(error)), ..self }
    }
}

impl Answered for Awaited {
    fn broke_off(&self) -> Option<&str> {
        match &self.outcome {
            Ok(response) if !self.is_last => response.broke_off(),
            _ => None,
        }
    }

    fn charged_attempts(&self) -> u32 {
        match &self.outcome {
            Ok(response) => Answered::charged_attempts(response),
            Err(error) => error.charged_attempts,
        }
    }

    fn charge_attempts(&mut self, attempts: u32) {
        match &mut self.outcome {
            Ok(response) => response.charge_attempts(attempts),
            Err(error) => error.charged_attempts += attempts,
        }
    }
}
