//! Runs of an agent for a request that waits for them.

use std::sync::Arc;

use legwork_agent::agent::request::{Run, RunRequest};
use legwork_agent::memory::RandomIds;
use legwork_agent::{Control, Session};
use legwork_core::continuation::End;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::{AgentState, SessionId};
use legwork_port::{EventKind, Ids as _, RunEvent};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::asked::Asking;
use super::host::{Unavailable, Workplace};
use super::{Agents, asked, failed, job};
use crate::client::Client;
use crate::question::Ability;
use crate::service::{Answered, Call, Error, Reply};

/// Messages of a run that wait for a client that reads slowly.
const MESSAGES: usize = 64;

/// What a request does in a session, before a person is asked.
pub(super) enum Begins {
    /// This.
    With(RunRequest),
    /// Nothing: it was done in an earlier round, and the client comes with answers.
    Again,
}

/// How a request ended: where the session rests, or why it could not run.
pub(super) type Rested = Result<AgentState, Unavailable>;

impl Agents {
    /// Gives the agent a task, or has it go on in a session.
    pub(super) async fn run_agent(&self, call: &Call, client: &Client) -> Result<Answered, Error> {
        let again = round_of(client);
        let task = match (again, call.text("session")) {
            (None, None) => Some(call.required("task")?),
            _ => call.text("task").filter(|task| !task.trim().is_empty()),
        };
        let (id, state) = match again.or(call.text("session")) {
            Some(id) => self.owned(id).await.map(|(id, state)| (id, Some(state)))?,
            None => (RandomIds.session(), None),
        };
        let place = self.open(&id, state.as_ref()).await?;
        let Some(working) = self.begins(&id) else { return Ok(failed(at_work(&id)).into()) };
        let session = place.agent().session(id);
        let begins = match (again, task) {
            (Some(_), _) => Begins::Again,
            (None, Some(task)) if client.polls_tasks() => {
                return Ok(match job::begin(&place, &working, task).await {
                    Ok(task) => Answered::Task(task),
                    Err(error) => failed(error).into(),
                });
            }
            (None, Some(task)) => Begins::With(session.run(task)),
            (None, None) => Begins::With(session.resume()),
        };
        let state = self.rests(&place, &working, &session, begins, client).await?;
        Ok(state.map_or_else(failed, |state| reply(&state)).into())
    }

    /// Runs to where the session rests; what waits then is asked of the person in front of the
    /// client, and it goes on with their answers.
    ///
    /// # Errors
    /// When the client has to be asked, and to send the request again.
    pub(super) async fn rests(
        &self,
        place: &Arc<dyn Workplace>,
        working: &Arc<Working>,
        session: &Session,
        begins: Begins,
        client: &Client,
    ) -> Result<Rested, Error> {
        let mut progress = Progress::default();
        let (mut next, mut again) = match begins {
            Begins::With(request) => (Some(request), false),
            Begins::Again => (None, true),
        };
        loop {
            let state = match next.take() {
                Some(request) => runs_for(place, working, request, client, &mut progress).await,
                None => session.state().await.map_err(Unavailable::from),
            };
            let Ok(state) = state else { return Ok(state) };
            if !matches!(state.end(), End::Waiting(_)) || !client.can(Ability::Forms) {
                return Ok(Ok(state));
            }
            let waiting = session.pending().await.map_err(internal)?;
            let asking = Asking { session, client, interrupt: &working.control.interrupt };
            let answered = match std::mem::take(&mut again) {
                true => asking.deliver(&waiting, client.answers()).await,
                false => asking.ask(&waiting).await?,
            };
            if !answered {
                return Ok(session.state().await.map_err(Unavailable::from));
            }
            next = Some(session.resume());
        }
    }

    /// Begins to work in a session; none if this process works in it.
    pub(super) fn begins(&self, id: &SessionId) -> Option<Arc<Working>> {
        let control = Control::default();
        let mut runs = self.runs();
        if runs.contains_key(id) {
            return None;
        }
        runs.insert(id.clone(), control.clone());
        Some(Arc::new(Working { agents: self.clone(), id: id.clone(), control }))
    }
}

/// This process works in a session, until the last one that holds this is gone.
pub(super) struct Working {
    agents: Agents,
    id: SessionId,
    pub(super) control: Control,
}

impl Working {
    pub(super) fn session(&self) -> &SessionId {
        &self.id
    }
}

/// A session is at work in this process.
pub(super) fn at_work(id: &SessionId) -> Unavailable {
    Unavailable::new(format!("session {id} is at work: steer_session says something to it"))
}

impl Drop for Working {
    fn drop(&mut self) {
        self.agents.runs().remove(&self.id);
        self.agents.shared.ended.notify_waiters();
    }
}

/// Runs a request in a task of its own: it comes to rest even if the client goes away.
pub(super) fn spawn(
    place: &Arc<dyn Workplace>,
    working: &Arc<Working>,
    request: RunRequest,
) -> JoinHandle<Rested> {
    let (place, working) = (Arc::clone(place), Arc::clone(working));
    tokio::spawn(async move {
        let ran = place.run(request.control(working.control.clone())).await;
        drop(working);
        ran.map(Run::into_state)
    })
}

/// Runs a request, and tells the client how it goes. A client that is gone interrupts it.
async fn runs_for(
    place: &Arc<dyn Workplace>,
    working: &Arc<Working>,
    request: RunRequest,
    client: &Client,
    progress: &mut Progress,
) -> Rested {
    let interrupts = Interrupts::unless_done(working);
    let (tell, mut told) = mpsc::channel(MESSAGES);
    let observer = move |event: &RunEvent| {
        if let Some(message) = message(event) {
            // Progress may be left out.
            let _ = tell.try_send(message);
        }
    };
    let mut ran = spawn(place, working, request.observer(observer));
    loop {
        tokio::select! {
            biased;
            Some(message) = told.recv() => {
                progress.0 += 1.0;
                client.progress(progress.0, None, Some(&message)).await;
            }
            state = &mut ran => {
                interrupts.forgets();
                return state.unwrap_or_else(|error| Err(Unavailable::new(error.to_string())));
            }
        }
    }
}

/// How many messages of progress a client was sent: it only rises.
#[derive(Default)]
struct Progress(f64);

/// Interrupts a run whose client went away.
pub(super) struct Interrupts(Option<Control>);

impl Interrupts {
    /// Interrupts what works in a session when this is dropped before it is done.
    pub(super) fn unless_done(working: &Working) -> Self {
        Self(Some(working.control.clone()))
    }

    /// It is done: what follows goes on.
    pub(super) fn forgets(mut self) {
        self.0 = None;
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.interrupt.cancel();
        }
    }
}

/// The session of an earlier round of the same request.
pub(super) fn round_of(client: &Client) -> Option<&str> {
    client.state()?.get("session")?.as_str()
}

fn internal(error: impl std::fmt::Display) -> Error {
    Error::Internal(error.to_string())
}

/// The progress message for an event; none if the client is not notified of it.
fn message(event: &RunEvent) -> Option<String> {
    let of = event.path.join("/");
    let of = if of.is_empty() { of } else { format!("{of}: ") };
    match &event.kind {
        EventKind::StepStarted => {
            let step = event.step.unwrap_or_default();
            Some(format!("{of}step {step}"))
        }
        EventKind::ToolStarted { call, .. } => Some(format!("{of}{}", call.name)),
        EventKind::ToolProgress { message, .. } => {
            Some(format!("{of}{}", message.chars().take(200).collect::<String>()))
        }
        _ => None,
    }
}

/// How a session stands, as the result of a call.
pub(super) fn reply(state: &AgentState) -> Reply {
    let end = state.end();
    let answer = state.final_response().map(|response| response.text()).unwrap_or_default();
    let is_done = matches!(end, End::Completed);
    let text = match is_done {
        true if answer.is_empty() => "(it ended without an answer)".to_owned(),
        true => answer,
        false => format!("It did not complete: {end}. {}", how_to_go_on(state)),
    };
    let session = format!("[session {}]", state.session());
    let mut reply = Reply::text(format!("{text}\n\n{session}")).with_value(value(state));
    reply.is_error = !is_done;
    reply
}

/// What a client does so that a session goes on.
fn how_to_go_on(state: &AgentState) -> &'static str {
    let asks = |pending: &Pending| pending.reason == PendingReason::External;
    match state.end() {
        End::Waiting(pending) if pending.iter().any(asks) => {
            "answer_question answers its question, if it asks one."
        }
        End::Waiting(_) => "A person has to decide; run_agent with this session asks them again.",
        End::Interrupted | End::Suspended(_) => "run_agent with this session goes on.",
        _ => "run_agent with this session and another task goes on.",
    }
}

/// How a session stands, for programs.
pub(super) fn value(state: &AgentState) -> Value {
    let used = state.session_used();
    let answer = state.final_response().map(|response| response.text());
    let waits = state.pending().iter().map(asked::described).collect::<Vec<_>>();
    json!({
        "session": state.session().to_string(),
        "status": state.status().map_or("idle", |status| status.as_str()),
        "answer": answer.filter(|answer| !answer.is_empty()),
        "waits_for": waits,
        "input_tokens": used.input,
        "output_tokens": used.output,
        "cost_usd": used.cost.0 as f64 / 1e6,
    })
}
