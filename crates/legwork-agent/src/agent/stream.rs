//! A run as a stream of events.

use std::collections::VecDeque;
use std::future::Future as _;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use futures_util::Stream;
use legwork_port::{EventKind, Observer, RunEvent};
use legwork_runtime::Error;

use crate::agent::request::{Run, RunRequest, whatever};

/// Keeps events until they are taken.
#[derive(Default)]
struct Queue(Mutex<VecDeque<RunEvent>>);

impl Queue {
    fn pop(&self) -> Option<RunEvent> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Adds the last event of a run that could not begin: none was emitted before it.
    fn end(&self, result: &Result<Run, Error>) {
        let Err(error) = result else { return };
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let says_so = |event: &RunEvent| matches!(event.kind, EventKind::RunFailed { .. });
        if !matches!(error, Error::Unfinished(_)) && !queue.iter().any(says_so) {
            let message = error.to_string();
            queue.push_back(RunEvent::new(EventKind::RunFailed { message, hint: None }));
        }
    }
}

impl Observer for Queue {
    fn observe(&self, event: &RunEvent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(event.clone());
    }
}

/// A run as a stream of events. The run goes on only while the stream is polled;
/// dropping it leaves the session resumable. Of a run that cannot begin the only event is
/// [`EventKind::RunFailed`].
///
/// # Cancel safety
/// [`RunStream::next`] may be dropped: the event it would have given is given by the next call.
#[must_use = "a run does nothing until its stream is polled"]
pub struct RunStream {
    queue: Arc<Queue>,
    run: Option<RunRequest>,
    result: Option<Result<Run, Error>>,
}

impl RunStream {
    pub(crate) fn new(request: RunRequest) -> Self {
        let queue = Arc::<Queue>::default();
        let run = match request.is_polled() {
            true => request,
            false => request.observer(Arc::clone(&queue)),
        };
        Self { queue, run: Some(run), result: None }
    }

    /// The next event; none when the run is over.
    pub async fn next(&mut self) -> Option<RunEvent> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// The next piece of the agent's text; none when the run is over. All other events are
    /// skipped, and so are those of subagents.
    ///
    /// The text of an attempt that broke off and is repeated begins anew
    /// ([`EventKind::InferenceRetried`]): a program that has to take it back reads
    /// [`RunStream::next`].
    pub async fn next_text(&mut self) -> Option<String> {
        loop {
            let event = self.next().await?;
            match event.kind {
                EventKind::TextDelta { text } if event.path.is_empty() => return Some(text),
                _ => {}
            }
        }
    }

    /// Whatever came of the run, after the events that are left; as [`RunRequest::outcome`].
    ///
    /// # Errors
    /// When the run could not begin, or what happened could not be journaled.
    pub async fn outcome(self) -> Result<Run, Error> {
        whatever(self.finish().await)
    }

    /// The run, if it completed, after the events that are left.
    ///
    /// # Errors
    /// As the run itself: [`Error::Unfinished`] when it did not complete.
    pub async fn finish(mut self) -> Result<Run, Error> {
        while self.next().await.is_some() {}
        match self.result.take() {
            Some(result) => result,
            // It was taken by a poll of the run itself, which has been polled to its end.
            None => Err(Error::Begun),
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
        if let Poll::Ready(result) = Pin::new(run).poll(cx) {
            self.queue.end(&result);
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
