//! What models read of a session, and what is done to keep it short.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use legwork_agent::context::compaction::{Cannot, Policy};
use legwork_agent::context::transforms::{
    Redact, RemoveSimilar, SlidingWindow, SummariseResults, TruncateResults,
};
use legwork_agent::context::{Context, app, digest};
use legwork_agent::memory::MemoryStore;
use legwork_agent::toolset::StepTools;
use legwork_agent::{Agent, Control, Driver, Error, EventKind, ReAct, Session, StepContext, hook};
use legwork_core::error::ErrorKind;
use legwork_core::event::{CompactionCause, Purpose, RequestSent};
use legwork_core::inference::ToolChoice;
use legwork_core::message::App;
use legwork_core::{
    AgentState, Budget, EffectClass, ErrorRecord, Event, ExecutionStatus, Message, ModelRequest,
    ModelSettings, Part, StopReason, ToolOutcome,
};
use legwork_port::{AppMessage, Profile, model};
use legwork_testkit::{
    Asked, CountingIds, Gate, RecordingObserver, Script, ScriptedModel, Turn, VirtualClock,
    WordEmbedder, crash,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::tools::{World, made, noting, once, said, spec};

const SUMMARY: &str = "## Task\nRead the pages.";

/// Whether a model is asked for a summary of the conversation.
fn asks_for_summary(asked: &Asked) -> bool {
    asked.last().starts_with("The conversation is about to be shortened")
}

/// The page that was read last.
fn last_page(asked: &Asked) -> usize {
    let read = asked.messages.iter().filter_map(|said| said.text.strip_prefix("page "));
    let numbers = read.filter_map(|text| text.split(' ').next()?.parse().ok());
    numbers.max().unwrap_or(0)
}

/// A model that reads so many pages, a step each, and summarises when it is asked to.
fn reader(pages: usize) -> Script {
    Script::from_fn(move |asked| {
        if asks_for_summary(asked) {
            return Turn::text(SUMMARY).without_usage();
        }
        match last_page(asked) {
            last if last < pages => Turn::call("read", json!({"n": last + 1})).without_usage(),
            last => Turn::text(format!("read {last} pages")).without_usage(),
        }
    })
}

/// A tool whose results have about 200 tokens.
fn pages() -> Arc<dyn legwork_port::Tool> {
    made(spec("read").effect(EffectClass::ReadOnly), |arguments, _| {
        let page = format!("page {} {}", arguments["n"], "x".repeat(600));
        Box::pin(std::future::ready(ToolOutcome::text(page)))
    })
}

/// A window of 3,000 tokens, of which a conversation may have half.
fn small() -> Profile {
    Profile::new().with_context_window(3_000)
}

fn agent(model: ScriptedModel, context: Context) -> legwork_agent::Builder {
    Agent::builder(model)
        .tools([pages()])
        .context(context)
        .store_in(Arc::new(MemoryStore::new()))
        .ids(Arc::new(CountingIds::new()))
}

async fn events(session: &Session) -> Vec<Event> {
    let journal = session.journal().await.unwrap();
    journal.entries().iter().map(|entry| entry.event.clone()).collect()
}

fn sent(events: &[Event]) -> Vec<RequestSent> {
    let started = events.iter().filter_map(|event| match event {
        Event::InferenceStarted(started) => started.request.clone(),
        _ => None,
    });
    started.collect()
}

fn causes(events: &[Event]) -> Vec<CompactionCause> {
    let compacted = events.iter().filter_map(|event| match event {
        Event::Compacted(compacted) => Some(compacted.cause.clone()),
        _ => None,
    });
    compacted.collect()
}

fn purposes(events: &[Event]) -> Vec<Purpose> {
    let started = events.iter().filter_map(|event| match event {
        Event::AuxiliaryStarted(started) => Some(started.purpose.clone()),
        _ => None,
    });
    started.collect()
}

#[derive(Serialize, Deserialize)]
struct Deployment {
    version: String,
}

impl AppMessage for Deployment {
    const KIND: &'static str = "deployment";

    fn render(&self, _profile: &Profile) -> Option<Vec<Part>> {
        Some(vec![Part::text(format!("Version {} is live now.", self.version))])
    }
}

#[tokio::test]
async fn s9_1_a_model_reads_what_the_pipeline_makes_of_the_conversation() {
    let model = ScriptedModel::new(reader(1));
    let context = Context::new().transform(TruncateResults::new().bytes(200)).app::<Deployment>();
    let watching = RecordingObserver::new();
    let agent = agent(model.clone(), context).observer(watching.clone()).build().unwrap();
    let unknown = Message::of_app(App::new("ticket", json!({"number": 17})));
    let input = [
        Deployment { version: "2.1".into() }.to_message().unwrap(),
        unknown,
        app::Note { text: "for people".into() }.to_message().unwrap(),
        Message::user("Read."),
    ];
    let run = agent.run_messages(input).in_session("s").await.unwrap();
    let asked = model.asked();
    let texts: Vec<_> = asked[1].messages.iter().map(|said| said.text.clone()).collect();
    assert_eq!(texts[..2], ["Version 2.1 is live now.", "Read."]);
    assert!(texts[3].len() < 400 && texts[3].starts_with("page 1"), "{texts:?}");
    // The transcript keeps everything.
    let kept = run.state().context().transcript.messages();
    assert_eq!(kept.len(), 7);
    assert!(kept.iter().any(|message| message.parts.iter().any(|part| match part {
        Part::ToolResult(result) => result.text().len() > 600,
        _ => false,
    })));
    // There is one warning about what no model can be shown.
    let warned = watching.events().into_iter().filter_map(|event| match event.kind {
        EventKind::Warning { message } => Some(message),
        _ => None,
    });
    let warned: Vec<_> = warned.collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].contains("`ticket`"), "{warned:?}");
}

#[tokio::test]
async fn s9_1_the_journal_has_the_digest_of_each_request_as_it_was_sent() {
    for driver in ["tool_calling", "react"] {
        let script = Script::from_fn(move |asked| match (asked.turn(), driver) {
            (0, "react") => Turn::text(r#"{"action": {"tool": "read", "arguments": {"n": 1}}}"#),
            (_, "react") => Turn::text(r#"{"answer": "done"}"#),
            (0, _) => Turn::call("read", json!({"n": 1})),
            _ => Turn::text("done"),
        });
        let model = ScriptedModel::new(script);
        let context = Context::new().transform(TruncateResults::new().bytes(200));
        let builder = agent(model.clone(), context)
            .hook(hook::before_inference("hotter", async |inference, _| {
                inference.with_instructions("Be quick.")
            }));
        let builder = if driver == "react" { builder.driver(ReAct::new()) } else { builder };
        let agent = builder.build().unwrap();
        agent.run("Read.").in_session("s").await.unwrap();
        let sent = sent(&events(&agent.session("s")).await);
        let requests = model.requests();
        assert_eq!(sent.len(), 2);
        for (sent, request) in sent.iter().zip(&requests) {
            assert_eq!(sent.messages, request.messages().len() as u64);
            if driver == "tool_calling" {
                assert_eq!(sent.digest, digest(request), "of what really was sent");
            }
        }
        assert_ne!(sent[0].digest, sent[1].digest);
        // The second request begins with the whole first one.
        assert_eq!((sent[0].kept, sent[1].kept), (None, Some(1)));
    }
}

#[tokio::test]
async fn s9_5_a_conversation_that_fills_the_window_is_compacted_before_the_next_request() {
    let model = ScriptedModel::new(reader(12)).with_profile(small());
    let agent = agent(model.clone(), Context::new()).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").await.unwrap();
    assert_eq!(run.text(), "read 12 pages");
    let events = events(&agent.session("s")).await;
    let causes = causes(&events);
    assert!(!causes.is_empty() && causes.iter().all(|one| *one == CompactionCause::Window));
    assert_eq!(purposes(&events).len(), causes.len());
    // It is reserved before it is asked, and charged after.
    let kinds: Vec<_> = events.iter().map(Event::kind).collect();
    let at = kinds.iter().position(|kind| *kind == "auxiliary_started").unwrap();
    assert_eq!(kinds[at..at + 3], ["auxiliary_started", "auxiliary_finished", "compacted"]);
    assert_eq!(kinds[at + 3], "inference_started");
    // A summary is not a step: 12 pages and the answer.
    assert_eq!(run.used().steps, 13);
    // No request has more tokens than may be used.
    for asked in model.requests() {
        assert!(asked.estimated_tokens() < 2_200, "{}", asked.estimated_tokens());
    }
    let last = model.asked().pop().unwrap();
    assert!(last.messages[0].text.contains(SUMMARY), "{:?}", last.messages[0]);
    // The task is read as the user wrote it; and everything is kept.
    assert!(last.messages.iter().any(|said| said.text == "Read the pages."));
    assert_eq!(run.state().context().transcript.messages().len(), 2 + 12 * 2);
    // The request for a summary begins as the request before it did.
    let all = model.asked();
    let summary = all.iter().position(asks_for_summary).unwrap();
    let (before, asks) = (&all[summary - 1], &all[summary]);
    let prefix = asks.messages.len() - 1;
    assert!(prefix > 4 && before.messages[..prefix] == asks.messages[..prefix]);
    assert_eq!((&before.tools, &before.instructions), (&asks.tools, &asks.instructions));
}

#[tokio::test]
async fn s9_3_a_summary_is_charged_and_a_limit_that_forbids_it_stops_no_step() {
    let script = reader(12);
    let model = ScriptedModel::new(script).with_profile(small());
    let free = agent(model.clone(), Context::new()).build().unwrap();
    let run = free.run("Read the pages.").in_session("s").await.unwrap();
    let events = events(&free.session("s")).await;
    let charged: u64 = events.iter().map(|event| event.charged().total_tokens()).sum();
    assert_eq!(run.session_used().total_tokens(), charged);
    let beside = events.iter().filter_map(|event| match event {
        Event::AuxiliaryFinished(finished) => Some(finished.charged),
        _ => None,
    });
    let beside: Vec<_> = beside.collect();
    assert!(beside.iter().all(|charged| charged.input > 500 && charged.steps == 0), "{beside:?}");
}

#[tokio::test]
async fn s9_5_an_overflow_is_compacted_once_and_then_fails() {
    let played = |overflows: usize| {
        let left = std::sync::Mutex::new(overflows);
        Script::from_fn(move |asked| {
            if asks_for_summary(asked) {
                return Turn::text(SUMMARY);
            }
            let mut left = left.lock().unwrap();
            match asked.messages.iter().filter(|said| said.text.starts_with("page")).count() {
                count if count < 6 && *left == overflows => {
                    Turn::call("read", json!({"n": count + 1}))
                }
                _ if *left > 0 => {
                    *left -= 1;
                    Turn::error(model::Error::new(
                        model::Kind::ContextOverflow,
                        "prompt is too long",
                    ))
                }
                _ => Turn::text("done"),
            }
        })
    };
    // The window is not known: only the provider says that it is full.
    let model = ScriptedModel::new(played(1));
    let once = agent(model.clone(), Context::new()).build().unwrap();
    let run = once.run("Read the pages.").in_session("s").await.unwrap();
    assert_eq!((run.text().as_str(), run.used().steps), ("done", 7));
    assert_eq!(causes(&events(&once.session("s")).await), [CompactionCause::Overflow]);

    let model = ScriptedModel::new(played(2));
    let twice = agent(model.clone(), Context::new()).build().unwrap();
    let run = twice.run("Read the pages.").in_session("s").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    let error = run.state().step_results().last().unwrap().step.errors.last().cloned().unwrap();
    assert_eq!(error.kind, ErrorKind::ContextOverflow);
    assert!(error.message.contains("still too long"), "{}", error.message);
    assert_eq!(causes(&events(&twice.session("s")).await), [CompactionCause::Overflow]);

    let off = agent(ScriptedModel::new(played(1)), Context::new().without_compaction());
    let run = off.build().unwrap().run("Read the pages.").outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
}

#[tokio::test]
async fn s9_5_a_hook_cancels_a_compaction_or_gives_the_summary() {
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let cancels = hook::before_compaction("keeps", async |compaction, _| compaction.cancel());
    let kept = agent(model.clone(), Context::new()).hook(cancels).build().unwrap();
    kept.run("Read the pages.").in_session("s").await.unwrap();
    assert!(causes(&events(&kept.session("s")).await).is_empty());
    assert!(!model.asked().iter().any(asks_for_summary));

    let replaces = hook::before_compaction("writes", async |compaction, _| {
        let cut = compaction.proposed().map(|proposed| proposed.first_kept);
        compaction.with_summary(format!("Before {}.", cut.unwrap()))
    });
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let own = agent(model.clone(), Context::new()).hook(replaces).build().unwrap();
    own.run("Read the pages.").in_session("s").await.unwrap();
    let events = events(&own.session("s")).await;
    assert!(!causes(&events).is_empty() && purposes(&events).is_empty());
    assert!(!model.asked().iter().any(asks_for_summary));
    assert!(model.asked().last().unwrap().messages[0].text.contains("Before "));

    let focuses = hook::before_compaction("names", async |compaction, _| {
        compaction.with_focus("page numbers")
    });
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let agent = agent(model.clone(), Context::new()).hook(focuses).build().unwrap();
    agent.run("Read the pages.").await.unwrap();
    let asks = model.asked().into_iter().find(asks_for_summary).unwrap();
    assert!(asks.last().contains("page numbers"));
}

#[tokio::test]
async fn s9_5_a_person_compacts_a_session_and_names_what_matters() {
    let model = ScriptedModel::new(reader(9));
    let context = Context::new().compaction(Policy::new().keep(400));
    let agent = agent(model.clone(), context).build().unwrap();
    let session = agent.session("s");
    assert!(matches!(session.compact(None).await, Err(Error::UnknownSession(_))));
    session.run("Read the pages.").await.unwrap();
    let steps = session.state().await.unwrap().session_used().steps;
    let run = session.compact(Some("the numbers".to_owned())).await.unwrap();
    assert_eq!(run.state().status(), Some(&ExecutionStatus::Completed));
    assert!(model.asked().last().unwrap().last().contains("the numbers"));
    assert_eq!(causes(&events(&session).await), [CompactionCause::Manual]);
    assert_eq!(session.state().await.unwrap().session_used().steps, steps);
    // What is left cannot be cut any more.
    let again = session.compact(None).await;
    assert!(matches!(again, Err(Error::Context(Cannot::Short { keep: 400, .. }))), "{again:?}");
    session.run("And now?").await.unwrap();
    let last = model.asked().pop().unwrap();
    assert!(last.messages[0].text.contains(SUMMARY) && last.messages.len() < 8);
}

#[tokio::test]
async fn s9_5_a_model_that_gives_no_summary_is_not_asked_again_in_the_run() {
    let script = Script::from_fn(|asked| match asks_for_summary(asked) {
        true => Turn::text("").without_usage(),
        false if asked.turn() < 10 => Turn::call("read", json!({"n": 1})).without_usage(),
        false => Turn::text("done").without_usage(),
    });
    let model = ScriptedModel::new(script).with_profile(small());
    let watching = RecordingObserver::new();
    let agent = agent(model.clone(), Context::new()).observer(watching.clone()).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(model.asked().iter().filter(|asked| asks_for_summary(asked)).count(), 1);
    let events = events(&agent.session("s")).await;
    assert!(causes(&events).is_empty());
    let warned = watching.events().into_iter().any(|event| match event.kind {
        EventKind::Warning { message } => message.contains("was not compacted"),
        _ => false,
    });
    assert!(warned);
}

#[tokio::test]
async fn s8_1_a_branch_begins_with_a_summary_of_the_path_that_was_left() {
    let script = Script::from_fn(|asked| match asked.last() {
        last if last.starts_with("This attempt is left") => Turn::text("It was wet."),
        last => Turn::text(format!("did {last}")),
    });
    let model = ScriptedModel::new(script);
    let agent = agent(model.clone(), Context::new()).build().unwrap();
    let session = agent.session("s");
    session.run("one").await.unwrap();
    let here = session.state().await.unwrap().head();
    session.run("two").await.unwrap();
    let left = session.state().await.unwrap().head();
    let run = session.branch_with_summary(here).await.unwrap();
    let events = events(&session).await;
    assert_eq!(purposes(&events), [Purpose::BranchSummary]);
    let kinds: Vec<_> = events.iter().map(Event::kind).collect();
    let end = &kinds[kinds.len() - 4..];
    let all = ["auxiliary_started", "auxiliary_finished", "head_moved", "branch_summarised"];
    assert_eq!(end, all);
    match events.last() {
        Some(Event::BranchSummarised(summarised)) => assert_eq!(summarised.from, left),
        other => panic!("{other:?}"),
    }
    assert_eq!(run.state().head(), session.state().await.unwrap().head());
    session.run("three").await.unwrap();
    let last = model.asked().pop().unwrap();
    let texts: Vec<_> = last.messages.iter().map(|said| said.text.as_str()).collect();
    assert_eq!((texts[0], texts[1], texts[3]), ("one", "did one", "three"));
    assert!(texts[2].contains("It was wet.") && texts.len() == 4, "{texts:?}");

    // Without a summary nothing has moved.
    let silent = ScriptedModel::new(Script::from_fn(|_| Turn::text("")));
    let store = Arc::clone(agent.store());
    let other = Agent::builder(silent).store_in(store).build().unwrap();
    let before = session.state().await.unwrap();
    let refused = other.session("s").branch_with_summary(here).await;
    assert!(matches!(refused, Err(Error::NotDone(_))), "{refused:?}");
    let after = session.state().await.unwrap();
    assert_eq!(said(&after), said(&before));
    assert!(other.session("s").branch_with_summary(legwork_core::Seq(999)).await.is_err());
}

#[tokio::test]
async fn s9_3_long_results_are_summarised_before_they_are_sent_and_once() {
    let small = ScriptedModel::new(Script::from_fn(|asked| {
        assert!(asked.last().contains("tool call `read"), "{}", asked.last());
        Turn::text("in short")
    }))
    .named("test:small");
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
        0 => Turn::calls([("read", json!({"n": 1})), ("look", json!({"n": 2}))]),
        _ => Turn::text("done"),
    }));
    let context = Context::new().summarise_results_by(small.clone(), SummariseResults::above(400));
    let world = World::default();
    let agent = agent(model.clone(), context)
        .tools([noting("look", EffectClass::ReadOnly, &world)])
        .build()
        .unwrap();
    agent.run("Read.").in_session("s").await.unwrap();
    let session = agent.session("s");
    let all = events(&session).await;
    assert_eq!(purposes(&all), [Purpose::ToolResultSummary]);
    let named = all.iter().find_map(|event| match event {
        Event::AuxiliaryStarted(started) => started.model.clone(),
        _ => None,
    });
    assert_eq!(named.as_deref(), Some("test:small"));
    let texts: Vec<_> = model.asked()[1].messages.iter().map(|said| said.text.clone()).collect();
    assert!(texts[2].contains("in short") && !texts[2].contains("xxx"), "{texts:?}");
    session.run("Again.").await.unwrap();
    assert_eq!(small.asked().len(), 1, "the journal has the summary");
}

#[tokio::test]
async fn s9_1_what_was_made_and_not_sent_is_no_request_before() {
    let store = Arc::new(MemoryStore::new());
    let reads = || {
        ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
            0 => Turn::call("read", json!({"n": 1})),
            _ => Turn::text("done"),
        }))
    };
    let plain = agent(reads(), Context::new()).store_in(store.clone()).build().unwrap();
    plain.run("Read.").in_session("s").await.unwrap();
    // The first request of the run is made, then a long result in it is summarised.
    let small = ScriptedModel::new([Turn::text("in short")]).named("test:small");
    let context = Context::new().summarise_results_by(small, SummariseResults::above(400));
    let agent = agent(reads(), context).store_in(store).build().unwrap();
    agent.run("Again.").in_session("s").await.unwrap();
    let all = events(&agent.session("s")).await;
    assert_eq!(purposes(&all), [Purpose::ToolResultSummary]);
    let kept: Vec<_> = sent(&all).iter().map(|request| request.kept).collect();
    assert_eq!(kept, [None, Some(1), None]);
}

#[tokio::test]
async fn s9_3_results_that_mean_the_same_are_compared_by_an_embedder_once() {
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
        0 | 1 => Turn::call("read", json!({"n": 1})),
        _ => Turn::text("done"),
    }));
    let context =
        Context::new().remove_similar(WordEmbedder::default(), RemoveSimilar::above(400), 0.95);
    let agent = agent(model.clone(), context).build().unwrap();
    agent.run("Read.").in_session("s").await.unwrap();
    let all = events(&agent.session("s")).await;
    assert_eq!(purposes(&all), [Purpose::Similarity, Purpose::Similarity]);
    let charged = all.iter().filter_map(|event| match event {
        Event::AuxiliaryFinished(finished) => Some(finished.charged.input),
        _ => None,
    });
    assert!(charged.collect::<Vec<_>>().iter().all(|input| *input > 100));
    let texts: Vec<_> = model.asked()[2].messages.iter().map(|said| said.text.clone()).collect();
    assert!(texts[4].contains("says the same as the result of"), "{texts:?}");
    agent.session("s").run("Again.").await.unwrap();
    assert_eq!(purposes(&events(&agent.session("s")).await).len(), 2);
}

#[tokio::test]
async fn s9_3_a_result_is_compared_with_those_that_the_model_still_reads() {
    let context = Context::new().transform(SlidingWindow::of_units(4).down_to(3)).remove_similar(
        WordEmbedder::default(),
        RemoveSimilar::above(400),
        0.95,
    );
    let look = made(spec("look").effect(EffectClass::ReadOnly), |_, _| {
        Box::pin(std::future::ready(ToolOutcome::text("nothing")))
    });
    // The window hides turns from the model.
    let asked = AtomicUsize::new(0);
    let model =
        ScriptedModel::new(Script::from_fn(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
            0 | 6 | 7 => Turn::call("read", json!({"n": 1})),
            number if number < 6 => Turn::call("look", json!({"n": number})),
            _ => Turn::text("done"),
        }));
    agent(model.clone(), context).tools([look]).build().unwrap().run("Read.").await.unwrap();
    let texts = |request: &Asked| -> Vec<_> {
        request.messages.iter().map(|said| said.text.clone()).collect()
    };
    let asked = model.asked();
    let same = |texts: &[String]| texts.iter().filter(|text| text.contains("the same as")).count();
    let pages = |texts: &[String]| texts.iter().filter(|text| text.starts_with("page 1")).count();
    // The first page was left out when it was read again.
    let (again, twice) = (texts(&asked[7]), texts(&asked[8]));
    assert_eq!((pages(&again), same(&again)), (1, 0), "{again:?}");
    assert_eq!((pages(&twice), same(&twice)), (1, 1), "{twice:?}");
}

#[tokio::test]
async fn s9_3_a_cancelled_summary_is_charged_and_leaves_the_conversation_as_it_was() {
    let gate = Gate::new();
    let stalls = gate.clone();
    let script = Script::from_fn(move |asked| match asks_for_summary(asked) {
        true => Turn::text(SUMMARY).behind(&stalls),
        false => Turn::call("read", json!({"n": 1})).without_usage(),
    });
    let model = ScriptedModel::new(script).with_profile(small());
    let agent = agent(model, Context::new()).build().unwrap();
    let control = Control::default();
    let run = agent.run("Read the pages.").in_session("s").control(control.clone()).outcome();
    let session = agent.session("s");
    let cancels = async {
        gate.arrived(1).await;
        // What it may cost is durable before it is asked for.
        assert_eq!(purposes(&events(&session).await), [Purpose::Compaction]);
        control.cancel.cancel();
    };
    let (run, ()) = tokio::join!(run, cancels);
    let run = run.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);
    let events = events(&session).await;
    assert!(causes(&events).is_empty());
    let charged = events.iter().find_map(|event| match event {
        Event::AuxiliaryFinished(finished) => Some(finished.charged),
        _ => None,
    });
    assert!(charged.unwrap().input > 500 && run.state().ledger().auxiliary().is_none());
}

#[tokio::test]
async fn s9_5_a_limit_that_forbids_the_summary_stops_no_step() {
    let model = ScriptedModel::new(reader(8)).with_profile(small());
    let script = Budget::unlimited().input_tokens(1_700 * 8);
    let agent = agent(model.clone(), Context::new()).budget(script).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").outcome().await.unwrap();
    // The limit ends it as that limit, whatever the summary would have cost.
    let events = events(&agent.session("s")).await;
    assert!(run.state().session_used().input <= 1_700 * 8);
    assert!(events.iter().all(|event| !matches!(event, Event::Failed(_))), "{events:?}");
}

#[tokio::test]
async fn s9_5_a_run_that_compacts_ends_the_same_wherever_it_crashes() {
    let build = |world: &World, store: Arc<dyn legwork_port::Store>| {
        let model = ScriptedModel::new(Script::from_fn(|asked| {
            if asks_for_summary(asked) {
                return Turn::text(SUMMARY).without_usage();
            }
            match last_page(asked) {
                last if last < 8 => {
                    let n = last + 1;
                    let calls = [("read", json!({"n": n})), ("send", json!({"n": n}))];
                    Turn::calls(calls).without_usage()
                }
                last => Turn::text(format!("sent {last}")).without_usage(),
            }
        }))
        .with_profile(small());
        Agent::builder(model)
            .tools([pages(), noting("send", once(), world)])
            .store_in(store)
            .build()
    };
    let report = crash::simulate("go", build).crash_everywhere().await.unwrap();
    let compactions = |state: &AgentState| state.context().compaction.is_some();
    assert!(compactions(&report.plain.state));
    assert_eq!(report.plain.text, "sent 8");
    report.check(|plain, crashed| {
        for n in 1..=8 {
            if crashed.world.count(&format!("send {n}")) > 1 {
                return Err(format!("send {n} ran twice"));
            }
        }
        match (crashed.state.status(), compactions(&crashed.state)) {
            (Some(ExecutionStatus::Completed), true) if crashed.text == plain.text => Ok(()),
            other => Err(format!("{other:?} {}", crashed.text)),
        }
    });
}

/// A hook that waits at a gate before a compaction.
fn waits(gate: &Gate) -> legwork_agent::Hook {
    let gate = gate.clone();
    hook::before_compaction("waits", move |compaction, _| {
        let gate = gate.clone();
        async move {
            gate.pass().await;
            compaction
        }
    })
}

#[tokio::test]
async fn s7_7_a_run_that_waits_in_a_hook_before_a_compaction_is_cancelled_or_interrupted() {
    let store = Arc::new(MemoryStore::new());
    let gate = Gate::new();
    let made = |gate: &Gate| {
        let model = ScriptedModel::new(reader(9)).with_profile(small());
        let agent = agent(model, Context::new()).store_in(store.clone());
        agent.hook(waits(gate)).build().unwrap()
    };
    let control = Control::default();
    let interrupts = async {
        gate.arrived(1).await;
        control.interrupt.cancel();
    };
    let run = made(&gate).run("Read the pages.").in_session("s").control(control.clone());
    let run = tokio::join!(run.outcome(), interrupts).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::InProgress);
    assert!(causes(&events(&made(&gate).session("s")).await).is_empty());

    let (again, control) = (Gate::new(), Control::default());
    let cancels = async {
        again.arrived(1).await;
        control.cancel.cancel();
    };
    let run = made(&again).run("Read.").in_session("other").control(control.clone()).outcome();
    let run = tokio::join!(run, cancels).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Cancelled);

    // Resumed, the hook sees the point again.
    gate.open();
    let run = made(&gate).resume("s").await.unwrap();
    assert_eq!(run.text(), "read 9 pages");
    assert!(!causes(&events(&made(&gate).session("s")).await).is_empty());
}

#[tokio::test]
async fn s9_5_what_is_said_while_a_conversation_is_compacted_is_read_by_the_next_inference() {
    let gate = Gate::new();
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let agent = agent(model.clone(), Context::new()).hook(waits(&gate)).build().unwrap();
    let session = agent.session("s");
    let steers = async {
        gate.arrived(1).await;
        session.steer("Mind the margins.").await.unwrap();
        gate.open();
    };
    let run = agent.run("Read the pages.").in_session("s").outcome();
    let run = tokio::join!(run, steers).0.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Completed);
    let asked = model.asked();
    let first = asked.iter().position(asks_for_summary).unwrap();
    let next = asked[first + 1..].iter().find(|asked| !asks_for_summary(asked)).unwrap();
    assert_eq!(next.last(), "Mind the margins.");
}

#[tokio::test]
async fn s9_5_messages_of_one_entry_are_not_parted_and_no_summary_is_bought_twice() {
    let script = Script::from_fn(|asked| match asks_for_summary(asked) {
        true => Turn::text(SUMMARY).without_usage(),
        false => Turn::text("done").without_usage(),
    });
    let model = ScriptedModel::new(script).with_profile(small());
    let agent = agent(model.clone(), Context::new()).build().unwrap();
    // One task of many messages, which together fill the window.
    let input = (0..9).map(|n| Message::user(format!("{n} {}", "y".repeat(700))));
    let run = agent.run_messages(input).in_session("s").await.unwrap();
    assert_eq!(run.text(), "done");
    let asked = model.asked();
    assert!(asked.iter().filter(|asked| asks_for_summary(asked)).count() <= 1);
    agent.session("s").run("And now?").await.unwrap();
    let summaries = model.asked().iter().filter(|asked| asks_for_summary(asked)).count();
    assert!(summaries <= 1, "{summaries}");
}

#[tokio::test]
async fn s9_5_a_summary_that_hangs_is_cut_off_with_the_time_of_the_execution() {
    let (clock, gate) = (VirtualClock::auto(), Gate::new());
    let stalls = gate.clone();
    let script = Script::from_fn(move |asked| match asks_for_summary(asked) {
        true => Turn::text(SUMMARY).behind(&stalls),
        false => Turn::call("read", json!({"n": 1})).without_usage(),
    });
    let model = ScriptedModel::new(script).with_profile(small());
    let agent = agent(model.clone(), Context::new()).clock(Arc::new(clock));
    let agent = agent.budget(Budget::unlimited().time(Duration::from_secs(60))).build();
    let run = agent.unwrap().run("Read the pages.").in_session("s").outcome().await.unwrap();
    assert_eq!(run.state().stop_reason(), Some(&StopReason::TimeLimit), "{:?}", run.status());
    assert_eq!(model.asked().iter().filter(|asked| asks_for_summary(asked)).count(), 1);
}

#[tokio::test]
async fn s9_5_a_hook_that_stops_the_run_buys_no_summary() {
    let stops = hook::before_compaction("stops", async |compaction, _| compaction.stop("enough"));
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let agent = agent(model.clone(), Context::new()).hook(stops).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").outcome().await.unwrap();
    assert_eq!(run.state().stop_reason(), Some(&StopReason::StopRequested));
    assert!(!model.asked().iter().any(asks_for_summary));
}

#[tokio::test]
async fn s9_5_a_run_that_is_interrupted_in_a_hook_buys_no_summary() {
    let control = Control::default();
    let interrupt = control.interrupt.clone();
    let interrupts = hook::before_compaction("interrupts", move |compaction, _| {
        interrupt.cancel();
        async move { compaction }
    });
    let model = ScriptedModel::new(reader(9)).with_profile(small());
    let agent = agent(model.clone(), Context::new()).hook(interrupts).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").control(control);
    assert_eq!(run.outcome().await.unwrap().status(), ExecutionStatus::InProgress);
    assert!(!model.asked().iter().any(asks_for_summary));
    assert!(purposes(&events(&agent.session("s")).await).is_empty());
}

/// A driver that sends the transcript as it is.
struct Whole;

impl Driver for Whole {
    fn name(&self) -> &str {
        "whole"
    }

    fn request(
        &self,
        state: &AgentState,
        _: &StepContext,
        _: &StepTools,
    ) -> Result<ModelRequest, ErrorRecord> {
        let settled = state.context().transcript.settled().unwrap();
        Ok(ModelRequest::new(settled, Arc::new(state.settings().clone())))
    }
}

#[tokio::test]
async fn s9_5_a_driver_that_sends_everything_fails_at_an_overflow() {
    let error = || model::Error::new(model::Kind::ContextOverflow, "prompt is too long");
    let script = Script::from_fn(move |_| Turn::error(error()));
    let model = ScriptedModel::new(script);
    let agent = agent(model.clone(), Context::new()).driver(Whole).build().unwrap();
    let input = ["one", "two", "three"].map(|one| Message::user(one.repeat(900)));
    let run = agent.run_messages(input).outcome().await.unwrap();
    assert_eq!(run.status(), ExecutionStatus::Failed);
    assert!(model.asked().len() <= 2, "{}", model.asked().len());
}

#[tokio::test]
async fn s9_2_what_no_model_may_read_is_not_sent_for_a_summary_or_a_vector() {
    let small = ScriptedModel::new([Turn::text("in short")]);
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.turn() {
        0 => Turn::call("read", json!({"n": 1})),
        _ => Turn::text("done"),
    }));
    let context = Context::new()
        .transform(Redact::by(|text: &str| text.contains("xxxx").then(|| "z".repeat(900))))
        .summarise_results_by(small.clone(), SummariseResults::above(400));
    let agent = agent(model, context).build().unwrap();
    agent.run("Read.").await.unwrap();
    let asked: Vec<_> = small.asked().iter().map(|asked| asked.last().to_owned()).collect();
    assert!(asked.len() == 1 && asked[0].contains("zzzz"), "{asked:?}");
    assert!(!asked[0].contains("xxxx"), "{asked:?}");
}

#[tokio::test]
async fn s8_9_a_branch_with_a_summary_is_not_due() {
    let model = ScriptedModel::new(Script::from_fn(|asked| match asked.last() {
        last if last.starts_with("This attempt is left") => Turn::text("It was wet."),
        _ if asked.turn() == 0 => Turn::call("read", json!({"n": 1})),
        _ => Turn::text("done"),
    }));
    let agent = agent(model, Context::new()).build().unwrap();
    let session = agent.session("s");
    session.run("Read.").await.unwrap();
    let journal = session.journal().await.unwrap();
    let between = journal.entries().iter().find_map(|entry| match entry.event {
        Event::StepFinished(_) => Some(entry.seq),
        _ => None,
    });
    let run = session.branch_with_summary(between.unwrap()).await.unwrap();
    assert_eq!(run.state().status(), Some(&ExecutionStatus::InProgress));
    assert_eq!(run.state().due_at(), None, "a person branches here");
}

#[tokio::test]
async fn s9_5_observers_of_a_compaction_are_told_of_no_execution() {
    let model = ScriptedModel::new(reader(9));
    let context = Context::new().compaction(Policy::new().keep(400));
    let agent = agent(model, context).build().unwrap();
    let session = agent.session("s");
    session.run("Read the pages.").await.unwrap();
    let watching = RecordingObserver::new();
    session.compact(None).observer(watching.clone()).await.unwrap();
    let names = watching.names();
    assert!(!names.iter().any(|name| name.contains("execution")), "{names:?}");
}

#[tokio::test]
async fn s9_5_a_model_that_must_call_a_tool_and_one_that_decides_in_json_give_summaries() {
    let model = ScriptedModel::new(reader(9));
    let context = Context::new().compaction(Policy::new().keep(400));
    let required = ModelSettings { tool_choice: Some(ToolChoice::Required), ..Default::default() };
    let agent = agent(model.clone(), context).settings(required).build().unwrap();
    agent.session("s").run("Read the pages.").await.unwrap();
    agent.session("s").compact(None).await.unwrap();
    assert_eq!(model.requests().pop().unwrap().tool_choice, ToolChoice::Auto);

    let script = Script::from_fn(|asked| match asked.last() {
        last if last.contains("Write plain text, not JSON") => Turn::text(SUMMARY),
        _ if asked.turn() < 4 => {
            Turn::text(r#"{"action": {"tool": "read", "arguments": {"n": 1}}}"#)
        }
        _ => Turn::text(r#"{"answer": "done"}"#),
    });
    let model = ScriptedModel::new(script);
    let context = Context::new().compaction(Policy::new().keep(400));
    let react = Agent::builder(model.clone())
        .tools([pages()])
        .context(context)
        .driver(ReAct::new())
        .store_in(Arc::new(MemoryStore::new()));
    let session = react.build().unwrap().session("s");
    session.run("Read the pages.").await.unwrap();
    session.compact(None).await.unwrap();
    let asks = model.asked().pop().unwrap();
    assert!(asks.messages.iter().all(|said| said.calls.is_empty() && said.answers.is_none()));
}

#[tokio::test]
async fn s9_5_a_model_that_gave_no_summary_is_asked_again_after_an_overflow() {
    let asks = std::sync::atomic::AtomicUsize::new(0);
    let script = Script::from_fn(move |asked| {
        let count = || asks.load(std::sync::atomic::Ordering::Relaxed);
        if asks_for_summary(asked) {
            let before = asks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return Turn::text(if before == 0 { "" } else { SUMMARY }).without_usage();
        }
        match count() {
            0 => Turn::call("read", json!({"n": 1})).without_usage(),
            // The request that was to be shortened is refused.
            1 => Turn::error(model::Error::new(model::Kind::ContextOverflow, "too long")),
            _ => Turn::text("done").without_usage(),
        }
    });
    let model = ScriptedModel::new(script).with_profile(small());
    let agent = agent(model, Context::new()).build().unwrap();
    let run = agent.run("Read the pages.").in_session("s").await.unwrap();
    assert_eq!(run.text(), "done");
    assert_eq!(causes(&events(&agent.session("s")).await), [CompactionCause::Overflow]);
}
