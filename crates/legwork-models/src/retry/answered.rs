//! What an attempt comes to, as far as repeating it is concerned.

use legwork_core::inference::{Incomplete, Response};
use legwork_port::embedder::Embeddings;

/// An answer of an attempt that did not fail, or not as a whole.
pub(crate) trait Answered {
    /// What happened to it, if it broke off after it had begun.
    fn broke_off(&self) -> Option<&str>;

    /// How many failed attempts before it may have cost money.
    fn charged_attempts(&self) -> u32;

    /// Adds failed attempts that may have cost money.
    fn charge_attempts(&mut self, attempts: u32);
}

impl Answered for Response {
    fn broke_off(&self) -> Option<&str> {
        matches!(self.incomplete, Some(Incomplete::Cut | Incomplete::NoEnd))
            .then(|| self.server_error().unwrap_or("the answer broke off"))
    }

    fn charged_attempts(&self) -> u32 {
        self.paid_attempts()
    }

    fn charge_attempts(&mut self, attempts: u32) {
        self.charged_attempts += attempts;
    }
}

/// Vectors are there as a whole or not at all.
impl Answered for Embeddings {
    fn broke_off(&self) -> Option<&str> {
        None
    }

    fn charged_attempts(&self) -> u32 {
        self.charged_attempts
    }

    fn charge_attempts(&mut self, attempts: u32) {
        self.charged_attempts += attempts;
    }
}
