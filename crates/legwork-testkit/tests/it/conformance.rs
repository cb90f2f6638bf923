//! The suites on what the test kit has itself, and on what breaks their promises.

use std::collections::BTreeMap;
use std::future::ready;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use legwork_core::{
    AgentState, FinishReason, Mask, Message, ModelRequest, Part, Response, ToolCall, ToolOutcome,
    ToolSpec,
};
use legwork_port::embedder::{self as port_embedder, Embeddings, Request};
use legwork_port::model::{self as port_model, Delta, Deltas, Profile};
use legwork_port::toolset::{Error, OpenToolset, Scope};
use legwork_port::{
    BoxFuture, Deps, Embedder, Lifecycle, Model, StepView, Tool, ToolContext, Toolset, Trigger,
};
use legwork_testkit::ScriptedModel;
use legwork_testkit::conformance::model::{Behaviour, TEXT};
use legwork_testkit::conformance::{Violations, embedder, lifecycle, model, toolset};
use legwork_testkit::embedder::WordEmbedder;
use serde_json::json;

/// The names of the checks that found something.
fn broken(checked: Result<(), Violations>) -> Vec<&'static str> {
    checked.unwrap_err().0.iter().map(|violation| violation.check).collect()
}

#[tokio::test]
async fn the_scripted_model_keeps_the_promises_of_a_model() {
    model::check(async |behaviour| ScriptedModel::new(behaviour.script())).await.unwrap();
}

/// A model that gets one thing wrong.
struct WrongModel {
    behaviour: Behaviour,
    wrong: Wrong,
    asked: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Name,
    SendsUnasked,
    SwallowsAPiece,
    GoesOnAfterTheCut,
    ForgetsThatItWasCut,
    CallsShareAnId,
    SendsArgumentsFirst,
    SwapsCalls,
    SendsWithAnError,
    HidesAnError,
    AnswersTwice,
}

impl WrongModel {
    fn send(&self, deltas: &mut Option<&mut dyn Deltas>, pieces: &[Delta<'_>]) -> usize {
        let streams =
            |deltas: &&mut dyn Deltas| deltas.streams() || self.wrong == Wrong::SendsUnasked;
        let Some(deltas) = deltas.as_mut().filter(|deltas| streams(deltas)) else {
            return pieces.len();
        };
        for (number, piece) in pieces.iter().enumerate() {
            if self.wrong == Wrong::SwallowsAPiece && number == 1 {
                continue;
            }
            if deltas.delta(*piece) == ControlFlow::Break(())
                && self.wrong != Wrong::GoesOnAfterTheCut
            {
                return number + 1;
            }
        }
        pieces.len()
    }

    fn text(&self, deltas: &mut Option<&mut dyn Deltas>) -> Response {
        let pieces: Vec<_> = TEXT.split_inclusive(' ').collect();
        let sent =
            self.send(deltas, &pieces.iter().map(|piece| Delta::Text(piece)).collect::<Vec<_>>());
        let first = self.asked.fetch_add(1, Ordering::SeqCst) == 0;
        let text = match self.wrong {
            Wrong::AnswersTwice if !first => TEXT.repeat(2),
            _ => pieces[..sent].concat(),
        };
        let mut response =
            Response::new(Message::assistant(vec![Part::text(text)]), FinishReason::Stop);
        if sent < pieces.len() && self.wrong != Wrong::ForgetsThatItWasCut {
            response.incomplete = Some(legwork_core::inference::Incomplete::OverReserve);
        }
        response
    }

    fn calls(&self, deltas: &mut Option<&mut dyn Deltas>) -> Response {
        let arguments = [r#"{"a":1,"b":2}"#, r#"{"a":3,"b":4}"#];
        let mut pieces = Vec::new();
        for (index, json) in arguments.into_iter().enumerate() {
            let began = Delta::ToolCall { index, name: "add" };
            let (one, two) = json.split_at(5);
            pieces.push(began);
            pieces.extend([one, two].map(|json| Delta::Arguments { index, json }));
            if self.wrong == Wrong::SendsArgumentsFirst {
                let at = pieces.len() - 3;
                pieces.swap(at, at + 1);
            }
        }
        let sent = self.send(deltas, &pieces);
        let id = |index: usize| match self.wrong {
            Wrong::CallsShareAnId => "same".to_owned(),
            _ => format!("call {index}"),
        };
        let call = |(index, json): (usize, &&str)| {
            Part::ToolCall(Arc::new(ToolCall::new(id(index), "add", *json)))
        };
        let mut parts: Vec<_> = arguments.iter().enumerate().map(call).collect();
        if self.wrong == Wrong::SwapsCalls {
            parts.reverse();
        }
        let mut response = Response::new(Message::assistant(parts), FinishReason::ToolCalls);
        if sent < pieces.len() {
            response.incomplete = Some(legwork_core::inference::Incomplete::OverReserve);
        }
        response
    }
}

impl Model for WrongModel {
    fn name(&self) -> &str {
        if self.wrong == Wrong::Name { "just-a-name" } else { "wrong:model" }
    }

    fn profile(&self) -> &Profile {
        const PROFILE: &Profile = &Profile::new();
        PROFILE
    }

    fn mask(&self) -> Mask {
        Mask::default()
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        mut deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, port_model::Error>> {
        Box::pin(ready(match self.behaviour {
            Behaviour::Text => Ok(self.text(&mut deltas)),
            Behaviour::ToolCalls => Ok(self.calls(&mut deltas)),
            Behaviour::Fails => {
                if self.wrong == Wrong::SendsWithAnError {
                    self.send(&mut deltas, &[Delta::Text("so")]);
                }
                let words = if self.wrong == Wrong::HidesAnError { "" } else { "no key" };
                Err(port_model::Error::new(port_model::Kind::Unauthorized, words))
            }
        }))
    }
}

#[tokio::test]
async fn each_way_that_a_model_goes_wrong_is_found() {
    let expected = BTreeMap::from([
        ("a_name_says_provider_and_model", Wrong::Name),
        ("a_listener_that_wants_no_pieces_gets_none", Wrong::SendsUnasked),
        ("pieces_of_text_make_up_the_answer", Wrong::SwallowsAPiece),
        ("calls_come_whole_and_in_order", Wrong::SwapsCalls),
        ("pieces_of_arguments_make_up_the_calls", Wrong::SendsArgumentsFirst),
        ("inferences_at_once_are_kept_apart", Wrong::AnswersTwice),
    ]);
    let others = [
        ("an_answer_that_was_cut_says_so_and_ends_there", Wrong::GoesOnAfterTheCut),
        ("an_answer_that_was_cut_says_so_and_ends_there", Wrong::ForgetsThatItWasCut),
        ("an_answer_comes_without_a_listener", Wrong::CallsShareAnId),
        ("an_error_has_words_and_no_pieces", Wrong::SendsWithAnError),
        ("an_error_has_words_and_no_pieces", Wrong::HidesAnError),
    ];
    for (check, wrong) in expected.into_iter().chain(others) {
        let make = async |behaviour| WrongModel { behaviour, wrong, asked: AtomicU64::new(0) };
        let found = broken(model::check(make).await);
        assert!(found.contains(&check), "{check} is not among {found:?}");
    }
}

#[tokio::test]
async fn the_word_embedder_keeps_the_promises_of_an_embedder() {
    embedder::check(async || WordEmbedder::default()).await.unwrap();
}

/// An embedder that gets one thing wrong.
struct WrongEmbedder {
    name: &'static str,
    profile: port_embedder::Profile,
    vectors: fn(&Request) -> Vec<Vec<f32>>,
}

impl WrongEmbedder {
    fn of(vectors: fn(&Request) -> Vec<Vec<f32>>) -> Self {
        Self { name: "test:wrong", profile: port_embedder::Profile::default(), vectors }
    }
}

impl Embedder for WrongEmbedder {
    fn name(&self) -> &str {
        self.name
    }

    fn profile(&self) -> &port_embedder::Profile {
        &self.profile
    }

    fn embed(&self, request: Request) -> BoxFuture<'_, Result<Embeddings, port_embedder::Error>> {
        Box::pin(ready(Ok(Embeddings::new((self.vectors)(&request)))))
    }
}

fn vector(text: &str) -> Vec<f32> {
    vec![text.len() as f32, text.bytes().map(f32::from).sum()]
}

fn cut(request: &Request) -> Vec<Vec<f32>> {
    let all = request.dimensions.map_or(2, |asked| asked as usize);
    request.texts.iter().map(|text| vector(text)[..all].to_vec()).collect()
}

#[tokio::test]
async fn each_way_that_an_embedder_goes_wrong_is_found() {
    type Wrong = fn(&Request) -> Vec<Vec<f32>>;
    let wrong: [(&str, Wrong); 9] = [
        ("there_is_one_vector_a_text", |asked| {
            asked.texts.iter().skip(1).map(|text| vector(text)).collect()
        }),
        ("no_text_is_no_vector", |asked| match &*asked.texts {
            [] => vec![vector("")],
            texts => texts.iter().map(|text| vector(text)).collect(),
        }),
        ("vectors_have_one_length", |asked| {
            asked.texts.iter().map(|text| vec![1.0; text.len()]).collect()
        }),
        ("numbers_are_finite", |asked| asked.texts.iter().map(|_| vec![f32::NAN, 1.0]).collect()),
        ("the_order_is_that_of_the_texts", |asked| {
            asked.texts.iter().rev().map(|text| vector(text)).collect()
        }),
        ("one_text_has_one_vector", |asked| asked.texts.iter().map(|_| vec![1.0]).collect()),
        ("many_texts_are_taken_at_once", |asked| {
            asked.texts.iter().take(2_048).map(|text| vector(text)).collect()
        }),
        ("dimensions_are_kept_or_refused", |asked| {
            asked.texts.iter().map(|text| vector(text)).collect()
        }),
        ("a_purpose_is_kept_or_refused", |asked| {
            let most = if asked.purpose.is_some() { 1 } else { usize::MAX };
            asked.texts.iter().take(most).map(|text| vector(text)).collect()
        }),
    ];
    for (check, wrong) in wrong {
        let found = broken(embedder::check(async || WrongEmbedder::of(wrong)).await);
        assert!(found.contains(&check), "{check} is not among {found:?}");
    }
    embedder::check(async || WrongEmbedder::of(cut)).await.unwrap();
    let nameless = async || WrongEmbedder { name: "wrong", ..WrongEmbedder::of(cut) };
    let found = broken(embedder::check(nameless).await);
    assert_eq!(found, ["its_name_is_that_of_a_provider_and_a_model"]);
    let profile = port_embedder::Profile::default().with_dimensions(3);
    let boasting = async || WrongEmbedder { profile: profile.clone(), ..WrongEmbedder::of(cut) };
    assert_eq!(broken(embedder::check(boasting).await), ["dimensions_are_kept_or_refused"]);
}

struct Named(String);

impl Tool for Named {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::new(ToolSpec::new(self.0.as_str(), "Does nothing.", json!({"type": "object"})))
    }

    fn call<'a>(&'a self, _: &'a ToolCall, _: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(ready(ToolOutcome::text("nothing")))
    }
}

/// A toolset that lists what `list` gives for the number of times it was opened and listed.
#[derive(Clone)]
struct Counted {
    opened: Arc<AtomicU64>,
    listed: Arc<AtomicU64>,
    keyed: Arc<AtomicU64>,
    opens: fn(u64) -> bool,
    list: fn(u64, u64) -> Vec<&'static str>,
    keys_change: bool,
}

impl Counted {
    fn new() -> Self {
        Self {
            opened: Arc::default(),
            listed: Arc::default(),
            keyed: Arc::default(),
            opens: |_| true,
            list: |_, _| vec!["one", "two"],
            keys_change: false,
        }
    }
}

impl Toolset for Counted {
    fn name(&self) -> &str {
        "counted"
    }

    fn open<'a>(&'a self, _: &'a Scope) -> BoxFuture<'a, Result<Box<dyn OpenToolset>, Error>> {
        let times = self.opened.fetch_add(1, Ordering::SeqCst);
        let opened: Result<Box<dyn OpenToolset>, _> = match (self.opens)(times) {
            true => Ok(Box::new(self.clone())),
            false => Err(Error::Unavailable("the last one still runs".to_owned())),
        };
        Box::pin(ready(opened))
    }

    fn share_key(&self, _: &Scope) -> String {
        match self.keys_change {
            true => self.keyed.fetch_add(1, Ordering::SeqCst).to_string(),
            false => String::new(),
        }
    }
}

impl OpenToolset for Counted {
    fn tools<'a>(&'a self, _: &'a AgentState) -> BoxFuture<'a, Result<Vec<Arc<dyn Tool>>, Error>> {
        let listed = self.listed.fetch_add(1, Ordering::SeqCst);
        let names = (self.list)(self.opened.load(Ordering::SeqCst), listed);
        let tool = |name: &str| Arc::new(Named(name.to_owned())) as Arc<dyn Tool>;
        Box::pin(ready(Ok(names.into_iter().map(tool).collect())))
    }

    fn revision(&self) -> Option<u64> {
        Some(1)
    }
}

/// A toolset whose tools are always the same.
struct Fixed;

impl Toolset for Fixed {
    fn name(&self) -> &str {
        "fixed"
    }

    fn tools(&self) -> Option<Vec<Arc<dyn Tool>>> {
        Some(vec![Arc::new(Named("one".to_owned()))])
    }
}

#[tokio::test]
async fn toolsets_keep_the_promises_of_a_toolset() {
    toolset::check(async || Fixed, Deps::default).await.unwrap();
    toolset::check(async || Counted::new(), Deps::default).await.unwrap();
}

#[tokio::test]
async fn each_way_that_a_toolset_goes_wrong_is_found() {
    let odd = Counted { list: |_, _| vec!["with space"], ..Counted::new() };
    let twice = Counted { list: |_, _| vec!["one", "one"], ..Counted::new() };
    let once = Counted { opens: |times| times == 0, ..Counted::new() };
    let moves = Counted {
        list: |_, listed| if listed % 2 == 0 { vec!["one"] } else { vec!["two"] },
        ..Counted::new()
    };
    let keys = Counted { keys_change: true, ..Counted::new() };
    let wrong = [
        ("its_tools_are_its_own", odd),
        ("its_tools_are_its_own", twice),
        ("it_opens_again_after_it_was_closed", once.clone()),
        ("it_opens_again_after_it_was_dropped", once.clone()),
        ("it_opens_again_after_opening_was_given_up", once.clone()),
        ("two_sessions_may_have_it_open", once),
        ("its_tools_stay_the_same_while_its_revision_does", moves),
        ("a_run_shares_it_with_itself", keys),
    ];
    for (check, wrong) in wrong {
        let make = async || Counted {
            opened: Arc::default(),
            listed: Arc::default(),
            keyed: Arc::default(),
            ..wrong.clone()
        };
        let found = broken(toolset::check(make, Deps::default).await);
        assert!(found.contains(&check), "{check} is not among {found:?}");
    }
}

/// A lifecycle that does this on every trigger, and says that it listens to some.
struct Does {
    listens: fn(Trigger) -> bool,
    does: fn(Trigger, AgentState) -> AgentState,
}

impl Lifecycle for Does {
    fn listens(&self, trigger: Trigger) -> bool {
        (self.listens)(trigger)
    }

    fn on<'a>(
        &'a self,
        trigger: Trigger,
        state: AgentState,
        _: &'a StepView,
    ) -> BoxFuture<'a, AgentState> {
        Box::pin(ready((self.does)(trigger, state)))
    }
}

#[tokio::test]
async fn a_lifecycle_that_adds_to_the_state_keeps_its_promises() {
    let make = async || Does {
        listens: |_| true,
        does: |trigger, state| state.with_metadata(trigger.name(), Some(json!(true))),
    };
    lifecycle::check(make).await.unwrap();
}

#[tokio::test]
async fn each_trigger_is_reached_with_a_lifecycle() {
    for broken_on in 0..Trigger::ALL.len() {
        let makes: [fn(Trigger, AgentState) -> AgentState; 11] = [
            |trigger, state| stranger(trigger, state, 0),
            |trigger, state| stranger(trigger, state, 1),
            |trigger, state| stranger(trigger, state, 2),
            |trigger, state| stranger(trigger, state, 3),
            |trigger, state| stranger(trigger, state, 4),
            |trigger, state| stranger(trigger, state, 5),
            |trigger, state| stranger(trigger, state, 6),
            |trigger, state| stranger(trigger, state, 7),
            |trigger, state| stranger(trigger, state, 8),
            |trigger, state| stranger(trigger, state, 9),
            |trigger, state| stranger(trigger, state, 10),
        ];
        let found = broken(
            lifecycle::check(async || Does { listens: |_| true, does: makes[broken_on] }).await,
        );
        assert!(!found.is_empty(), "{:?} is not reached", Trigger::ALL[broken_on]);
    }
}

/// A state that comes from nowhere, on one trigger.
fn stranger(trigger: Trigger, state: AgentState, on: usize) -> AgentState {
    match trigger == Trigger::ALL[on] {
        true => AgentState::new("nowhere".into()),
        false => state,
    }
}

#[tokio::test]
async fn a_lifecycle_that_changes_what_it_does_not_listen_to_is_found() {
    let make = async || Does {
        listens: |trigger| trigger != Trigger::StepStart,
        does: |_, state| state.with_metadata("seen", Some(json!(true))),
    };
    let found = lifecycle::check(make).await.unwrap_err().to_string();
    assert!(found.contains("on_step_start, which it does not listen to"), "{found}");
}
