//! An observer that keeps all it is told.

use std::sync::Arc;

use legwork_core::{Entry, SessionId, ToolCall, ToolOutcome};
use legwork_port::{Delta, LiveEvent, Observer, Origin};

use crate::watched::Watched;

/// Keeps all news as owned values; clones keep the same news.
#[derive(Debug, Clone, Default)]
pub struct RecordingObserver(Arc<Watched<Vec<News>>>);

/// One piece of news.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// Something happened just then; it may have come to nothing.
    Live(SessionId, Live),
    /// An entry was in the journal from then on.
    Committed(SessionId, Arc<Entry>),
}

/// A live event as an owned value.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Live {
    /// A step began.
    StepStarted(u32),
    /// A request went to a model, in a step.
    InferenceStarted(u32, String),
    /// The attempt of this number failed with an error and is made again; whether pieces that
    /// were told of it are void.
    InferenceRetried(u32, String, bool),
    /// A piece of text came.
    Text(String),
    /// A piece of thinking came.
    Thinking(String),
    /// A call of a tool began to come, with its index.
    CallStarted(usize, String),
    /// A piece of a call's arguments came, with its index.
    Arguments(usize, String),
    /// A call began to run, with its index.
    ToolStarted(u32, ToolCall),
    /// A running call, by its index, said how far it got.
    ToolProgress(u32, String),
    /// A call was answered, with its index.
    ToolFinished(u32, ToolCall, ToolOutcome),
    /// Something that this kit does not know yet, in its debug form.
    Other(String),
}

impl Live {
    fn of(event: &LiveEvent<'_>) -> Self {
        match *event {
            LiveEvent::StepStarted { step } => Self::StepStarted(step),
            LiveEvent::InferenceStarted { step, model, .. } => {
                Self::InferenceStarted(step, model.to_owned())
            }
            LiveEvent::InferenceRetried { retry, .. } => {
                Self::InferenceRetried(retry.attempt, retry.error.to_owned(), retry.discarded)
            }
            LiveEvent::Delta { delta, .. } => Self::of_delta(delta),
            LiveEvent::ToolStarted { index, call, .. } => Self::ToolStarted(index, call.clone()),
            LiveEvent::ToolProgress { index, message } => {
                Self::ToolProgress(index, message.to_owned())
            }
            LiveEvent::ToolFinished { index, call, outcome, .. } => {
                Self::ToolFinished(index, call.clone(), outcome.clone())
            }
            _ => Self::Other(format!("{event:?}")),
        }
    }

    fn of_delta(delta: Delta<'_>) -> Self {
        match delta {
            Delta::Text(piece) => Self::Text(piece.to_owned()),
            Delta::Thinking(piece) => Self::Thinking(piece.to_owned()),
            Delta::ToolCall { index, name } => Self::CallStarted(index, name.to_owned()),
            Delta::Arguments { index, json } => Self::Arguments(index, json.to_owned()),
            _ => Self::Other(format!("{delta:?}")),
        }
    }

    /// Its name, like that of a journaled event.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::StepStarted(_) => "step_started",
            Self::InferenceStarted(..) => "inference_started",
            Self::InferenceRetried(..) => "inference_retried",
            Self::Text(_) => "text",
            Self::Thinking(_) => "thinking",
            Self::CallStarted(..) => "call_started",
            Self::Arguments(..) => "arguments",
            Self::ToolStarted(..) => "tool_started",
            Self::ToolProgress(..) => "tool_progress",
            Self::ToolFinished(..) => "tool_finished",
            Self::Other(_) => "other",
        }
    }
}

impl RecordingObserver {
    /// One that was told nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// All news, oldest first.
    pub fn news(&self) -> Vec<News> {
        self.0.peek(Clone::clone)
    }

    /// The live news, oldest first.
    pub fn live_events(&self) -> Vec<Live> {
        let live = |news: &News| match news {
            News::Live(_, live) => Some(live.clone()),
            News::Committed(..) => None,
        };
        self.0.peek(|all| all.iter().filter_map(live).collect())
    }

    /// The committed entries, oldest first.
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        let entry = |news: &News| match news {
            News::Committed(_, entry) => Some(Arc::clone(entry)),
            News::Live(..) => None,
        };
        self.0.peek(|all| all.iter().filter_map(entry).collect())
    }

    /// What happened in one word each: `live tool_started`, `committed responded`.
    pub fn kinds(&self) -> Vec<String> {
        let kind = |news: &News| match news {
            News::Live(_, live) => format!("live {}", live.kind()),
            News::Committed(_, entry) => format!("committed {}", entry.event.kind()),
        };
        self.0.peek(|all| all.iter().map(kind).collect())
    }

    /// All pieces of text that came live, joined.
    pub fn text(&self) -> String {
        let piece = |live| if let Live::Text(piece) = live { Some(piece) } else { None };
        self.live_events().into_iter().filter_map(piece).collect()
    }

    /// Waits until there is news that is wanted, and returns the first of it.
    pub async fn until(&self, wanted: impl Fn(&News) -> bool) -> News {
        self.0.until(|all| all.iter().find(|news| wanted(news)).cloned()).await
    }
}

impl Observer for RecordingObserver {
    fn live(&self, origin: &Origin, event: &LiveEvent<'_>) {
        let news = News::Live(origin.session.clone(), Live::of(event));
        self.0.change(|all| all.push(news));
    }

    fn committed(&self, origin: &Origin, entries: &[Arc<Entry>]) {
        let news = entries.iter().map(|e| News::Committed(origin.session.clone(), Arc::clone(e)));
        self.0.change(|all| all.extend(news));
    }
}
