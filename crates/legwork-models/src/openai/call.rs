//! Tool calls, assembled from deltas that not every provider labels well.

use std::collections::HashSet;
use std::sync::Arc;

use legwork_core::ToolCall;
use serde::de::{IgnoredAny, MapAccess};
use serde_json::{Map, Value};

use super::json::{Count, Fields, Loose, Object};
use super::remainder;

/// One delta of a call, or a whole call.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    index: Option<u64>,
    id: Loose<'a>,
    name: Loose<'a>,
    arguments: Loose<'a>,
    function: Map<String, Value>,
    rest: Map<String, Value>,
}

impl<'de> Fields<'de> for Piece<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "index" => self.index = map.next_value::<Count>()?.0,
            "id" => self.id = map.next_value()?,
            "type" => self.kind(map.next_value()?),
            "function" => map.next_value_seed(Object(&mut Function(self)))?,
            _ => remainder::merge(&mut self.rest, key, map.next_value()?),
        }
        Ok(())
    }
}

impl Piece<'_> {
    /// The arguments that this piece brings.
    pub(super) fn arguments(&self) -> &str {
        &self.arguments.0
    }

    fn kind(&mut self, kind: Loose<'_>) {
        if kind.text().is_some_and(|kind| kind != "function") {
            remainder::merge(&mut self.rest, "type", Value::from(&*kind.0));
        }
    }
}

/// The `function` of a piece.
struct Function<'p, 'a>(&'p mut Piece<'a>);

impl<'de> Fields<'de> for Function<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "name" => self.0.name = map.next_value()?,
            "arguments" => self.0.arguments = map.next_value()?,
            _ => remainder::merge(&mut self.0.function, key, map.next_value()?),
        }
        Ok(())
    }
}

/// A call that is still being assembled.
#[derive(Debug, Default)]
pub(super) struct Draft {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    rest: Map<String, Value>,
}

impl Draft {
    /// Whether a piece goes on with this call rather than beginning another.
    ///
    /// A new id with a name begins a call even under an index that was used.
    pub(super) fn goes_on_with(&self, piece: &Piece<'_>, is_last: bool) -> bool {
        let (id, name) = (piece.id.text(), piece.name.text());
        let other_id = id.is_some_and(|id| !self.id.is_empty() && id != self.id);
        match (piece.index, self.index) {
            (Some(index), Some(own)) => index == own && !(other_id && name.is_some()),
            _ if id.is_some() => !other_id && !self.id.is_empty(),
            _ if name.is_some() => {
                is_last && name == Some(&self.name) && !self.has_whole_arguments()
            }
            _ => is_last,
        }
    }

    /// Takes up a piece.
    pub(super) fn push(&mut self, piece: &mut Piece<'_>) {
        self.index = self.index.or(piece.index);
        if self.id.is_empty() {
            self.id.push_str(&piece.id.0);
        }
        self.push_name(&piece.name.0);
        self.arguments.push_str(&piece.arguments.0);
        for (key, value) in std::mem::take(&mut piece.rest) {
            remainder::merge(&mut self.rest, &key, value);
        }
        let function = std::mem::take(&mut piece.function);
        remainder::merge(&mut self.rest, "function", Value::Object(function));
    }

    /// A name comes whole, again and again, growing, or in pieces.
    fn push_name(&mut self, name: &str) {
        if name.starts_with(&*self.name) {
            self.name.replace_range(.., name);
        } else if self.arguments.is_empty() {
            self.name.push_str(name);
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the arguments are JSON from beginning to end.
    pub(super) fn has_whole_arguments(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }

    /// The call; one without an id, or with that of another, gets its own.
    pub(super) fn finish(self, taken: &mut HashSet<String>, response: &str) -> Arc<ToolCall> {
        let number = taken.len();
        let own = match (self.id.as_str(), response) {
            ("", "") => format!("call_{number}"),
            ("", response) => format!("call_{response}_{number}"),
            (id, _) if taken.contains(id) => format!("{id}_{number}"),
            _ => self.id,
        };
        taken.insert(own.clone());
        let mut call = ToolCall::new(own, self.name, self.arguments);
        call.provider = (!self.rest.is_empty()).then_some(Value::Object(self.rest));
        Arc::new(call)
    }
}
