//! Scripts: what a scripted model says, turn by turn.

mod json;
mod turn;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_port::model;

pub use json::Error;
pub use turn::Turn;
pub(crate) use turn::{Answer, Call, What, halved, pieces};

use crate::asked::Asked;

/// What a scripted model says: a turn for each request.
///
/// The turn is chosen by how many answers of the model the request holds already, so a
/// run that was killed and resumed gets the turn that it is owed.
#[derive(Clone)]
pub struct Script {
    choose: Arc<dyn Fn(&Asked) -> Turn + Send + Sync>,
    pub(crate) model: Option<String>,
    pub(crate) key: Option<String>,
}

impl Script {
    /// A script of turns; a request past the last one is refused.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let turns: Vec<_> = turns.into_iter().collect();
        Self::from_fn(move |asked| match turns.get(asked.turn()) {
            Some(turn) => turn.clone(),
            None => past_the_end(turns.len()),
        })
    }

    /// A script that looks at the request.
    pub fn from_fn(choose: impl Fn(&Asked) -> Turn + Send + Sync + 'static) -> Self {
        Self { choose: Arc::new(choose), model: None, key: None }
    }

    /// The same, over HTTP, for this model name only; others are answered 404.
    #[must_use]
    pub fn only_model(self, name: impl Into<String>) -> Self {
        Self { model: Some(name.into()), ..self }
    }

    /// The same, over HTTP, for this key only; others are answered 401.
    #[must_use]
    pub fn only_key(self, key: impl Into<String>) -> Self {
        Self { key: Some(key.into()), ..self }
    }
}

fn past_the_end(turns: usize) -> Turn {
    let message = format!("the script has {turns} turns and was asked for another: add a turn");
    Turn::error(model::Error::new(model::Kind::BadRequest, message))
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("model", &self.model).finish_non_exhaustive()
    }
}

impl From<Vec<Turn>> for Script {
    fn from(turns: Vec<Turn>) -> Self {
        Self::new(turns)
    }
}

impl<const N: usize> From<[Turn; N]> for Script {
    fn from(turns: [Turn; N]) -> Self {
        Self::new(turns)
    }
}

/// A script being played: counts requests a turn, for what comes before its answer.
#[derive(Debug)]
pub(crate) struct Player {
    pub(crate) script: Script,
    seen: Mutex<HashMap<usize, usize>>,
}

impl Player {
    pub(crate) fn new(script: Script) -> Self {
        Self { script, seen: Mutex::default() }
    }

    /// The turn for a request.
    pub(crate) fn turn(&self, asked: &Asked) -> Turn {
        let turn = (self.script.choose)(asked);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let count = seen.entry(asked.turn()).or_default();
        let now = turn.before.get(*count).cloned();
        *count += 1;
        now.unwrap_or(turn)
    }
}
