//! The methods of the protocol, one after the other as they come.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_agent::StoredSession;
use legwork_agent::memory::RandomIds;
use legwork_core::SessionId;
use legwork_port::Ids as _;
use legwork_port::store::{PageCursor, Query};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::Client;
use crate::host::Host;
use crate::replay::replay;
use crate::turn::Conversation;
use crate::wire::request::{
    Initialize, Line, ListSessions, NewSession, OldSession, OneSession, Prompt, SetMode,
};
use crate::wire::{Failure, VERSION};

/// Sessions of a page of a list.
const PAGE: usize = 50;

/// What answers an editor.
pub(crate) struct Service {
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
}

/// What all requests share.
struct Shared {
    host: Arc<dyn Host>,
    client: Arc<Client>,
    /// The name and the version of the program.
    program: (String, String),
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    is_initialized: bool,
    /// Whether the editor shows forms.
    has_forms: bool,
    open: HashMap<String, Arc<Conversation>>,
}

/// The answer to a request.
struct Answered {
    result: Value,
    /// The session that was opened, if one was.
    opened: Option<Arc<Conversation>>,
}

impl From<Value> for Answered {
    fn from(result: Value) -> Self {
        Self { result, opened: None }
    }
}

/// How much of a loaded session is replayed to the editor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    All,
    Nothing,
}

impl Service {
    pub(crate) fn new(host: Arc<dyn Host>, client: Client, program: (String, String)) -> Self {
        let (client, state) = (Arc::new(client), Mutex::default());
        Self { shared: Arc::new(Shared { host, client, program, state }), tasks: JoinSet::new() }
    }

    /// Takes a line of the editor. Nothing waits here, so that a cancellation is heard at once.
    pub(crate) fn take(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        let client = &self.shared.client;
        let line: Line = match serde_json::from_slice(line) {
            Ok(line) => line,
            Err(error) => {
                let failure = Failure::parse(format!("the line is no message: {error}"));
                return client.respond(&Value::Null, Err(failure));
            }
        };
        match (line.method, line.id) {
            (Some(method), Some(id)) => self.request(&method, id, line.params),
            (Some(method), None) => self.shared.notified(&method, line.params),
            // An error is no answer.
            (None, Some(id)) => client.answered(&id, line.result.filter(|_| line.error.is_none())),
            (None, None) => {
                client.respond(&Value::Null, Err(Failure::request("the line names no method")));
            }
        }
    }

    fn request(&mut self, method: &str, id: Value, params: Value) {
        let shared = Arc::clone(&self.shared);
        if method == "initialize" {
            let result = read(params).map(|params| shared.initialize(&params));
            return shared.client.respond(&id, result);
        }
        if !shared.lock().is_initialized {
            let failure = Failure::request("the connection is not initialized: send initialize");
            return shared.client.respond(&id, Err(failure));
        }
        // A turn begins here, so that a cancellation right behind it finds it.
        let turn = match method == "session/prompt" {
            true => Some(read(params.clone()).and_then(|prompt| shared.begins(prompt))),
            false => None,
        };
        let method = method.to_owned();
        self.tasks.spawn(async move {
            let answered = match turn {
                Some(Ok((conversation, turn))) => {
                    conversation.turn(&*shared.host, turn).await.map(Answered::from)
                }
                Some(Err(failure)) => Err(failure),
                None => shared.answer(&method, params).await,
            };
            match answered {
                Ok(Answered { result, opened }) => {
                    shared.client.respond(&id, Ok(result));
                    opened.iter().for_each(|conversation| conversation.tells_commands());
                }
                Err(failure) => shared.client.respond(&id, Err(failure)),
            }
        });
    }

    /// Forgets a task that ended; waits where none is left.
    pub(crate) async fn tidies(&mut self) {
        if self.tasks.join_next().await.is_none() {
            std::future::pending::<()>().await;
        }
    }

    /// Interrupts what runs, and waits for its end.
    pub(crate) async fn end(mut self) {
        for conversation in self.shared.lock().open.values() {
            conversation.interrupts();
        }
        self.shared.client.closes();
        while self.tasks.join_next().await.is_some() {}
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn initialize(&self, params: &Initialize) -> Value {
        let mut state = self.lock();
        state.is_initialized = true;
        state.has_forms = params.client_capabilities.has_forms();
        let (name, version) = &self.program;
        json!({
            "protocolVersion": VERSION,
            "agentInfo": {"name": name, "title": "Legwork", "version": version},
            "authMethods": [],
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "audio": false, "embeddedContext": true},
                "mcpCapabilities": {"http": false, "sse": false},
                "sessionCapabilities": {"list": {}, "resume": {}, "close": {}},
            },
        })
    }

    fn notified(&self, method: &str, params: Value) {
        if method != "session/cancel" {
            return;
        }
        let Ok(OneSession { session_id }) = read(params) else { return };
        if let Some(conversation) = self.lock().open.get(&session_id) {
            conversation.interrupts();
        }
    }

    async fn answer(&self, method: &str, params: Value) -> Result<Answered, Failure> {
        match method {
            "session/new" => self.new_session(read(params)?).await,
            "session/load" => self.old_session(read(params)?, Told::All).await,
            "session/resume" => self.old_session(read(params)?, Told::Nothing).await,
            "session/list" => self.list(read(params)?).await.map(Answered::from),
            "session/close" => self.close(&read(params)?).map(Answered::from),
            "session/set_mode" => self.set_mode(&read(params)?).map(Answered::from),
            "authenticate" => Err(Failure::params(
                "there is nothing to authenticate with: the keys of models are the program's own",
            )),
            _ => Err(Failure::method(method)),
        }
    }

    fn begins(&self, prompt: Prompt) -> Result<(Arc<Conversation>, crate::turn::Turn), Failure> {
        let conversation = self.conversation(&prompt.session_id)?;
        let turn = conversation.begins(prompt.prompt)?;
        Ok((conversation, turn))
    }

    fn conversation(&self, session: &str) -> Result<Arc<Conversation>, Failure> {
        let found = self.lock().open.get(session).cloned();
        found.ok_or_else(|| {
            Failure::not_found(format!(
                "the session {session} is not open: open it with session/load or session/new"
            ))
        })
    }

    async fn new_session(&self, place: NewSession) -> Result<Answered, Failure> {
        check(&place)?;
        let conversation = self.open(RandomIds.session(), &place.cwd);
        conversation.opens(&*self.host, None).await?;
        let id = conversation.id().to_string();
        let mut result = conversation.modes(&*self.host);
        if let Some(result) = result.as_object_mut() {
            result.insert("sessionId".to_owned(), id.clone().into());
        }
        Ok(Answered { result, opened: Some(self.keep(conversation)) })
    }

    async fn old_session(&self, asked: OldSession, told: Told) -> Result<Answered, Failure> {
        check(&asked.place)?;
        let id = SessionId::from(asked.session_id.as_str());
        if self.lock().open.get(&asked.session_id).is_some_and(|open| open.is_busy()) {
            return Err(busy());
        }
        let stored = StoredSession::new(self.host.store(), id.clone());
        let unknown = |error: legwork_agent::Error| match error {
            legwork_agent::Error::Store(error) if !error.is_conflict() => Failure::from(error),
            error => Failure::not_found(error.to_string()),
        };
        let (journal, state) =
            (stored.journal().await.map_err(unknown)?, stored.state().await.map_err(unknown)?);
        let conversation = self.open(id, &asked.place.cwd);
        conversation.opens(&*self.host, Some(state.clone())).await?;
        if told == Told::All {
            replay(conversation.editor(), &journal, &state);
        }
        let result = conversation.modes(&*self.host);
        Ok(Answered { result, opened: Some(self.keep(conversation)) })
    }

    fn open(&self, id: SessionId, directory: &Path) -> Conversation {
        Conversation::new(id, directory.to_owned(), &self.client, self.lock().has_forms)
    }

    fn keep(&self, conversation: Conversation) -> Arc<Conversation> {
        let (id, conversation) = (conversation.id().to_string(), Arc::new(conversation));
        self.lock().open.insert(id, Arc::clone(&conversation));
        conversation
    }

    async fn list(&self, asked: ListSessions) -> Result<Value, Failure> {
        let query = Query::first(PAGE).roots();
        let query = match asked.cursor {
            Some(cursor) => query.after(PageCursor::new(cursor)),
            None => query,
        };
        let page = self.host.store().sessions(&query).await?;
        let mut sessions = Vec::new();
        for info in page.sessions {
            let Some(begun) = self.host.begun_in(&info.session).await else { continue };
            if asked.cwd.as_ref().is_some_and(|cwd| *cwd != begun) {
                continue;
            }
            // As a date of ISO 8601.
            let at = info.updated_at.to_string().replace(" UTC", "Z").replacen(' ', "T", 1);
            sessions.push(json!({
                "sessionId": info.session.to_string(),
                "cwd": begun.to_string_lossy(),
                "title": info.summary.title,
                "updatedAt": at,
            }));
        }
        let mut result = json!({"sessions": sessions});
        if let (Some(next), Some(result)) = (page.next, result.as_object_mut()) {
            result.insert("nextCursor".to_owned(), next.as_str().into());
        }
        Ok(result)
    }

    fn close(&self, asked: &OneSession) -> Result<Value, Failure> {
        let conversation = self.conversation(&asked.session_id)?;
        conversation.interrupts();
        self.lock().open.remove(&asked.session_id);
        Ok(json!({}))
    }

    fn set_mode(&self, asked: &SetMode) -> Result<Value, Failure> {
        let conversation = self.conversation(&asked.session_id)?;
        let modes = self.host.modes();
        if !modes.iter().any(|mode| mode.id == asked.mode_id) {
            let all = modes.iter().map(|mode| &*mode.id).collect::<Vec<_>>().join(", ");
            let known = if all.is_empty() { "none".to_owned() } else { all };
            let message = format!("there is no mode {:?}: the modes are {known}", asked.mode_id);
            return Err(Failure::params(message));
        }
        conversation.set_mode(&asked.mode_id);
        Ok(json!({}))
    }
}

/// A turn is under way.
pub(crate) fn busy() -> Failure {
    Failure::request("a turn of the session is under way: cancel it, or wait for its end")
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Failure> {
    serde_json::from_value(params).map_err(|error| Failure::params(error.to_string()))
}

/// Refuses what is not supported, so that nobody relies on it.
fn check(place: &NewSession) -> Result<(), Failure> {
    if !place.cwd.is_absolute() {
        return Err(Failure::params("cwd is not an absolute path"));
    }
    if let Some(server) = place.mcp_servers.first() {
        return Err(Failure::params(format!(
            "MCP servers are not supported yet: remove {:?} from those of this agent in the editor",
            server.name
        )));
    }
    match place.additional_directories.first() {
        Some(more) => Err(Failure::params(format!(
            "additional directories are not supported: allow {} where the agent is set up",
            more.display()
        ))),
        None => Ok(()),
    }
}
