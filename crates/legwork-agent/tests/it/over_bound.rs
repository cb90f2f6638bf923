//! What an answer is charged that passed a bound: what it says, else the larger of what was
//! held and what came.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_agent::{Agent, Driver, ToolCalling};
use legwork_core::budget::{Amounts, MicroUsd, Price};
use legwork_core::event::{InferenceStarted, Responded};
use legwork_core::inference::Incomplete;
use legwork_core::journal::Journal;
use legwork_core::{Event, Mask, ModelRequest, ModelSettings, Response, Usage};
use legwork_models::answer::{Ended, Reply, Streaming};
use legwork_models::{Api, Bounds};
use legwork_port::model::{Error, Profile};
use legwork_port::{BoxFuture, Delta, Deltas, Model};
use legwork_testkit::RecordingObserver;
use serde_json::{Value, json};

use crate::panics::Panics;

const BOUNDS: Bounds = Bounds {
    received_bytes: 400_000,
    answer_bytes: 100_000,
    event_bytes: 40_000,
    events: 3_000,
    calls: 8,
    values: 200,
    nesting: 20,
    tokens: 50_000,
};

/// What a server sends, and the bound that it passes first.
#[derive(Debug, Clone)]
struct Flood {
    bound: &'static str,
    streaming: Streaming,
    pieces: Vec<String>,
}

impl Flood {
    fn read(&self, deltas: &mut dyn Deltas) -> Response {
        let kind = match self.streaming {
            Streaming::Yes => "text/event-stream",
            Streaming::No => "application/json",
        };
        let mut reply =
            Reply::within(BOUNDS, Api::ChatCompletions, 200, Some(kind), self.streaming);
        self.pieces.iter().for_each(|piece| reply.push(piece.as_bytes(), deltas));
        reply.finish(Ended::Whole).unwrap()
    }
}

/// A model whose server sends a flood.
struct Flooded {
    flood: Flood,
    profile: Profile,
}

impl Model for Flooded {
    fn name(&self) -> &str {
        "flooded"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let response = self.flood.read(deltas.unwrap());
        Box::pin(std::future::ready(Ok(response)))
    }
}

fn event(value: &Value) -> String {
    format!("data: {value}\n\n")
}

fn delta(delta: Value) -> String {
    event(&json!({"choices": [{"delta": delta}]}))
}

fn body(bound: &'static str, message: &Value, usage: Option<&Value>) -> Flood {
    let mut whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    if let Some(usage) = usage {
        whole["usage"] = usage.clone();
    }
    Flood { bound, streaming: Streaming::No, pieces: vec![whole.to_string()] }
}

fn said(usage: &Value) -> String {
    event(&json!({"choices": [], "usage": usage}))
}

fn deep() -> Value {
    (0..30).fold(json!(1), |inner, _| json!([inner]))
}

/// Streams that each pass another bound, behind what they say that they used.
fn streams(usage: Option<&Value>) -> Vec<Flood> {
    let call = |n: usize| json!({"index": n, "function": {"name": "f", "arguments": "{}"}});
    let many: Vec<_> = (0..300).collect();
    let floods: [(&str, Vec<String>); 9] = [
        ("answer_bytes", vec![delta(json!({"content": "x".repeat(1_000)})); 200]),
        ("answer_bytes", vec![delta(json!({"reasoning": "x".repeat(1_000)})); 200]),
        ("events", vec![delta(json!({"content": "x"})); 3_010]),
        ("received_bytes", vec![": still here\n".repeat(1_000); 40]),
        ("event_bytes", vec!["data: ".to_owned(), "x".repeat(50_000)]),
        ("calls", (0..12).map(|n| delta(json!({"tool_calls": [call(n)]}))).collect()),
        ("a name or an id", vec![delta(json!({"tool_calls": [{"id": "x".repeat(2_000)}]}))]),
        ("values", vec![delta(json!({"content": "Hi", "odd": many}))]),
        ("nesting", vec![delta(json!({"content": "Hi", "odd": deep()}))]),
    ];
    let flood = |(bound, pieces): (_, Vec<String>)| {
        let pieces = usage.map(said).into_iter().chain(pieces).collect();
        Flood { bound, streaming: Streaming::Yes, pieces }
    };
    floods.into_iter().map(flood).collect()
}

/// Bodies that each pass another bound, with what they say that they used.
fn bodies(usage: Option<&Value>) -> Vec<Flood> {
    let call = json!({"id": "c", "function": {"name": "f", "arguments": "{}"}});
    let long = json!({"id": "x".repeat(2_000), "function": {"name": "f", "arguments": "{}"}});
    let many: Vec<_> = (0..300).collect();
    vec![
        body("calls", &json!({"tool_calls": vec![call; 12]}), usage),
        body("a name or an id", &json!({"tool_calls": [long]}), usage),
        body("values", &json!({"content": "Hi", "odd": many}), usage),
        body("nesting", &json!({"content": "Hi", "odd": deep()}), usage),
    ]
}

/// Floods without usage, with impossible usage, or with usage that cannot be read.
fn unsaid() -> Vec<Flood> {
    let too_many = json!({"prompt_tokens": 1, "completion_tokens": u64::MAX});
    let mut floods = [streams(None), bodies(None)].concat();
    let long = json!({"content": "x".repeat(150_000)});
    floods.push(body("answer_bytes", &long, Some(&json!({"prompt_tokens": 1}))));
    floods.push(body("tokens", &json!({"content": "Hi"}), Some(&too_many)));
    let pieces = vec![delta(json!({"content": "Hi"})), said(&too_many)];
    floods.push(Flood { bound: "tokens", streaming: Streaming::Yes, pieces });
    floods
}

const PRICE: Price = Price {
    input: MicroUsd(1_000_000),
    cache_read: MicroUsd(0),
    cache_write: MicroUsd(0),
    cache_write_hour: None,
    output: MicroUsd(10_000_000),
};

/// What was held for a flood that may be so long, and what is recorded of it.
async fn asked(
    flood: &Flood,
    max_output: Option<u64>,
    driver: impl Driver + 'static,
) -> (Amounts, Responded) {
    let profile = Profile::new().with_prices(PRICE);
    let seen = RecordingObserver::new();
    let agent = Agent::builder(Flooded { flood: flood.clone(), profile })
        .driver(driver)
        .settings(ModelSettings { max_output, ..ModelSettings::default() })
        .observer(Arc::new(seen.clone()))
        .mask(&Mask::of(["sk-0123456789abcdef"]))
        .build()
        .unwrap();
    let run = agent.run("go").outcome().await.unwrap();
    let entries = seen.entries();
    let journal = Journal::new(entries.clone());
    assert_eq!(&journal.fold(run.session()), run.state(), "the journal says all");
    let (mut held, mut came) = (None, None);
    for entry in &entries {
        match &entry.event {
            Event::InferenceStarted(InferenceStarted { reserved, .. }) => held = Some(*reserved),
            Event::Responded(responded) if came.is_none() => came = Some(responded.clone()),
            _ => {}
        }
    }
    (held.unwrap(), came.unwrap())
}

/// The charge of a flood that is cut at its bound only.
fn alone(flood: &Flood) -> Response {
    let response = flood.read(&mut |_: Delta<'_>| ControlFlow::Continue(()));
    let bound = response.bound.as_deref().unwrap();
    assert!(bound.contains(flood.bound), "{bound}: {}", flood.bound);
    assert_eq!(response.incomplete, Some(Incomplete::OverBound));
    response
}

fn of(input: u64, output: u64) -> Amounts {
    Amounts::of_usage(&Usage { input, output, ..Usage::default() }, Some(&PRICE))
}

#[tokio::test]
async fn s13_10_an_answer_over_its_bound_is_charged_what_was_held_or_what_came() {
    for flood in unsaid() {
        let response = alone(&flood);
        let came = response.came.max(response.message.weight()) / 8;
        for max_output in [None, Some(10), Some(2_000), Some(60_000)] {
            let (held, responded) = asked(&flood, max_output, ToolCalling).await;
            let Responded { response, charged } = responded;
            assert_eq!(held.output, max_output.unwrap_or(0));
            let expected = match &response.incomplete {
                // It was cut before its bound, for it passed what was held.
                Some(Incomplete::OverReserve) => response.message.weight() / 8,
                incomplete => {
                    assert_eq!(incomplete, &Some(Incomplete::OverBound));
                    came
                }
            };
            let expected = of(held.input, expected.max(held.output)).as_estimate();
            assert_eq!(charged, expected, "{flood:?} of {max_output:?}");
        }
    }
}

#[tokio::test]
async fn s13_10_an_answer_over_its_bound_is_charged_what_it_says() {
    let usage = json!({"prompt_tokens": 7, "completion_tokens": 40_000});
    for flood in [streams(Some(&usage)), bodies(Some(&usage))].concat() {
        alone(&flood);
        for max_output in [None, Some(60_000)] {
            let (_, Responded { charged, .. }) = asked(&flood, max_output, ToolCalling).await;
            assert_eq!(charged, of(7, 40_000), "{flood:?} of {max_output:?}");
        }
    }
}

#[tokio::test]
async fn s13_10_an_unreadable_answer_over_its_bound_is_charged() {
    for flood in unsaid() {
        let came = alone(&flood);
        let came = came.came.max(came.message.weight()) / 8;
        let (held, Responded { response, charged }) =
            asked(&flood, Some(60_000), Panics::Read).await;
        assert_eq!(response.incomplete, Some(Incomplete::Unread));
        assert_eq!(charged, of(held.input, came.max(60_000)).as_estimate(), "{flood:?}");
    }
}
