//! The suite that every embedder passes.

use legwork_models::EmbedderBuilder;
use legwork_models::embeddings::{Api, Quirks};
use legwork_testkit::conformance::embedder;

use super::live::Live;

#[tokio::test]
async fn each_wire_keeps_the_promises_of_an_embedder() {
    for api in Api::ALL {
        for quirks in [Quirks::USUAL.with_texts(90), Quirks::USUAL.with_texts(90).in_base64()] {
            let live = Live::start(90).await;
            let make = async || {
                let builder = EmbedderBuilder::new(*api, &live.base_url, "m");
                builder.api_key("sk-conformance").quirks(quirks).build().unwrap()
            };
            embedder::check(make).await.unwrap_or_else(|violations| panic!("{api}: {violations}"));
        }
    }
}
