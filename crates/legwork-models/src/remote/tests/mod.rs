//! Models over TLS: HTTP/2, and tunnels through proxies.

#[path = "../../../tests/it/allocated.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod allocated;
#[path = "../../../tests/it/clock.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod clock;
mod faults;
#[cfg(feature = "compression")]
#[path = "../../../tests/it/gzip.rs"]
mod gzip;
mod http2;
#[path = "../../../tests/it/proxy.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod proxy;
#[path = "../../../tests/it/recorder.rs"]
mod recorder;
mod tls;
mod tunnels;
#[path = "../../../tests/it/wires/mod.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod wires;

use std::fmt;
use std::sync::Arc;

use legwork_core::{Message, ModelRequest, ModelSettings, Transcript};
use tls::{Events, Server};
use wires::Said;

use super::{Builder, HttpModel};
use crate::Api;
use crate::answer::Streaming;
use crate::http::Client;

/// A request with one question.
fn question() -> ModelRequest {
    let empty = Transcript::default();
    let request = ModelRequest::new(empty.settled().unwrap(), Arc::new(ModelSettings::default()));
    request.with_message(Message::user("Hi?"))
}

/// The client of a model that is used nowhere else, which trusts these certificates.
fn trusting(client: Arc<Client>, roots: rustls::RootCertStore) -> Arc<Client> {
    Arc::new(Arc::into_inner(client).unwrap().trusting(roots))
}

/// A wire, and what its server says.
struct Wire {
    api: Api,
    said: Said,
}

/// Each that is compiled in.
fn all_wires() -> impl Iterator<Item = Wire> {
    assert!(!Api::ALL.is_empty(), "a wire is compiled in");
    Api::ALL.iter().map(|api| Wire { api: *api, said: Said::by(api.name()) })
}

impl fmt::Display for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.api.fmt(f)
    }
}

impl Wire {
    /// A model at a server, which it trusts.
    fn at(&self, server: &Server, set: impl FnOnce(Builder) -> Builder) -> HttpModel {
        let model = Builder::new(self.api, &server.base_url, "m").api_key("sk-secret");
        let model = set(model).build().unwrap();
        HttpModel { client: trusting(model.client, server.roots.clone()), ..model }
    }

    /// Where a whole body is asked for.
    fn url(&self, server: &Server) -> String {
        let endpoint = self.api.wire().endpoint("m", Streaming::No);
        format!("{}/{endpoint}", server.base_url)
    }

    /// A whole body that says something.
    fn body(&self, text: &str) -> String {
        self.said.body.to_string().replace("Héllo", text)
    }

    /// Some events of a stream.
    fn events(&self, bytes: Vec<u8>) -> Events {
        Events { content_type: self.said.stream, bytes: bytes.into() }
    }
}
