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

    /// The call that a piece is of, if that has begun.
    fn continued(&mut self, call: &Call<'_>) -> Option<Box<Open>> {
        self.open.take().filter(|open| open.goes_on_with(call))
    }

    fn begin(&mut self, id: &str) -> Box<Open> {
        self.calls += 1;
        let (index, id) = (self.calls, id.to_owned());
        Box::new(Open { index, id, arguments: Arguments::default(), is_whole: false })
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
    let continued = into.growing.continued(&call);
    if into.is_over() {
        return Ok(());
    }
    if continued.is_none() && call.is_empty() {
        // The end of a call that has ended.
        fields.into_iter().for_each(|(key, value)| into.attach(None, &key, value));
        return Ok(());
    }
    let has_begun = continued.is_some();
    let mut open = continued.unwrap_or_else(|| into.growing.begin(&call.id));
    let (nesting, mut text) = (into.room.bounds.nesting.min(DEEPEST), String::new());
    match open.write(&call, nesting, json, &mut text)? {
        Ok(held) => into.room.keep(held),
        Err(Problem::Nesting) => {
            into.room.pass(Passed::Nesting(nesting));
            return Ok(());
        }
        Err(problem) => return Err(unusable(problem, into)),
    };
    let index = open.index;
    match call.continues {
        true => into.growing.open = Some(open),
        false => open.finish(&mut text),
    }
    let named = if has_begun { Default::default() } else { (call.id, call.name) };
    let length = text.len();
    let piece = Piece::new(index, named.0, named.1).with_arguments(text, length);
    into.call_of_index(with_fields(piece, call.rest, fields), on);
    Ok(())
}

/// A piece with the fields of the provider in its call and beside it.
pub(super) fn with_fields(
    piece: Piece<'_>,
    of_call: Map<String, Json>,
    beside: Map<String, Json>,
) -> Piece<'_> {
    let piece = piece.with_field("functionCall", Json::Object(of_call));
    beside.into_iter().fold(piece, |piece, (key, value)| piece.with_field(&key, value))
}

fn unusable(problem: Problem, into: &mut Assembly) -> Broken {
    into.problem = Some(match problem {
        Problem::Path => "a `jsonPath` in `partialArgs` leads to no value",
        Problem::Nesting | Problem::Place => {
            "a value in `partialArgs` comes twice, or where another one belongs"
        }
    });
    Broken
}

/// A value with its path, or a piece of it; none if there is no value.
fn argument<'a>(json: &mut Reader<'a>) -> Read<Option<(Cow<'a, str>, Value<'a>)>> {
    let (mut position, mut path) = (json.object()?, Cow::Borrowed(""));
    let (mut value, mut is_null) = (None, false);
    while let Some(key) = json.key(&mut position)? {
        match (&*key, json.peek()) {
            ("jsonPath", _) => path = json.text()?,
            ("nullValue", _) => {
                is_null = true;
                json.skip()?;
            }
            ("stringValue", b'"') => value = Some(Value::Text(json.text()?)),
            ("boolValue", b't' | b'f') => {
                let said = if json.peek() == b't' { "true" } else { "false" };
                json.skip()?;
                value = Some(Value::Scalar(said.into()));
            }
            ("numberValue", b'-' | b'0'..=b'9') => {
                let Json::Number(said) = json.json()? else { return Err(Broken) };
                value = Some(Value::Scalar(number(&said).into()));
            }
            _ => json.skip()?,
        }
    }
    let null = is_null.then_some(Value::Scalar("null".into()));
    Ok(value.or(null).map(|value| (path, value)))
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
