//! After each answer of the model.

use legwork_core::Response;

use super::point::{constructor, point, stops};

point! {
    /// A response of the model that is complete.
    Responded, AfterInference, |state| {
        state.current_step().is_some_and(|step| step.response.is_some())
    }
}
stops!(Responded);

impl Responded {
    /// The response.
    pub fn response(&self) -> Option<&Response> {
        self.state.current_step()?.response.as_deref()
    }

    /// The same with another response in its place; what the model said stays in the journal.
    #[must_use]
    pub fn with_response(self, response: Response) -> Self {
        Self { state: self.state.with_response(response), ..self }
    }
}

constructor! {
    /// A hook that runs after each answer of the model.
    after_inference, Responded
}
