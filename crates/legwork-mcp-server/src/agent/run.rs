//! Runs of an agent for a request that waits for them.

use std::sync::Arc;

use legwork_agent::agent::request::{Run, RunRequest};
use legwork_agent::memory::RandomIds;
use legwork_agent::{Control, Session};
use legwork_core::continuation::End;
use legwork_core::{AgentState, SessionId};
use legwork_port::{EventKind, Ids as _, RunEvent};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

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

impl Agents {
    /// Gives the agent a task.
    pub(super) async fn run_agent(&self, call: &Call, client: &Client) -> Result<Answered, Error> {
        let task = call.required("task")?;
        if let Some(id) = round_of(client) {
            let (id, state) = self.owned(id).await?;
            let place = self.open(&id, Some(&state)).await?;
            let session = place.agent().session(id);
            let state = self.rests(&place, &session, Begins::Again, client).await?;
            return Ok(state.map_or_else(failed, |state| reply(&state)).into());
        }
        let (id, state) = match call.text("session") {
            Some(id) => self.owned(id).await.map(|(id, state)| (id, Some(state)))?,
            None => (RandomIds.session(), None),
        };
        let place = self.open(&id, state.as_ref()).await?;
        if client.polls_tasks() {
            let Some(working) = self.begins(&id) else { return Ok(failed(at_work(&id)).into()) };
            return Ok(match job::begin(&place, &working, task).await {
                Ok(task) => Answered::Task(task),
                Err(error) => failed(error).into(),
            });
        }
        let session = place.agent().session(id);
        let begins = Begins::With(session.run(task));
        let state = self.rests(&place, &session, begins, client).await?;
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
        session: &Session,
        begins: Begins,
        client: &Client,
    ) -> Result<Result<AgentState, Unavailable>, Error> {
        let Some(working) = self.begins(session.id()) else {
            return Ok(Err(at_work(session.id())));
        };
        let mut next = match begins {
            Begins::With(request) => Some(request),
            Begins::Again => None,
        };
        loop {
            let state = match next.take() {
                Some(request) => match runs_for(place, &working, request, client).await {
                    Ok(state) => state,
                    Err(error) => return Ok(Err(error)),
                },
                None => match session.state().await {
                    Ok(state) => state,
                    Err(error) => return Ok(Err(error.into())),
                },
            };
            if !matches!(state.end(), End::Waiting(_)) || !client.can(Ability::Forms) {
                return Ok(Ok(state));
            }
            let waiting = session.pending().await.map_err(internal)?;
            let questions = asked::questions(&waiting);
            if questions.is_empty() {
                return Ok(Ok(state));
            }
            let answers =
                client.ask(questions, Some(json!({"session": session.id().to_string()}))).await?;
            let who = client.name();
            if !asked::deliver(session, &waiting, &answers, who.as_deref()).await? {
                return Ok(Ok(state));
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
    control: Control,
}

impl Working {
    pub(super) fn session(&self) -> &SessionId {
        &self.id
    }
}

/// A session is at work in this process.
fn at_work(id: &SessionId) -> Unavailable {
    Unavailable(format!("session {id} is at work: steer_session says something to it"))
}

impl Drop for Working {
    fn drop(&mut self) {
        self.agents.runs().remove(&self.id);
        self.agents.shared.ended.notify_waiters();
    }
}

/// Runs a request beside the request of the client: it comes to rest whatever becomes of that.
pub(super) fn spawn(
    place: &Arc<dyn Workplace>,
    working: &Arc<Working>,
    request: RunRequest,
) -> JoinHandle<Result<AgentState, Unavailable>> {
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
) -> Result<AgentState, Unavailable> {
    let interrupts = Interrupts(Some(working.control.clone()));
    let (tell, mut told) = mpsc::channel(MESSAGES);
    let observer = move |event: &RunEvent| {
        if let Some(message) = message(event) {
            // Progress may be left out.
            let _ = tell.try_send(message);
        }
    };
    let mut ran = spawn(place, working, request.observer(observer));
    let mut steps = 0.0;
    loop {
        tokio::select! {
            biased;
            Some(message) = told.recv() => {
                steps += 1.0;
                client.progress(steps, None, Some(&message)).await;
            }
            state = &mut ran => {
                interrupts.forgets();
                return state.unwrap_or_else(|error| Err(Unavailable(error.to_string())));
            }
        }
    }
}

/// Interrupts a run that nobody waits for any more.
struct Interrupts(Option<Control>);

impl Interrupts {
    /// The run came to rest: what follows it in the session goes on.
    fn forgets(mut self) {
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

/// What the client is told of an event.
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
        false => {
            let next = state.next_action().of(state.session()).to_string();
            format!("It did not complete: {end}. {next}")
        }
    };
    let session = format!("[session {}]", state.session());
    let mut reply = Reply::text(format!("{text}\n\n{session}")).with_value(value(state));
    reply.is_error = !is_done;
    reply
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
