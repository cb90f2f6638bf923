//! A conversation that the editor has open, and what a prompt does in it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_agent::agent::request::RunRequest;
use legwork_agent::capability::ask_user::Question;
use legwork_agent::form::Form;
use legwork_agent::{Control, Delivery, StoredSession};
use legwork_core::continuation::End;
use legwork_core::inbox::Answer;
use legwork_core::state::Pending;
use legwork_core::{AgentState, ExecutionStatus, SessionId};
use legwork_port::{Ability, Observer, Support};
use serde_json::{Value, json};

use crate::client::Client;
use crate::editor::Editor;
use crate::host::{Host, Wanted, Workplace};
use crate::prompt;
use crate::service::busy;
use crate::stop::Stop;
use crate::wire::{ContentBlock, Failure};

/// The command that goes on with what was interrupted, and asks again about what waits.
const RESUME: &str = "resume";

/// A session that the editor has open.
pub(crate) struct Conversation {
    id: SessionId,
    directory: PathBuf,
    editor: Arc<Editor>,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    workplace: Option<Arc<dyn Workplace>>,
    /// The mode that the person chose.
    mode: Option<String>,
    /// What interrupts the turn under way.
    turn: Option<Control>,
}

/// A turn that began: nothing else runs in its conversation.
pub(crate) struct Turn {
    prompt: Vec<ContentBlock>,
    control: Control,
}

impl Conversation {
    pub(crate) fn new(
        id: SessionId,
        directory: PathBuf,
        client: &Arc<Client>,
        has_forms: bool,
    ) -> Self {
        let editor = Editor::new(Arc::clone(client), &id, directory.clone(), has_forms);
        Self { id, directory, editor: Arc::new(editor), now: Mutex::default() }
    }

    pub(crate) fn id(&self) -> &SessionId {
        &self.id
    }

    pub(crate) fn editor(&self) -> &Editor {
        &self.editor
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.lock().turn.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the program make the agent.
    pub(crate) async fn opens(
        &self,
        host: &dyn Host,
        state: Option<AgentState>,
    ) -> Result<Arc<dyn Workplace>, Failure> {
        let wanted = Wanted {
            session: self.id.clone(),
            directory: self.directory.clone(),
            state,
            mode: self.lock().mode.clone(),
            approver: Arc::clone(&self.editor) as _,
        };
        let workplace = host.open(wanted).await?;
        self.editor.shows(&workplace);
        self.lock().workplace = Some(Arc::clone(&workplace));
        Ok(workplace)
    }

    /// The modes, and the one that the session is in; an empty object if there are none.
    pub(crate) fn modes(&self, host: &dyn Host) -> Value {
        let modes = host.modes();
        let now = self.lock();
        let current = now.workplace.as_ref().and_then(|workplace| workplace.mode());
        let Some(current) = current.filter(|_| !modes.is_empty()) else { return json!({}) };
        let mode = |mode: crate::Mode| json!({"id": mode.id, "name": mode.name, "description": mode.description});
        let all = modes.into_iter().map(mode).collect::<Vec<_>>();
        json!({"modes": {"currentModeId": current, "availableModes": all}})
    }

    /// The mode from the next turn on.
    pub(crate) fn set_mode(&self, mode: &str) {
        let mut now = self.lock();
        now.mode = Some(mode.to_owned());
        now.workplace = None;
    }

    /// Interrupts the turn under way, if there is one.
    pub(crate) fn interrupts(&self) {
        if let Some(turn) = &self.lock().turn {
            turn.interrupt.cancel();
        }
    }

    /// Begins a turn.
    ///
    /// # Errors
    /// When one is under way.
    pub(crate) fn begins(&self, prompt: Vec<ContentBlock>) -> Result<Turn, Failure> {
        let mut now = self.lock();
        if now.turn.is_some() {
            return Err(busy());
        }
        let control = Control::default();
        now.turn = Some(control.clone());
        Ok(Turn { prompt, control })
    }

    /// Makes a turn to its end.
    pub(crate) async fn turn(&self, host: &dyn Host, turn: Turn) -> Result<Value, Failure> {
        let control = turn.control.clone();
        self.editor.begins();
        let stop = self.made(host, turn).await;
        let stop = match self.editor.was_dismissed() || control.interrupt.is_cancelled() {
            // Whatever came of it: the person did not want it to go on.
            true => Ok(Stop::CANCELLED),
            false => stop,
        };
        if let Ok(Stop { note: Some(note), .. }) = &stop {
            self.editor.notes(note);
        }
        self.lock().turn = None;
        stop.map(|stop| json!({"stopReason": stop.reason}))
    }

    async fn made(&self, host: &dyn Host, turn: Turn) -> Result<Stop, Failure> {
        let stored = StoredSession::new(host.store(), self.id.clone());
        let journal = stored.journal().await?;
        let state = (!journal.entries().is_empty()).then(|| journal.fold(&self.id));
        let opened = self.lock().workplace.clone();
        let workplace = match opened {
            Some(workplace) => workplace,
            None => self.opens(host, state.clone()).await?,
        };
        let request = match self.request(&workplace, state.as_ref(), turn.prompt).await? {
            Ok(request) => request,
            Err(stop) => return Ok(stop),
        };
        let ran = self.runs(&workplace, request, &turn.control).await;
        // What waits can be resumed, and is asked about again then.
        let waits = ran.as_ref().is_ok_and(|state| matches!(state.end(), End::Waiting(_)));
        if !waits {
            self.editor.ends();
        }
        Stop::of_state(&ran?)
    }

    /// The call of a session that asks for something which the next prompt answers: what the editor
    /// shows in a form is answered there.
    fn asks<'s>(&self, state: &'s AgentState) -> Option<&'s Pending> {
        let End::Waiting(pending) = state.end() else { return None };
        let is_input = |pending: &Pending| !self.editor.has_forms() && Form::of(pending).is_some();
        pending.iter().find(|pending| Question::of(pending).is_some() || is_input(pending))
    }

    /// What a prompt asks the agent to do; or how the turn ends, if nothing is to be done.
    async fn request(
        &self,
        workplace: &Arc<dyn Workplace>,
        state: Option<&AgentState>,
        blocks: Vec<ContentBlock>,
    ) -> Result<Result<RunRequest, Stop>, Failure> {
        let session = workplace.agent().session(self.id.clone());
        let text = prompt::text(&blocks);
        if text.as_deref().map(str::trim) == Some(&format!("/{RESUME}")) {
            return Ok(Ok(session.resume()));
        }
        if let (Some(pending), Some(text)) = (state.and_then(|state| self.asks(state)), text)
            && let Some(answer) = answered(pending, &text)
        {
            let answer: Answer = match answer {
                Ok(answer) => answer.by("editor"),
                Err(refused) => return Ok(Err(Stop::noted("end_turn", refused))),
            };
            let _: Delivery = session.answer(answer).await?;
            return Ok(Ok(session.resume()));
        }
        let message = prompt::message(blocks)?;
        let model = workplace.agent().models().next();
        let is_blind = |model: &Arc<dyn legwork_port::Model>| {
            model.profile().supports(Ability::Images) == Support::No
        };
        if prompt::has_image(&message) && model.is_some_and(is_blind) {
            return Err(Failure::params("the model does not see pictures: send text"));
        }
        // A new task ends what is left of the one before.
        self.editor.ends();
        Ok(Ok(session.run(message)))
    }

    /// Runs until the agent rests, and what was said too late for its last inference is heard.
    async fn runs(
        &self,
        workplace: &Arc<dyn Workplace>,
        request: RunRequest,
        control: &Control,
    ) -> Result<AgentState, Failure> {
        let mut request = request;
        loop {
            let observer = Arc::clone(&self.editor) as Arc<dyn Observer>;
            let run = workplace.run(request.observer(observer).control(control.clone())).await?;
            let state = run.into_state();
            let is_over = state.status() == Some(&ExecutionStatus::Completed);
            if control.is_raised() || !is_over || state.decide_reopen(&[]).is_err() {
                return Ok(state);
            }
            request = workplace.agent().resume(self.id.clone());
        }
    }

    /// Tells the editor which commands there are.
    pub(crate) fn tells_commands(&self) {
        let about = "Go on with what was interrupted, and ask again about what waits";
        self.editor.update(&json!({
            "sessionUpdate": "available_commands_update",
            "availableCommands": [{"name": RESUME, "description": about}],
        }));
    }
}

/// The answer that a text gives to a call, or why it gives none.
fn answered(pending: &Pending, text: &str) -> Option<Result<Answer, String>> {
    if let Some(question) = Question::of(pending) {
        return Some(question.answer(pending, text).map_err(|refused| refused.to_string()));
    }
    let form = Form::of(pending)?;
    // Of several fields only an object is an answer; any other text is a new task.
    let is_object = matches!(serde_json::from_str(text), Ok(Value::Object(_)));
    if form.fields.len() != 1 && !is_object {
        return None;
    }
    Some(form.read(pending, text).map_err(|refused| refused.to_string()))
}
