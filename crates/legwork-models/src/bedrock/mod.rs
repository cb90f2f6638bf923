//! Amazon Bedrock's API Converse: `encode` writes requests, `decode` reads answers.
//!
//! It takes a Bedrock API key ([`Builder::api_key`]) or AWS access keys, with which each attempt
//! is signed ([`Builder::aws`], [`Builder::credentials`]). Needs the feature `bedrock`.

mod decode;
mod encode;
mod id;
mod sign;

use id::ModelId;
use legwork_core::ModelRequest;
use legwork_port::{Ability, Deltas};
use serde_json::json;

use crate::Api;
use crate::answer::Streaming;
use crate::answer::assembly::Assembly;
use crate::answer::json::{Read, Reader};
use crate::providers::region_url;
use crate::remote::Builder;
use crate::wire::{Body, Counting, Frame, Framing, Head, Quirks, Wire, only, segment};

pub(crate) use sign::{Keys, Scope, region_of, sign};

/// A model of Bedrock in a region such as `eu-central-1`: the id of a model or of an inference
/// profile, or its ARN.
pub fn converse(region: &str, model: impl Into<String>) -> Builder {
    converse_at(region_url(region), model).region(region)
}

/// A model at a URL of one's own, such as that of a private endpoint; `/model/` and the model's
/// id are appended to `base_url`.
///
/// Where the host does not name the region, signing needs [`Builder::region`].
pub fn converse_at(base_url: impl Into<String>, model: impl Into<String>) -> Builder {
    Builder::new(Api::Converse, base_url, model)
}

/// The fields of a request that are counted, by `ConverseTokensRequest` in the API reference.
const COUNTED: [&str; 4] = ["messages", "system", "toolConfig", "additionalModelRequestFields"];

const COUNTING: Counting = Counting {
    endpoint: |model| format!("model/{}/count-tokens", segment(model)),
    body: |counted| json!({"input": {"converse": only(counted.body, &COUNTED)}}),
    number: "/inputTokens",
};

/// The wire of Converse.
pub(crate) struct Converse;

impl Wire for Converse {
    fn name(&self) -> &'static str {
        "bedrock"
    }

    fn title(&self) -> &'static str {
        "Bedrock Converse"
    }

    fn provider(&self) -> &'static str {
        "bedrock"
    }

    fn thinks_beside_demands(&self) -> bool {
        false
    }

    fn lacks(&self) -> &'static [Ability] {
        &[Ability::JsonObject]
    }

    fn listed_as(&self, model: &str) -> Option<String> {
        let ModelId { maker, name } = ModelId::of(model);
        Some(format!("{maker}.{name}"))
    }

    fn counting(&self) -> Option<Counting> {
        Some(COUNTING)
    }

    fn is_path(&self, path: &str) -> bool {
        path.ends_with("/converse") || path.ends_with("/converse-stream")
    }

    fn endpoint(&self, model: &str, asked: Streaming) -> String {
        let operation = match asked {
            Streaming::No => "converse",
            Streaming::Yes => "converse-stream",
        };
        format!("model/{}/{operation}", segment(model))
    }

    fn framing(&self) -> Framing {
        Framing::Binary
    }

    fn own_fields(&self) -> &'static [&'static str] {
        &["messages", "system", "modelId"]
    }

    fn head(&self, provider: &str, model: &str, _: &Quirks) -> Head {
        // What a model gets back of its own, one of another maker does not; and not each one gets
        // sounds.
        let id = ModelId::of(model);
        let encoding = match id.hears() {
            true => format!("bedrock {} with sounds", id.maker),
            false => format!("bedrock {}", id.maker),
        };
        Head::new(&encoding, provider, b"{".to_vec())
    }

    fn body(&self, request: &ModelRequest, frame: Frame<'_>, out: &mut Body) -> Result<(), String> {
        encode::body(request, frame, out)
    }

    fn read(&self, json: &mut Reader<'_>, into: &mut Assembly, on: &mut dyn Deltas) -> Read {
        decode::read(json, into, on)
    }

    fn read_usage(&self, json: &mut Reader<'_>, into: &mut Assembly) -> Read {
        decode::read_usage(json, into)
    }
}
