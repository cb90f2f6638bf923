//! The editor as the other side of the connection.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::wire::Failure;

/// Writes to the editor, and asks it.
///
/// What is written is queued: an observer must not wait for an editor that reads slowly.
pub(crate) struct Client {
    out: mpsc::UnboundedSender<String>,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    last: u64,
    waiting: HashMap<u64, oneshot::Sender<Option<Value>>>,
    is_closed: bool,
}

impl Client {
    pub(crate) fn new(out: mpsc::UnboundedSender<String>) -> Self {
        Self { out, asked: Mutex::default() }
    }

    fn send(&self, message: &Value) {
        // Nobody reads it where the connection is over.
        let _ = self.out.send(message.to_string());
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Tells what changed in a session.
    pub(crate) fn update(&self, session: &str, update: &Value) {
        self.notify("session/update", &json!({"sessionId": session, "update": update}));
    }

    /// Answers a request.
    pub(crate) fn respond(&self, id: &Value, result: Result<Value, Failure>) {
        self.send(&match result {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(failure) => json!({"jsonrpc": "2.0", "id": id, "error": failure.to_value()}),
        });
    }

    /// Asks the editor; none if it refuses, or is gone. If the future is dropped, the editor is
    /// told that no answer is needed any more.
    pub(crate) async fn ask(&self, method: &str, params: &Value) -> Option<Value> {
        let (answer, answered) = oneshot::channel();
        let id = self.begins(answer)?;
        let asking = Asking { client: self, id };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let result = answered.await.ok().flatten();
        drop(asking);
        result
    }

    fn begins(&self, answer: oneshot::Sender<Option<Value>>) -> Option<u64> {
        let mut asked = self.lock();
        if asked.is_closed {
            return None;
        }
        asked.last = asked.last.saturating_add(1);
        let id = asked.last;
        asked.waiting.insert(id, answer);
        Some(id)
    }

    /// The editor answered a request of ours.
    pub(crate) fn answered(&self, id: &Value, result: Option<Value>) {
        let waiting = id.as_u64().and_then(|id| self.lock().waiting.remove(&id));
        if let Some(waiting) = waiting {
            // Who asked may be gone.
            let _ = waiting.send(result);
        }
    }

    /// The editor is gone: nothing that was asked is answered.
    pub(crate) fn closes(&self) {
        let mut asked = self.lock();
        asked.is_closed = true;
        asked.waiting.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that waits for its answer.
struct Asking<'c> {
    client: &'c Client,
    id: u64,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        if self.client.lock().waiting.remove(&self.id).is_some() {
            self.client.notify("$/cancel_request", &json!({"requestId": self.id}));
        }
    }
}
