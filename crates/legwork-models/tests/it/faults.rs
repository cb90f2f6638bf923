//! What goes wrong between a server and a client, over real HTTP, on each wire.
//!
//! Whatever it is, what the exchange takes of the memory is measured.

mod bodies;
mod broken;
#[cfg(feature = "compression")]
mod compressed;
mod endless;
#[cfg(feature = "bedrock")]
mod frames;
mod gigabyte;
mod odd;
#[cfg(feature = "proxy")]
mod proxied;
mod refused;

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_core::Response;
use legwork_models::answer::Streaming;
use legwork_models::retry::Policy;
use legwork_models::{Api, Bounds, Builder, HttpModel};
use legwork_port::model::Error;
use legwork_port::{Delta, Deltas, Model};
use tokio::sync::Semaphore;

use crate::allocated::Peak;
use crate::clock::Turned;
use crate::server::{Act, END, Server, answer, chunk_of, stream_head};
use crate::traffic::question;
use crate::wires::Said;

/// The secret of each request.
const SECRET: &str = "sk-secret-of-mine";

/// Bytes that an exchange may hold whose answer is short: about 58,000 were measured, and 110,000
/// where it is compressed. Its server and all its attempts are included.
const LITTLE: i64 = 192 << 10;

/// Bytes that an exchange may hold of whose long answer 64 KiB are kept at most: 391,000 were
/// measured, with the 64 KiB that are read at once, and those that the server sends at once.
const SOME: i64 = 640 << 10;

/// Bytes that an exchange may hold whose answer passes a bound of 8 MiB: 25 million were measured.
const MUCH: i64 = 32 << 20;

/// A stream, and a whole body.
const BOTH: [Streaming; 2] = [Streaming::Yes, Streaming::No];

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
        self.once_as(Streaming::Yes, act).await
    }

    /// What comes of a body that is asked for once.
    async fn once_whole(&self, act: Act) -> Result<Response, Error> {
        self.once_as(Streaming::No, act).await
    }

    async fn once_as(&self, streaming: Streaming, act: Act) -> Result<Response, Error> {
        self.once_holding(LITTLE, streaming, act).await
    }

    /// The same; so many bytes may be held for it at a time.
    async fn once_holding(
        &self,
        most: i64,
        streaming: Streaming,
        act: Act,
    ) -> Result<Response, Error> {
        self.once_within(most, Bounds::default(), streaming, act).await
    }

    /// The same of an answer with these bounds.
    async fn once_within(
        &self,
        most: i64,
        bounds: Bounds,
        streaming: Streaming,
        act: Act,
    ) -> Result<Response, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let model = self.at(&server, &clock).bounds(bounds).retry(Policy::never());
        self.ask_within(most, &model.build().unwrap(), deltas(streaming, &mut ignore)).await
    }

    /// What comes of a question to a model of this wire.
    async fn ask<'a>(
        &self,
        model: &'a HttpModel,
        on: Option<&'a mut dyn Deltas>,
    ) -> Result<Response, Error> {
        self.ask_within(LITTLE, model, on).await
    }

    /// The same; so many bytes may be held for it at a time.
    async fn ask_within<'a>(
        &self,
        most: i64,
        model: &'a HttpModel,
        on: Option<&'a mut dyn Deltas>,
    ) -> Result<Response, Error> {
        // The server runs in this thread, too.
        let memory = Peak::begin();
        let came = model.infer(question("Hi?"), on).await;
        memory.check(most, self);
        came
    }
}

/// Deltas are taken of a stream alone.
fn deltas<D: Deltas>(streaming: Streaming, on: &mut D) -> Option<&mut dyn Deltas> {
    match streaming {
        Streaming::Yes => Some(on),
        Streaming::No => None,
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
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        assert!(source.contains(&format!("mod {};", name.trim_end_matches(".rs"))), "{name}");
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains(".infer("), "{name}: `Asked::ask` measures the memory, too");
    }
}
