//! A model in this process: the script without a server.

use std::sync::Arc;

use legwork::core::{FinishReason, Message, ModelRequest, Part, Response, ToolCall, Usage};
use legwork::port::model::{Ability, Deltas, Error, Profile};
use legwork::port::{BoxFuture, Model};

use crate::script::{Script, TOKEN};

/// Answers by a script, without latency and streaming.
#[derive(Debug)]
pub(crate) struct InProcess {
    script: Script,
    profile: Profile,
}

impl InProcess {
    /// A model with this script.
    pub(crate) fn new(script: Script) -> Self {
        Self { script, profile: Profile::new().with(Ability::Tools) }
    }

    /// The answer after this many earlier ones.
    fn answer(&self, turn: usize) -> Response {
        let (parts, finish) = match self.script.asks(turn) {
            true => (self.calls(turn), FinishReason::ToolCalls),
            false => (vec![Part::text(TOKEN.repeat(self.script.tokens))], FinishReason::Stop),
        };
        let mut response = Response::new(Message::assistant(parts), finish);
        response.usage = Some(Usage { input: 100, output: 10, ..Usage::default() });
        response
    }

    fn calls(&self, turn: usize) -> Vec<Part> {
        let call = |index| {
            let id = format!("call_{turn}_{index}");
            Part::ToolCall(Arc::new(ToolCall::new(id, "add", r#"{"a":17,"b":25}"#)))
        };
        (0..self.script.calls).map(call).collect()
    }
}

impl Model for InProcess {
    fn name(&self) -> &str {
        "bench:in-process"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        _: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        // The task, and for each earlier turn an answer and its results.
        let turn = request.messages().len().saturating_sub(1) / (1 + self.script.calls);
        Box::pin(async move { Ok(self.answer(turn)) })
    }
}
