//! What a server needs from a person, or from the model, to go on with a call.

use std::collections::BTreeMap;

use legwork_core::tool::{InputRequest, Prompt, Supplied};
use legwork_core::{Digest, ToolOutcome};
use rmcp::model::{self, CallToolRequestParams, ElicitRequestParams, InputRequiredResult};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::sampling::{self, PROMPTS, Sampling};

/// Questions of one call at most.
pub(crate) const QUESTIONS: usize = 20;
/// Characters of a message at most.
const MESSAGE: usize = 4_000;
/// Bytes of what a server wants back, and of the schemas of its questions, at most: they are
/// journaled.
const STATE: usize = 64 << 10;

/// What a server asks in the middle of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Question {
    /// A form that a person is to fill in.
    Form { message: String, schema: Value },
    /// A prompt for the model.
    Prompt(Box<Prompt>),
}

/// The answer that was given to a question.
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
    /// The first of those that came as a result of the call, with the others.
    Round(Round),
    /// Another one of the round.
    Next {},
}

/// What a server of 2026 needs before a call can go on, and how much of it is there.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Round {
    questions: BTreeMap<String, Question>,
    /// The answers; those of before are what the call was supplied.
    #[serde(skip)]
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
                (schema.to_string().len() <= STATE).then_some(Self::Form { message, schema })
            }
            _ => None,
        }
    }

    /// A prompt for the model.
    ///
    /// # Errors
    /// When it needs what is not offered, in words.
    pub(crate) fn of_model(params: sampling::Params) -> Result<Self, String> {
        let prompt = sampling::prompt(params);
        prompt
            .map(|prompt| Self::Prompt(prompt.into()))
            .map_err(|why| format!("it asks the model: {why}"))
    }

    /// What is asked, for a log.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Form { message, .. } => message.clone(),
            Self::Prompt(prompt) => InputRequest::of_model((**prompt).clone()).message,
        }
    }

    fn schema_size(&self) -> usize {
        match self {
            Self::Form { schema, .. } => schema.to_string().len(),
            Self::Prompt(_) => 0,
        }
    }

    fn prompt_size(&self) -> usize {
        match self {
            Self::Form { .. } => 0,
            Self::Prompt(prompt) => sampling::size(prompt),
        }
    }

    fn digest(&self) -> Digest {
        Digest::of(&json!(self))
    }

    fn request(&self, kept: &Kept) -> ToolOutcome {
        let request = match self {
            Self::Form { message, schema } => {
                InputRequest::new(message).with_schema(schema.clone())
            }
            Self::Prompt(prompt) => InputRequest::of_model((**prompt).clone()),
        };
        let request = request.with_state(json!(kept));
        // What a journal cannot hold is a text there.
        match request.state().is_some_and(Value::is_object) {
            true => request.into(),
            false => ToolOutcome::failed("its question cannot be journaled"),
        }
    }

    /// What a server of 2026 gets for this answer.
    ///
    /// # Errors
    /// When there is none, in words.
    fn response(&self, value: &Value) -> Result<Value, String> {
        match self {
            Self::Form { .. } => Ok(json!({"action": "accept", "content": value})),
            Self::Prompt(_) => match sampling::result(value) {
                Ok(result) => Ok(json!(result)),
                Err(why) => Err(format!("the model did not answer what it asks: {why}")),
            },
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
        Kept::Round(_) | Kept::Next {} => None,
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
    ///
    /// # Errors
    /// When it cannot go on, in words.
    pub(crate) fn of(supplied: &[Supplied]) -> Result<Self, String> {
        let mut round = Self::default();
        for one in supplied {
            match kept(one) {
                Some(Kept::Round(next)) => round = next,
                Some(Kept::Next {}) => {}
                Some(Kept::Asked(_)) | None => round = Self::default(),
            }
            if let Some((name, question)) = round.open().filter(|_| one.value.is_object()) {
                let (name, response) = (name.clone(), question.response(&one.value)?);
                round.responses.insert(name, response);
            }
        }
        Ok(round)
    }

    /// What a result says that is needed.
    ///
    /// # Errors
    /// When it is something that this client does not offer, in words.
    pub(crate) fn needed(
        required: InputRequiredResult,
        supplied: &[Supplied],
        samples: Sampling,
    ) -> Result<Self, String> {
        let InputRequiredResult { input_requests, request_state: state, .. } = required;
        let requests = input_requests.unwrap_or_default();
        let too_much = || "it asks for more than this client keeps".to_owned();
        let questions = supplied.len().saturating_add(requests.len());
        if state.as_ref().is_some_and(|state| state.len() > STATE) || questions > QUESTIONS {
            return Err(too_much());
        }
        let unknown = || "it asks for something that this client does not offer".to_owned();
        let question = |(name, request)| match request {
            model::InputRequest::Elicitation(asks) => {
                Ok((name, Question::of(&asks.params).ok_or_else(unknown)?))
            }
            model::InputRequest::CreateMessage(asks) if samples == Sampling::Offered => {
                Ok((name, Question::of_model(asks.params)?))
            }
            _ => Err(unknown()),
        };
        let questions = requests.into_iter().map(question);
        let questions = questions.collect::<Result<BTreeMap<_, _>, String>>()?;
        let sum = |size: fn(&Question) -> usize| questions.values().map(size).sum::<usize>();
        if sum(Question::schema_size) > STATE || sum(Question::prompt_size) > PROMPTS {
            return Err(too_much());
        }
        let digest = state.as_ref().map(|state| Digest::of_bytes(state.as_bytes()));
        Ok(Self { questions, responses: BTreeMap::new(), state, digest })
    }

    /// The first question without an answer.
    fn open(&self) -> Option<(&String, &Question)> {
        self.questions.iter().find(|(name, _)| !self.responses.contains_key(*name))
    }

    /// The outcome of a call that needs an answer before it can go on; none if it has all.
    ///
    /// # Errors
    /// Itself, with all answers.
    pub(crate) fn asks(self) -> Result<ToolOutcome, Self> {
        match self.open().map(|(_, question)| question.clone()) {
            Some(question) if !self.responses.is_empty() => Ok(question.request(&Kept::Next {})),
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

#[cfg(test)]
mod tests;
