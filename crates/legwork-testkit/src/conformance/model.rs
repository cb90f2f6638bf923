//! What every model must keep.
//!
//! A model is asked for answers that are known before. A scripted server gives them to an
//! adapter of a provider's API:
//!
//! ```
//! use legwork_port::Model;
//! use legwork_testkit::Server;
//! use legwork_testkit::conformance::{Violations, model::{self, Behaviour}};
//!
//! async fn keeps_its_promises<M: Model>(
//!     connect: impl Fn(String) -> M,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     let [text, calls, fails] = Behaviour::ALL.map(|behaviour| Server::start(behaviour.script()));
//!     let (text, calls, fails) = (text?, calls?, fails?);
//!     model::check(async |behaviour| match behaviour {
//!         Behaviour::Text => connect(text.base_url()),
//!         Behaviour::ToolCalls => connect(calls.base_url()),
//!         Behaviour::Fails => connect(fails.base_url()),
//!     })
//!     .await?;
//!     Ok(())
//! }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::{join_all, poll_immediate};
use legwork_core::tool::ToolSpecs;
use legwork_core::{Message, ModelRequest, Part, Response, ToolSpec};
use legwork_port::Model;
use legwork_port::model::{Delta, Deltas, Error};
use serde_json::{Value, json};

use super::{Outcome, Violations, ensure, run};
use crate::script::{Script, Turn};

/// What the model under test does with every request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    /// It answers with [`TEXT`], and calls no tool.
    Text,
    /// It calls the tool `add` twice: with `{"a":1,"b":2}`, then with `{"a":3,"b":4}`.
    ToolCalls,
    /// No answer: the key is refused.
    Fails,
}

/// What a model of [`Behaviour::Text`] says.
pub const TEXT: &str = "Rome was not built in a day, and neither was its “aqueduct”.";

/// What the calls of [`Behaviour::ToolCalls`] are called with.
const ARGUMENTS: [(i64, i64); 2] = [(1, 2), (3, 4)];

/// How many inferences are made at once.
const AT_ONCE: usize = 8;

impl Behaviour {
    /// All, in their order.
    pub const ALL: [Self; 3] = [Self::Text, Self::ToolCalls, Self::Fails];

    /// A script of it, for a [`Server`](crate::Server) or a
    /// [`ScriptedModel`](crate::ScriptedModel).
    pub fn script(self) -> Script {
        Script::from_fn(move |_| match self {
            Self::Text => Turn::text(TEXT),
            Self::ToolCalls => {
                Turn::calls(ARGUMENTS.map(|(a, b)| ("add", json!({"a": a, "b": b}))))
            }
            Self::Fails => Turn::status(401),
        })
    }
}

/// Checks every promise of the port on models that `make` makes, each for one behaviour.
///
/// # Errors
/// The promises that were not kept.
pub async fn check<M: Model>(make: impl AsyncFn(Behaviour) -> M) -> Result<(), Violations> {
    let (text, calls) = (make(Behaviour::Text).await, make(Behaviour::ToolCalls).await);
    let fails = make(Behaviour::Fails).await;
    let subject = Subject { text: &text, calls: &calls, fails: &fails };
    run!(subject =>
        promises::a_name_says_provider_and_model,
        promises::an_answer_comes_without_a_listener,
        promises::a_listener_that_wants_no_pieces_gets_none,
        promises::pieces_of_text_make_up_the_answer,
        promises::calls_come_whole_and_in_order,
        promises::pieces_of_arguments_make_up_the_calls,
        promises::an_answer_that_was_cut_says_so_and_ends_there,
        promises::an_error_has_words_and_no_pieces,
        promises::an_inference_that_is_dropped_disturbs_no_other,
        promises::inferences_at_once_are_kept_apart,
    )
}

#[derive(Clone, Copy)]
struct Subject<'a> {
    text: &'a dyn Model,
    calls: &'a dyn Model,
    fails: &'a dyn Model,
}

/// A request that all three behaviours answer: a question, and the tool `add`.
fn request() -> ModelRequest {
    let number = json!({"type": "integer"});
    let parameters = json!({
        "type": "object",
        "properties": {"a": number, "b": number},
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    let tool = ToolSpec::new("add", "Adds two numbers.", parameters);
    let question = Message::user("What is 1 + 2, and 3 + 4?");
    let mut request = ModelRequest::blank(Arc::default()).with_message(question);
    request.tools = Arc::new(ToolSpecs::new(vec![Arc::new(tool)]));
    request
}

/// Everything that a receiver of deltas got.
#[derive(Debug, Default, PartialEq, Eq)]
struct Received {
    streams: bool,
    /// Breaks at the piece of this number, counted from 1.
    breaks: Option<usize>,
    pieces: usize,
    text: String,
    thinking: String,
    /// Name and arguments of each call, by its index.
    calls: BTreeMap<usize, (String, String)>,
    problems: Vec<String>,
}

impl Received {
    fn everything() -> Self {
        Self { streams: true, ..Self::default() }
    }
}

impl Deltas for Received {
    fn streams(&self) -> bool {
        self.streams
    }

    fn delta(&mut self, delta: Delta<'_>) -> ControlFlow<()> {
        self.pieces += 1;
        match delta {
            Delta::Text(piece) => self.text.push_str(piece),
            Delta::Thinking(piece) => self.thinking.push_str(piece),
            Delta::ToolCall { index, name } => {
                let call = (name.to_owned(), String::new());
                if self.calls.insert(index, call).is_some() {
                    self.problems.push(format!("call {index} began twice"));
                }
            }
            Delta::Arguments { index, json } => match self.calls.get_mut(&index) {
                Some((_, arguments)) => arguments.push_str(json),
                None => self.problems.push(format!("arguments of call {index} before it began")),
            },
            _ => {}
        }
        match self.breaks {
            Some(number) if self.pieces >= number => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

async fn ask(model: &dyn Model, received: &mut Received) -> Result<Response, String> {
    model.infer(request(), Some(received)).await.map_err(failed)
}

fn failed(error: Error) -> String {
    format!("no answer came: {error}")
}

/// Whether it is the answer of [`Behaviour::Text`].
fn is_text(response: &Response) -> Outcome {
    ensure!(response.text() == TEXT, "the answer is {:?}, not {TEXT:?}", response.text());
    ensure!(response.message.tool_calls().next().is_none(), "it calls a tool");
    ensure!(response.incomplete.is_none(), "it is marked as {:?}", response.incomplete);
    Ok(())
}

/// Whether it is the answer of [`Behaviour::ToolCalls`].
fn is_calls(response: &Response) -> Outcome {
    let calls: Vec<_> = response.message.tool_calls().collect();
    let names: Vec<_> = calls.iter().map(|call| &*call.name).collect();
    ensure!(names == ["add", "add"], "the calls are {names:?}");
    for (call, (a, b)) in calls.iter().zip(ARGUMENTS) {
        let arguments: Value = serde_json::from_str(&call.arguments)
            .map_err(|error| format!("the arguments {:?} are not JSON: {error}", call.arguments))?;
        let wanted = json!({"a": a, "b": b});
        ensure!(arguments == wanted, "the arguments are {arguments}, not {wanted}");
    }
    let ids: BTreeSet<_> = calls.iter().map(|call| call.id.as_str()).collect();
    ensure!(ids.len() == calls.len(), "calls share an id: {ids:?}");
    ensure!(response.incomplete.is_none(), "it is marked as {:?}", response.incomplete);
    Ok(())
}

mod promises {
    use super::*;

    pub(super) async fn a_name_says_provider_and_model(subject: &Subject<'_>) -> Outcome {
        for model in [subject.text, subject.calls, subject.fails] {
            let name = model.name();
            let parts = name.split_once(':');
            let is_whole =
                parts.is_some_and(|(provider, model)| !provider.is_empty() && !model.is_empty());
            ensure!(is_whole, "{name:?} is not `provider:name`");
            ensure!(model.name() == name, "the name changes");
            ensure!(model.profile() == model.profile(), "the profile changes");
        }
        Ok(())
    }

    pub(super) async fn an_answer_comes_without_a_listener(subject: &Subject<'_>) -> Outcome {
        let response = subject.text.infer(request(), None).await.map_err(failed)?;
        is_text(&response)?;
        is_calls(&subject.calls.infer(request(), None).await.map_err(failed)?)
    }

    pub(super) async fn a_listener_that_wants_no_pieces_gets_none(
        subject: &Subject<'_>,
    ) -> Outcome {
        for model in [subject.text, subject.calls] {
            let mut received = Received::default();
            ask(model, &mut received).await?;
            ensure!(received.pieces == 0, "it received {received:?}");
        }
        Ok(())
    }

    pub(super) async fn pieces_of_text_make_up_the_answer(subject: &Subject<'_>) -> Outcome {
        let mut received = Received::everything();
        let response = ask(subject.text, &mut received).await?;
        is_text(&response)?;
        ensure!(
            received.text == TEXT,
            "the pieces are {:?}, the answer is {TEXT:?}",
            received.text
        );
        let thought = |part: &Part| match part {
            Part::Thinking(thinking) => Some(thinking.text.clone()),
            _ => None,
        };
        let thinking: String = response.message.parts.iter().filter_map(thought).collect();
        ensure!(received.thinking == thinking, "the thinking {:?} is not its pieces", thinking);
        ensure!(received.calls.is_empty(), "deltas of calls came: {:?}", received.calls);
        Ok(())
    }

    pub(super) async fn calls_come_whole_and_in_order(subject: &Subject<'_>) -> Outcome {
        is_calls(&ask(subject.calls, &mut Received::everything()).await?)
    }

    pub(super) async fn pieces_of_arguments_make_up_the_calls(subject: &Subject<'_>) -> Outcome {
        let mut received = Received::everything();
        let response = ask(subject.calls, &mut received).await?;
        ensure!(received.problems.is_empty(), "{}", received.problems.join("; "));
        let of_pieces: Vec<_> = received.calls.into_iter().collect();
        let of_answer = response.message.tool_calls().enumerate();
        let of_answer: Vec<_> = of_answer
            .map(|(index, call)| (index, (call.name.to_string(), call.arguments.to_string())))
            .collect();
        ensure!(of_pieces == of_answer, "the pieces are {of_pieces:?}, the calls {of_answer:?}");
        Ok(())
    }

    pub(super) async fn an_answer_that_was_cut_says_so_and_ends_there(
        subject: &Subject<'_>,
    ) -> Outcome {
        for (model, number) in [(subject.text, 1), (subject.calls, 1), (subject.calls, 2)] {
            let mut received = Received { breaks: Some(number), ..Received::everything() };
            let response = ask(model, &mut received).await?;
            ensure!(received.pieces == number, "{} pieces came, cut at {number}", received.pieces);
            ensure!(response.incomplete.is_some(), "cut at piece {number}, it counts as whole");
            let text = response.text();
            ensure!(
                received.text == text,
                "it keeps {text:?}, the deltas were {:?}",
                received.text
            );
        }
        Ok(())
    }

    pub(super) async fn an_error_has_words_and_no_pieces(subject: &Subject<'_>) -> Outcome {
        let mut received = Received::everything();
        match subject.fails.infer(request(), Some(&mut received)).await {
            Ok(response) => Err(format!("there is an answer: {:?}", response.text())),
            Err(error) => {
                ensure!(!error.message.trim().is_empty(), "the error says nothing");
                ensure!(received.pieces == 0, "deltas came without an answer: {received:?}");
                Ok(())
            }
        }
    }

    pub(super) async fn an_inference_that_is_dropped_disturbs_no_other(
        subject: &Subject<'_>,
    ) -> Outcome {
        let mut received = Received::everything();
        // Asked for, and let go at its first wait.
        drop(poll_immediate(ask(subject.text, &mut received)).await);
        is_text(&ask(subject.text, &mut Received::everything()).await?)
    }

    pub(super) async fn inferences_at_once_are_kept_apart(subject: &Subject<'_>) -> Outcome {
        let asked = (0..AT_ONCE).map(async |_| {
            let mut received = Received::everything();
            let response = ask(subject.text, &mut received).await?;
            is_text(&response)?;
            ensure!(received.text == TEXT, "the pieces of one are {:?}", received.text);
            Ok(())
        });
        join_all(asked).await.into_iter().collect()
    }
}
