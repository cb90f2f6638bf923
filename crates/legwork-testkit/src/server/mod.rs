//! The script over real HTTP: an OpenAI-compatible Chat Completions server on loopback.

mod answer;
mod body;
mod listen;
mod wire;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tokio::net::TcpSocket;

use crate::asked::Asked;
use crate::gate::Gate;
use crate::recording::Replay;
use crate::script::{Player, Script, Turn};
use crate::watched::Watched;

/// A server that plays a script or a recording; dropping it closes every connection.
///
/// It runs on a thread of its own, so plain tests use it as well as async ones. It
/// serves `POST /v1/chat/completions`, streamed or not, and `GET /v1/models`.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    presence: Mutex<Presence>,
}

/// Whether a server can be reached.
#[derive(Debug)]
enum Presence {
    Here(listen::Running),
    Away(TcpSocket),
    /// Between the two, or it could not be brought to either.
    Lost,
}

/// A request that the server received.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The path of the request, without its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body of the request, as JSON.
    pub body: Value,
    /// The request as plain data.
    pub asked: Asked,
}

/// What a server answers with: a [`Script`], its turns, or a [`Replay`].
#[derive(Debug)]
pub struct Answers(Source);

#[derive(Debug)]
enum Source {
    Script(Player),
    Replay(Replay),
}

#[derive(Debug)]
struct Shared {
    source: Source,
    log: Watched<Log>,
}

#[derive(Debug, Default)]
struct Log {
    requests: Vec<Received>,
    holds: BTreeMap<usize, Gate>,
}

impl Server {
    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// When no port can be bound or no thread started.
    pub fn start(answers: impl Into<Answers>) -> std::io::Result<Self> {
        let Answers(source) = answers.into();
        let shared = Arc::new(Shared { source, log: Watched::default() });
        let socket = listen::reserve()?;
        let address = socket.local_addr()?;
        let running = listen::start(socket, Arc::clone(&shared))?;
        Ok(Self { address, shared, presence: Mutex::new(Presence::Here(running)) })
    }

    /// Closes every connection and refuses new ones until the server [returns](Self::come_back).
    ///
    /// Its address stays its own. Does nothing to a server that is away.
    ///
    /// # Errors
    /// When its address cannot be held.
    pub fn leave(&self) -> std::io::Result<()> {
        self.turn_to(|presence| match presence {
            Presence::Here(running) => {
                let away = Presence::Away(listen::reserve_at(self.address)?);
                drop(running);
                Ok(away)
            }
            away => Ok(away),
        })
    }

    /// Listens again after it [left](Self::leave), with what it knew before.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn come_back(&self) -> std::io::Result<()> {
        self.turn_to(|presence| match presence {
            Presence::Away(socket) => {
                Ok(Presence::Here(listen::start(socket, Arc::clone(&self.shared))?))
            }
            here => Ok(here),
        })
    }

    fn turn_to(
        &self,
        change: impl FnOnce(Presence) -> std::io::Result<Presence>,
    ) -> std::io::Result<()> {
        let mut presence = self.presence.lock().unwrap_or_else(PoisonError::into_inner);
        *presence = change(std::mem::replace(&mut *presence, Presence::Lost))?;
        Ok(())
    }

    /// Its address for a client: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests for completions that came so far, in the order they came.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.log.peek(|log| log.requests.clone())
    }

    /// Holds all requests of a turn unanswered until it is [released](Self::release).
    ///
    /// Turns are counted from 0, by the answers of the model that a request holds.
    pub fn hold(&self, turn: usize) {
        self.shared.log.change(|log| log.holds.insert(turn, Gate::new()));
    }

    /// Lets the requests of a turn go on, those held and those to come.
    pub fn release(&self, turn: usize) {
        if let Some(gate) = self.shared.log.change(|log| log.holds.remove(&turn)) {
            gate.open();
        }
    }

    /// Waits until a request of a turn has come.
    pub async fn arrived(&self, turn: usize) {
        self.shared.log.until(|log| log.has(turn)).await;
    }

    /// The same for plain tests: blocks the thread.
    pub fn arrived_blocking(&self, turn: usize) {
        self.shared.log.until_blocking(|log| log.has(turn));
    }

    /// Waits until so many requests have come in all.
    pub async fn received(&self, count: usize) {
        self.shared.log.until(|log| (log.requests.len() >= count).then_some(())).await;
    }

    /// The same for plain tests: blocks the thread.
    pub fn received_blocking(&self, count: usize) {
        self.shared.log.until_blocking(|log| (log.requests.len() >= count).then_some(()));
    }
}

impl Log {
    fn has(&self, turn: usize) -> Option<()> {
        self.requests.iter().any(|request| request.asked.turn() == turn).then_some(())
    }
}

impl<S: Into<Script>> From<S> for Answers {
    fn from(script: S) -> Self {
        Self(Source::Script(Player::new(script.into())))
    }
}

impl From<Replay> for Answers {
    fn from(replay: Replay) -> Self {
        Self(Source::Replay(replay))
    }
}

impl From<Turn> for Script {
    fn from(turn: Turn) -> Self {
        Self::new([turn])
    }
}
