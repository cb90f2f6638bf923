//! News as JSON: every kind survives it, and stays as it is.

use std::fmt::Write as _;
use std::sync::Arc;

use legwork_agent::news::HookResult;
use legwork_agent::{News, RunEvent};
use legwork_core::budget::{Amounts, MicroUsd};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::{
    ContinuationOutcome, ExecutionStatus, Micros, Seq, SessionId, StopReason, Timestamp, ToolCall,
    ToolOutcome, Usage,
};
use legwork_port::Origin;
use serde_json::{Value, json};

use crate::samples;
use crate::stream::{BEGIN, golden};
use crate::tools::signal;

/// One of each kind of news.
fn every_news() -> Vec<News> {
    let id = Seq(7);
    let (at, took) = (Timestamp(BEGIN), Micros(1_500));
    let (message, session) = ("so\n\"it\" is".to_owned(), SessionId::new("s"));
    let held = Amounts { steps: 1, input: 9, cost: MicroUsd(12), ..Amounts::default() };
    let error = ErrorRecord::new(ErrorSource::Hook("h".to_owned()), ErrorKind::Hook, "broken");
    let call = ToolCall::new("c", "look", "{\"n\": 1.5}");
    let outcome = ContinuationOutcome::stop(signal(StopReason::Completed));
    let agent = "helper".to_owned();
    let hook = |end| News::HookExecuted {
        hook: "h".to_owned(),
        trigger: "on_error".to_owned(),
        took,
        end,
    };
    let usage = Some(Usage { input: 9, output: 3, ..Usage::default() });
    let deep = json!({"z": [1.5, u64::MAX, i64::MIN, null], "a": {"": "\u{0}é"}});
    let mut all = vec![
        News::JournalCut { damage: message.clone() },
        News::Warning { message: message.clone() },
        News::StepStarted { step: 1 },
        News::InferenceStarted { step: 1, id, at, model: "x:y".to_owned() },
        News::InferenceRetried {
            attempt: 1,
            wait_ms: 2,
            left_ms: 3,
            error: message.clone(),
            discarded: true,
        },
        News::InferenceFinished { step: 1, id, at, took, usage, error: None },
        News::InferenceFinished { step: 1, id, at, took, usage: None, error: Some(error.clone()) },
        News::Text { text: message.clone() },
        News::Thinking { text: message.clone() },
        News::BudgetReserved { id, amounts: held },
        News::BudgetSettled { id, charged: held },
        hook(HookResult::Passed),
        hook(HookResult::Changed),
        hook(HookResult::Failed(message.clone())),
        hook(HookResult::Refused(message.clone())),
        News::ContinuationEvaluated { step: 1, outcome },
        News::StopRaised { signal: signal(StopReason::StepsLimit) },
        News::ToolStarted { index: 0, call: call.clone() },
        News::ToolProgress { index: 0, message },
        News::ToolFinished { index: 0, call, outcome: ToolOutcome::Ok(deep) },
        News::SubagentStarted { index: 0, agent: agent.clone(), session: session.clone() },
        News::SubagentFinished {
            index: 0,
            agent,
            session,
            status: ExecutionStatus::Completed,
            used: held,
        },
        News::ExecutionFailed { error },
        News::StateUpdated { version: Seq(9), head: id },
    ];
    let entries = samples::entries().into_iter().map(Arc::new);
    all.extend(entries.map(|entry| News::Committed { entry }));
    all
}

#[test]
fn every_news_survives_json() {
    let helper = Origin::root(SessionId::new("s")).child("helper", SessionId::new("s/1"));
    for origin in [Origin::root(SessionId::new("s")), helper.child("below", SessionId::new("x"))] {
        for news in every_news() {
            let event = RunEvent::new(&origin, news);
            let text = serde_json::to_string(&event).unwrap();
            let back: RunEvent =
                serde_json::from_str(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(back, event, "{text}");
            assert_eq!(serde_json::to_string(&back).unwrap(), text);
            // The order of keys does not matter, nor what a newer program adds.
            let mut value: Value = serde_json::from_str(&text).unwrap();
            value["newer"] = json!(true);
            value["news"]["newer"] = json!([1]);
            let back: RunEvent = serde_json::from_value(value).unwrap();
            assert_eq!(back.path, event.path);
        }
    }
    let unknown = r#"{"v":1,"session":"s","news":{"type":"from_the_future"}}"#;
    let error = serde_json::from_str::<RunEvent>(unknown).unwrap_err().to_string();
    assert!(error.contains("from_the_future"), "{error}");
}

#[test]
fn the_json_of_each_kind_of_news_stays_as_it_is() {
    let origin = Origin::root(SessionId::new("s")).child("helper", SessionId::new("s/1"));
    let live = every_news().into_iter().filter(|news| !matches!(news, News::Committed { .. }));
    let mut text = String::new();
    for news in live {
        let line = serde_json::to_string(&RunEvent::new(&origin, news)).unwrap();
        writeln!(text, "{line}").unwrap();
    }
    golden("news-v1.jsonl", &text);
}
