//! One line of a script.

use std::fmt;
use std::sync::Arc;

use legwork_core::{AgentState, FinishReason, Message, Part, Response, ToolCall, Usage};
use serde_json::Value;

/// One line of a script: what is said in one step.
#[derive(Clone)]
pub struct Line(What);

#[derive(Clone)]
enum What {
    Parts(Parts),
    Fails(String),
    Made(Arc<dyn Fn(&AgentState) -> Line + Send + Sync>),
}

/// What a line comes to for a state.
pub(super) enum Said {
    Parts(Parts),
    Fails(String),
}

/// Text and calls.
#[derive(Clone, Default)]
pub(super) struct Parts {
    text: String,
    calls: Vec<(Arc<str>, Value)>,
}

impl Line {
    /// A text: the answer of the execution, unless something asks to go on.
    pub fn text(text: impl Into<String>) -> Self {
        Self(What::Parts(Parts { text: text.into(), calls: Vec::new() }))
    }

    /// A call of one tool.
    pub fn call(name: impl Into<Arc<str>>, arguments: Value) -> Self {
        Self::calls([(name, arguments)])
    }

    /// Calls of several tools.
    pub fn calls<N: Into<Arc<str>>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| (name.into(), arguments)).collect();
        Self(What::Parts(Parts { text: String::new(), calls }))
    }

    /// Nothing is said: the step fails with this error.
    pub fn fails(message: impl Into<String>) -> Self {
        Self(What::Fails(message.into()))
    }

    /// The line that a function makes of the state.
    ///
    /// After a crash it is asked again for a line that was not journaled, so it should go
    /// by the state alone.
    pub fn from_fn(make: impl Fn(&AgentState) -> Self + Send + Sync + 'static) -> Self {
        Self(What::Made(Arc::new(make)))
    }

    /// The same with text before its calls.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        Self(match self.0 {
            What::Parts(parts) => What::Parts(Parts { text, ..parts }),
            What::Fails(message) => What::Fails(message),
            What::Made(make) => {
                What::Made(Arc::new(move |state| make(state).with_text(text.clone())))
            }
        })
    }

    pub(super) fn said(&self, state: &AgentState) -> Said {
        match &self.0 {
            What::Parts(parts) => Said::Parts(parts.clone()),
            What::Fails(message) => Said::Fails(message.clone()),
            What::Made(make) => make(state).said(state),
        }
    }
}

impl Parts {
    /// The response that says it as the line of an index; its calls are named by both.
    pub(super) fn response(self, line: u64) -> Response {
        let finish = match self.calls.is_empty() {
            true => FinishReason::Stop,
            false => FinishReason::ToolCalls,
        };
        let text = (!self.text.is_empty()).then_some(Part::text(self.text));
        let calls = self.calls.into_iter().enumerate().map(|(index, (name, arguments))| {
            let id = format!("script_{line}_{index}");
            Part::ToolCall(Arc::new(ToolCall::new(id, name, arguments.to_string())))
        });
        free(text.into_iter().chain(calls).collect(), finish)
    }
}

/// An answer that is no line.
pub(super) fn answer(text: String) -> Response {
    free(vec![Part::text(text)], FinishReason::Stop)
}

fn free(parts: Vec<Part>, finish: FinishReason) -> Response {
    let mut response = Response::new(Message::assistant(parts), finish);
    response.usage = Some(Usage::default());
    response
}

impl From<&str> for Line {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            What::Parts(Parts { text, calls }) => {
                f.debug_struct("Line").field("text", text).field("calls", calls).finish()
            }
            What::Fails(message) => f.debug_tuple("Line::fails").field(message).finish(),
            What::Made(_) => f.write_str("Line::from_fn"),
        }
    }
}
