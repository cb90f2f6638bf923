//! What goes wrong between a server and a client over HTTP/2, on each wire.
//!
//! Those of HTTP/1 are in `tests/it/faults.rs`. Whatever it is, what the exchange takes of the
//! memory is measured.

mod cut;
mod endless;
mod refused;
mod whole;

use std::ops::ControlFlow;

use bytes::Bytes;
use legwork_core::Response;
use legwork_port::model::Error;
use legwork_port::{Delta, Deltas, Model as _};

use super::allocated::Peak;
use super::clock::Turned;
use super::tls::sent::{End, Sent};
use super::tls::{Act, Server};
use super::{HttpModel, Wire, question};
use crate::answer::Streaming;
use crate::bounds::Bounds;
use crate::retry::Policy;

const OFFERED: &[&str] = &["h2"];

/// Bytes that an exchange may hold whose answer is short: about 128,000 were measured, and 179,000
/// where it is compressed. Its server and all its attempts are included.
pub(super) const LITTLE: i64 = 320 << 10;

/// Bytes that an exchange may hold of whose long answer little is kept: 3.2 million were measured,
/// with the 2 MiB of a stream that may be on their way.
const SOME: i64 = 6 << 20;

/// Bytes that an exchange may hold whose answer passes a bound of 8 MiB: 18.5 million were measured.
pub(super) const MUCH: i64 = 32 << 20;

/// A stream, and a whole body.
const BOTH: [Streaming; 2] = [Streaming::Yes, Streaming::No];

const JSON: &str = "application/json";

impl Wire {
    /// A stream of these frames.
    pub(super) fn frames(&self, frames: impl IntoIterator<Item = Vec<u8>>, end: End) -> Sent {
        sent(200, self.said.stream, frames, end)
    }

    /// The beginning of a whole body, inside its text.
    fn begun_body(&self) -> Vec<u8> {
        self.said.body.to_string().split_once("llo").unwrap().0.into()
    }

    /// A whole answer, as it is asked for.
    fn answer(&self, streaming: Streaming) -> Sent {
        match streaming {
            Streaming::Yes => self.frames([self.said.whole()], End::Whole),
            Streaming::No => sent(200, JSON, [self.said.body.to_string().into()], End::Whole),
        }
    }

    /// What comes of an answer that is asked for once.
    async fn once(&self, streaming: Streaming, sent: Sent) -> Result<Response, Error> {
        self.once_within(LITTLE, Bounds::default(), streaming, sent).await
    }

    /// The same with these bounds; so many bytes may be held for it at a time.
    async fn once_within(
        &self,
        most: i64,
        bounds: Bounds,
        streaming: Streaming,
        sent: Sent,
    ) -> Result<Response, Error> {
        let server = Server::start(OFFERED, [Act::Send(sent)]).await;
        let model = self
            .at(&server, |model| model.clock(Turned::new()).bounds(bounds).retry(Policy::never()));
        self.ask(most, &model, deltas(streaming, &mut ignore)).await
    }

    /// What comes of a question; so many bytes may be held for it at a time.
    pub(super) async fn ask<'a>(
        &self,
        most: i64,
        model: &'a HttpModel,
        on: Option<&'a mut dyn Deltas>,
    ) -> Result<Response, Error> {
        // The server and the connection run in this thread, too.
        let memory = Peak::begin();
        let came = model.infer(question(), on).await;
        memory.check(most, self);
        came
    }
}

fn sent(
    status: u16,
    content_type: &str,
    frames: impl IntoIterator<Item = Vec<u8>>,
    end: End,
) -> Sent {
    let headers = vec![("content-type", content_type.to_owned())];
    Sent { go: None, status, headers, frames: frames.into_iter().map(Bytes::from).collect(), end }
}

/// Deltas are taken of a stream alone.
fn deltas<D: Deltas>(streaming: Streaming, on: &mut D) -> Option<&mut dyn Deltas> {
    match streaming {
        Streaming::Yes => Some(on),
        Streaming::No => None,
    }
}

pub(super) fn ignore(_: Delta<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// What was said, and why there is no more.
fn said(came: Response) -> (String, Option<legwork_core::inference::Incomplete>) {
    (came.text(), came.incomplete)
}

#[test]
fn all_of_these_tests_measure_the_memory() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/remote/tests/faults");
    for file in std::fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert!(!text.contains(".infer("), "{}: `Wire::ask` measures it", file.path().display());
    }
}
