//! Arbitrary events, with small numbers so that they refer to each other.

use std::sync::Arc;

use legwork_core::approval::Approval;
use legwork_core::budget::{Amounts, Budget, Dimension, MicroUsd};
use legwork_core::continuation::Vote;
use legwork_core::error::{ErrorKind, ErrorSource};
use legwork_core::event::{self, Definition, HeadMoved, Unknown};
use legwork_core::inbox::{Answer, Cursor, Item, Label, Verdict};
use legwork_core::inference::Discarded;
use legwork_core::message::{App, Image, MediaSource, ProviderData, Thinking, ToolResult};
use legwork_core::output::Stage;
use legwork_core::settings::SessionSettings;
use legwork_core::state::{Pending, PendingReason};
use legwork_core::tool::{Deferral, InputRequest, Metadata, Prompt, ToolSpecs};
use legwork_core::undo::UndoOutcome;
use legwork_core::{
    ContinuationOutcome, Decision, Digest, EffectClass, EffectKey, ErrorRecord, Event, Message,
    Micros, ModelSettings, OnDoubt, Part, Response, Role, Seq, SessionId, StopReason, StopSignal,
    Timestamp, ToolCall, ToolOutcome, ToolSpec, Usage,
};
use proptest::prelude::*;
use serde_json::Value;

/// How many cases are tried; failures are printed, without a regression file.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

pub(crate) fn text() -> BoxedStrategy<String> {
    prop_oneof![
        3 => "[a-z ]{0,8}",
        1 => prop::collection::vec(any::<char>(), 0..6).prop_map(String::from_iter),
        1 => Just("\u{0}\u{1f}\u{7f}\u{2028}\u{2029}\u{feff}\u{202e}🧵\"\\/\r\n\t".to_owned()),
        1 => Just(r"\ud800 \u0000 \n".to_owned()),
    ]
    .boxed()
}

pub(crate) fn json() -> BoxedStrategy<Value> {
    let number = prop_oneof![
        any::<u64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>()
            .prop_filter("JSON has no such number", |n| n.is_finite())
            .prop_map(Value::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number,
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(text(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
    .boxed()
}

fn small() -> BoxedStrategy<u64> {
    prop_oneof![4 => 0u64..8, 1 => any::<u64>()].boxed()
}

pub(crate) fn index() -> BoxedStrategy<u32> {
    prop_oneof![8 => 0u32..4, 1 => any::<u32>()].boxed()
}

fn call_id() -> BoxedStrategy<String> {
    (0u8..4).prop_map(|n| format!("c{n}")).boxed()
}

fn call() -> BoxedStrategy<Part> {
    (call_id(), "[ab]", text(), prop::option::of(json()))
        .prop_map(|(id, name, arguments, provider)| {
            let provider = provider.map(|data| ProviderData::new("p", data));
            Part::ToolCall(Arc::new(ToolCall { provider, ..ToolCall::new(id, name, arguments) }))
        })
        .boxed()
}

fn result() -> BoxedStrategy<Part> {
    (call_id(), text(), any::<bool>())
        .prop_map(|(call, text, is_error)| {
            Part::ToolResult(ToolResult { is_error, ..ToolResult::new(call, "a", text) })
        })
        .boxed()
}

fn part() -> BoxedStrategy<Part> {
    prop_oneof![
        3 => text().prop_map(Part::text),
        1 => text().prop_map(|text| Part::Refusal(text.into())),
        1 => (text(), prop::option::of(json())).prop_map(|(text, data)| {
            let provider = data.map(|data| ProviderData::new("p", data));
            Part::Thinking(Thinking { text, id: None, provider })
        }),
        1 => text().prop_map(|url| {
            Part::Image(Image { media_type: "image/png".into(), source: MediaSource::Url(url) })
        }),
        1 => json().prop_map(Part::Other),
        4 => call(),
        2 => result(),
    ]
    .boxed()
}

fn role() -> BoxedStrategy<Role> {
    prop_oneof![
        Just(Role::User),
        Just(Role::Assistant),
        Just(Role::Tool),
        text().prop_map(|text| Role::from(text.as_str()))
    ]
    .boxed()
}

fn message() -> BoxedStrategy<Arc<Message>> {
    let app = ("[a-c]", json()).prop_map(|(kind, data)| Message::of_app(App::new(kind, data)));
    let plain = (role(), prop::collection::vec(part(), 0..4));
    prop_oneof![8 => plain.prop_map(|(r, parts)| Message::new(r, parts)), 1 => app]
        .prop_map(Arc::new)
        .boxed()
}

/// What a model really answers: words, thoughts and calls, no results.
fn answer() -> BoxedStrategy<Arc<Message>> {
    let part = prop_oneof![text().prop_map(Part::text), call(), call()];
    let parts = prop::collection::vec(part, 0..4);
    prop_oneof![4 => parts.prop_map(|parts| Arc::new(Message::assistant(parts))), 1 => message()]
        .boxed()
}

fn amounts() -> BoxedStrategy<Amounts> {
    let marks = (any::<bool>(), any::<bool>());
    ([small(), small(), small(), small(), small(), small(), small()], marks)
        .prop_map(|([a, b, c, d, e, f, g], (estimated, unpriced))| Amounts {
            steps: a,
            tool_calls: b,
            input: c,
            output: d,
            tokens: e,
            cost: MicroUsd(f),
            active_time: Micros(g),
            estimated,
            unpriced,
        })
        .boxed()
}

fn call_started() -> BoxedStrategy<Event> {
    let child = prop::option::weighted(0.2, text()).prop_map(|id| id.map(Into::into));
    let reserved = prop_oneof![3 => Just(Amounts::default()), 1 => amounts()];
    (index(), effect(), prop::option::of(text()), child, reserved, any::<bool>())
        .prop_map(|(index, effect, arguments, child, reserved, again)| {
            let arguments = arguments.map(Arc::from);
            Event::ToolStarted(event::ToolStarted {
                index,
                effect,
                arguments,
                child,
                reserved,
                again,
            })
        })
        .boxed()
}

fn call_finished() -> BoxedStrategy<Event> {
    let used = prop_oneof![3 => Just(Amounts::default()), 1 => amounts()];
    (index(), outcome(), small(), metadata(), used)
        .prop_map(|(index, outcome, took, metadata, used)| {
            let took = Micros(took);
            Event::ToolFinished(event::ToolFinished { index, outcome, took, metadata, used })
        })
        .boxed()
}

fn usage() -> BoxedStrategy<Usage> {
    [small(), small(), small(), small(), small()]
        .prop_map(|[a, b, c, d, e]| Usage {
            input: a,
            output: b,
            cache_read: c,
            cache_write: d,
            cache_write_hour: d / 2,
            reasoning: e,
        })
        .boxed()
}

fn response() -> BoxedStrategy<Arc<Response>> {
    let incomplete = prop_oneof![4 => Just(None), 1 => text().prop_map(Some)];
    let raw = prop::collection::btree_map(text(), json(), 0..2);
    let bound = prop::option::of(text());
    (answer(), prop::option::of(usage()), text(), incomplete, bound, 0u32..3, raw)
        .prop_map(|(message, usage, finish, incomplete, bound, charged_attempts, raw)| {
            let finish = finish.as_str().into();
            let incomplete = incomplete.map(|text| text.as_str().into());
            let raw = raw.into_iter().collect();
            let came = 0;
            let (model, id, request_id) = (Some("m".into()), bound.clone(), bound.clone());
            let paid = |usage| Discarded { model: "a:b".into(), usage, cost: None };
            let discarded = usage.map(paid).into_iter().collect();
            Arc::new(Response {
                message,
                model,
                id,
                usage,
                finish,
                incomplete,
                bound,
                came,
                charged_attempts,
                request_id,
                discarded,
                raw,
            })
        })
        .boxed()
}

fn effect() -> BoxedStrategy<EffectClass> {
    prop::sample::select(vec![
        EffectClass::ReadOnly,
        EffectClass::Idempotent,
        EffectClass::Once(OnDoubt::Ask),
        EffectClass::Once(OnDoubt::Tell),
    ])
    .boxed()
}

fn metadata() -> BoxedStrategy<Metadata> {
    let some = prop::collection::vec((text(), json()), 0..3);
    some.prop_map(|some| {
        let mut metadata = Metadata::default();
        some.into_iter().for_each(|(name, value)| metadata.insert(name, value));
        metadata
    })
    .boxed()
}

fn outcome() -> BoxedStrategy<Arc<ToolOutcome>> {
    let kind = prop_oneof![text(), Just("invalid_arguments".to_owned())];
    prop_oneof![
        json().prop_map(ToolOutcome::value),
        text().prop_map(ToolOutcome::Retry),
        (kind, text()).prop_map(|(k, m)| ToolOutcome::Failed(k.as_str().into(), m)),
        (text(), text()).prop_map(|(by, reason)| ToolOutcome::Blocked { by, reason }),
        (text(), text()).prop_map(|(by, reason)| ToolOutcome::Denied { by, reason }),
        small().prop_map(|at| ToolOutcome::Deferred(Deferral::Until(Timestamp(at)))),
        Just(ToolOutcome::Deferred(Deferral::External)),
        Just(ToolOutcome::Interrupted),
        text().prop_map(ToolOutcome::Skipped),
        Just(ToolOutcome::Withdrawn),
    ]
    .prop_map(Arc::new)
    .boxed()
}

fn error() -> BoxedStrategy<ErrorRecord> {
    let source = prop_oneof![
        Just(ErrorSource::Model),
        Just(ErrorSource::Driver),
        text().prop_map(|id| ErrorSource::Tool(id.into())),
        text().prop_map(ErrorSource::Hook),
        text().prop_map(ErrorSource::Criterion),
    ];
    (source, text(), text(), prop::option::of(any::<u16>()), any::<bool>())
        .prop_map(|(source, kind, message, status, retryable)| {
            let kind = ErrorKind::from(kind.as_str());
            ErrorRecord { status, retryable, ..ErrorRecord::new(source, kind, message) }
        })
        .boxed()
}

pub(crate) fn signal() -> BoxedStrategy<StopSignal> {
    let names = ["error", "user_requested", "steps_limit", "completed", "finish_reason", "odd"];
    let limit = ("[a-z]{1,3}", small(), small(), small());
    let limit = prop::option::of(limit.prop_map(|(dimension, limit, used, wanted)| {
        let dimension = dimension.as_str().into();
        legwork_core::budget::Exhausted { dimension, limit, used, wanted }
    }));
    let error = prop::option::weighted(0.3, error().prop_map(Box::new));
    (prop::sample::select(names.to_vec()), "[a-b]", "[a-b]", limit, error)
        .prop_map(|(reason, source, message, limit, error)| StopSignal {
            limit,
            error,
            ..StopSignal::new(StopReason::from(reason), source, message)
        })
        .boxed()
}

pub(crate) fn votes() -> BoxedStrategy<Vec<Vote>> {
    let decision = prop_oneof![
        signal().prop_map(Decision::Forbid),
        signal().prop_map(Decision::Stop),
        Just(Decision::Request),
        Just(Decision::Allow),
    ];
    let vote = ("[a-c]", decision).prop_map(|(by, decision)| Vote { by, decision });
    prop::collection::vec(vote, 0..6).boxed()
}

fn decided() -> BoxedStrategy<Arc<ContinuationOutcome>> {
    votes().prop_map(|votes| Arc::new(legwork_core::continuation::resolve(&votes))).boxed()
}

fn pending() -> BoxedStrategy<Pending> {
    (pending_id(), index(), text(), reason())
        .prop_map(|(id, index, arguments, reason)| Pending {
            digest: Digest::of_bytes(id.as_bytes()),
            id,
            index,
            tool: "a".into(),
            arguments: arguments.into(),
            input: match reason {
                PendingReason::Input => Some(InputRequest::new("which?").into()),
                PendingReason::Model => Some(InputRequest::of_model(Prompt::new("hi")).into()),
                _ => None,
            },
            reason,
            asked_at: Timestamp(1),
            what: None,
            spec: None,
            of_policy: false,
            explanation: None,
            metadata: Metadata::default(),
            expires_at: None,
        })
        .boxed()
}

fn reason() -> BoxedStrategy<PendingReason> {
    prop_oneof![
        Just(PendingReason::Doubt),
        Just(PendingReason::Subagent),
        Just(PendingReason::Approval),
        Just(PendingReason::External),
        Just(PendingReason::Until(Timestamp(3))),
        Just(PendingReason::Input),
        Just(PendingReason::Model),
    ]
    .boxed()
}

fn pending_id() -> BoxedStrategy<String> {
    (0u8..4).prop_map(|n| format!("p{n}")).boxed()
}

fn person() -> BoxedStrategy<Answer> {
    let verdict = prop_oneof![
        Just(Verdict::RunAgain),
        Just(Verdict::Tell),
        json().prop_map(Verdict::Supply),
        text().prop_map(Verdict::Deny),
        pending_id().prop_map(|id| Verdict::Approve(Approval {
            digest: Digest::of_bytes(id.as_bytes()),
            arguments: None,
            remember: None,
        })),
    ];
    (pending_id(), verdict).prop_map(|(id, verdict)| Answer::new(id, verdict)).boxed()
}

fn label() -> BoxedStrategy<Label> {
    (small(), prop::option::of(text()))
        .prop_map(|(at, text)| Label { entry: Seq(at), text })
        .boxed()
}

fn item() -> BoxedStrategy<Item> {
    prop_oneof![
        message().prop_map(Item::Steer),
        message().prop_map(Item::FollowUp),
        text().prop_map(Item::Stop),
        person().prop_map(Item::Answer),
        label().prop_map(Item::Label),
        small().prop_map(|at| Item::MoveHead(Seq(at))),
        prop::option::of(text()).prop_map(Item::Title),
        text().prop_map(Item::Suspend),
        settings().prop_map(Item::Set),
        (text(), prop::option::of(json()))
            .prop_map(|(key, value)| Item::SetMetadata(event::MetadataSet { key, value })),
        message().prop_map(Item::Task),
    ]
    .boxed()
}

fn settings() -> BoxedStrategy<SessionSettings> {
    let text = || prop::option::of(text());
    (any::<bool>(), text(), text(), prop::option::of(small()), any::<bool>())
        .prop_map(|(reset, model, instructions, steps, unlimited)| SessionSettings {
            reset,
            model: model.map(Into::into),
            instructions: instructions.map(Into::into),
            limits: Budget { steps, ..Budget::unlimited() },
            unlimited: unlimited.then_some(Dimension::ToolCalls).into_iter().collect(),
        })
        .boxed()
}

fn definition() -> BoxedStrategy<Definition> {
    let number = any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite());
    (text(), prop::option::of(number), prop::option::of(small()), prop::option::of(text()))
        .prop_map(|(instructions, temperature, steps, version)| Definition {
            instructions: instructions.into(),
            settings: ModelSettings { temperature, ..ModelSettings::default() },
            budget: Budget { steps, ..Budget::unlimited() },
            version,
            output: None,
            tools: None,
        })
        .boxed()
}

fn shown() -> BoxedStrategy<event::ToolsShown> {
    let spec =
        ("[ab]", text(), json(), effect()).prop_map(|(name, description, schema, effect)| {
            Arc::new(ToolSpec::new(name, description, schema).effect(effect))
        });
    (prop::collection::vec(spec, 0..3), prop::option::of(text()))
        .prop_map(|(specs, instructions)| event::ToolsShown {
            digest: ToolSpecs::new(specs.clone()).digest().cloned(),
            digests: specs.iter().map(|spec| spec.digest()).collect(),
            specs,
            instructions: instructions.map(Into::into),
        })
        .boxed()
}

/// Any event, valid in its place or not.
pub(crate) fn event() -> BoxedStrategy<Event> {
    prop_oneof![4 => of_a_step(), 2 => of_a_session(), 2 => of_an_execution(), 1 => of_a_view()]
        .boxed()
}

/// About what a model reads of the conversation.
fn of_a_view() -> BoxedStrategy<Event> {
    let key = || {
        (small(), 0u32..3).prop_map(|(entry, index)| event::ResultKey { entry: Seq(entry), index })
    };
    let purpose =
        prop_oneof![Just(event::Purpose::Compaction), text().prop_map(|t| t.as_str().into())];
    let cause =
        prop_oneof![Just(event::CompactionCause::Window), text().prop_map(|t| t.as_str().into())];
    let words = || prop::collection::vec(text().prop_map(Arc::from), 0..2);
    let kept = prop::collection::vec(small().prop_map(Seq), 0..2);
    let compacted = (text(), 0u64..40, kept, cause, small(), [words(), words(), words()]);
    prop_oneof![
        2 => (purpose, prop::option::of(text()), amounts()).prop_map(|(purpose, model, reserved)| {
            let model = model.map(Arc::from);
            Event::AuxiliaryStarted(event::AuxiliaryStarted { purpose, model, reserved })
        }),
        2 => (amounts(), prop::option::of(error())).prop_map(|(charged, error)| {
            Event::AuxiliaryFinished(event::AuxiliaryFinished { charged, error }.into())
        }),
        3 => compacted.prop_map(|(summary, first, also_kept, cause, tokens_before, [a, b, c])| {
            Event::Compacted(Arc::new(event::Compacted {
                summary,
                first_kept: Seq(first),
                also_kept,
                cause,
                tokens_before,
                files_read: a,
                files_changed: b,
                open_tasks: c,
            }))
        }),
        1 => (small(), message()).prop_map(|(from, message)| {
            Event::BranchSummarised(event::BranchSummarised { from: Seq(from), message })
        }),
        1 => (key(), text()).prop_map(|(result, summary)| {
            Event::ResultSummarised(Arc::new(event::ResultSummarised { result, summary }))
        }),
        1 => (key(), prop::option::of(key())).prop_map(|(result, repeats)| {
            Event::ResultCompared(event::ResultCompared { result, repeats })
        }),
    ]
    .boxed()
}

fn of_a_step() -> BoxedStrategy<Event> {
    let sent = (small(), prop::option::of(small())).prop_map(|(messages, kept)| {
        event::RequestSent { digest: Digest::of_bytes(b"request"), messages, kept }
    });
    let sent = prop::option::weighted(0.2, sent);
    let started = (amounts(), prop::option::weighted(0.2, shown().prop_map(Arc::new)), sent);
    prop_oneof![
        4 => started.prop_map(|(reserved, tools, request)| {
            Event::InferenceStarted(event::InferenceStarted { reserved, tools, request })
        }),
        1 => (error(), amounts()).prop_map(|(error, charged)| {
            Event::InferenceFailed(event::InferenceFailed { error, charged }.into())
        }),
        1 => amounts().prop_map(|charged| {
            Event::InferenceInterrupted(event::InferenceInterrupted { charged })
        }),
        4 => (response(), amounts()).prop_map(|(response, charged)| {
            Event::Responded(event::Responded { response, charged })
        }),
        1 => response().prop_map(|response| {
            Event::ResponseChanged(event::ResponseChanged { response })
        }),
        3 => call_started(),
        8 => call_finished(),
        2 => (index(), outcome()).prop_map(|(index, outcome)| {
            Event::ToolChanged(event::ToolChanged { index, outcome })
        }),
        1 => (prop::collection::vec(pending(), 0..3), any::<(bool, bool)>(), amounts()).prop_map(
            |(pending, (adds, passed), used)| {
                Event::Paused(event::Paused { pending, adds, passed, used })
            },
        ),
        1 => json().prop_map(|value| {
            Event::OutputAccepted(event::OutputAccepted { value: Arc::new(value), call: None })
        }),
        1 => text().prop_map(|problem| {
            let (stage, call) = (Stage::Schema, Some(0));
            Event::OutputRejected(event::OutputRejected { stage, problem, call })
        }),
        1 => person().prop_map(|answer| Event::Answered(event::Answered { answer }.into())),
        2 => (decided(), small()).prop_map(|(outcome, took)| {
            Event::StepFinished(event::StepFinished { outcome, took: Micros(took) })
        }),
    ]
    .boxed()
}

fn of_an_execution() -> BoxedStrategy<Event> {
    prop_oneof![
        3 => prop::collection::vec(message(), 0..3).prop_map(|input| {
            Event::ExecutionStarted(event::ExecutionStarted { input })
        }),
        1 => Just(Event::ExecutionReopened(event::ExecutionReopened {})),
        1 => (small(), any::<bool>()).prop_map(|(took, rests)| {
            Event::Worked(event::Worked { rests, takes_up: !rests && took % 2 == 0, ..event::Worked::on(Micros(took)) })
        }),
        1 => (text(), decided()).prop_map(|(status, outcome)| {
            let status = status.as_str().into();
            Event::ExecutionFinished(event::ExecutionFinished { status, outcome })
        }),
        1 => error().prop_map(Event::Failed),
        1 => signal().prop_map(|signal| Event::StopRaised(signal.into())),
        1 => text().prop_map(|by| Event::StopPrevented(event::StopPrevented { by })),
        1 => message().prop_map(Event::FollowedUp),
        2 => message().prop_map(Event::Steered),
        2 => message().prop_map(Event::MessageAdded),
        1 => (text(), prop::option::of(json())).prop_map(|(key, value)| {
            Event::MetadataSet(event::MetadataSet { key, value })
        }),
    ]
    .boxed()
}

fn of_a_session() -> BoxedStrategy<Event> {
    let refused = (item(), text()).prop_map(|(item, reason)| event::RefusedItem { item, reason });
    let taken = (small(), text(), prop::option::weighted(0.2, refused));
    prop_oneof![
        1 => text().prop_map(|agent| {
            let (session, agent) = ("s".into(), agent.into());
            Event::SessionStarted(event::SessionStarted { session, agent, parent: None, forked_from: None })
        }),
        1 => (definition(), any::<bool>()).prop_map(|(definition, own)| {
            let digest = own.then(|| definition.digest());
            Event::Defined(event::Defined { definition: definition.into(), digest })
        }),
        3 => taken.prop_map(|(cursor, key, refused)| {
            Event::InboxTaken(event::InboxTaken { cursor: Cursor(cursor), key, refused }.into())
        }),
        2 => message().prop_map(Event::FollowUpQueued),
        1 => small().prop_map(|to| Event::HeadMoved(HeadMoved { to: Seq(to) })),
        1 => label().prop_map(Event::Labelled),
        1 => prop::option::of(text()).prop_map(|text| Event::Titled(event::Titled { text })),
        1 => prop::option::of(text()).prop_map(|reason| match reason {
            Some(reason) => Event::Suspended(event::Suspended { reason }),
            None => Event::Resumed(event::Resumed {}),
        }),
        1 => settings().prop_map(|settings| Event::SettingsSet(settings.into())),
        1 => (small(), 0u32..3, text(), any::<bool>()).prop_map(|(entry, index, words, done)| {
            let call = EffectKey { session: SessionId::new("s"), entry: Seq(entry), index };
            let outcome = match done {
                true => UndoOutcome::Done(words),
                false => UndoOutcome::Refused(words),
            };
            Event::UndoFinished(event::UndoFinished { call, outcome })
        }),
        1 => (small(), 0u32..3).prop_map(|(entry, index)| {
            let call = EffectKey { session: SessionId::new("s.1"), entry: Seq(entry), index };
            Event::UndoStarted(event::UndoStarted { call })
        }),
        1 => (text(), json()).prop_map(|(kind, body)| {
            Event::Other(Unknown::new(format!("other {kind}"), &body))
        }),
    ]
    .boxed()
}
