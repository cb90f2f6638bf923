//! That what a hook or lifecycle may change is what is told, and what a refused change
//! costs. What is told is held against runs in `permitted.rs`.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_agent::lifecycle::Strictness;
use legwork_agent::{Composite, HookStack, hook, lifecycle};
use legwork_core::event::{CompactionCause, Event};
use legwork_core::state::{
    self, CurrentToolCall, CurrentToolExecution, Judged, ProposedCompaction,
};
use legwork_core::tool::ToolSelection;
use legwork_core::{
    AgentState, ContinuationOutcome, Decision, ErrorKind, ModelRequest, ModelSettings, Seq,
    StopReason,
};
use legwork_port::{BoxFuture, Lifecycle, StepView, Trigger};
use serde_json::json;

use crate::samples;
use crate::tools::{signal, view};

type Change = fn(AgentState) -> AgentState;

/// Each change of something that is not recorded.
const TRANSIENT: [(&str, Change); 10] = [
    ("committed", AgentState::committed),
    ("tool_selection", |state| state.with_tool_selection(Some(ToolSelection::all().hide("look")))),
    ("current_request", |state| {
        let request = state.current_request().unwrap().as_ref().clone();
        state.with_current_request(Some(Arc::new(request)))
    }),
    ("proposed_compaction", |state| state.with_proposed_compaction(None)),
    ("current_tool_call", |state| state.with_tool_call_arguments(json!({"n": 2}))),
    ("current_tool_execution", |state| state.with_current_tool_execution(None)),
    ("judged", |state| state.with_judged(0, Judged::default())),
    ("votes", |state| state.with_vote("test", Decision::Request)),
    ("stop_prevented", |state| state.with_stop_prevented("test")),
    ("provisional_outcome", |state| {
        let outcome = ContinuationOutcome::stop(signal(StopReason::StopRequested));
        state.with_provisional_outcome(Some(Arc::new(outcome)))
    }),
];

/// What is changed: an event of a kind is recorded, or something else.
#[derive(Clone)]
enum What {
    Records(Box<Event>),
    Does(Change),
}

impl What {
    fn to(&self, state: AgentState) -> AgentState {
        match self {
            Self::Records(event) => state.with((**event).clone()),
            Self::Does(change) => change(state),
        }
    }
}

fn changes() -> Vec<(String, What)> {
    let recorded = samples::events().into_iter();
    let recorded = recorded.map(|event| (kind(&event), What::Records(Box::new(at_first(event)))));
    let other = TRANSIENT.into_iter().map(|(name, change)| (name.to_owned(), What::Does(change)));
    recorded.chain(other).collect()
}

/// That a stop is prevented may be said; only the loop carries it out, and records it.
fn kind(event: &Event) -> String {
    match event {
        Event::StopPrevented(_) => "an entry of stop_prevented".to_owned(),
        event => event.kind().to_owned(),
    }
}

/// A result that is changed is that of the call that is shown.
fn at_first(mut event: Event) -> Event {
    if let Event::ToolChanged(changed) = &mut event {
        changed.index = 0;
    }
    event
}

/// A state in which everything that could be pending is.
fn pending() -> AgentState {
    let state = samples::called();
    let slot = &state.current_step().unwrap().calls.get(0).unwrap();
    let (call, execution) = (Arc::clone(&slot.call), slot.execution().cloned());
    let pending = CurrentToolCall::new(0, call, Arc::new(json!({})));
    let begun = samples::begun();
    let settled = begun.context().transcript.settled().unwrap();
    let request = ModelRequest::new(settled, Arc::new(ModelSettings::default()));
    let execution = execution.map(|execution| CurrentToolExecution { index: 0, execution });
    assert!(execution.is_some());
    state
        .with_current_request(Some(Arc::new(request)))
        .with_proposed_compaction(Some(Arc::new(proposed())))
        .with_current_tool_call(Some(Arc::new(pending)))
        .with_current_tool_execution(execution)
}

fn proposed() -> ProposedCompaction {
    ProposedCompaction {
        cause: CompactionCause::Window,
        first_kept: Seq(1),
        also_kept: Vec::new(),
        tokens_before: 100,
        tokens_kept: 10,
        focus: None,
        summary: None,
    }
}

/// A lifecycle that makes one change on every trigger.
struct Makes(What);

impl Lifecycle for Makes {
    fn on<'a>(
        &'a self,
        _: Trigger,
        state: AgentState,
        _: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(std::future::ready(self.0.to(state)))
    }
}

fn noted(key: &'static str) -> What {
    match key {
        "before" => What::Does(|state| state.with_metadata("before", Some(json!(1)))),
        _ => What::Does(|state| state.with_metadata("after", Some(json!(1)))),
    }
}

/// The change between two others, made by hooks and by lifecycles.
fn both(what: &What, strictness: Strictness) -> [(&'static str, Arc<dyn Lifecycle>); 2] {
    let all = [noted("before"), what.clone(), noted("after")];
    let hooks = all.clone().map(|what| {
        hook("test", Trigger::ALL, move |state, _| std::future::ready(Ok(what.to(state))))
    });
    let members = all.map(|what| Arc::new(Makes(what)) as Arc<dyn Lifecycle>);
    [
        ("hook", Arc::new(HookStack::new(hooks).strictness(strictness))),
        ("lifecycle", Arc::new(Composite::new(members.to_vec()).strictness(strictness))),
    ]
}

fn names(after: &AgentState, before: &AgentState) -> Vec<String> {
    let name = |change: &state::Change<'_>| match change {
        state::Change::Recorded(event) => kind(event),
        change => change.name().to_owned(),
    };
    let mut names: Vec<_> = after.changes_since(before).iter().map(name).collect();
    names.sort();
    names
}

#[test]
fn s2_3_every_change_is_tried_and_what_is_told_as_allowed_is_one() {
    let known: BTreeSet<_> = changes().into_iter().map(|(name, _)| name).collect();
    for trigger in Trigger::ALL {
        for told in lifecycle::allowed(trigger) {
            assert!(known.contains(told), "{told} on {trigger:?} is no change");
        }
    }
    let kinds: BTreeSet<_> = samples::events().iter().map(|e| e.kind().to_owned()).collect();
    assert_eq!(kinds, Event::KINDS.iter().map(|kind| (*kind).to_owned()).collect());
    assert_eq!(known.len(), kinds.len() + TRANSIENT.len(), "every kind of change is tried");
}

#[tokio::test]
async fn s2_3_each_change_is_let_in_where_it_is_told_as_allowed_and_costs_only_itself_elsewhere() {
    let (mut let_in, mut refused) = (0, 0);
    for (name, what) in changes() {
        for trigger in Trigger::ALL {
            for strictness in [Strictness::Report, Strictness::Strict] {
                for (who, lifecycle) in both(&what, strictness) {
                    let case = format!("{who} {name} on {trigger:?}, {strictness:?}");
                    let before = pending();
                    let after = lifecycle.on(trigger, before.clone(), &view()).await;
                    let mut expected = vec!["metadata_set".to_owned(); 2];
                    if lifecycle::allowed(trigger).contains(&&*name) {
                        expected.push(name.clone());
                        let_in += 1;
                    } else {
                        expected.push("failed".to_owned());
                        let strict = strictness == Strictness::Strict;
                        if strict && trigger != Trigger::ExecutionEnd {
                            expected.push("stop_raised".to_owned());
                        }
                        told_as_refused(&after, who, &name, trigger, &case);
                        refused += 1;
                    }
                    expected.sort();
                    assert_eq!(names(&after, &before), expected, "{case}");
                    let metadata = &after.context().metadata;
                    for beside in ["before", "after"] {
                        assert!(metadata.contains_key(beside), "{case}: {metadata:?}");
                    }
                }
            }
        }
    }
    // Each place of the table, by hooks and by lifecycles, in both modes.
    let allowed: usize = Trigger::ALL.map(|t| lifecycle::allowed(t).len()).iter().sum();
    assert_eq!(
        (let_in, refused),
        (4 * allowed, 4 * (Trigger::ALL.len() * changes().len() - allowed))
    );
}

fn told_as_refused(after: &AgentState, who: &str, name: &str, trigger: Trigger, case: &str) {
    let error = after.errors().last().unwrap_or_else(|| panic!("{case}: no error"));
    assert_eq!(error.kind, ErrorKind::NotAllowed, "{case}");
    let who = if who == "hook" { "the hook `test`" } else { "a lifecycle" };
    // An event may change what is pending too.
    let on = format!("on {}, where that is not allowed", trigger.name());
    let changed = error.message.strip_prefix(&format!("{who} changed ")).unwrap_or_default();
    let (changed, _) = changed.split_once(&on).unwrap_or_default();
    assert!(changed.trim().split(", ").any(|one| one == name), "{case}: {}", error.message);
}

/// What a hook makes of the pending state at a point, and how that was told.
async fn tried(trigger: Trigger, before: AgentState, change: Change) -> (AgentState, String) {
    let hook = hook("test", [trigger], move |state, _| std::future::ready(Ok(change(state))));
    let after = HookStack::new([hook]).on(trigger, before, &view()).await;
    let message = after.errors().last().map_or_else(String::new, |error| error.message.clone());
    (after, message)
}

#[tokio::test]
async fn s2_3_what_is_judged_or_about_to_be_sent_is_not_taken_away() {
    let removed = |state: AgentState| state.with_current_request(None);
    let (after, why) = tried(Trigger::BeforeInference, pending(), removed).await;
    assert!(after.current_request().is_some() && why.contains("took away the request"), "{why}");

    let removed = |state: AgentState| state.with_current_tool_call(None);
    let (after, why) = tried(Trigger::BeforeToolUse, pending(), removed).await;
    assert!(after.current_tool_call().is_some() && why.contains("took away the call"), "{why}");

    let another = |state: AgentState| {
        let mut pending = state.current_tool_call().unwrap().as_ref().clone();
        pending.call = Arc::new(legwork_core::ToolCall::new("c", "another", "{}"));
        state.with_current_tool_call(Some(Arc::new(pending)))
    };
    let (after, why) = tried(Trigger::BeforeToolUse, pending(), another).await;
    assert_eq!(&*after.current_tool_call().unwrap().call.name, "look");
    assert!(why.contains("put another call in the place"), "{why}");

    let copied = |state: AgentState| {
        let mut pending = state.current_tool_call().unwrap().as_ref().clone();
        pending.call = Arc::new(pending.call.as_ref().clone());
        pending.arguments = Arc::new(json!({"n": 2}));
        state.with_current_tool_call(Some(Arc::new(pending)))
    };
    let (_, why) = tried(Trigger::BeforeToolUse, pending(), copied).await;
    assert!(why.is_empty(), "an equal call is the same call: {why}");
}

#[tokio::test]
async fn s2_3_a_blocked_call_stays_blocked_and_may_be_blocked_for_more() {
    let blocked = || pending().with_tool_call_blocked("guard", "no");
    let answers: [Change; 2] = [
        |state| state.with_tool_call_answered(json!("yes")),
        |state| {
            let mut pending = state.current_tool_call().unwrap().as_ref().clone();
            pending.verdict = None;
            state.with_current_tool_call(Some(Arc::new(pending)))
        },
    ];
    for reopens in answers {
        let (after, why) = tried(Trigger::BeforeToolUse, blocked(), reopens).await;
        assert!(after.tool_call_decided() && why.contains("reopened a call"), "{why}");
    }
    let again = |state: AgentState| state.with_tool_call_blocked("another", "nor I");
    let (after, why) = tried(Trigger::BeforeToolUse, blocked(), again).await;
    assert!(after.tool_call_decided() && why.is_empty(), "{why}");
}

#[tokio::test]
async fn s2_3_votes_and_a_prevented_stop_of_others_stay() {
    let voted = || pending().with_vote("first", Decision::Request).with_stop_prevented("first");
    let (after, why) = tried(Trigger::StepEnd, voted(), AgentState::without_votes).await;
    assert_eq!(after.votes().len(), 1);
    assert!(!why.is_empty());
    let replaced = |state: AgentState| state.without_votes().with_vote("mine", Decision::Request);
    let only_voted = pending().with_vote("first", Decision::Request);
    let (after, why) = tried(Trigger::StepEnd, only_voted, replaced).await;
    assert_eq!(after.votes()[0].by, "first");
    assert!(why.contains("took away a vote"), "{why}");
    let prevented = pending().with_stop_prevented("first");
    let (after, why) = tried(Trigger::BeforeStop, prevented, AgentState::without_votes).await;
    assert_eq!(after.stop_prevented(), Some("first"));
    assert!(why.contains("took back"), "{why}");
}

#[tokio::test]
async fn s2_3_only_the_result_that_is_shown_is_changed() {
    let other = |state: AgentState| {
        state.with_tool_outcome(1, legwork_core::ToolOutcome::text("not shown"))
    };
    let before = pending();
    let (after, why) = tried(Trigger::AfterToolUse, before.clone(), other).await;
    assert_eq!(names(&after, &before), ["failed"]);
    assert!(why.contains("another call than the one that is shown"), "{why}");
}

#[tokio::test]
async fn s9_5_a_compaction_that_was_cancelled_stays_so_and_what_it_keeps_is_not_changed() {
    let on = Trigger::BeforeCompaction;
    let with = |change: fn(&mut ProposedCompaction)| {
        let mut proposed = proposed();
        change(&mut proposed);
        Some(Arc::new(proposed))
    };
    let cancelled = || pending().with_proposed_compaction(None);
    let revived = |state: AgentState| state.with_proposed_compaction(Some(Arc::new(proposed())));
    let (after, why) = tried(on, cancelled(), revived).await;
    assert!(after.proposed_compaction().is_none() && why.contains("was cancelled"), "{why}");

    let cuts = |state: AgentState| {
        let mut other = proposed();
        other.first_kept = Seq(9);
        state.with_proposed_compaction(Some(Arc::new(other)))
    };
    let (after, why) = tried(on, pending(), cuts).await;
    assert_eq!(after.proposed_compaction().map(|one| one.first_kept), Some(Seq(1)));
    assert!(why.contains("more of the compaction"), "{why}");

    let words = with(|one| one.summary = Some("short".to_owned()));
    let before = pending().with_proposed_compaction(words.clone());
    let (after, why) = tried(on, before, |state| {
        let mut one = state.proposed_compaction().unwrap().as_ref().clone();
        one.focus = Some("numbers".to_owned());
        state.with_proposed_compaction(Some(Arc::new(one)))
    })
    .await;
    let after = after.proposed_compaction().cloned().unwrap();
    assert_eq!(
        (after.summary.as_deref(), after.focus.as_deref()),
        (Some("short"), Some("numbers"))
    );
    assert!(why.is_empty(), "{why}");
}
