//! What a server needs from a person to go on with a call.

use std::collections::BTreeMap;

use legwork_core::ToolOutcome;
use legwork_core::tool::{InputRequest, Supplied};
use rmcp::model::{self, CallToolRequestParams, ElicitRequestParams, InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Questions of one call at most.
const QUESTIONS: usize = 20;
/// Characters of a message at most.
const MESSAGE: usize = 4_000;
/// Bytes of what a server wants back at most: it is journaled.
const STATE: usize = 256 << 10;

/// A form that a person is to fill in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) message: String,
    schema: Value,
}

/// A question with the answer that a person gave.
pub(crate) struct Given {
    pub(crate) question: Question,
    pub(crate) value: Value,
}

/// What the body of a call keeps with a question.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kept {
    /// A question that came while the call was under way.
    Asked(Question),
    /// One of those that came as a result of the call, with the others.
    Round(Round),
}

/// What a server of 2026 needs before a call can go on, and how much of it is there.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Round {
    questions: BTreeMap<String, Question>,
    responses: BTreeMap<String, Value>,
    state: Option<String>,
}

impl Question {
    /// A form; none if it is something else, which this client does not offer.
    pub(crate) fn of(params: &ElicitRequestParams) -> Option<Self> {
        match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let message = message.chars().take(MESSAGE).collect();
                Some(Self { message, schema: serde_json::to_value(requested_schema).ok()? })
            }
            _ => None,
        }
    }

    fn request(&self, kept: &Kept) -> ToolOutcome {
        match serde_json::to_value(kept) {
            Ok(kept) => {
                let request = InputRequest::new(&self.message).with_schema(self.schema.clone());
                request.with_state(kept).into()
            }
            Err(error) => ToolOutcome::failed(format!("its question cannot be kept: {error}")),
        }
    }

    /// The outcome of a call that asks this while it is under way.
    pub(crate) fn asked(self) -> ToolOutcome {
        let kept = Kept::Asked(self.clone());
        self.request(&kept)
    }
}

/// The answers to questions that came while a call was under way.
pub(crate) fn given(supplied: &[Supplied]) -> Vec<Given> {
    let given = supplied.iter().filter_map(|one| match kept(one)? {
        Kept::Asked(question) => Some(Given { question, value: one.value.clone() }),
        Kept::Round(_) => None,
    });
    given.collect()
}

fn kept(supplied: &Supplied) -> Option<Kept> {
    serde_json::from_value(supplied.request.state()?.clone()).ok()
}

/// Whether a call has asked as much as it may.
pub(crate) fn is_too_much(supplied: &[Supplied]) -> bool {
    supplied.len() >= QUESTIONS
}

impl Round {
    /// Where a call stands that was supplied this.
    pub(crate) fn of(supplied: &[Supplied]) -> Self {
        let Some(last) = supplied.last() else { return Self::default() };
        let Some(Kept::Round(mut round)) = kept(last) else { return Self::default() };
        if let Some(asked) = round.open() {
            let response = json!({"action": "accept", "content": last.value});
            round.responses.insert(asked, response);
        }
        round
    }

    /// What a result says that is needed.
    ///
    /// # Errors
    /// When it is something that this client does not offer, in words.
    pub(crate) fn needed(required: InputRequiredResult) -> Result<Self, String> {
        let InputRequiredResult { input_requests, request_state: state, .. } = required;
        let requests = input_requests.unwrap_or_default();
        if state.as_ref().is_some_and(|state| state.len() > STATE) || requests.len() > QUESTIONS {
            return Err("it asks for more than this client keeps".to_owned());
        }
        let question = |(name, request)| match &request {
            model::InputRequest::Elicitation(asks) => Some((name, Question::of(&asks.params)?)),
            _ => None,
        };
        let questions = requests.into_iter().map(question).collect::<Option<_>>();
        let what = "it asks for something that this client does not offer";
        let questions = questions.ok_or_else(|| what.to_owned())?;
        Ok(Self { questions, responses: BTreeMap::new(), state })
    }

    /// The first question without an answer.
    fn open(&self) -> Option<String> {
        let open = |name: &&String| !self.responses.contains_key(*name);
        self.questions.keys().find(open).cloned()
    }

    /// The outcome of a call that needs an answer before it can go on; none if it has all.
    ///
    /// # Errors
    /// Itself, with all answers.
    pub(crate) fn asks(self) -> Result<ToolOutcome, Self> {
        let question = self.open().and_then(|name| self.questions.get(&name).cloned());
        match question {
            Some(question) => Ok(question.request(&Kept::Round(self))),
            None => Err(self),
        }
    }

    /// The request for a call that goes on with all answers.
    pub(crate) fn request(&self, params: CallToolRequestParams) -> CallToolRequestParams {
        let params = match self.responses.is_empty() {
            true => params,
            false => params.with_input_responses(self.responses.clone()),
        };
        match &self.state {
            Some(state) => params.with_request_state(state),
            None => params,
        }
    }
}
