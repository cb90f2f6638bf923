//! Sessions to look at: each method is something that happens in one.

use std::sync::Arc;

use legwork_context::{Memory, Pipeline, Shown};
use legwork_core::budget::Amounts;
use legwork_core::event::{
    Compacted, ExecutionFinished, ExecutionStarted, HeadMoved, InferenceStarted, Responded,
    ResultCompared, ResultKey, ResultSummarised, StepFinished, ToolFinished,
};
use legwork_core::journal::Journal;
use legwork_core::{
    AgentState, ContinuationOutcome, Entry, Event, ExecutionStatus, FinishReason, Message, Micros,
    Part, Response, Seq, SessionId, ToolCall, ToolOutcome, Usage,
};
use legwork_port::Profile;

/// A session, with all entries that it has.
#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) state: AgentState,
    pub(crate) journal: Vec<Arc<Entry>>,
}

/// A call: its tool, its arguments, its result.
pub(crate) type Call<'a> = (&'a str, &'a str, &'a str);

impl Story {
    pub(crate) fn new() -> Self {
        Self { state: AgentState::new(SessionId::new("s")), journal: Vec::new() }
    }

    /// A session whose user said one thing.
    pub(crate) fn of(text: &str) -> Self {
        Self::new().user(text)
    }

    pub(crate) fn with(mut self, event: Event) -> Self {
        self.state = self.state.with(event);
        self
    }

    /// A task if nothing runs, else a message on the way.
    pub(crate) fn user(self, text: &str) -> Self {
        self.says(Message::user(text))
    }

    pub(crate) fn says(self, message: Message) -> Self {
        let message = Arc::new(message);
        let runs = self.state.status().is_some_and(|status| !status.is_terminal());
        match runs {
            true => self.with(Event::Steered(message)),
            false => {
                let input = vec![message];
                self.with(Event::ExecutionStarted(ExecutionStarted { input }))
            }
        }
    }

    /// A step that calls tools, each with its result.
    pub(crate) fn calls(self, calls: &[Call<'_>]) -> Self {
        self.step("", calls, None)
    }

    /// A step that says something and calls tools; the provider counted so many input tokens.
    pub(crate) fn step(self, text: &str, calls: &[Call<'_>], input: Option<u64>) -> Self {
        let mut story = if self.state.execution().is_none() { self.user("begin") } else { self };
        let mut parts = Vec::new();
        if !text.is_empty() {
            parts.push(Part::text(text));
        }
        for (index, (tool, arguments, _)) in calls.iter().enumerate() {
            let call = ToolCall::new(format!("c{index}"), *tool, *arguments);
            parts.push(Part::ToolCall(Arc::new(call)));
        }
        let mut response = Response::new(Message::assistant(parts), FinishReason::ToolCalls);
        response.usage = input.map(|input| Usage { input, output: 7, ..Usage::default() });
        let (reserved, tools, request) = (Amounts::default(), None, None);
        story = story.with(Event::InferenceStarted(InferenceStarted { reserved, tools, request }));
        let (response, charged) = (Arc::new(response), Amounts::default());
        story = story.with(Event::Responded(Responded { response, charged }));
        for (index, (_, _, result)) in (0..).zip(calls) {
            let outcome = ToolOutcome::text(*result);
            story = story.with(Event::ToolFinished(ToolFinished::without_running(index, outcome)));
        }
        let (outcome, took) = (Arc::new(ContinuationOutcome::go_on("test")), Micros(1));
        story.with(Event::StepFinished(StepFinished { outcome, took }))
    }

    /// An answer that ends the execution.
    pub(crate) fn answer(self, text: &str) -> Self {
        let outcome = Arc::new(ContinuationOutcome::go_on("test"));
        let status = ExecutionStatus::Completed;
        self.step(text, &[], None)
            .with(Event::ExecutionFinished(ExecutionFinished { status, outcome }))
    }

    pub(crate) fn adds(self, message: Message) -> Self {
        self.with(Event::MessageAdded(Arc::new(message)))
    }

    pub(crate) fn compacts(self, compacted: Compacted) -> Self {
        self.with(Event::Compacted(Arc::new(compacted)))
    }

    /// A result gets a summary: of the turn at an index of the transcript.
    pub(crate) fn summarises(self, result: ResultKey, summary: &str) -> Self {
        let summary = summary.to_owned();
        self.with(Event::ResultSummarised(Arc::new(ResultSummarised { result, summary })))
    }

    pub(crate) fn compares(self, result: ResultKey, repeats: Option<ResultKey>) -> Self {
        self.with(Event::ResultCompared(ResultCompared { result, repeats }))
    }

    pub(crate) fn entries(&self) -> Vec<Arc<Entry>> {
        let new = self.state.uncommitted().iter().cloned();
        self.journal.iter().cloned().chain(new).collect()
    }

    /// The head moves to another entry.
    pub(crate) fn moves(self, to: u64) -> Self {
        let mut story = self.with(Event::HeadMoved(HeadMoved { to: Seq(to) }));
        let path = Journal::new(story.entries()).path(Seq(to));
        story.state = story.state.on_path(path);
        story
    }

    /// The session is read again by another process.
    pub(crate) fn reloads(mut self) -> Self {
        let read = |entry: &Arc<Entry>| Arc::new(Entry::decode(&entry.encode().unwrap()).unwrap());
        self.journal = self.entries().iter().map(read).collect();
        self.state = Journal::new(self.journal.clone()).fold(&SessionId::new("s"));
        self
    }

    /// The keys of all results of the transcript, oldest first.
    pub(crate) fn results(&self) -> Vec<ResultKey> {
        let transcript = &self.state.context().transcript;
        let turns = transcript.messages().iter().enumerate();
        let keys = turns.flat_map(|(at, message)| {
            let entry = transcript.entry(at).unwrap();
            (0..).zip(message.tool_calls()).map(move |(index, _)| ResultKey { entry, index })
        });
        keys.collect()
    }

    pub(crate) fn shown(&self, pipeline: &Pipeline, memory: &mut Memory) -> Shown {
        pipeline.to_model(memory, &self.state, &Profile::new()).unwrap()
    }

    /// What a model reads, a line for each message.
    pub(crate) fn reads(&self, pipeline: &Pipeline) -> Vec<String> {
        lines(&self.shown(pipeline, &mut Memory::new()))
    }
}

/// A line for each message: who says it, and what.
pub(crate) fn lines(shown: &Shown) -> Vec<String> {
    shown.messages.messages().iter().map(|message| line(message)).collect()
}

pub(crate) fn line(message: &Message) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.text.clone(),
        Part::ToolCall(call) => format!("{}({})", call.name, call.arguments),
        Part::ToolResult(result) => format!("= {}", result.text()),
        other => format!("{other:?}"),
    };
    let parts: Vec<_> = message.parts.iter().map(part).collect();
    format!("{}: {}", message.role, parts.join(" "))
}
