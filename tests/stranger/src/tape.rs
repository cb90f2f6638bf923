//! A model: it says what is on its tape.

use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_port::core::inference::Incomplete;
use legwork_port::core::{FinishReason, Message, ModelRequest, Part, Response, ToolCall};
use legwork_port::model::{Delta, Deltas, Error, Kind, Ability, Profile};
use legwork_port::{BoxFuture, Model};

/// What is on a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tape {
    /// A text.
    Text(String),
    /// Tool calls: the name of the tool, and its arguments as JSON.
    Calls(Vec<(String, String)>),
    /// Nothing.
    Blank,
}

/// Says what is on its tape, whatever it is asked; a text word by word.
#[derive(Debug, Clone)]
pub struct Recorder {
    tape: Tape,
    profile: Profile,
}

impl Recorder {
    /// A model with a tape.
    pub fn new(tape: Tape) -> Self {
        Self { tape, profile: Profile::new().with(Ability::Tools) }
    }

    fn play(&self, deltas: Option<&mut dyn Deltas>) -> Result<Response, Error> {
        let mut speaker = Speaker { deltas: deltas.filter(|deltas| deltas.streams()), cut: false };
        let (parts, finish) = match &self.tape {
            Tape::Blank => {
                let message = "the tape is blank: put one in that has something on it";
                return Err(Error::new(Kind::BadRequest, message));
            }
            Tape::Text(text) => (vec![Part::text(speaker.say(text))], FinishReason::Stop),
            Tape::Calls(calls) => (speaker.call(calls), FinishReason::ToolCalls),
        };
        let mut response = Response::new(Message::assistant(parts), finish);
        response.incomplete = speaker.cut.then_some(Incomplete::OverReserve);
        Ok(response)
    }
}

/// Whoever listens, until they have heard enough.
struct Speaker<'d> {
    deltas: Option<&'d mut dyn Deltas>,
    cut: bool,
}

impl Speaker<'_> {
    fn tell(&mut self, delta: Delta<'_>) {
        if let Some(deltas) = &mut self.deltas {
            self.cut = deltas.delta(delta) == ControlFlow::Break(());
        }
    }

    /// Says a text; returns what was said of it.
    fn say(&mut self, text: &str) -> String {
        let mut said = String::new();
        for word in text.split_inclusive(' ') {
            if self.cut {
                break;
            }
            said.push_str(word);
            self.tell(Delta::Text(word));
        }
        said
    }

    /// Makes calls; returns those that were made.
    fn call(&mut self, calls: &[(String, String)]) -> Vec<Part> {
        let mut made = Vec::new();
        for (index, (name, json)) in calls.iter().enumerate() {
            if self.cut {
                break;
            }
            self.tell(Delta::ToolCall { index, name });
            if !self.cut {
                self.tell(Delta::Arguments { index, json });
            }
            let id = format!("call_{index}");
            made.push(Part::ToolCall(Arc::new(ToolCall::new(id, &**name, &**json))));
        }
        made
    }
}

impl Model for Recorder {
    fn name(&self) -> &str {
        "stranger:tape"
    }

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn infer<'a>(
        &'a self,
        _: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(std::future::ready(self.play(deltas)))
    }
}
