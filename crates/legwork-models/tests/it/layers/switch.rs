//! Models chosen for each request.

use futures_util::FutureExt as _;
use legwork_core::message::Author;
use legwork_models::layers::Switch;
use legwork_port::Model;
use legwork_port::model::Kind;
use legwork_testkit::{ScriptedModel, Turn};

use super::{ask, request, stream};

fn model(name: &str, says: &str) -> ScriptedModel {
    ScriptedModel::new([Turn::text(says)]).named(name)
}

#[tokio::test]
async fn each_request_goes_to_the_model_that_is_chosen() {
    let long = |request: &legwork_core::ModelRequest| usize::from(request.weight() > 100);
    let both = Switch::by(long, model("a:small", "short")).or(model("b:large", "long"));
    let (answer, heard) = stream(&both).await;
    let answer = answer.unwrap();
    assert_eq!((answer.text(), heard.text), ("short".to_owned(), "short".to_owned()));
    assert_eq!(answer.message.author, Some(Author::Model("a:small".into())));
    let answer = both.infer(request(&"x".repeat(200)), None).await.unwrap();
    assert_eq!(answer.message.author, Some(Author::Model("b:large".into())));
}

#[tokio::test]
async fn an_index_without_a_model_is_an_error() {
    let both = Switch::by(|_| 2, model("a:small", "")).or(model("b:large", ""));
    let error = ask(&both).await.unwrap_err();
    assert_eq!(error.kind, Kind::BadRequest);
    assert!(error.message.contains("chose model 2 of 2"), "{error}");
}

#[tokio::test]
async fn a_dropped_inference_leaves_nothing_behind() {
    let stuck = ScriptedModel::new([Turn::stall()]);
    let both = Switch::by(|_| 0, stuck.clone());
    assert!(both.infer(request("hi"), None).now_or_never().is_none());
    assert_eq!(stuck.requests().len(), 1);
}
