//! A session as the editor shows it.

mod approve;
mod call;
mod change;
mod observe;
mod question;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use legwork_core::{SessionId, ToolCall};
use legwork_port::Model;
use serde_json::{Value, json};

use crate::client::Client;
use crate::host::Workplace;
use crate::wire::update::{self, Speaker};

pub(crate) use self::call::Shown;

/// Shows a session in the editor, and asks the person about it.
pub(crate) struct Editor {
    client: Arc<Client>,
    session: String,
    directory: PathBuf,
    has_forms: bool,
    /// Whether the person dismissed a question, which ends the turn.
    is_dismissed: AtomicBool,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    /// The calls that are shown and not answered, by session and id.
    calls: HashMap<(SessionId, String), String>,
    /// The calls that run, by session and index.
    running: HashMap<(SessionId, u32), String>,
    /// How many calls were shown.
    shown: u64,
    workplace: Option<Weak<dyn Workplace>>,
    /// How many tokens the model reads, if that is known.
    window: Option<u64>,
    /// The tokens of the conversation, if they changed since they were shown.
    tokens: Option<u64>,
    /// Whether a piece of the answer was shown that is under way.
    speaks: bool,
}

impl Editor {
    pub(crate) fn new(
        client: Arc<Client>,
        session: &SessionId,
        directory: PathBuf,
        has_forms: bool,
    ) -> Self {
        let (is_dismissed, now) = (AtomicBool::new(false), Mutex::default());
        let session = session.to_string();
        Self { client, session, directory, has_forms, is_dismissed, now }
    }

    /// Whether the editor shows forms.
    pub(crate) fn has_forms(&self) -> bool {
        self.has_forms
    }

    /// Shows the work of this agent from here on.
    pub(crate) fn shows(&self, workplace: &Arc<dyn Workplace>) {
        let window = |model: &Arc<dyn Model>| model.profile().context_window;
        let mut now = self.lock();
        now.window = workplace.agent().models().next().and_then(window);
        now.workplace = Some(Arc::downgrade(workplace));
    }

    /// A turn begins.
    pub(crate) fn begins(&self) {
        self.is_dismissed.store(false, Ordering::Relaxed);
    }

    /// No call runs any more, and none waits.
    pub(crate) fn ends(&self) {
        let mut now = self.lock();
        let calls = std::mem::take(&mut now.calls);
        now.running.clear();
        now.speaks = false;
        drop(now);
        for id in calls.into_values() {
            self.changes_call(json!({"toolCallId": id, "status": "failed"}));
        }
    }

    /// Whether the person dismissed a question of this turn.
    pub(crate) fn was_dismissed(&self) -> bool {
        self.is_dismissed.load(Ordering::Relaxed)
    }

    /// Says something about the turn that the agent did not say.
    pub(crate) fn notes(&self, note: &str) {
        let before = if self.lock().speaks { "\n\n" } else { "" };
        self.says(Speaker::Agent, &format!("{before}[{note}]"));
    }

    pub(crate) fn says(&self, speaker: Speaker, text: &str) {
        if !text.is_empty() {
            self.update(&update::said(speaker, text));
        }
    }

    pub(crate) fn update(&self, update: &Value) {
        self.client.update(&self.session, update);
    }

    fn changes_call(&self, fields: Value) {
        self.update(&update::call_changed(fields));
    }

    fn workplace(&self) -> Option<Arc<dyn Workplace>> {
        self.lock().workplace.as_ref().and_then(Weak::upgrade)
    }

    fn lock(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of a call in this connection; whether it is shown already.
    pub(crate) fn id_of(&self, session: &SessionId, call: &ToolCall) -> (String, bool) {
        let mut now = self.lock();
        let key = (session.clone(), call.id.to_string());
        if let Some(id) = now.calls.get(&key) {
            return (id.clone(), true);
        }
        now.speaks = false;
        now.shown = now.shown.saturating_add(1);
        let id = format!("call-{}", now.shown);
        now.calls.insert(key, id.clone());
        (id, false)
    }

    /// Shows a call, or what changed of it.
    pub(crate) fn shows_call(&self, session: &SessionId, call: &ToolCall, shown: Shown) -> String {
        let (id, is_shown) = self.id_of(session, call);
        self.update(&match is_shown {
            true => update::call_changed(shown.changed(&id)),
            false => update::call(shown.whole(&id)),
        });
        id
    }

    /// Shows how a call ended.
    pub(crate) fn ends_call(&self, session: &SessionId, call: &ToolCall, shown: Shown) {
        self.shows_call(session, call, shown);
        self.lock().calls.remove(&(session.clone(), call.id.to_string()));
    }

    /// A call that is shown never was answered.
    pub(crate) fn leaves_call(&self, session: &SessionId, call: &ToolCall) {
        let id = self.lock().calls.remove(&(session.clone(), call.id.to_string()));
        if let Some(id) = id {
            self.changes_call(json!({"toolCallId": id, "status": "failed"}));
        }
    }

    /// An absolute path of a path in the directory.
    pub(crate) fn absolute(&self, path: &str) -> String {
        self.directory.join(path).to_string_lossy().into_owned()
    }
}
