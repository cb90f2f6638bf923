//! Fallbacks.

use std::ops::ControlFlow;

use legwork_core::budget::Prices;
use legwork_core::inference::{Discarded, Incomplete};
use legwork_core::message::Author;
use legwork_core::{FinishReason, Mask, Response, Usage};
use legwork_models::layers::{Fallback, MemoryCache, ModelExt as _};
use legwork_models::retry::{Policy, Retrying};
use legwork_port::model::{Delta, Deltas, Error, Kind, Retry};
use legwork_port::{Ability, Model, Profile, Support};
use legwork_testkit::{ScriptedModel, Turn, VirtualClock};

use super::{Heard, ask, priced, request, shared, stream};

fn model(name: &str, turn: Turn) -> ScriptedModel {
    ScriptedModel::new([turn]).named(name)
}

fn pair(first: Turn, second: Turn) -> Fallback {
    model("a:first", first).with_fallback(model("b:second", second))
}

fn author(response: &Response) -> Option<&str> {
    match &response.message.author {
        Some(Author::Model(name)) => Some(name),
        _ => None,
    }
}

/// Notes retries, and receives no pieces.
struct Whole(Heard);

impl Deltas for Whole {
    fn streams(&self) -> bool {
        false
    }

    fn delta(&mut self, _: Delta<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn retrying(&mut self, retry: Retry<'_>) -> ControlFlow<()> {
        self.0.retrying(retry)
    }
}

/// The answer in one piece, and what was heard of its retries.
async fn whole(model: &Fallback) -> (Response, Heard) {
    let mut heard = Whole(Heard::default());
    let answer = model.infer(request("hi"), Some(&mut heard)).await.unwrap();
    (answer, heard.0)
}

fn charged(kind: Kind, attempts: u32) -> Turn {
    Turn::error(Error { charged_attempts: attempts, ..Error::new(kind, "it failed") })
}

#[tokio::test]
async fn the_first_model_answers_if_it_can() {
    let second = model("b:second", Turn::text("two"));
    let both = model("a:first", Turn::text("one")).with_fallback(second.clone());
    let answer = ask(&both).await.unwrap();
    assert_eq!((answer.text().as_str(), author(&answer)), ("one", Some("a:first")));
    assert!(second.requests().is_empty());
}

#[tokio::test]
async fn the_next_model_is_asked_after_an_error() {
    let both = pair(Turn::status(529), Turn::text("two"));
    let answer = ask(&both).await.unwrap();
    assert_eq!((answer.text().as_str(), author(&answer)), ("two", Some("b:second")));
    assert_eq!(answer.charged_attempts, 0);
    let (answer, heard) = stream(&both).await;
    assert_eq!((answer.unwrap().text().as_str(), heard.text.as_str()), ("two", "two"));
    assert_eq!(heard.retries, [(1, false, 0)]);
}

#[tokio::test]
async fn failed_attempts_that_cost_money_are_counted_over_all_models() {
    let both = pair(charged(Kind::Server, 2), charged(Kind::Server, 1));
    let three = both.with_fallback(model("c:third", Turn::text("three")));
    let (answer, heard) = stream(&three).await;
    assert_eq!(answer.unwrap().charged_attempts, 3);
    assert_eq!(heard.retries, [(1, false, 2), (2, false, 3)]);
}

#[tokio::test]
async fn an_error_names_all_models_that_failed() {
    let both = pair(charged(Kind::Server, 1), Turn::status(400));
    let error = ask(&both).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Server, 1), "what may pass counts");
    assert_eq!(error.message, "all 2 models failed: it failed; scripted status 400");
}

#[tokio::test]
async fn only_chosen_errors_lead_to_the_next_model() {
    let both = pair(Turn::status(400), Turn::text("two")).on_errors(Error::is_retryable);
    assert_eq!(ask(&both).await.unwrap_err().message, "scripted status 400");
    let both = pair(Turn::status(503), Turn::text("two")).on_errors(Error::is_retryable);
    assert_eq!(ask(&both).await.unwrap().text(), "two");
}

#[tokio::test]
async fn a_refused_or_invalid_answer_leads_to_the_next_model() {
    let refused = || Turn::text("").with_finish(FinishReason::ContentFilter);
    let both = pair(refused(), Turn::text("two"));
    assert_eq!(ask(&both).await.unwrap().finish, FinishReason::ContentFilter);
    let answer = ask(&both.on_refusal()).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.charged_attempts), ("two", 0));
    assert_eq!(answer.discarded.len(), 1, "it cost money");
    // Of an answer that does not say what it used, nobody knows what it cost.
    let answer = ask(&pair(refused().without_usage(), Turn::text("two")).on_refusal()).await;
    let answer = answer.unwrap();
    assert_eq!((answer.charged_attempts, answer.discarded), (1, Vec::new()));

    let both = pair(Turn::text("not JSON"), Turn::text("{}"));
    let both =
        both.when(|answer| serde_json::from_str::<serde_json::Value>(&answer.text()).is_err());
    assert_eq!(ask(&both).await.unwrap().text(), "{}");
}

#[tokio::test]
async fn a_rejected_answer_is_better_than_none() {
    let both = pair(Turn::text("not JSON"), charged(Kind::Server, 1));
    let answer = ask(&both.when(|_| true)).await.unwrap();
    assert_eq!((answer.text().as_str(), author(&answer)), ("not JSON", Some("a:first")));
    assert_eq!(answer.charged_attempts, 1, "the other one; this one says its usage");
    assert_eq!(answer.discarded, [], "nor is it charged twice");
    let both = pair(Turn::text("not JSON").without_usage(), charged(Kind::Server, 1));
    let answer = ask(&both.when(|_| true)).await.unwrap();
    assert_eq!((answer.charged_attempts, answer.discarded), (1, Vec::new()));
}

#[tokio::test]
async fn s5_3_answers_that_are_discarded_cost_what_their_models_cost() {
    let used = |input, output| Usage { input, output, ..Usage::default() };
    let said =
        |name: &str, turn: Turn, cost| model(name, turn).with_profile(priced(cost, 2 * cost));
    let first = said("a:first", Turn::text("no").with_usage(used(10, 1)), 1);
    let second = said("b:second", Turn::text("nor").with_usage(used(20, 2)), 10);
    let both = first.with_fallback(second);
    let known = |answer: &Response| -> Vec<_> {
        let cost = |one: &Discarded| (one.model.to_string(), one.usage.input, one.cost.unwrap().0);
        answer.discarded.iter().map(cost).collect()
    };
    let no = |answer: &Response| answer.text() != "yes";
    let third = model("c:third", Turn::text("yes"));
    let (answer, heard) = whole(&both.clone().with_fallback(third).when(no)).await;
    let discarded = [("a:first".to_owned(), 10, 12), ("b:second".to_owned(), 20, 240)];
    assert_eq!((answer.charged_attempts, known(&answer)), (0, discarded.to_vec()));
    assert_eq!(heard.retries, [(1, false, 1), (2, false, 2)], "as much is held for each");
    // In a chain inside a chain, too.
    let third = model("c:third", Turn::text("yes"));
    let (answer, _) = whole(&both.clone().when(no).with_fallback(third).when(no)).await;
    assert_eq!((answer.charged_attempts, known(&answer)), (0, discarded.to_vec()));
    // If the last fails, the one before it is returned and charged by itself.
    let third = model("c:third", charged(Kind::Server, 3));
    let (answer, _) = whole(&both.with_fallback(third).when(no)).await;
    assert_eq!((answer.text().as_str(), answer.charged_attempts), ("nor", 3));
    assert_eq!(known(&answer), discarded[..1]);
}

#[tokio::test]
async fn s5_3_what_was_discarded_is_paid_once_whatever_layers_are_around() {
    let no = |answer: &Response| answer.text() == "no";
    let both = |last: Turn| {
        let second = ScriptedModel::new([last, Turn::text("yes")]).named("b:second");
        ScriptedModel::new([Turn::text("no"), Turn::text("yes")])
            .named("a:first")
            .with_fallback(second)
            .when(no)
    };
    // A cache keeps the answer and not what was paid for it.
    let cached = both(Turn::text("yes")).with_cache(MemoryCache::of_bytes(1 << 20));
    let paid = [ask(&cached).await.unwrap(), ask(&cached).await.unwrap()];
    assert_eq!(paid.map(|answer| answer.discarded.len()), [1, 0]);
    // An answer in two parts has paid for both.
    let cut = || Turn::text("y").with_finish(FinishReason::Length);
    let answer = ask(&both(cut()).with_continuation(2)).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.discarded.len()), ("yyes", 1));
    // One that breaks off is an attempt more; what was paid before it is not forgotten.
    let broken = both(Turn::text("yes").after([Turn::text("y").incomplete(Incomplete::Cut)]));
    let clock = VirtualClock::auto();
    let answer = ask(&Retrying::new(broken, Policy::default(), shared(&clock))).await.unwrap();
    assert_eq!((answer.text().as_str(), answer.charged_attempts), ("yes", 2));
    assert_eq!(answer.discarded.len(), 1, "of the attempt that answered");
}

#[tokio::test]
async fn nothing_is_asked_again_once_pieces_were_shown() {
    let second = model("b:second", Turn::text("two"));
    let cut = Turn::text("it breaks off").incomplete(Incomplete::Cut);
    let both = model("a:first", cut).with_fallback(second.clone());
    let (answer, heard) = stream(&both).await;
    let answer = answer.unwrap();
    assert_eq!((answer.incomplete, heard.text.as_str()), (Some(Incomplete::Cut), "it bre"));
    assert_eq!((heard.retries.len(), second.requests().len()), (0, 0));
    // Not streamed, nobody saw it.
    assert_eq!(ask(&both).await.unwrap().text(), "two");
}

#[tokio::test]
async fn the_receiver_ends_it() {
    let second = model("b:second", Turn::text("two"));
    let both = model("a:first", charged(Kind::Server, 1)).with_fallback(second.clone());
    let mut heard = Heard { forbids: true, ..Heard::default() };
    let error = both.infer(request("hi"), Some(&mut heard)).await.unwrap_err();
    assert_eq!((error.message.as_str(), error.charged_attempts), ("it failed", 1));
    assert!(second.requests().is_empty());

    let both = pair(Turn::text("a long answer"), Turn::text("two")).when(|_| true);
    let mut heard = Heard { breaks_at: Some(1), ..Heard::default() };
    let answer = both.infer(request("hi"), Some(&mut heard)).await.unwrap();
    assert_eq!((answer.text(), heard.pieces), ("a long ".to_owned(), 1));
}

#[test]
fn a_budget_reserves_the_dearest_and_keys_of_all_are_masked() {
    let first = priced(5, 1).with_context_window(1_000);
    let second = priced(2, 9)
        .with_context_window(500)
        .with_max_output(50)
        .without(Ability::Tools)
        .with(Ability::Images);
    let plain = |name| model(name, Turn::text(""));
    let inner = Masked(plain("b:second").with_profile(second), "sk-0123456789abcdef");
    let both = Masked(plain("a:first").with_profile(first), "sk-fedcba9876543210");
    let both = both.with_fallback(inner);

    assert_eq!(both.name(), "a:first");
    let profile = both.profile();
    assert_eq!((profile.context_window, profile.max_output), (Some(500), Some(50)));
    assert_eq!(profile.supports(Ability::Tools), Support::No);
    assert_eq!(profile.supports(Ability::Images), Support::Unknown);
    assert_eq!(profile.prices, priced(5, 9).prices);
    let price_of = |name| both.profile_of(name).map(|profile| profile.prices.clone());
    assert_eq!(price_of("a:first"), Some(priced(5, 1).prices));
    assert_eq!(price_of("b:second"), Some(priced(2, 9).prices));
    assert_eq!(price_of("c:third"), None);
    let masked = both.mask().text("sk-0123456789abcdef sk-fedcba9876543210").into_owned();
    assert_eq!(masked, "[redacted] [redacted]");

    let unknown = plain("c:third").with_fallback(both);
    assert_eq!(unknown.profile().prices, None, "a price that is unknown cannot be reserved");
}

#[test]
fn s11_10_the_dearest_is_reserved_at_each_length_of_the_input() {
    let prices = |input, output| priced(input, output).prices.unwrap().usual;
    let early = Prices::flat(prices(1, 9)).above(100, prices(4, 9));
    let late = Prices::flat(prices(2, 2)).above(500, prices(3, 20));
    let model =
        |name, prices| model(name, Turn::text("")).with_profile(Profile::new().with_prices(prices));
    let both = model("a:early", early).with_fallback(model("b:late", late));
    let shared = both.profile().prices.clone().unwrap();
    let at = [100, 101, 500, 501].map(|input| shared.at(input));
    assert_eq!(at, [prices(2, 9), prices(4, 9), prices(4, 9), prices(4, 20)]);
}

/// A model with a key.
struct Masked(ScriptedModel, &'static str);

impl Model for Masked {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn profile(&self) -> &Profile {
        self.0.profile()
    }

    fn mask(&self) -> Mask {
        Mask::of([self.1])
    }

    fn infer<'a>(
        &'a self,
        request: legwork_core::ModelRequest,
        deltas: Option<&'a mut dyn legwork_port::Deltas>,
    ) -> legwork_port::BoxFuture<'a, Result<Response, Error>> {
        self.0.infer(request, deltas)
    }
}
