//! What servers of each API of embeddings say.

use std::sync::Arc;

use legwork_models::embeddings::Api;
use legwork_models::retry::Policy;
use legwork_models::{Bounds, EmbedderBuilder};
use legwork_port::Embedder;
use legwork_port::embedder::{Embeddings, Error, Request};
use serde_json::{Value, json};

use crate::clock::Turned;
use crate::server::{Act, Server, answer};

/// Answers of a server to the texts `one` and `two`.
pub(super) struct Sample {
    pub(super) api: Api,
    /// Vectors, and seven tokens.
    pub(super) body: Value,
    /// The same without usage.
    pub(super) bare: Value,
    /// An error of a server that is overloaded, with the status of a success.
    pub(super) error: Value,
    /// The path of its requests, behind the server's name.
    pub(super) path: &'static str,
}

pub(super) const VECTORS: [[f32; 3]; 2] = [[0.5, -0.25, 1.0], [0.0, 2.0, -1.5e-3]];

pub(super) fn samples() -> Vec<Sample> {
    let all: Vec<_> = Api::ALL.iter().filter_map(|api| sample(*api)).collect();
    assert_eq!(all.len(), Api::ALL.len());
    all
}

fn sample(api: Api) -> Option<Sample> {
    let (bare, usage, error, path) = match api.name() {
        "openai-embeddings" => {
            let one =
                |at: usize| json!({"object": "embedding", "index": at, "embedding": VECTORS[at]});
            (
                // In another order than that of the texts.
                json!({"object": "list", "model": "m-1", "data": [one(1), one(0)]}),
                json!({"usage": {"prompt_tokens": 7, "total_tokens": 7}}),
                json!({"error": {"message": "busy", "type": "overloaded_error"}}),
                "/v1/embeddings",
            )
        }
        "gemini-embeddings" => (
            json!({"embeddings": VECTORS.map(|one| json!({"values": one}))}),
            json!({"usageMetadata": {"promptTokenCount": 7}}),
            json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}),
            "/v1/models/m:batchEmbedContents",
        ),
        "cohere-embeddings" => (
            json!({"id": "1", "embeddings": {"float": VECTORS}, "texts": ["one", "two"]}),
            json!({"meta": {"api_version": {"version": "2"},
                "billed_units": {"input_tokens": 7, "image_tokens": 0}}}),
            json!({"id": "1", "message": "busy"}),
            "/v2/embed",
        ),
        "ollama-embeddings" => (
            json!({"model": "m", "embeddings": VECTORS, "total_duration": 14_143_917}),
            json!({"prompt_eval_count": 7}),
            json!({"error": "busy"}),
            "/api/embed",
        ),
        _ => return None,
    };
    let mut body = bare.clone();
    let usage = usage.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(usage);
    Some(Sample { api, body, bare, error, path })
}

pub(super) fn texts() -> Request {
    Request::documents(["one", "two"])
}

/// A whole answer with a body.
pub(super) fn whole(body: &Value) -> Act {
    Act::Keep(answer("200 OK", "application/json", "", &body.to_string()))
}

impl Sample {
    pub(super) fn at(&self, server: &Server, clock: &Arc<Turned>) -> EmbedderBuilder {
        let clock: Arc<Turned> = Arc::clone(clock);
        let builder = EmbedderBuilder::new(self.api, &server.base_url, "m");
        builder.api_key("sk-secret-of-mine").clock(clock)
    }

    /// What comes of a request that is sent once.
    pub(super) async fn once(&self, act: Act) -> Result<Embeddings, Error> {
        self.once_within(Bounds { answer_bytes: 1 << 20, ..Bounds::default() }, act).await
    }

    pub(super) async fn once_within(&self, bounds: Bounds, act: Act) -> Result<Embeddings, Error> {
        let (server, clock) = (Server::start([act]).await, Turned::new());
        let embedder = self.at(&server, &clock).retry(Policy::never()).bounds(bounds);
        embedder.build().unwrap().embed(texts()).await
    }

    /// What comes of a request that is sent until it succeeds, and the clock that it went by.
    pub(super) async fn patiently<const N: usize>(
        &self,
        acts: [Act; N],
    ) -> (Result<Embeddings, Error>, Arc<Turned>, Server) {
        let (server, clock) = (Server::start(acts).await, Turned::new());
        let embedder = self.at(&server, &clock).build().unwrap();
        (embedder.embed(texts()).await, clock, server)
    }
}
