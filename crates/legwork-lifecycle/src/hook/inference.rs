//! Before each request to the model.

use std::sync::Arc;

use legwork_core::{ModelRequest, ModelSettings};

use super::point::{constructor, point, stops};

point! {
    /// A request that is about to be sent to the model.
    Inference, BeforeInference, |state| state.current_request().is_some()
}
stops!(Inference);

impl Inference {
    /// The request.
    pub fn request(&self) -> Option<&ModelRequest> {
        self.state.current_request().map(|request| &**request)
    }

    /// The same with another system prompt in this request.
    #[must_use]
    pub fn with_instructions(self, text: impl Into<Arc<str>>) -> Self {
        self.changed(|request| request.instructions = text.into())
    }

    /// The same with other model settings in this request. The model stays the one that was
    /// chosen: another one is set before the step, by [`step_start`](super::step_start).
    #[must_use]
    pub fn with_settings(self, settings: ModelSettings) -> Self {
        self.changed(|request| {
            let model = Arc::clone(&request.settings.model);
            request.settings = Arc::new(ModelSettings { model, ..settings });
        })
    }

    /// The same with at most this many tokens of output in this request.
    #[must_use]
    pub fn with_max_output(self, tokens: u64) -> Self {
        self.changed(|request| request.max_output = Some(tokens))
    }

    fn changed(self, change: impl FnOnce(&mut ModelRequest)) -> Self {
        let Some(request) = self.state.current_request() else { return self };
        let mut request = (**request).clone();
        change(&mut request);
        Self { state: self.state.with_current_request(Some(Arc::new(request))), ..self }
    }
}

constructor! {
    /// A hook that runs before each request to the model.
    before_inference, Inference
}
