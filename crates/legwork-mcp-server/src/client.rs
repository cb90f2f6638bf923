//! The client of a request, as a service sees it while it answers.

// Sampling, roots and logging are deprecated in the protocol, and still in use.
#![expect(deprecated, reason = "clients of the revision of 2025 have no other way")]

use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, InputRequest, LoggingLevel, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use serde_json::Value;

use crate::question::{Ability, Answers, Question, Questions};
use crate::service::{Asks, Error};

/// Most characters of the name of a client.
const NAME: usize = 64;

/// The client that sent a request: it is notified of progress, and may be asked.
pub struct Client {
    context: RequestContext<RoleServer>,
    /// What it answered to questions of the same request before.
    answers: Answers,
    state: Option<Value>,
    /// The least level of messages that it wants; none if it wants none.
    level: Option<LoggingLevel>,
}

/// How grave a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Level {
    /// For who looks for an error.
    Debug,
    /// What happens.
    Info,
    /// What may be wrong.
    Warning,
    /// What is wrong.
    Error,
}

impl Client {
    pub(crate) fn new(
        context: RequestContext<RoleServer>,
        answers: Option<Answers>,
        state: Option<Value>,
        level: Option<LoggingLevel>,
    ) -> Self {
        Self { context, answers: answers.unwrap_or_default(), state, level }
    }

    /// The name of the client's program; none if it does not say.
    pub fn name(&self) -> Option<String> {
        let name = self.context.client_info()?.name;
        // It is shown to people, and kept in journals.
        let shows = |one: &char| one.is_alphanumeric() || " -_./:@()".contains(*one);
        Some(name.chars().filter(shows).take(NAME).collect())
    }

    /// Whether it can do something.
    pub fn can(&self, ability: Ability) -> bool {
        let Some(capabilities) = self.context.client_capabilities() else { return false };
        match ability {
            Ability::Forms => capabilities.elicitation.is_some_and(|elicitation| {
                // As the protocol has it: nothing said means forms.
                elicitation.form.is_some() || elicitation.url.is_none()
            }),
            Ability::Sampling => capabilities.sampling.is_some(),
            Ability::Roots => capabilities.roots.is_some(),
            Ability::Tasks => self.is_modern() && capabilities.supports_tasks(),
        }
    }

    /// Whether it polls tasks.
    pub fn polls_tasks(&self) -> bool {
        self.can(Ability::Tasks)
    }

    /// What the service had to know again, of the round before; none in the first one.
    pub fn state(&self) -> Option<&Value> {
        self.state.as_ref()
    }

    /// The answers that came with the request.
    pub fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Tells how far the request is, if the client wants to know: what is done, of how much, and
    /// what it is.
    pub async fn progress(&self, done: f64, of: Option<f64>, message: Option<&str>) {
        let Some(token) = self.context.meta.get_progress_token() else { return };
        let mut progress = ProgressNotificationParam::new(token, done);
        progress.total = of;
        progress.message = message.map(str::to_owned);
        // One that is gone needs no progress.
        let _ = self.context.peer.notify_progress(progress).await;
    }

    /// Logs a message, if the client wants those of its level.
    pub async fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Debug => LoggingLevel::Debug,
            Level::Info => LoggingLevel::Info,
            Level::Warning => LoggingLevel::Warning,
            Level::Error => LoggingLevel::Error,
        };
        if self.level.is_none_or(|least| (level as u8) < (least as u8)) {
            return;
        }
        let message = LoggingMessageNotificationParam::new(level, Value::from(message));
        let _ = self.context.peer.notify_logging_message(message).await;
    }

    /// The answers to these questions.
    ///
    /// A client of the revision of 2025 is asked now, and this waits for it. One of 2026 gets the
    /// questions as the result of its request, and sends the request again with the answers and
    /// with `state`; the service is called anew, so what it did before it asked must be in the
    /// state, or happen twice without harm.
    ///
    /// # Errors
    /// [`Error::Asks`], to be returned by the service, if they are not answered yet;
    /// [`Error::Lacks`] if the client cannot answer them.
    pub async fn ask(&self, questions: Questions, state: Option<Value>) -> Result<Answers, Error> {
        if let Some(lacked) =
            questions.values().map(|question| question.needs).find(|needs| !self.can(*needs))
        {
            return Err(Error::Lacks(lacked));
        }
        if !self.is_modern() {
            return self.ask_now(questions).await;
        }
        let answer = |(key, question): (&String, &Question)| {
            let answer = self.answers.get(key).filter(|answer| question.takes(answer));
            answer.map(|answer| (key.clone(), answer.clone()))
        };
        match questions.iter().map(answer).collect() {
            Some(answers) => Ok(answers),
            None => Err(Error::Asks(Box::new(Asks { questions, state }))),
        }
    }

    async fn ask_now(&self, questions: Questions) -> Result<Answers, Error> {
        let mut answers = Answers::new();
        for (key, question) in questions {
            let request = question.to_request();
            let request = request.map_err(|error| Error::Internal(error.to_string()))?;
            let request = match request {
                InputRequest::Elicitation(request) => ServerRequest::ElicitRequest(request),
                InputRequest::CreateMessage(request) => {
                    ServerRequest::CreateMessageRequest(request)
                }
                InputRequest::ListRoots(request) => ServerRequest::ListRootsRequest(request),
                _ => return Err(Error::Internal("a question of an unknown kind".to_owned())),
            };
            let answer = self.context.peer.send_request(request).await;
            let answer = answer.map_err(|error| Error::Internal(error.to_string()))?;
            let answer = match answer {
                ClientResult::ElicitResult(result) => serde_json::to_value(result),
                ClientResult::CreateMessageResult(result) => serde_json::to_value(result),
                ClientResult::ListRootsResult(result) => serde_json::to_value(result),
                other => serde_json::to_value(other),
            };
            let answer = answer.map_err(|error| Error::Internal(error.to_string()))?;
            answers.insert(key, answer);
        }
        Ok(answers)
    }

    /// Whether it is asked while its request waits.
    pub(crate) fn asks_now(&self) -> bool {
        !self.is_modern()
    }

    fn is_modern(&self) -> bool {
        is_modern(&self.context)
    }
}

/// Whether a client speaks the revision in which a server sends no requests.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The least level of messages that a client wants, with what it set for its connection.
///
/// A client of the revision of 2026 says it with each request, and wants none if it does not. For
/// one of 2025 that set no level, the server chooses: it wants all but those for debugging.
pub(crate) fn level(
    context: &RequestContext<RoleServer>,
    set: Option<LoggingLevel>,
) -> Option<LoggingLevel> {
    match is_modern(context) {
        true => context.meta.log_level(),
        false => Some(set.unwrap_or(LoggingLevel::Info)),
    }
}
