//! CONTEXT: what a step costs late in a long conversation, with every transform.

mod agent;

use std::sync::Arc;

use legwork::core::budget::Amounts;
use legwork::core::event::{
    ExecutionStarted, InferenceStarted, Responded, ResultCompared, ResultKey, ResultSummarised,
    StepFinished, ToolFinished,
};
use legwork::core::{
    AgentState, ContinuationOutcome, Event, FinishReason, Message, Micros, ModelSettings, Part,
    Response, SessionId, ToolCall, ToolOutcome, Usage,
};
use legwork::port::model::Profile;
use legwork_context::transforms::{
    DropTraces, Redact, RemoveRepeats, RemoveSimilar, SlidingWindow, SummariseResults, TokenBudget,
    TruncateResults,
};
use legwork_context::{Memory, Pipeline};

use super::{Sample, check};
use crate::{
    error::Error,
    measure, stats,
    subject::{TASK, legwork::fail},
};

/// The steps that are timed, by index: of short conversations, and of one long one. Both are whole
/// periods of what is dropped in blocks.
const EARLY: std::ops::Range<usize> = 26..74;
const LATE: std::ops::Range<usize> = 4_760..5_240;

/// What is redacted.
const SECRET: &str = "hunter2";

/// Times making requests, and then whole steps of an agent.
pub(super) async fn measure() -> Result<Sample, Error> {
    let mut figures = requests()?;
    figures.extend(agent::measure().await?);
    Ok(figures)
}

/// Times the requests of short conversations and of a long one, in turn.
fn requests() -> Result<Sample, Error> {
    let (pipeline, profile) = (pipeline(), Profile::new());
    let mut long = Conversation::new("long");
    for _ in 0..LATE.start {
        long.step(&pipeline, &profile)?;
    }
    let mut short = Conversation::new("short");
    let (mut earlies, mut lates) = (Vec::new(), Vec::new());
    for _ in LATE {
        if short.steps >= EARLY.end {
            short = Conversation::new("short");
        }
        while short.steps < EARLY.start {
            short.step(&pipeline, &profile)?;
        }
        earlies.push(short.step(&pipeline, &profile)?);
        lates.push(long.step(&pipeline, &profile)?);
    }
    check("steps of the conversation", LATE.end, long.state.step_results().count())?;
    Ok(growth("", &earlies, &lates))
}

/// The medians and the means of early and late processor times, and how they grow.
fn growth(what: &str, early: &[f64], late: &[f64]) -> Sample {
    let mut figures = Sample::new();
    let mut add = |which: &str, early: f64, late: f64| {
        figures.insert(format!("{what}{which}cpu_us_step_50"), early);
        figures.insert(format!("{what}{which}cpu_us_step_5000"), late);
        figures.insert(format!("{what}{which}cpu_growth"), late / early);
    };
    let median = |times: &[f64]| stats::median(times).unwrap_or_default();
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    add("", median(early), median(late));
    add("mean_", mean(early), mean(late));
    figures
}

/// Every transform that ships. Old steps are dropped around step 50 as well as around step 5,000.
fn pipeline() -> Pipeline {
    Pipeline::new()
        .with(Redact::by(redacted))
        .with(SummariseResults::above(1_000))
        .with(TruncateResults::new().bytes(4_000))
        .with(DropTraces::keep(16).down_to(8))
        .with(SlidingWindow::of_units(24).down_to(12))
        .with(TokenBudget::of(20_000))
        .with(RemoveRepeats::new())
        .with(RemoveSimilar::above(1_000))
}

fn redacted(text: &str) -> Option<String> {
    text.contains(SECRET).then(|| text.replace(SECRET, "[secret]"))
}

/// A conversation, and what its pipeline keeps between requests.
struct Conversation {
    state: AgentState,
    memory: Memory,
    settings: Arc<ModelSettings>,
    steps: usize,
    last_result: Option<ResultKey>,
}

impl Conversation {
    fn new(name: &str) -> Self {
        let input = vec![Arc::new(Message::user(TASK))];
        let begun = Event::ExecutionStarted(ExecutionStarted { input });
        Self {
            state: AgentState::new(SessionId::new(name)).with(begun).committed(),
            memory: Memory::new(),
            settings: Arc::default(),
            steps: 0,
            last_result: None,
        }
    }

    /// Makes the request of a step, and plays the rest of it. Returns the microseconds
    /// of processor time that the request took: there is nothing that it waits for.
    fn step(&mut self, pipeline: &Pipeline, profile: &Profile) -> Result<f64, Error> {
        let before = measure::cpu();
        let shown = pipeline.to_model(&mut self.memory, &self.state, profile).map_err(fail)?;
        let request = shown.request(Arc::clone(&self.settings));
        let sent = shown.sent(&request);
        let took = (measure::cpu() - before).as_secs_f64() * 1e6;
        drop((shown, request));
        let (reserved, tools, request) = (Amounts::default(), None, Some(sent));
        self.with(Event::InferenceStarted(InferenceStarted { reserved, tools, request }));
        self.answer();
        self.steps += 1;
        Ok(took)
    }

    /// One call, whose result may be long, repeated, summarised or like an earlier one.
    fn answer(&mut self) {
        let number = self.steps;
        let arguments = format!(r#"{{"path":"src/part_{}.rs"}}"#, number % 50);
        let call = ToolCall::new(format!("call_{number}"), "read", arguments);
        let parts = vec![Part::text("I look into it."), Part::ToolCall(Arc::new(call))];
        let mut response = Response::new(Message::assistant(parts), FinishReason::ToolCalls);
        response.usage = Some(Usage { input: 1_000, output: 50, ..Usage::default() });
        let (response, charged) = (Arc::new(response), Amounts::default());
        self.with(Event::Responded(Responded { response, charged }));
        let result = ResultKey { entry: self.state.version(), index: 0 };
        let outcome = ToolOutcome::text(text(number));
        self.with(Event::ToolFinished(ToolFinished::without_running(0, outcome)));
        if number.is_multiple_of(5) {
            let summary = format!("Part {number} defines forty functions.");
            self.with(Event::ResultSummarised(Arc::new(ResultSummarised { result, summary })));
        }
        if number.is_multiple_of(11) {
            let repeats = self.last_result;
            self.with(Event::ResultCompared(ResultCompared { result, repeats }));
        }
        self.last_result = Some(result);
        let (outcome, took) = (Arc::new(ContinuationOutcome::go_on("bench")), Micros(1));
        self.with(Event::StepFinished(StepFinished { outcome, took }));
        self.state = std::mem::replace(&mut self.state, AgentState::new("".into())).committed();
    }

    fn with(&mut self, event: Event) {
        let state = std::mem::replace(&mut self.state, AgentState::new("".into()));
        self.state = state.with(event);
    }
}

/// The result of a step: about 2 KB, of each tenth step 12 KB; each seventh is one of before.
fn text(step: usize) -> String {
    let of = if step.is_multiple_of(7) { step / 70 } else { step };
    let lines = if step.is_multiple_of(10) { 240 } else { 40 };
    let line = |line| format!("{of}:{line}: let value_{line} = compute(\"{SECRET}\", {of});\n");
    (0..lines).map(line).collect()
}
