//! A call whose arguments come in pieces.
//!
//! Its first piece has its name, each piece says whether another one follows (`willContinue`), and
//! the last one may be empty. A piece has values of the arguments, each with its path
//! (`partialArgs`).

use std::borrow::Cow;

use legwork_port::Deltas;
use serde_json::{Map, Number, Value as Json};

use super::arguments::{Arguments, Problem, Value};
use super::part::Call;
use crate::answer::assembly::Assembly;
use crate::answer::call::Piece;
use crate::answer::json::{Broken, Read, Reader};
use crate::bounds::{DEEPEST, Passed};

/// The largest whole number up to which each is a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The call of an answer whose arguments come in pieces, if one does.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    /// How many calls came in pieces.
    calls: u64,
    open: Option<Box<Open>>,
}

/// A call that goes on.
#[derive(Debug)]
struct Open {
    /// Its index among the calls that come in pieces, from 1; whole calls have 0.
    index: u64,
    id: String,
    arguments: Arguments,
    /// Its arguments came as one value.
    is_whole: bool,
}

impl Growing {
    /// Whether a part is of a call that comes in pieces.
    pub(super) fn takes(&self, call: &Call<'_>) -> bool {
        call.is_piece()
            || self.open.as_ref().is_some_and(|open| open.goes_on_with(call))
            || (self.calls > 0 && call.is_empty())
    }

    /// Whether another piece of a call should follow.
    pub(crate) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Begins a call, which is the open one.
    fn begin(&mut self, id: &str) {
        self.calls += 1;
        let (index, id) = (self.calls, id.to_owned());
        self.open =
            Some(Box::new(Open { index, id, arguments: Arguments::default(), is_whole: false }));
    }
}

impl Open {
    /// Whether a piece is of this call: one with a name begins another, unless it has its id.
    fn goes_on_with(&self, call: &Call<'_>) -> bool {
        let is_same = !call.id.is_empty() && *call.id == *self.id;
        let is_other = !call.id.is_empty() && !self.id.is_empty() && !is_same;
        is_same || (call.name.is_empty() && !is_other)
    }

    /// Writes what a piece adds to the arguments; returns what is held of names in them.
    fn write<'a>(
        &mut self,
        call: &Call<'a>,
        nesting: usize,
        json: &mut Reader<'a>,
        out: &mut String,
    ) -> Read<Result<usize, Problem>> {
        if call.has_arguments() {
            if self.is_whole || self.arguments.have_begun() {
                return Ok(Err(Problem::Place));
            }
            self.is_whole = true;
            out.push_str(call.arguments);
        }
        if !call.has_pieces() {
            return Ok(Ok(0));
        }
        json.within(call.pieces, |json| {
            let (mut position, mut held) = (json.array()?, 0);
            while json.item(&mut position)? {
                let Some((path, value)) = argument(json)? else { continue };
                let put = match self.is_whole {
                    true => Err(Problem::Place),
                    false => self.arguments.put(&path, &value, nesting, out),
                };
                match put {
                    Ok(more) => held += more,
                    Err(problem) => return Ok(Err(problem)),
                }
            }
            Ok(Ok(held))
        })
    }

    /// Writes the rest of the arguments.
    fn finish(self, out: &mut String) {
        if !self.is_whole {
            self.arguments.finish(out);
        }
    }
}

/// Adds a piece of a call.
pub(super) fn add<'a>(
    call: Call<'a>,
    fields: Map<String, Json>,
    json: &mut Reader<'a>,
    into: &mut Assembly,
    on: &mut dyn Deltas,
) -> Read {
    let has_begun = into.growing.open.as_ref().is_some_and(|open| open.goes_on_with(&call));
    if !has_begun && call.is_empty() {
        // The end of a call that has ended.
        fields.into_iter().for_each(|(key, value)| into.attach(None, &key, value));
        return Ok(());
    }
    if !has_begun {
        end(into, on);
        into.growing.begin(&call.id);
    }
    if into.is_over() {
        return Ok(());
    }
    let (nesting, mut text) = (into.room.bounds.nesting.min(DEEPEST), String::new());
    // It stays open after an error.
    let Some(open) = &mut into.growing.open else { return Ok(()) };
    let (index, written) = (open.index, open.write(&call, nesting, json, &mut text)?);
    match written {
        Ok(held) => into.room.keep(held),
        Err(problem) => return unusable(problem, nesting, into),
    };
    if !call.continues {
        into.growing.open.take().into_iter().for_each(|open| open.finish(&mut text));
    }
    let named = if has_begun { Default::default() } else { (call.id, call.name) };
    let length = text.len();
    let piece = Piece::new(index, named.0, named.1).with_arguments(text, length);
    into.call_of_index(with_fields(piece, call.rest, fields), on);
    Ok(())
}

/// Ends the open call, if there is one, because another one begins.
///
/// If the rest of a text did not come, its arguments stay as they are, which is not JSON.
pub(super) fn end(into: &mut Assembly, on: &mut dyn Deltas) {
    let Some(open) = into.growing.open.take().filter(|open| !open.arguments.await_text()) else {
        return;
    };
    let (index, mut text) = (open.index, String::new());
    open.finish(&mut text);
    let length = text.len();
    into.call_of_index(Piece::new(index, "", "").with_arguments(text, length), on);
}

/// A piece with the provider's fields of its call, and those of the part around it.
pub(super) fn with_fields(
    piece: Piece<'_>,
    of_call: Map<String, Json>,
    around: Map<String, Json>,
) -> Piece<'_> {
    let piece = piece.with_field("functionCall", Json::Object(of_call));
    around.into_iter().fold(piece, |piece, (key, value)| piece.with_field(&key, value))
}

/// Ends the answer because of a value that cannot be written.
fn unusable(problem: Problem, nesting: usize, into: &mut Assembly) -> Read {
    into.problem = Some(match problem {
        Problem::Nesting => {
            into.room.pass(Passed::Nesting(nesting));
            return Ok(());
        }
        Problem::Path => "a `jsonPath` in `partialArgs` leads to no value",
        Problem::Kind => "a value in `partialArgs` is of a kind that is not known",
        Problem::Place => "a value in `partialArgs` comes twice, or where another one belongs",
    });
    Err(Broken)
}

/// A value with its path, or a piece of it; none if there is no value.
fn argument<'a>(json: &mut Reader<'a>) -> Read<Option<(Cow<'a, str>, Value<'a>)>> {
    let (mut position, mut path) = (json.object()?, Cow::Borrowed(""));
    let (mut value, mut null, mut goes_on) = (None, None, false);
    while let Some(key) = json.key(&mut position)? {
        match &*key {
            "jsonPath" => path = json.text()?,
            "willContinue" => {
                goes_on = json.peek() == b't';
                json.skip()?;
            }
            "nullValue" => {
                null = Some(Value::Scalar("null".into()));
                json.skip()?;
            }
            kind if kind.ends_with("Value") && json.peek() != b'n' => {
                let read = one(kind, json)?;
                value = value.filter(|value| matches!(value, Value::Unknown)).or(Some(read));
            }
            _ => json.skip()?,
        }
    }
    let value = match value.or(null) {
        Some(Value::Text(text)) if goes_on => Some(Value::Part(text)),
        value => value,
    };
    Ok(value.map(|value| (path, value)))
}

/// A value of a kind. Without one that is not known here, a call would run with other arguments
/// than the model wrote.
fn one<'a>(kind: &str, json: &mut Reader<'a>) -> Read<Value<'a>> {
    let first = json.peek();
    match (kind, first) {
        ("stringValue", b'"') => json.text().map(Value::Text),
        ("boolValue", b't' | b'f') => {
            let said = if first == b't' { "true" } else { "false" };
            json.skip().map(|()| Value::Scalar(said.into()))
        }
        ("numberValue", b'-' | b'0'..=b'9') => {
            let Json::Number(said) = json.json()? else { return Err(Broken) };
            Ok(Value::Scalar(number(&said).into()))
        }
        _ => json.skip().map(|()| Value::Unknown),
    }
}

/// A number as JSON: a whole one as such, for all of them are sent as doubles.
fn number(number: &Number) -> String {
    let is_double = !number.is_u64() && !number.is_i64();
    match number.as_f64().filter(|_| is_double) {
        Some(double) if double.fract() == 0.0 && double.abs() <= EXACT => {
            format!("{:.0}", double + 0.0)
        }
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests;
