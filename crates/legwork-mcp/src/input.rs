//! What a server needs from a person to go on with a call.

use std::collections::BTreeMap;

use legwork_core::tool::{InputRequest, Supplied};
use legwork_core::{Digest, ToolOutcome};
use rmcp::model::{self, CallToolRequestParams, ElicitRequestParams, InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Questions of one call at most.
const QUESTIONS: usize = 20;
/// Characters of a message at most.
const MESSAGE: usize = 4_000;
/// Bytes of what a server wants back, and of the schemas of its questions, at most: they are
/// journaled.
const STATE: usize = 64 << 10;

/// A form that a person is to fill in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) message: String,
    schema: Value,
}

/// The answer that a person gave to a question.
pub(crate) struct Given {
    question: Digest,
    pub(crate) value: Value,
}

impl Given {
    #[cfg(test)]
    pub(crate) fn new(question: &Question, value: Value) -> Self {
        Self { question: question.digest(), value }
    }

    pub(crate) fn answers(&self, question: &Question) -> bool {
        self.question == question.digest()
    }
}

/// What the body of a call keeps with a question.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kept {
    /// A question that came while the call was under way; secrets in it are masked in a journal.
    Asked(Digest),
    /// One of those that came as a result of the call, with the others.
    Round(Round),
}

/// What a server of 2026 needs before a call can go on, and how much of it is there.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Round {
    questions: BTreeMap<String, Question>,
    responses: BTreeMap<String, Value>,
    state: Option<String>,
    /// That of the state, in which secrets are masked in a journal.
    digest: Option<Digest>,
}

impl Question {
    /// A form; none if it is something else, which this client does not offer.
    pub(crate) fn of(params: &ElicitRequestParams) -> Option<Self> {
        match params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let message = message.chars().take(MESSAGE).collect();
                let schema = serde_json::to_value(requested_schema).ok()?;
                (schema.to_string().len() <= STATE).then_some(Self { message, schema })
            }
            _ => None,
        }
    }

    fn digest(&self) -> Digest {
        Digest::of(&json!([self.message, self.schema]))
    }

    fn request(&self, kept: &Kept) -> ToolOutcome {
        let request = InputRequest::new(&self.message).with_schema(self.schema.clone());
        let request = request.with_state(json!(kept));
        // What a journal cannot hold is a text there.
        match request.state().is_some_and(Value::is_object) {
            true => request.into(),
            false => ToolOutcome::failed("its question cannot be journaled"),
        }
    }

    /// The outcome of a call that asks this while it is under way.
    pub(crate) fn asked(&self) -> ToolOutcome {
        let kept = Kept::Asked(self.digest());
        self.request(&kept)
    }
}

/// The answers to questions that came while a call was under way.
pub(crate) fn given(supplied: &[Supplied]) -> Vec<Given> {
    let given = supplied.iter().filter(|one| one.value.is_object());
    let given = given.filter_map(|one| match kept(one)? {
        Kept::Asked(question) => Some(Given { question, value: one.value.clone() }),
        Kept::Round(_) => None,
    });
    given.collect()
}

/// The answer to this question, if it is what a call was supplied last.
pub(crate) fn answer(question: &Question, supplied: &[Supplied]) -> Option<Value> {
    let last = given(supplied.last().map_or(&[], std::slice::from_ref)).pop();
    last.filter(|given| given.answers(question)).map(|given| given.value)
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
        if let Some(asked) = round.open().filter(|_| last.value.is_object()) {
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
        let too_much = || "it asks for more than this client keeps".to_owned();
        if state.as_ref().is_some_and(|state| state.len() > STATE) || requests.len() > QUESTIONS {
            return Err(too_much());
        }
        let question = |(name, request)| match &request {
            model::InputRequest::Elicitation(asks) => Some((name, Question::of(&asks.params)?)),
            _ => None,
        };
        let questions = requests.into_iter().map(question).collect::<Option<_>>();
        let what = "it asks for something that this client does not offer";
        let questions: BTreeMap<_, Question> = questions.ok_or_else(|| what.to_owned())?;
        let schemas = questions.values().map(|question| question.schema.to_string().len());
        if schemas.sum::<usize>() > STATE {
            return Err(too_much());
        }
        let digest = state.as_ref().map(|state| Digest::of_bytes(state.as_bytes()));
        Ok(Self { questions, responses: BTreeMap::new(), state, digest })
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

    /// Whether the state is as the server gave it.
    pub(crate) fn is_whole(&self) -> bool {
        self.state.as_ref().map(|state| Digest::of_bytes(state.as_bytes())) == self.digest
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
