//! The tools that look at sessions, and speak to them.

use legwork_agent::capability::ask_user::Question;
use legwork_agent::{Delivery, StoredSession, Waiting};
use legwork_port::store::{PageCursor, Query};
use serde_json::{Value, json};

use super::asked::{by, plain};
use super::run::{Begins, at_work, reply, round_of, value};
use super::{Agents, failed};
use crate::client::Client;
use crate::handler::date;
use crate::service::{Call, Error, Reply};

/// Sessions of a page of a store.
const PAGE: usize = 50;
/// How many sessions are listed, and how many at most.
const LISTED: (u64, u64) = (20, 100);

impl Agents {
    pub(super) async fn list_sessions(&self, call: &Call) -> Result<Reply, Error> {
        let limit = call.arguments.get("limit").and_then(Value::as_u64).unwrap_or(LISTED.0);
        let limit = usize::try_from(limit.clamp(1, LISTED.1)).unwrap_or(PAGE);
        let (store, mut sessions) = (self.host().store(), Vec::new());
        let mut after: Option<PageCursor> = None;
        loop {
            let query = Query::first(PAGE).roots();
            let query = after.take().into_iter().fold(query, Query::after);
            let page = match store.sessions(&query).await {
                Ok(page) => page,
                Err(error) => return Ok(failed(error)),
            };
            for info in page.sessions {
                if sessions.len() < limit && self.host().owns(&info.session).await {
                    sessions.push(json!({
                        "session": info.session.to_string(),
                        "status": info.summary.status.as_ref().map_or("idle", |of| of.as_str()),
                        "title": plain(&info.summary.title),
                        "updated": date(info.updated_at),
                    }));
                }
            }
            match page.next {
                Some(next) if sessions.len() < limit => after = Some(next),
                _ => break,
            }
        }
        let line = |session: &Value| {
            let field = |name: &str| session.get(name).and_then(Value::as_str).unwrap_or_default();
            format!("{}  {}  {}", field("session"), field("status"), field("title"))
        };
        let text = match sessions.is_empty() {
            true => "There are no sessions yet.".to_owned(),
            false => sessions.iter().map(line).collect::<Vec<_>>().join("\n"),
        };
        Ok(Reply::text(text).with_value(json!({"sessions": sessions})))
    }

    pub(super) async fn show_session(&self, call: &Call) -> Result<Reply, Error> {
        let (_, state) = self.owned(call.required("session")?).await?;
        let value = value(&state);
        let mut text = format!("{}: {}", state.session(), state.end());
        let answer = value.get("answer").and_then(Value::as_str);
        text.extend(answer.map(|answer| format!("\n\n{answer}")));
        Ok(Reply::text(text).with_value(value))
    }

    pub(super) async fn steer_session(&self, call: &Call) -> Result<Reply, Error> {
        let (id, _) = self.owned(call.required("session")?).await?;
        let message = call.required("message")?.to_owned();
        Ok(match self.stored(&id).steer(message).await {
            Ok(Delivery::Waiting(_)) => Reply::text("It reads this before its next step."),
            Ok(Delivery::TakenUp(_)) => Reply::text(
                "Nobody works in this session now: it reads this when run_agent goes on with it.",
            ),
            Err(error) => failed(error),
        })
    }

    pub(super) async fn stop_session(&self, call: &Call) -> Result<Reply, Error> {
        let (id, _) = self.owned(call.required("session")?).await?;
        let why = call.text("reason").unwrap_or("a client stopped it");
        Ok(match self.stored(&id).stop(why).await {
            Ok(_) => Reply::text("It stops before its next step."),
            Err(error) => failed(error),
        })
    }

    /// Answers a question of the agent; never a call that needs a person's approval.
    pub(super) async fn answer_question(
        &self,
        call: &Call,
        client: &Client,
    ) -> Result<Reply, Error> {
        let (id, state) = self.owned(call.required("session")?).await?;
        let text = call.required("answer")?;
        let place = self.open(&id, Some(&state)).await?;
        let Some(working) = self.begins(&id) else { return Ok(failed(at_work(&id))) };
        let session = place.agent().session(id);
        let begins = match round_of(client) {
            Some(_) => Begins::Again,
            None => match answered(&session, text, client).await {
                Ok(()) => Begins::With(session.resume()),
                Err(why) => return Ok(Reply::failed(why)),
            },
        };
        let state = self.rests(&place, &working, &session, begins, client).await?;
        Ok(state.map_or_else(failed, |state| reply(&state)))
    }
}

/// Answers the question that a session asks.
///
/// # Errors
/// Why it was not answered, in words.
async fn answered(session: &StoredSession, text: &str, client: &Client) -> Result<(), String> {
    let waiting = session.pending().await.map_err(|error| error.to_string())?;
    let asks = |waiting: &Waiting| Question::of(&waiting.pending).is_some();
    let Some(Waiting { pending, .. }) = waiting.iter().find(|waiting| asks(waiting)) else {
        return Err(format!("session {} asks no question", session.id()));
    };
    let Some(question) = Question::of(pending) else { return Ok(()) };
    let answer = question.answer(pending, text).map_err(|refused| refused.to_string())?;
    let answered = session.answer(answer.by(by(client.name().as_deref()))).await;
    answered.map(drop).map_err(|error| error.to_string())
}
