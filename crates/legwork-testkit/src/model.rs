//! A scripted model in this process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::inference::Incomplete;
use legwork_core::message::Thinking;
use legwork_core::{Message, ModelRequest, Part, Response, ToolCall};
use legwork_port::model::{Ability, Delta, Deltas, Error, Kind, Model, Profile};
use legwork_port::{BoxFuture, core};

use crate::asked::Asked;
use crate::gate::Gate;
use crate::script::{Answer, Player, Script, What, halved, pieces};

/// A model that says what a script says; clones are the same model.
///
/// The ids of its calls are `call_<turn>_<index>`, where none
/// [were chosen](crate::Turn::with_call_ids).
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    name: Arc<str>,
    profile: Arc<Profile>,
    player: Arc<Player>,
    /// The requests, and whether each was to be streamed.
    requests: Arc<Mutex<Vec<(ModelRequest, bool)>>>,
}

impl ScriptedModel {
    /// A model that plays a script: turns, or [`Script::from_fn`].
    ///
    /// The turn is chosen by the conversation: one that holds no answer of the model gets the
    /// first. So each new session begins with the first turn again, and so does a subagent that
    /// shares the model: give each a model of its own, or choose with [`Script::from_fn`].
    pub fn new(script: impl Into<Script>) -> Self {
        let profile = Profile::new().with(Ability::Tools).with(Ability::Images);
        Self {
            name: Arc::from("scripted:model"),
            profile: Arc::new(profile),
            player: Arc::new(Player::new(script.into())),
            requests: Arc::default(),
        }
    }

    /// The same under another name, `provider:name`.
    #[must_use]
    pub fn named(self, name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same with another profile: prices, limits, abilities.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile: Arc::new(profile), ..self }
    }

    /// The requests it was sent, in the order they came.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.lock().iter().map(|(request, _)| request.clone()).collect()
    }

    /// The requests it was sent, as plain data.
    pub fn asked(&self) -> Vec<Asked> {
        let asked = |(request, stream): &(_, _)| Asked::of_request(request, *stream);
        self.lock().iter().map(asked).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(ModelRequest, bool)>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn play(&self, asked: Asked, deltas: Option<&mut dyn Deltas>) -> Result<Response, Error> {
        let turn = self.player.turn(&asked);
        if let Some(gate) = &turn.behind {
            gate.pass().await;
        }
        match turn.what {
            What::Answer(answer) => Ok(Streaming::new(&answer, deltas).play(asked.turn()).await),
            What::Refuse { error, .. } => Err(error),
            What::Html(page) => {
                Err(Error::new(Kind::Malformed, format!("the server answered HTML: {page}")))
            }
            What::Stall => std::future::pending().await,
            What::Disconnect => Err(Error::new(
                Kind::Unreachable,
                "the server closed the connection without an answer: try again",
            )),
        }
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        let deltas = deltas.filter(|deltas| deltas.streams());
        let asked = Asked::of_request(&request, deltas.is_some());
        self.lock().push((request, deltas.is_some()));
        Box::pin(self.play(asked, deltas))
    }
}

/// Streams one answer in pieces, and keeps what was sent.
struct Streaming<'a, 'd> {
    answer: &'a Answer,
    deltas: Option<&'d mut dyn Deltas>,
    halt: Option<Gate>,
    cut: bool,
}

impl<'a, 'd> Streaming<'a, 'd> {
    fn new(answer: &'a Answer, deltas: Option<&'d mut dyn Deltas>) -> Self {
        Self { answer, deltas, halt: answer.halt.clone(), cut: false }
    }

    async fn play(mut self, turn: usize) -> Response {
        let answer = self.answer;
        let mut parts = Vec::new();
        if !answer.thinking.is_empty() {
            let text = self.say(&answer.thinking, Delta::Thinking).await;
            parts.push(Part::Thinking(Thinking { text, ..Thinking::default() }));
        }
        let text_breaks = answer.breaks_off() && answer.calls.is_empty();
        let text = if text_breaks { halved(&answer.text) } else { &answer.text };
        if !text.is_empty() && !self.cut {
            parts.push(Part::text(self.say(text, Delta::Text).await));
        }
        self.stream_calls(turn, &mut parts).await;
        self.halt().await;
        let mut response = Response::new(Message::assistant(parts), answer.finish());
        response.usage = answer.usage;
        response.incomplete = answer.incomplete.clone();
        if self.cut {
            response.incomplete = Some(Incomplete::OverReserve);
        }
        response
    }

    async fn stream_calls(&mut self, turn: usize, parts: &mut Vec<Part>) {
        let answer = self.answer;
        for (index, call) in answer.calls.iter().enumerate() {
            if self.cut {
                return;
            }
            let breaks = answer.breaks_off() && index + 1 == answer.calls.len();
            let arguments = if breaks { halved(&call.arguments) } else { &call.arguments };
            self.send(Delta::ToolCall { index, name: &call.name });
            let json = self.say(arguments, |json| Delta::Arguments { index, json }).await;
            let id = core::CallId::from(call.id(turn, index));
            parts.push(Part::ToolCall(Arc::new(ToolCall::new(id, &*call.name, json))));
        }
    }

    /// Streams a text and returns as much of it as was sent before the receiver cut it.
    async fn say<'t>(&mut self, text: &'t str, delta: impl Fn(&'t str) -> Delta<'t>) -> String {
        if self.deltas.is_none() {
            return text.to_owned();
        }
        let mut sent = String::new();
        for piece in pieces(text) {
            if self.cut {
                break;
            }
            sent.push_str(piece);
            self.send(delta(piece));
            self.halt().await;
        }
        sent
    }

    fn send(&mut self, delta: Delta<'_>) {
        if let Some(deltas) = &mut self.deltas {
            self.cut |= deltas.delta(delta).is_break();
        }
    }

    async fn halt(&mut self) {
        if let Some(gate) = self.halt.take() {
            gate.pass().await;
        }
    }
}
