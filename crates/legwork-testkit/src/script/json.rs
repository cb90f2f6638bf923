//! Scripts as JSON, for tests of commands.

use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Usage};
use serde::Deserialize;
use serde_json::Value;

use super::turn::{Call, What};
use super::{Script, Turn};

/// Why a text is not a script.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It is not JSON, or not of the shape of a script.
    #[error("this is not a script: {0}")]
    Shape(#[from] serde_json::Error),
    /// A turn says nothing, or several things at once.
    #[error(
        "turn {index} of the script must be one of an answer (`text`, `call`, `calls`), \
         `status`, `html`, `stall` or `disconnect`"
    )]
    Turn {
        /// Its index; the first is 0.
        index: usize,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    model: Option<String>,
    key: Option<String>,
    turns: Vec<Line>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Line {
    text: Option<String>,
    thinking: Option<String>,
    call: Option<CallLine>,
    calls: Vec<CallLine>,
    finish: Option<FinishReason>,
    incomplete: Option<Incomplete>,
    usage: Option<Usage>,
    status: Option<u16>,
    retry_after: Option<String>,
    message: Option<String>,
    html: bool,
    stall: bool,
    disconnect: bool,
    after: Vec<Self>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallLine {
    id: Option<String>,
    name: String,
    #[serde(default)]
    arguments: Value,
}

impl Script {
    /// Reads a script from JSON: an array of turns, or an object with `turns` and, if
    /// only those shall be served, `model` and `key`.
    ///
    /// A turn is an object with `text`, `thinking`, `call` or `calls` (`{"name",
    /// "arguments"}`, and `id` if it is chosen; arguments that are a string are sent as they
    /// are), `finish`,
    /// `incomplete` and `usage`; or with `status`, `retry_after` and `message`; or with
    /// `html`, `stall` or `disconnect` set to true. `after` lists the turns that the
    /// first requests get instead.
    ///
    /// ```
    /// let script = legwork_testkit::Script::from_json(
    ///     r#"[{"call": {"name": "add", "arguments": {"a": 1, "b": 2}}},
    ///         {"text": "3", "after": [{"status": 429, "retry_after": "0"}]}]"#,
    /// );
    /// assert!(script.is_ok());
    /// ```
    ///
    /// # Errors
    /// When it is not JSON, has unknown fields, or a turn is not exactly one thing.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text)?;
        let file = match value {
            Value::Array(_) => File { model: None, key: None, turns: Vec::deserialize(value)? },
            value => File::deserialize(value)?,
        };
        let turns = file.turns.into_iter().enumerate();
        let turns: Result<Vec<_>, _> = turns.map(|(index, line)| line.turn(index)).collect();
        Ok(Self { model: file.model, key: file.key, ..Self::new(turns?) })
    }
}

impl Line {
    fn turn(self, index: usize) -> Result<Turn, Error> {
        let answers = self.text.is_some() || self.call.is_some() || !self.calls.is_empty();
        let kinds = [answers, self.status.is_some(), self.html, self.stall, self.disconnect];
        if kinds.iter().filter(|kind| **kind).count() != 1 {
            return Err(Error::Turn { index });
        }
        let mut turn = match self.status {
            Some(status) => Turn::status(status),
            None if self.html => Turn::html(),
            None if self.stall => Turn::stall(),
            None if self.disconnect => Turn::disconnect(),
            None => Turn::text(self.text.unwrap_or_default()),
        };
        if let Some(value) = self.retry_after {
            turn = turn.with_retry_after(value);
        }
        if let Some(message) = self.message {
            turn = turn.with_message(message);
        }
        if let What::Answer(answer) = &mut turn.what {
            answer.calls = self.call.into_iter().chain(self.calls).map(CallLine::call).collect();
            answer.thinking = self.thinking.unwrap_or_default();
            answer.finish = self.finish;
            answer.incomplete = self.incomplete;
            answer.usage = self.usage.or(answer.usage);
        }
        let before: Result<Vec<_>, _> = self.after.into_iter().map(|l| l.turn(index)).collect();
        Ok(turn.after(before?))
    }
}

impl CallLine {
    fn call(self) -> Call {
        let arguments = match self.arguments {
            Value::Null => "{}".to_owned(),
            Value::String(text) => text,
            value => value.to_string(),
        };
        Call { id: self.id, name: self.name, arguments }
    }
}
