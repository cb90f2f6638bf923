//! A run as a stream of owned events.

use std::collections::VecDeque;
use std::future::IntoFuture as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::Stream;
use legwork_core::{Entry, SessionId, ToolCall, ToolOutcome};
use legwork_port::model::Delta;
use legwork_port::observer::LiveEvent;
use legwork_port::{BoxFuture, Observer};

use crate::error::Error;
use crate::request::{Run, RunRequest};

/// Something that a run tells.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RunEvent {
    /// The journal's tail was damaged and cut.
    JournalCut(String),
    /// A step begins.
    StepStarted(u32),
    /// A request goes to this model.
    InferenceStarted(u32, String),
    /// The request failed and is made again: the attempt that failed, the wait before
    /// the next, and what happened.
    InferenceRetried(u32, Duration, String),
    /// A piece of the answer's text.
    Text(String),
    /// A piece of the thinking.
    Thinking(String),
    /// A call began to run.
    ToolStarted(u32, ToolCall),
    /// A running call says how far it got.
    ToolProgress(u32, String),
    /// A call was answered.
    ToolFinished(u32, ToolCall, ToolOutcome),
    /// An entry is in the journal now.
    Committed(Arc<Entry>),
}

impl RunEvent {
    /// The live event as an owned one; none for pieces of a call.
    pub fn from_live(event: &LiveEvent<'_>) -> Option<Self> {
        Some(match event {
            LiveEvent::JournalCut { damage } => Self::JournalCut((*damage).to_owned()),
            LiveEvent::StepStarted { step } => Self::StepStarted(*step),
            LiveEvent::InferenceStarted { step, model } => {
                Self::InferenceStarted(*step, (*model).to_owned())
            }
            LiveEvent::InferenceRetried { retry, .. } => {
                Self::InferenceRetried(retry.attempt, retry.wait, retry.error.to_owned())
            }
            LiveEvent::Delta { delta: Delta::Text(text), .. } => Self::Text((*text).to_owned()),
            LiveEvent::Delta { delta: Delta::Thinking(text), .. } => {
                Self::Thinking((*text).to_owned())
            }
            LiveEvent::ToolStarted { index, call, .. } => {
                Self::ToolStarted(*index, (*call).clone())
            }
            LiveEvent::ToolProgress { index, message } => {
                Self::ToolProgress(*index, (*message).to_owned())
            }
            LiveEvent::ToolFinished { index, call, outcome, .. } => {
                Self::ToolFinished(*index, (*call).clone(), (*outcome).clone())
            }
            _ => return None,
        })
    }
}

#[derive(Default)]
struct Queue(Mutex<VecDeque<RunEvent>>);

impl Queue {
    fn push(&self, event: RunEvent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(event);
    }

    fn pop(&self) -> Option<RunEvent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

impl Observer for Queue {
    fn live(&self, _: &SessionId, event: &LiveEvent<'_>) {
        if let Some(event) = RunEvent::from_live(event) {
            self.push(event);
        }
    }

    fn committed(&self, _: &SessionId, entries: &[Arc<Entry>]) {
        entries.iter().for_each(|entry| self.push(RunEvent::Committed(Arc::clone(entry))));
    }
}

/// A run as a stream of events. The run goes on only while the stream is polled;
/// dropping it leaves the session resumable.
pub struct RunStream {
    queue: Arc<Queue>,
    run: Option<BoxFuture<'static, Result<Run, Error>>>,
    result: Option<Result<Run, Error>>,
}

impl RunStream {
    pub(crate) fn new(request: RunRequest) -> Self {
        let queue = Arc::new(Queue::default());
        let run = request.observer(Arc::clone(&queue) as Arc<dyn Observer>);
        Self { queue, run: Some(run.into_future()), result: None }
    }

    /// The next event; none when the run is over.
    pub async fn next(&mut self) -> Option<RunEvent> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// What came of the run, after the events that are left.
    ///
    /// # Errors
    /// As the run itself.
    pub async fn finish(mut self) -> Result<Run, Error> {
        while self.next().await.is_some() {}
        match self.result.take() {
            Some(result) => result,
            None => Err(Error::Build("the stream was read to its end twice".to_owned())),
        }
    }
}

impl Stream for RunStream {
    type Item = RunEvent;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunEvent>> {
        if let Some(event) = self.queue.pop() {
            return Poll::Ready(Some(event));
        }
        let Some(run) = &mut self.run else { return Poll::Ready(None) };
        if let Poll::Ready(result) = run.as_mut().poll(cx) {
            self.result = Some(result);
            self.run = None;
        }
        match (self.queue.pop(), &self.run) {
            (Some(event), _) => Poll::Ready(Some(event)),
            (None, None) => Poll::Ready(None),
            (None, Some(_)) => Poll::Pending,
        }
    }
}
