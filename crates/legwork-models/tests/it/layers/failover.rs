//! Fallbacks over models that retry by themselves: real HTTP, counted in requests.

use std::time::Duration;

use legwork_models::layers::{Fallback, ModelExt as _};
use legwork_models::openai;
use legwork_models::remote::HttpModel;
use legwork_models::retry::Policy;
use legwork_port::model::Kind;
use legwork_testkit::{Server, Turn};

use super::{ask, stream};

/// A server that answers with a status so often, and then with a text.
fn failing(times: usize, status: u16, text: &str) -> Server {
    let failed = (0..times).map(|_| Turn::status(status));
    Server::start([Turn::text(text).after(failed)]).unwrap()
}

/// A model that would retry for two minutes, as those by default, and wait less in between.
fn over(server: &Server, name: &str) -> HttpModel {
    let wait = Duration::from_millis(1);
    let policy = Policy::default().with_first_wait(wait).with_longest_wait(wait);
    openai::chat(server.base_url(), name).retry(policy).build().unwrap()
}

fn pair(first: &Server, second: &Server) -> Fallback {
    over(first, "first").with_fallback(over(second, "second"))
}

#[tokio::test]
async fn the_next_model_is_asked_after_one_attempt_at_the_first() {
    let (first, second) = (failing(100, 503, "one"), failing(0, 0, "two"));
    let model = pair(&first, &second);
    let (answer, heard) = stream(&model).await;
    assert_eq!((answer.unwrap().text().as_str(), heard.text.as_str()), ("two", "two"));
    assert_eq!(heard.retries, [(1, false, 0)]);
    assert_eq!(ask(&model).await.unwrap().text(), "two");
    assert_eq!((first.requests().len(), second.requests().len()), (2, 2), "one for each question");
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_not_waited_for() {
    let slow = Turn::text("one").after([Turn::status(429).with_retry_after("60")]);
    let (first, second) = (Server::start([slow]).unwrap(), failing(0, 0, "two"));
    assert_eq!(ask(&pair(&first, &second)).await.unwrap().text(), "two");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
}

#[tokio::test]
async fn the_last_model_retries_by_its_own_policy() {
    let (first, second) = (failing(100, 503, "one"), failing(2, 503, "two"));
    let answer = ask(&pair(&first, &second)).await.unwrap();
    assert_eq!(answer.text(), "two");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 3));
}

#[tokio::test]
async fn a_fallback_may_allow_retries() {
    let (first, second) = (failing(100, 503, "one"), failing(0, 0, "two"));
    let model = pair(&first, &second).with_retries(2);
    assert_eq!(ask(&model).await.unwrap().text(), "two");
    assert_eq!((first.requests().len(), second.requests().len()), (3, 1));
    let (first, second) = (failing(2, 503, "one"), failing(0, 0, "two"));
    let model = pair(&first, &second).with_retries(2);
    assert_eq!(ask(&model).await.unwrap().text(), "one");
    assert_eq!((first.requests().len(), second.requests().len()), (3, 0));
}

#[tokio::test]
async fn an_error_that_leads_to_no_other_model_is_retried() {
    let (first, second) = (failing(3, 503, "one"), failing(0, 0, "two"));
    let model = pair(&first, &second);
    let model = model.on_errors(|error| error.kind == Kind::ContextOverflow);
    assert_eq!(ask(&model).await.unwrap().text(), "one");
    assert_eq!((first.requests().len(), second.requests().len()), (4, 0));
}

#[tokio::test]
async fn a_fallback_inside_a_fallback_asks_all_its_models() {
    let [first, second] = [failing(100, 503, "one"), failing(100, 503, "two")];
    let third = failing(0, 0, "three");
    let inner = pair(&first, &second).with_concurrency(1);
    let model = inner.with_fallback(over(&third, "third"));
    assert_eq!(ask(&model).await.unwrap().text(), "three");
    let asked = [&first, &second, &third].map(|server| server.requests().len());
    assert_eq!(asked, [1, 1, 1]);
}
