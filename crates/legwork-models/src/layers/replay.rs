//! A recording, played again.

use std::io::{self, BufRead};
use std::sync::{Mutex, MutexGuard, PoisonError};

use legwork_core::digest::Digest;
use legwork_core::{ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Ability, Deltas, Error, Kind, Model, Profile};
use serde_json::Value;

use super::recording::Row;
use super::request;
use crate::recited::recited;

/// A model that answers as a recording says.
///
/// A request gets the first answer to an equal request that was not played yet, so inferences that
/// ran at once may come in another order. A request without an answer is an error of the kind
/// [`BadRequest`](Kind::BadRequest), which says where it differs from what was recorded. Nothing
/// is sent; the usage is the recorded one. See [`Recording`](super::Recording) for an example.
#[derive(Debug)]
pub struct Replay {
    name: String,
    profile: Profile,
    /// The lines that were not played yet.
    rows: Mutex<Vec<Row>>,
}

/// Why a recording cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The source failed.
    #[error("the recording cannot be read: {0}")]
    Read(#[from] io::Error),
    /// A line is not one of a recording.
    #[error("line {line} of the recording is damaged ({problem}); record it again")]
    Line {
        /// The number of the line; the first is 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// It has no lines.
    #[error("the recording is empty; record at least one answer")]
    Empty,
}

impl Replay {
    /// Reads a recording; the model has the name of the first that was asked.
    ///
    /// # Errors
    /// When it cannot be read, is damaged or empty.
    pub fn read(lines: impl BufRead) -> Result<Self, Unreadable> {
        let mut rows = Vec::new();
        for (at, line) in lines.lines().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let damaged = |problem: String| Unreadable::Line { line: at + 1, problem };
            let row: Row = serde_json::from_str(&line).map_err(|e| damaged(e.to_string()))?;
            if row.outcome().is_none() {
                return Err(damaged("neither a response nor an error".to_owned()));
            }
            rows.push(row);
        }
        let name = rows.first().ok_or(Unreadable::Empty)?.name.clone();
        let profile = Profile::new().with(Ability::Tools).with(Ability::Images);
        Ok(Self { name, profile, rows: Mutex::new(rows) })
    }

    /// The same with another profile, such as one with a price.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// The number of answers that were not played yet.
    pub fn left(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn play(&self, request: &ModelRequest) -> Result<Response, Error> {
        let data = request::as_data(&self.name, request);
        let digest = Digest::of(&data);
        let mut rows = self.lock();
        let Some(at) = rows.iter().position(|row| row.digest == digest) else {
            return Err(self.diverged(&data, rows.first()));
        };
        let outcome = rows.remove(at).outcome();
        outcome.unwrap_or_else(|| Err(self.diverged(&data, None)))
    }

    fn diverged(&self, data: &Value, next: Option<&Row>) -> Error {
        let name = &self.name;
        let message = match next {
            None => format!("replaying {name}: all recorded answers were played; record it again"),
            Some(row) => {
                let place = difference(&row.request, data).unwrap_or_default();
                format!(
                    "replaying {name}: no answer was recorded to this request; it differs from the \
                     next recorded one (line {}) at `{place}`: record it again",
                    row.index + 1
                )
            }
        };
        Error::new(Kind::BadRequest, message)
    }
}

/// Where two values differ first, as a JSON pointer; none if they are equal.
fn difference(a: &Value, b: &Value) -> Option<String> {
    let inside =
        |key: String, a: &Value, b: &Value| difference(a, b).map(|place| format!("/{key}{place}"));
    match (a, b) {
        _ if a == b => None,
        (Value::Object(a), Value::Object(b)) => {
            let missing = |key: &String| Some(format!("/{key}"));
            let differs = a.iter().find_map(|(key, a)| match b.get(key) {
                Some(b) => inside(key.clone(), a, b),
                None => missing(key),
            });
            differs.or_else(|| b.keys().find(|key| !a.contains_key(*key)).and_then(missing))
        }
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b).enumerate();
            let differs = pairs.find_map(|(at, (a, b))| inside(at.to_string(), a, b));
            differs.or_else(|| Some(format!("/{}", a.len().min(b.len()))))
        }
        _ => Some(String::new()),
    }
}

impl Model for Replay {
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
        Box::pin(async move { Ok(recited(self.play(&request)?, deltas)) })
    }
}
