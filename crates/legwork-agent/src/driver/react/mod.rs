//! The driver for models without tool calling: each step is one decision, written as JSON.

mod decision;
mod final_decision;
mod find;
mod mark;
mod prompt;
mod render;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::inference::Incomplete;
use legwork_core::{
    AgentState, Criterion, FinishReason, Message, ModelRequest, Part, Response, ToolCall,
};

pub use final_decision::FinalDecision;

use decision::{AnswerIs, Decision, What, written_action, written_answer};
use legwork_runtime::StepContext;
use legwork_runtime::driver::{Driver, settled};
use legwork_toolset::StepTools;
use mark::{Kind, Mark, awaits_plain, awaits_plain_again};
use prompt::Prompts;

/// What a model is asked after its decision, where a plain answer shall follow.
const ASK_PLAIN: &str = "Now write the answer for the user, as plain text and not as JSON.";

/// The driver for models without tool calling: thought, action, result, and so on.
///
/// A decision is one JSON object, `{"thought": "...", "action": {"tool": "...",
/// "arguments": {...}}}` or `{"thought": "...", "answer": "..."}`. Tools are described in
/// the system prompt, and the schema of a decision goes with the request for servers that
/// can hold a model to it. In the transcript a decision is what it means: thinking, a tool
/// call, a text; so all else works as with any other driver.
///
/// An answer that cannot be read as a decision is an error of the step, of kind
/// `validation`, and the model is told what was wrong. By default it has two tries more;
/// [`ErrorPolicy`](legwork_core::continuation::ErrorPolicy) says otherwise.
#[derive(Debug, Default)]
pub struct ReAct {
    answer: Answering,
    prompts: Prompts,
}

/// How the answer is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Answering {
    /// As the decision holds it.
    #[default]
    Decided,
    /// By one more inference, in plain text.
    Plain,
}

/// What an inference asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Decision,
    Plain,
}

impl ReAct {
    /// Answers are those of the decisions.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, but after the decision to answer the model is asked once more, without a
    /// schema, to answer in plain text: that is the answer.
    #[must_use]
    pub fn plain_answer(self) -> Self {
        Self { answer: Answering::Plain, ..self }
    }

    /// Puts in the place of the text what it means.
    fn decided(&self, mut response: Response, decision: Decision, id: String) -> Response {
        let text = response.text();
        let Decision { thought, what } = decision;
        let written = match &what {
            What::Act { tool, arguments } => written_action(thought.clone(), tool, arguments),
            What::Answer(answer) => written_answer(thought.clone(), answer),
        };
        let (kind, part) = match what {
            What::Act { tool, arguments } => {
                (Kind::Action, Part::ToolCall(Arc::new(ToolCall::new(id, tool, arguments))))
            }
            What::Answer(answer) if self.answer == Answering::Plain => {
                (Kind::Draft, Part::text(answer))
            }
            What::Answer(answer) => (Kind::Answer, Part::text(answer)),
        };
        response.finish = match kind {
            Kind::Action => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        };
        let own = response.message.parts.iter().filter(|part| part.as_text().is_none()).cloned();
        let thought = thought.map(render::thought);
        response.message = Arc::new(Message::assistant(own.chain(thought).chain([part]).collect()));
        let text = (text != written).then_some(text);
        Mark { text, ..Mark::new(kind) }.put(&mut response);
        response
    }
}

impl Driver for ReAct {
    fn name(&self) -> &str {
        "react"
    }

    fn request(
        &self,
        state: &AgentState,
        cx: &StepContext,
        shown: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        let settings = Arc::new(state.settings().clone());
        let messages = cx.messages(state)?;
        let mut request = ModelRequest::rendered(settled(&messages)?, settings, render::rendered);
        let format = state.wanted_output().and_then(|wanted| wanted.format.as_ref());
        if asked(state) == Asked::Plain {
            request.instructions = shown.prompt(state.instructions());
            request.response_format = format.cloned();
            return Ok(request);
        }
        let format = format.filter(|_| self.answer == Answering::Decided);
        let prompt = self.prompts.get(&shown.prompt(state.instructions()), &shown.specs, format);
        request.instructions = prompt.instructions;
        request.response_format = Some(prompt.schema);
        Ok(request)
    }

    fn read(&self, state: &AgentState, response: &Response) -> Option<Response> {
        let parts = &response.message.parts;
        let refused = parts.iter().any(|part| matches!(part, Part::Refusal(_)));
        let calls = response.message.tool_calls().next().is_some();
        if response.incomplete.is_some() || calls || (refused && response.text().is_empty()) {
            return None;
        }
        Some(self.understood(state, response.clone()))
    }

    fn recorded(&self, state: AgentState) -> AgentState {
        match Mark::of_current(&state) {
            Some(Mark { decision: Kind::Draft, .. }) => state.with_message(ASK_PLAIN),
            Some(Mark { decision: Kind::Invalid, problem, .. }) => {
                let problem = problem.unwrap_or_default();
                let error = format!("the model's answer is no decision: {problem}");
                let error = ErrorRecord::new(ErrorSource::Driver, ErrorKind::Validation, error);
                state.with_error(error).with_message(correction(&problem))
            }
            _ => state,
        }
    }

    fn is_answer(&self, state: &AgentState) -> bool {
        let mark = Mark::of_current(state);
        mark.is_none_or(|mark| matches!(mark.decision, Kind::Answer | Kind::Plain))
    }

    fn criteria(&self) -> Vec<Arc<dyn Criterion>> {
        vec![Arc::new(FinalDecision)]
    }
}

impl ReAct {
    /// The response with the decision that its text writes.
    fn understood(&self, state: &AgentState, mut response: Response) -> Response {
        let text = response.text();
        let shown = state.context().tools_shown.as_ref();
        let tools: Vec<_> =
            shown.into_iter().flat_map(|shown| shown.specs.iter().map(|s| &*s.name)).collect();
        let format = state.wanted_output().and_then(|wanted| wanted.format.as_ref());
        let answer = match (format, self.answer) {
            (Some(_), Answering::Decided) => AnswerIs::Json,
            _ => AnswerIs::Text,
        };
        // Once a response of the session, so that a call has a name of its own.
        let id = format!("react_{}", state.current_step().map_or(state.version(), |step| step.id));
        if asked(state) == Asked::Plain && !text.trim().is_empty() {
            return match Decision::read_bare(&text, &tools, answer) {
                Some(Decision { what: What::Answer(answer), .. }) => plain(response, &answer),
                Some(decision) => self.decided(response, decision, id),
                None => plain(response, &text),
            };
        }
        match Decision::read(&text, &tools, answer) {
            Ok(decision) => self.decided(response, decision, id),
            // A hook may have said something after the plain answer was asked for.
            Err(_) if awaits_plain(state) && !text.trim().is_empty() => plain(response, &text),
            Err(_) if response.finish == FinishReason::ContentFilter => response,
            Err(_) if response.finish == FinishReason::Length => {
                response.incomplete = Some(Incomplete::LengthInCall);
                response
            }
            Err(problem) => {
                let problem = Some(problem);
                Mark { problem, ..Mark::new(Kind::Invalid) }.put(&mut response);
                response
            }
        }
    }
}

/// What the next inference asks for, by the state alone.
///
/// What was said since the decision to answer asks for another decision; once, so that
/// somebody who says something at each step does not keep the answer away for ever.
fn asked(state: &AgentState) -> Asked {
    if !awaits_plain(state) {
        return Asked::Decision;
    }
    let last = state.context().transcript.messages().last();
    let at_once = last.is_some_and(|message| message.text() == ASK_PLAIN);
    match at_once || awaits_plain_again(state) {
        true => Asked::Plain,
        false => Asked::Decision,
    }
}

/// The plain answer; the model may have written it as a decision once more.
fn plain(mut response: Response, answer: &str) -> Response {
    let text = response.text();
    let mut mark = Mark::new(Kind::Plain);
    if text != answer {
        let own = response.message.parts.iter().filter(|part| part.as_text().is_none()).cloned();
        let parts = own.chain([Part::text(answer.to_owned())]).collect();
        response.message = Arc::new(Message::assistant(parts));
        mark.text = Some(text);
    }
    mark.put(&mut response);
    response
}

/// Tells the model what was wrong, and the shape.
fn correction(problem: &str) -> String {
    format!(
        "That could not be read as a decision: {problem}. Write one JSON object and nothing else, \
         in one of these shapes:\n{{\"thought\": \"...\", \"action\": {{\"tool\": \"...\", \
         \"arguments\": {{...}}}}}}\n{{\"thought\": \"...\", \"answer\": \"...\"}}"
    )
}
