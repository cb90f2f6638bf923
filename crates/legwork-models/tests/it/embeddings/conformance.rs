//! The suite that every embedder passes.

use std::sync::{Arc, Mutex};

use legwork_models::EmbedderBuilder;
use legwork_models::embeddings::{Api, Quirks};
use legwork_models::remote::Traffic;
use legwork_port::Embedder as _;
use legwork_port::embedder::Request;
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

#[tokio::test]
async fn s13_11_the_traffic_of_an_embedder_is_seen_without_its_key() {
    for api in Api::ALL {
        let (live, seen) = (Live::start(9).await, Arc::new(Mutex::new(Vec::new())));
        let lines = Arc::clone(&seen);
        let observer =
            move |traffic: &Traffic<'_>| lines.lock().unwrap().push(format!("{traffic:?}"));
        let builder = EmbedderBuilder::new(*api, &live.base_url, "m").api_key("sk-not-to-be-seen");
        let embedder = builder.traffic(observer).build().unwrap();
        embedder.embed(Request::new(["one", "two"])).await.unwrap();
        let seen = seen.lock().unwrap().join("\n");
        let pieces = ["Request", "Response", "Bytes", "End(None)"];
        assert!(pieces.iter().all(|piece| seen.contains(piece)), "{api}: {seen}");
        assert!(!seen.contains("not-to-be-seen"), "{api}: {seen}");
    }
}
