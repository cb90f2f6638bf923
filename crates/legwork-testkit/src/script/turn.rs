//! One turn of a script: an answer, or something that goes wrong.

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Usage};
use legwork_port::model::{self, Kind};
use serde_json::Value;

use crate::gate::Gate;

/// One turn of a script: an answer, or something that goes wrong.
#[derive(Debug, Clone)]
pub struct Turn {
    pub(crate) what: What,
    pub(crate) before: Vec<Self>,
    pub(crate) behind: Option<Gate>,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    Answer(Answer),
    Refuse { error: model::Error, retry_after: Option<String> },
    Html(String),
    Stall,
    Disconnect,
}

#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) thinking: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) finish: Option<FinishReason>,
    pub(crate) incomplete: Option<Incomplete>,
    pub(crate) usage: Option<Usage>,
    pub(crate) halt: Option<Gate>,
}

#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The id that was chosen for it; none = `call_<turn>_<index>`.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Turn {
    /// The model answers with text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::answer(text.into(), Vec::new())
    }

    /// The model calls one tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::raw_call(name, arguments.to_string())
    }

    /// The model calls several tools.
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let call = |(name, arguments): (N, Value)| Call::new(name, arguments.to_string());
        Self::answer(String::new(), calls.into_iter().map(call).collect())
    }

    /// The model calls one tool with arguments as text, which need not be JSON.
    pub fn raw_call(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self::answer(String::new(), vec![Call::new(name, arguments)])
    }

    /// The model calls several tools with arguments as text, which need not be JSON.
    pub fn raw_calls<N, A>(calls: impl IntoIterator<Item = (N, A)>) -> Self
    where
        N: Into<String>,
        A: Into<String>,
    {
        let call = |(name, arguments)| Call::new(name, arguments);
        Self::answer(String::new(), calls.into_iter().map(call).collect())
    }

    /// The inference fails with this error.
    ///
    /// Over HTTP its status is sent, or the one that belongs to its kind; an unreachable
    /// server closes the connection, a timeout never answers, and what is malformed is
    /// HTML.
    pub fn error(error: model::Error) -> Self {
        Self::of(What::Refuse { error, retry_after: None })
    }

    /// The server refuses with a status.
    pub fn status(status: u16) -> Self {
        let kind = match status {
            401 | 403 => Kind::Unauthorized,
            404 => Kind::UnknownModel,
            408 => Kind::Timeout,
            429 => Kind::RateLimited,
            500.. => Kind::Server,
            _ => Kind::BadRequest,
        };
        let mut error = model::Error::new(kind, format!("scripted status {status}"));
        error.status = Some(status);
        Self::error(error)
    }

    /// The server answers with a page of HTML in place of JSON.
    pub fn html() -> Self {
        Self::of(What::Html("<html><body><h1>Bad gateway</h1></body></html>\n".to_owned()))
    }

    /// The model never answers.
    pub fn stall() -> Self {
        Self::of(What::Stall)
    }

    /// The connection is closed without an answer.
    pub fn disconnect() -> Self {
        Self::of(What::Disconnect)
    }

    /// The same, with a response that is incomplete in this way.
    ///
    /// A cut stream and a length limit break off inside the last call's arguments, or
    /// inside the text if there are no calls.
    #[must_use]
    pub fn incomplete(self, incomplete: Incomplete) -> Self {
        self.changed(|answer| answer.incomplete = Some(incomplete))
    }

    /// The same answer with text before its calls.
    #[must_use]
    pub fn with_text(self, text: impl Into<String>) -> Self {
        self.changed(|answer| answer.text = text.into())
    }

    /// The same answer with thinking before it.
    #[must_use]
    pub fn with_thinking(self, thinking: impl Into<String>) -> Self {
        self.changed(|answer| answer.thinking = thinking.into())
    }

    /// The same answer with what it used; 10 tokens in and 5 out by default.
    #[must_use]
    pub fn with_usage(self, usage: Usage) -> Self {
        self.changed(|answer| answer.usage = Some(usage))
    }

    /// The same answer without usage.
    #[must_use]
    pub fn without_usage(self) -> Self {
        self.changed(|answer| answer.usage = None)
    }

    /// The same answer with these ids for its calls, in their order; they may repeat or be
    /// empty. Calls past the last id keep theirs, `call_<turn>_<index>`.
    #[must_use]
    pub fn with_call_ids<I: Into<String>>(self, ids: impl IntoIterator<Item = I>) -> Self {
        self.changed(|answer| {
            for (call, id) in answer.calls.iter_mut().zip(ids) {
                call.id = Some(id.into());
            }
        })
    }

    /// The same answer, ended for another reason than the one that follows from it.
    #[must_use]
    pub fn with_finish(self, finish: FinishReason) -> Self {
        self.changed(|answer| answer.finish = Some(finish))
    }

    /// The same refusal with a `Retry-After`: seconds, or a date of HTTP.
    #[must_use]
    pub fn with_retry_after(mut self, value: impl Into<String>) -> Self {
        if let What::Refuse { retry_after, .. } = &mut self.what {
            *retry_after = Some(value.into());
        }
        self
    }

    /// The same refusal with another message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        if let What::Refuse { error, .. } = &mut self.what {
            error.message = message.into();
        }
        self
    }

    /// The same, but the first requests of this turn get these, one each.
    #[must_use]
    pub fn after(mut self, turns: impl IntoIterator<Item = Self>) -> Self {
        self.before.extend(turns);
        self
    }

    /// The same, begun only when a gate is opened.
    #[must_use]
    pub fn behind(mut self, gate: &Gate) -> Self {
        self.behind = Some(gate.clone());
        self
    }

    /// The same answer, halting after its first piece until a gate is opened.
    #[must_use]
    pub fn halting(self, gate: &Gate) -> Self {
        self.changed(|answer| answer.halt = Some(gate.clone()))
    }

    fn of(what: What) -> Self {
        Self { what, before: Vec::new(), behind: None }
    }

    fn answer(text: String, calls: Vec<Call>) -> Self {
        Self::of(What::Answer(Answer {
            thinking: String::new(),
            text,
            calls,
            finish: None,
            incomplete: None,
            usage: Some(Usage { input: 10, output: 5, ..Usage::default() }),
            halt: None,
        }))
    }

    /// Changes an answer; other turns stay as they are.
    fn changed(mut self, change: impl FnOnce(&mut Answer)) -> Self {
        if let What::Answer(answer) = &mut self.what {
            change(answer);
        }
        self
    }
}

impl Call {
    fn new(name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self { id: None, name: name.into(), arguments: arguments.into() }
    }

    /// Its id in a turn.
    pub(crate) fn id(&self, turn: usize, index: usize) -> String {
        self.id.clone().unwrap_or_else(|| format!("call_{turn}_{index}"))
    }
}

impl Answer {
    /// Why it ends.
    pub(crate) fn finish(&self) -> FinishReason {
        match &self.finish {
            Some(finish) => finish.clone(),
            None if self.incomplete == Some(Incomplete::LengthInCall) => FinishReason::Length,
            None if self.calls.is_empty() => FinishReason::Stop,
            None => FinishReason::ToolCalls,
        }
    }

    /// Whether its last call, or else its text, breaks off in the middle.
    pub(crate) fn breaks_off(&self) -> bool {
        matches!(self.incomplete, Some(Incomplete::Cut | Incomplete::LengthInCall))
    }
}

/// The pieces that a text is streamed in: at least two where it can be cut.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    const PIECE: usize = 12;
    let chars = text.chars().count();
    let size = if chars < 2 * PIECE { chars.div_ceil(2).max(1) } else { PIECE };
    let mut rest = text;
    let mut all = Vec::new();
    while !rest.is_empty() {
        let at = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, more) = rest.split_at(at);
        all.push(piece);
        rest = more;
    }
    all
}

/// The first half of a text.
pub(crate) fn halved(text: &str) -> &str {
    let half = text.chars().count() / 2;
    let at = text.char_indices().nth(half).map_or(0, |(at, _)| at);
    text.get(..at).unwrap_or_default()
}
