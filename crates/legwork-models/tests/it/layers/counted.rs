//! Tokens are counted through every layer.

use std::sync::Arc;

use legwork_core::{Mask, ModelRequest, Response};
use legwork_models::layers::{
    Breaker, Breaking, Caching, Concurrent, Continuation, Continuing, MemoryCache, ModelExt as _,
    RateLimit, RateLimiting, Redaction, Switch, TimingOut,
};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::{Deltas, Error};
use legwork_port::{BoxFuture, Count, Model, Profile};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};

use super::{request, seconds, shared};

/// A model whose provider counts: a token for each byte.
struct Counts(ScriptedModel);

impl Model for Counts {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn mask(&self) -> Mask {
        self.0.mask()
    }

    fn count_tokens<'a>(
        &'a self,
        request: &'a ModelRequest,
    ) -> BoxFuture<'a, Result<Count, Error>> {
        let bytes = request.messages().iter().map(|message| message.text().len() as u64).sum();
        Box::pin(async move { Ok(Count::Exact(bytes)) })
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        self.0.infer(request, deltas)
    }
}

fn counts() -> Counts {
    Counts(ScriptedModel::new([Turn::text("two")]))
}

fn plain() -> ScriptedModel {
    ScriptedModel::new([Turn::text("one")]).named("b:plain")
}

async fn count(model: &dyn Model) -> Count {
    model.count_tokens(&request("seven b")).await.unwrap()
}

#[tokio::test]
async fn s11_8_each_layer_around_a_model_counts_as_that_does() {
    let clock = VirtualClock::auto();
    let layers: Vec<(&str, Box<dyn Model>)> = vec![
        ("shared", Box::new(Arc::new(counts()))),
        ("retry", Box::new(Retrying::new(counts(), Policy::never(), shared(&clock)))),
        ("cache", Box::new(Caching::new(counts(), MemoryCache::of_bytes(1 << 10)))),
        ("concurrency", Box::new(Concurrent::new(counts(), 1))),
        ("continuation", Box::new(Continuing::new(counts(), Continuation::times(2)))),
        ("timeout", Box::new(TimingOut::new(counts(), seconds(1), shared(&clock)))),
        ("breaker", Box::new(Breaking::new(counts(), Breaker::after(1), shared(&clock)))),
        (
            "rate limit",
            Box::new(RateLimiting::new(counts(), RateLimit::per_minute(), shared(&clock))),
        ),
        ("fallback", Box::new(counts().with_fallback(plain()))),
        ("switch", Box::new(Switch::by(|_| 1, plain()).or(counts()))),
    ];
    for (name, layer) in layers {
        assert_eq!(count(&*layer).await, Count::Exact(7), "{name}");
    }
    let estimates = Switch::by(|_| 0, plain()).or(counts());
    assert!(!count(&estimates).await.is_exact());
    assert!(Switch::by(|_| 9, plain()).count_tokens(&request("hi")).await.is_err());
}

#[tokio::test]
async fn s11_8_what_is_counted_is_what_a_redaction_leaves() {
    let hide = Redaction::new(|text| text.replace("seven b", "six"));
    assert_eq!(count(&counts().with_redaction(hide)).await, Count::Exact(3));
}
