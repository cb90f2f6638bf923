//! What a server asks for when it is used.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use legwork_port::BoxFuture;
use tokio::time::timeout;
use url::Url;

use super::reach::{Peers, Place};
use super::scopes;
use crate::Endpoint;
use crate::connect::{Connect, Connected, Error};
use crate::connection::Connections;
use crate::fault;
use crate::http::{Credentials, Denial};
use crate::sampling::Sampling;

/// How long a server may take to list its tools.
const LISTING: Duration = Duration::from_secs(30);

/// What became of a trial.
pub(super) struct Outcome {
    /// Where the server is; none if it did not answer.
    pub(super) place: Option<Place>,
    pub(super) denied: Option<Denied>,
    /// Why its tools cannot be listed.
    pub(super) failure: Option<String>,
}

/// How a server refused a request.
#[derive(Clone)]
pub(super) struct Denied {
    pub(super) challenge: String,
    /// Whether scopes are missing.
    pub(super) scopes_missing: bool,
}

/// Connects to a server with this token or none, and lists its tools.
pub(super) async fn of(endpoint: &Endpoint, server: &Url, token: Option<String>) -> Outcome {
    let trial =
        Trial { server: server.clone(), token, peers: Peers::default(), denied: Mutex::default() };
    let trial = Arc::new(trial);
    let connect = Tried { endpoint: endpoint.clone(), trial: Arc::clone(&trial) };
    let failure = list(connect).await.err();
    let denied = trial.denied.lock().unwrap_or_else(PoisonError::into_inner).take();
    Outcome { place: trial.peers.place(), denied, failure }
}

async fn list(connect: Tried) -> Result<(), String> {
    let connections = Connections::new(Arc::new(connect), Sampling::Refused);
    let live = connections.live().await.map_err(|error| error.to_string())?;
    let listed = match timeout(LISTING, live.peer.list_tools(None)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(fault::of_request(&error).unwrap_or_default()),
        Err(_) => Err(format!("it did not answer within {} s", LISTING.as_secs())),
    };
    connections.close().await;
    listed
}

/// Connects with a token that need not be kept.
struct Tried {
    endpoint: Endpoint,
    trial: Arc<Trial>,
}

impl Connect for Tried {
    fn target(&self) -> String {
        self.endpoint.target()
    }

    fn connect(&self) -> BoxFuture<'_, Result<Connected, Error>> {
        let trial: Arc<dyn Credentials> = Arc::clone(&self.trial) as _;
        Box::pin(self.endpoint.connect_with(Some(trial)))
    }
}

struct Trial {
    server: Url,
    token: Option<String>,
    peers: Peers,
    denied: Mutex<Option<Denied>>,
}

impl Credentials for Trial {
    fn token(&self) -> BoxFuture<'_, Result<Option<String>, String>> {
        Box::pin(std::future::ready(Ok(self.token.clone())))
    }

    fn renew<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<String>, String>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn denied<'a>(&'a self, denial: Denial<'a>) -> BoxFuture<'a, Option<String>> {
        let scopes_missing = scopes::are_missing(denial.challenge, &self.server);
        let is_denied = scopes_missing || denial.status == StatusCode::UNAUTHORIZED;
        if is_denied {
            let challenge = denial.challenge.to_owned();
            let mut denied = self.denied.lock().unwrap_or_else(PoisonError::into_inner);
            *denied = Some(Denied { challenge, scopes_missing });
        }
        let words = is_denied.then(|| "it asks for authorization".to_owned());
        Box::pin(std::future::ready(words))
    }

    fn answered_from(&self, address: IpAddr) {
        self.peers.note(address);
    }
}
