//! Calls that wait for a person, as questions to the person in front of the client.

use legwork_agent::StoredSession;
use legwork_agent::capability::ask_user::Question as Asked;
use legwork_agent::form::Form;
use legwork_agent::session::Waiting;
use legwork_core::hidden::is_hidden;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::state::{Pending, PendingReason};
use legwork_port::Cancellation;
use serde_json::{Value, json};

use crate::client::Client;
use crate::question::{Answers, Question, Questions, accepted};
use crate::service::Error;

/// What the model reads of a call that was denied.
const DENIED: &str = "The user said no.";
/// Most bytes of arguments that a person is shown.
const SHOWN: usize = 8 << 10;

/// The questions to a person, each under a key that no other question ever has.
pub(super) fn questions(waiting: &[Waiting]) -> Questions {
    let question = |waiting: &Waiting| Some((key(&waiting.pending), question(&waiting.pending)?));
    waiting.iter().filter_map(question).collect()
}

/// A call that waits again is another question.
fn key(pending: &Pending) -> String {
    format!("{}@{}", pending.id, pending.asked_at.0)
}

fn question(pending: &Pending) -> Option<Question> {
    if let Some(asked) = Asked::of(pending) {
        return Some(Question::form(words(&asked), &answer_form(&asked)));
    }
    if let (Some(form), Some(input)) = (Form::of(pending), &pending.input) {
        let message = format!("The tool {} asks: {}", pending.tool, plain(&form.message));
        let schema = input.schema().map(without_hidden);
        let schema = schema.unwrap_or_else(|| answer_form(&Asked::new("")));
        return Some(Question::form(message, &schema));
    }
    let call = format!("{} {}", pending.tool, shown(&pending.arguments));
    let why = pending.explanation.as_deref().map(|why| format!("\n{}", plain(why)));
    let why = why.unwrap_or_default();
    match pending.reason {
        PendingReason::Approval => {
            let message = format!("The agent wants to run this:\n{call}{why}");
            Some(Question::form(message, &yes_or_no("approve", "Run it")))
        }
        PendingReason::Doubt => {
            let message = format!(
                "This was running when the process died: it may or may not have happened.\n\
                 {call}{why}"
            );
            Some(Question::form(message, &yes_or_no("run_again", "Run it again")))
        }
        _ => None,
    }
}

/// A question as a person reads it: it cannot be taken for a call that needs approval.
fn words(asked: &Asked) -> String {
    let text = plain(&asked.text);
    let choices = plain(&asked.choices.join(", "));
    match asked.choices.is_empty() || !asked.takes_any() {
        true => format!("The agent asks: {text}"),
        false => format!("The agent asks: {text}\nFor example: {choices}"),
    }
}

fn answer_form(asked: &Asked) -> Value {
    let field = match asked.takes_any() {
        true => json!({"type": "string", "title": "Answer", "minLength": 1}),
        false => json!({"type": "string", "title": "Answer", "enum": asked.choices}),
    };
    json!({"type": "object", "properties": {"answer": field}, "required": ["answer"]})
}

fn yes_or_no(name: &str, title: &str) -> Value {
    let field = json!({"type": "boolean", "title": title});
    json!({"type": "object", "properties": {name: field}, "required": [name]})
}

/// A schema whose texts for people have no characters that hide or reorder others.
fn without_hidden(schema: &Value) -> Value {
    const TEXTS: [&str; 3] = ["title", "description", "enumNames"];
    let shown = |value: &Value| match value {
        Value::String(text) => Value::String(plain(text)),
        Value::Array(texts) => texts
            .iter()
            .map(|one| one.as_str().map_or(one.clone(), |text| plain(text).into()))
            .collect(),
        other => without_hidden(other),
    };
    match schema {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| {
                let is_text = TEXTS.contains(&name.as_str());
                (name.clone(), if is_text { shown(value) } else { without_hidden(value) })
            });
            Value::Object(fields.collect())
        }
        Value::Array(values) => values.iter().map(without_hidden).collect(),
        other => other.clone(),
    }
}

/// Arguments as a person reads them; what does not fit is counted, never silently left out.
fn shown(arguments: &str) -> String {
    // Without blanks between its parts, behind which something could be hidden.
    let parsed = serde_json::from_str::<Value>(arguments).map(|value| value.to_string());
    let arguments = plain(&parsed.unwrap_or_else(|_| arguments.to_owned()));
    if arguments.len() <= SHOWN {
        return arguments;
    }
    let cut = arguments.floor_char_boundary(SHOWN);
    let (head, rest) = arguments.split_at(cut);
    format!("{head}\n... and {} bytes that are not shown", rest.len())
}

/// Asks the person in front of a client.
pub(super) struct Asking<'a> {
    pub(super) session: &'a StoredSession,
    pub(super) client: &'a Client,
    /// Raised when the answers are not needed any more.
    pub(super) interrupt: &'a Cancellation,
}

impl Asking<'_> {
    /// Asks about what waits, and gives each answer to the session as it comes; whether there was
    /// one. A client that cannot answer leaves the call waiting, as one whose person dismisses it.
    ///
    /// # Errors
    /// When the client has to send the request again.
    pub(super) async fn ask(&self, waiting: &[Waiting]) -> Result<bool, Error> {
        let state = json!({"session": self.session.id().to_string()});
        let questions = questions(waiting);
        if questions.is_empty() {
            return Ok(false);
        }
        if !self.client.asks_now() {
            let answers = self.client.ask(questions, Some(state)).await?;
            return Ok(self.deliver(waiting, &answers).await);
        }
        let mut any = false;
        for (key, question) in questions {
            let asked = self.client.ask([(key, question)].into(), None);
            let answers = tokio::select! {
                answers = asked => answers,
                () = self.interrupt.cancelled() => return Ok(false),
            };
            let Ok(answers) = answers else { return Ok(any) };
            any |= self.deliver(waiting, &answers).await;
        }
        Ok(any)
    }

    /// Gives the answers to the session; whether there was one.
    pub(super) async fn deliver(&self, waiting: &[Waiting], answers: &Answers) -> bool {
        deliver(self.session, waiting, answers, self.client.name().as_deref()).await
    }
}

/// Gives the answers to the session; whether there was one that it took. One that does not fit its
/// question, or comes too late, leaves the session as it is.
pub(super) async fn deliver(
    session: &StoredSession,
    waiting: &[Waiting],
    answers: &Answers,
    who: Option<&str>,
) -> bool {
    let mut any = false;
    for Waiting { pending, .. } in waiting {
        let Some(given) = answers.get(&key(pending)) else { continue };
        let answer = match answer(pending, given) {
            Ok(Some(answer)) => answer.by(by(who)),
            Ok(None) => continue,
            Err(error) => {
                tracing::debug!(%error, "an answer is left out");
                continue;
            }
        };
        match session.answer(answer).await {
            Ok(_) => any = true,
            Err(error) => tracing::debug!(%error, "an answer is left out"),
        }
    }
    any
}

/// Who answered.
pub(super) fn by(who: Option<&str>) -> String {
    who.map_or_else(|| "mcp".to_owned(), |who| format!("mcp: {who}"))
}

/// A text without characters that hide or reorder others: those are escaped.
pub(super) fn plain(text: &str) -> String {
    let escaped = |one: char| match one != '\n' && is_hidden(one) {
        true => one.escape_unicode().to_string(),
        false => one.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// What a person said to a call; none if they dismissed the question.
fn answer(pending: &Pending, given: &Value) -> Result<Option<Answer>, Error> {
    let action = given.get("action").and_then(Value::as_str);
    let Some(fields) = accepted(given) else {
        return Ok((action == Some("decline")).then(|| declined(pending)));
    };
    let flag = |name: &str| fields.get(name).and_then(Value::as_bool);
    let unfit = |name: &str| Error::invalid(format!("the form came without {name:?}"));
    if let Some(asked) = Asked::of(pending) {
        let text = fields.get("answer").and_then(Value::as_str).ok_or_else(|| unfit("answer"))?;
        let answer = asked.answer(pending, text);
        return answer.map(Some).map_err(|refused| Error::invalid(refused.to_string()));
    }
    if let Some(form) = Form::of(pending) {
        let fields = fields.as_object().cloned().unwrap_or_default();
        let answer = form.answer(pending, fields);
        return answer.map(Some).map_err(|refused| Error::invalid(refused.to_string()));
    }
    Ok(Some(match pending.reason {
        PendingReason::Doubt if flag("run_again").ok_or_else(|| unfit("run_again"))? => {
            Answer::new(&pending.id, Verdict::RunAgain)
        }
        PendingReason::Doubt => Answer::new(&pending.id, Verdict::Tell),
        _ if flag("approve").ok_or_else(|| unfit("approve"))? => Answer::approve(pending),
        _ => Answer::deny(pending, DENIED),
    }))
}

fn declined(pending: &Pending) -> Answer {
    match pending.reason {
        PendingReason::Doubt => Answer::new(&pending.id, Verdict::Tell),
        _ => Answer::deny(pending, DENIED),
    }
}

/// A call that waits, for programs.
pub(super) fn described(pending: &Pending) -> Value {
    let input = pending.input.as_ref().filter(|_| pending.reason == PendingReason::Input);
    let input = input.map(|input| plain(&input.message));
    let question = Asked::of(pending).map(|asked| words(&asked)).or(input);
    json!({
        "call": pending.id,
        "tool": &*pending.tool,
        "arguments": shown(&pending.arguments),
        "reason": pending.reason.to_string(),
        "question": question,
    })
}
