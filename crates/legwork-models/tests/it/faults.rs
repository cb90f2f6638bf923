//! What goes wrong between a server and a client, over real HTTP, on each wire.

mod broken;
mod endless;
#[cfg(feature = "bedrock")]
mod frames;
mod odd;
mod refused;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::Response;
use legwork_models::retry::Policy;
use legwork_models::{Api, Bounds, Builder};
use legwork_port::model::Error;
use legwork_port::{Delta, Model};
use tokio::sync::Semaphore;

use crate::clock::Turned;
use crate::server::{Act, END, Server, answer, chunk_of, stream_head};
use crate::traffic::question;
use crate::wires::Said;

/// The secret of each request.
const SECRET: &str = "sk-secret-of-mine";

/// A wire, and what its server says.
struct Asked {
    api: Api,
    access: Access,
    said: Said,
}

/// How a request shows who asks.
enum Access {
    Key,
    /// With keys of AWS.
    #[cfg(feature = "bedrock")]
    Signature,
}

/// Each wire, and Bedrock's both with a key and with signatures.
fn wires() -> Vec<Asked> {
    assert!(!Api::ALL.is_empty(), "a wire is compiled in");
    let by = |api: Api, access| Asked { api, access, said: Said::by(api.name()) };
    let all = Api::ALL.iter().map(|api| by(*api, Access::Key));
    #[cfg(feature = "bedrock")]
    let all = all.chain([by(Api::Converse, Access::Signature)]);
    all.collect()
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.access {
            Access::Key => self.api.fmt(f),
            #[cfg(feature = "bedrock")]
            Access::Signature => write!(f, "{}, signed", self.api),
        }
    }
}

impl Asked {
    fn at(&self, server: &Server, clock: &Arc<Turned>) -> Builder {
        let clock: Arc<Turned> = Arc::clone(clock);
        let model = Builder::new(self.api, &server.base_url, "m").clock(clock);
        match self.access {
            Access::Key => model.api_key(SECRET),
            #[cfg(feature = "bedrock")]
            Access::Signature => model.aws("AKIDEXAMPLE", SECRET, None).region("eu-west-1"),
        }
    }

    /// A whole body with the answer.
    fn body(&self) -> Act {
        Act::Close(answer("200 OK", "application/json", "", &self.said.body.to_string()))
    }

    /// The head of a stream, and some of it.
    fn open(&self, events: &[u8]) -> Vec<u8> {
        [stream_head(self.said.stream).into_bytes(), chunk_of(events)].concat()
    }

    /// A stream of these events that ends as it should.
    fn stream(&self, events: &[u8]) -> Act {
        sent([self.open(events), END.into()])
    }

    /// What comes of a stream that is asked for once.
    async fn once(&self, act: Act) -> Result<Response, Error> {
        self.once_within(Bounds::default(), act).await
    }

    async fn once_within(&self, bounds: Bounds, act: Act) -> Result<Response, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let model = self.at(&server, &clock).bounds(bounds).retry(Policy::never());
        model.build().unwrap().infer(question("Hi?"), Some(&mut ignore)).await
    }

    /// What comes of a body that is asked for once.
    async fn once_whole(&self, act: Act) -> Result<Response, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let model = self.at(&server, &clock).retry(Policy::never()).build().unwrap();
        model.infer(question("Hi?"), None).await
    }
}

fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Sends these bytes at once, and closes.
fn sent(pieces: impl IntoIterator<Item = Vec<u8>>) -> Act {
    Act::Pieces(pieces.into_iter().collect(), Arc::new(Semaphore::new(Semaphore::MAX_PERMITS)))
}

/// Sends these bytes and then nothing more, the connection open.
fn stalled(bytes: Vec<u8>) -> Act {
    Act::Pieces(vec![bytes, Vec::new()], Arc::new(Semaphore::new(1)))
}

#[test]
fn no_file_of_these_tests_is_forgotten() {
    let source = include_str!("faults.rs");
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/faults")).unwrap()
    {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(source.contains(&format!("mod {};", name.trim_end_matches(".rs"))), "{name}");
    }
}
