//! Tool calls, assembled from deltas that not every provider labels well.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::{CallId, ToolCall};
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
    id: Option<CallId>,
    name: Arc<str>,
    arguments: String,
    rest: Map<String, Value>,
}

impl Draft {
    /// Whether a piece goes on with this call rather than beginning another.
    ///
    /// A new id with a name begins a call even under an index that was used.
    pub(super) fn goes_on_with(&self, piece: &Piece<'_>, is_last: bool) -> bool {
        let (id, name) = (piece.id.text(), piece.name.text());
        let own_id = self.id.as_ref().map(CallId::as_str);
        let other_id = id.is_some() && own_id.is_some() && id != own_id;
        match (piece.index, self.index) {
            (Some(index), Some(own)) => index == own && !(other_id && name.is_some()),
            _ if id.is_some() => !other_id && own_id.is_some(),
            _ if name.is_some() => {
                is_last && name == Some(&self.name) && !self.has_whole_arguments()
            }
            _ => is_last,
        }
    }

    /// Takes up a piece; what it told comes back: the name of a call whose name
    /// was not known, and more of its arguments.
    pub(super) fn push(&mut self, piece: Piece<'_>) -> (Option<&str>, &str) {
        let unnamed = self.name.is_empty();
        self.index = self.index.or(piece.index);
        if self.id.is_none() {
            self.id = piece.id.text().map(CallId::from);
        }
        self.push_name(&piece.name.0);
        for (key, value) in piece.rest {
            remainder::merge(&mut self.rest, &key, value);
        }
        remainder::merge_map(&mut self.rest, "function", piece.function);
        let before = self.arguments.len();
        match before {
            0 => self.arguments = piece.arguments.0.into_owned(),
            _ => self.arguments.push_str(&piece.arguments.0),
        }
        let begun = unnamed && !self.name.is_empty();
        (begun.then_some(&*self.name), self.arguments.get(before..).unwrap_or_default())
    }

    /// A name comes whole, again and again, growing, or in pieces.
    fn push_name(&mut self, name: &str) {
        if name.starts_with(&*self.name) {
            if name.len() > self.name.len() {
                self.name = name.into();
            }
        } else if self.arguments.is_empty() {
            self.name = format!("{}{name}", self.name).into();
        }
    }

    /// Whether the arguments are JSON from beginning to end.
    pub(super) fn has_whole_arguments(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }

    /// The call; one without an id, or with that of another, gets its own.
    pub(super) fn finish(self, taken: &mut BTreeSet<CallId>, response: &str) -> Arc<ToolCall> {
        let number = taken.len();
        let own = match (self.id, response) {
            (None, "") => format!("call_{number}").into(),
            (None, response) => format!("call_{response}_{number}").into(),
            (Some(id), _) if taken.contains(&id) => format!("{id}_{number}").into(),
            (Some(id), _) => id,
        };
        taken.insert(own.clone());
        let mut call = ToolCall::new(own, self.name, self.arguments);
        call.provider = (!self.rest.is_empty()).then_some(Value::Object(self.rest));
        Arc::new(call)
    }
}
