//! News as JSON: every kind survives it, and stays as it is.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use legwork_agent::news::HookResult;
use legwork_agent::{News, RunEvent};
use legwork_core::budget::{Amounts, MicroUsd};
use legwork_core::error::{ErrorKind, ErrorRecord, ErrorSource};
use legwork_core::tool::Metadata;
use legwork_core::{
    ContinuationOutcome, ExecutionStatus, Micros, Seq, SessionId, StopReason, Timestamp, ToolCall,
    ToolOutcome, Usage,
};
use legwork_port::model::Retry;
use legwork_port::{Delta, HookEnd, LiveEvent, Origin, Trigger};
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
        News::ToolFinished { index: 0, call, outcome: ToolOutcome::value(deep) },
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

#[test]
fn every_live_event_is_news_but_for_pieces_of_a_call_which_come_whole() {
    let error = ErrorRecord::new(ErrorSource::Hook("h".to_owned()), ErrorKind::Hook, "broken");
    let (id, at, took) = (Seq(7), Timestamp(BEGIN), Micros(1_500));
    let usage = Usage { input: 9, output: 3, ..Usage::default() };
    let amounts = Amounts { steps: 1, input: 9, ..Amounts::default() };
    let (charged, used) = (Amounts::default(), Amounts { output: 3, ..Amounts::default() });
    let outcome = ContinuationOutcome::stop(signal(StopReason::Completed));
    let raised = signal(StopReason::StepsLimit);
    let call = ToolCall::new("c", "look", "{}");
    let (seen, metadata) = (ToolOutcome::text("seen"), Metadata::default());
    let (session, status) = (SessionId::new("s"), ExecutionStatus::Completed);
    let (wait, left) = (Duration::from_micros(2_500), Duration::MAX);
    let retry =
        Retry { attempt: 1, wait, left, error: "503", discarded: true, charged_attempts: 0 };
    let ran = |end| LiveEvent::HookExecuted { hook: "h", trigger: Trigger::Error, took, end };
    let step = 2;
    let hooked = |end| {
        let (hook, trigger) = ("h".to_owned(), "on_error".to_owned());
        News::HookExecuted { hook, trigger, took, end }
    };
    let text = |text: &str| text.to_owned();
    let told = [
        (LiveEvent::JournalCut { damage: "cut" }, News::JournalCut { damage: text("cut") }),
        (LiveEvent::Warning { message: "odd" }, News::Warning { message: text("odd") }),
        (LiveEvent::StepStarted { step }, News::StepStarted { step }),
        (
            LiveEvent::InferenceStarted { step, id, at, model: "x:y" },
            News::InferenceStarted { step, id, at, model: text("x:y") },
        ),
        (
            LiveEvent::InferenceRetried { step, retry },
            News::InferenceRetried {
                attempt: 1,
                wait_ms: 2,
                left_ms: u64::MAX,
                error: text("503"),
                discarded: true,
            },
        ),
        (
            LiveEvent::InferenceFinished { step, id, at, took, usage: Some(&usage), error: None },
            News::InferenceFinished { step, id, at, took, usage: Some(usage), error: None },
        ),
        (
            LiveEvent::InferenceFinished { step, id, at, took, usage: None, error: Some(&error) },
            News::InferenceFinished { step, id, at, took, usage: None, error: Some(error.clone()) },
        ),
        (LiveEvent::Delta { step, delta: Delta::Text("so") }, News::Text { text: text("so") }),
        (
            LiveEvent::Delta { step, delta: Delta::Thinking("hm") },
            News::Thinking { text: text("hm") },
        ),
        (LiveEvent::BudgetReserved { id, amounts: &amounts }, News::BudgetReserved { id, amounts }),
        (LiveEvent::BudgetSettled { id, charged: &charged }, News::BudgetSettled { id, charged }),
        (ran(HookEnd::Passed), hooked(HookResult::Passed)),
        (ran(HookEnd::Changed), hooked(HookResult::Changed)),
        (ran(HookEnd::Failed("off")), hooked(HookResult::Failed(text("off")))),
        (ran(HookEnd::Refused("no")), hooked(HookResult::Refused(text("no")))),
        (
            LiveEvent::ContinuationEvaluated { step, outcome: &outcome },
            News::ContinuationEvaluated { step, outcome: outcome.clone() },
        ),
        (LiveEvent::StopRaised { signal: &raised }, News::StopRaised { signal: raised.clone() }),
        (
            LiveEvent::ToolStarted { step, index: 3, call: &call },
            News::ToolStarted { index: 3, call: call.clone() },
        ),
        (
            LiveEvent::ToolProgress { index: 3, message: "half" },
            News::ToolProgress { index: 3, message: text("half") },
        ),
        (
            LiveEvent::ToolFinished {
                step,
                index: 3,
                call: &call,
                outcome: &seen,
                metadata: &metadata,
            },
            News::ToolFinished { index: 3, call: call.clone(), outcome: seen.clone() },
        ),
        (
            LiveEvent::SubagentStarted { index: 3, agent: "a", session: &session },
            News::SubagentStarted { index: 3, agent: text("a"), session: session.clone() },
        ),
        (
            LiveEvent::SubagentFinished {
                index: 3,
                agent: "a",
                session: &session,
                status: &status,
                used: &used,
            },
            News::SubagentFinished {
                index: 3,
                agent: text("a"),
                session: session.clone(),
                status: status.clone(),
                used,
            },
        ),
        (
            LiveEvent::ExecutionFailed { error: &error },
            News::ExecutionFailed { error: error.clone() },
        ),
        (
            LiveEvent::StateUpdated { version: Seq(9), head: id },
            News::StateUpdated { version: Seq(9), head: id },
        ),
    ];
    for (live, news) in told {
        assert_eq!(News::from_live(&live), Some(news));
    }
    let pieces =
        [Delta::ToolCall { index: 0, name: "look" }, Delta::Arguments { index: 0, json: "{" }];
    for delta in pieces {
        assert_eq!(News::from_live(&LiveEvent::Delta { step, delta }), None);
    }
}
