//! Calls that wait for a person, as questions to the person in front of the client.

use legwork_agent::StoredSession;
use legwork_agent::capability::ask_user::Question as Asked;
use legwork_agent::session::Waiting;
use legwork_core::inbox::{Answer, Verdict};
use legwork_core::state::{Pending, PendingReason};
use serde_json::{Value, json};

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
    let call = format!("{} {}", pending.tool, shown(&pending.arguments));
    let why = pending.explanation.as_deref().map(|why| format!("\n{why}")).unwrap_or_default();
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

fn words(asked: &Asked) -> String {
    match asked.choices.as_slice() {
        [] => asked.text.clone(),
        _ if !asked.takes_any() => asked.text.clone(),
        choices => format!("{}\nFor example: {}", asked.text, choices.join(", ")),
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

/// Arguments as a person reads them; what does not fit is counted, never silently left out.
fn shown(arguments: &str) -> String {
    if arguments.len() <= SHOWN {
        return arguments.to_owned();
    }
    let cut = arguments.floor_char_boundary(SHOWN);
    let (head, rest) = arguments.split_at(cut);
    format!("{head}\n... and {} bytes that are not shown", rest.len())
}

/// Gives the answers to the session; whether there was one.
///
/// # Errors
/// When an answer does not fit its question, or the store cannot be used.
pub(super) async fn deliver(
    session: &StoredSession,
    waiting: &[Waiting],
    answers: &Answers,
    who: Option<&str>,
) -> Result<bool, Error> {
    let mut any = false;
    for Waiting { pending, .. } in waiting {
        let Some(given) = answers.get(&key(pending)) else { continue };
        let Some(answer) = answer(pending, given)? else { continue };
        let by = who.map_or_else(|| "mcp".to_owned(), |who| format!("mcp: {who}"));
        let delivered = session.answer(answer.by(by)).await;
        delivered.map_err(|error| Error::Internal(error.to_string()))?;
        any = true;
    }
    Ok(any)
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
    let question = Asked::of(pending).map(|asked| words(&asked));
    json!({
        "call": pending.id,
        "tool": &*pending.tool,
        "arguments": shown(&pending.arguments),
        "reason": pending.reason.to_string(),
        "question": question,
    })
}
