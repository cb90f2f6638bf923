//! Tool calls, assembled from deltas that not every provider labels well.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::{CallId, ToolCall};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::json::{Read, Reader};
use super::remainder;

/// One delta of a call, or a whole call.
#[derive(Debug, Default)]
pub(super) struct Piece<'a> {
    index: Option<u64>,
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
    function: Map<String, Value>,
    rest: Map<String, Value>,
}

impl<'a> Piece<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let (mut place, mut piece) = (json.object()?, Self::default());
        while let Some(key) = json.key(&mut place)? {
            match &*key {
                "index" => piece.index = json.count()?,
                "id" => piece.id = json.text()?,
                "type" => piece.kind(&json.text()?),
                "function" => piece.function(json)?,
                _ => remainder::merge(&mut piece.rest, &key, json.json()?),
            }
        }
        Ok(piece)
    }

    fn kind(&mut self, kind: &str) {
        if !matches!(kind, "function" | "") {
            remainder::merge(&mut self.rest, "type", Value::from(kind));
        }
    }

    fn function(&mut self, json: &mut Reader<'a>) -> Read {
        let mut place = json.object()?;
        while let Some(key) = json.key(&mut place)? {
            match &*key {
                "name" => self.name = json.text()?,
                "arguments" => self.arguments = json.text()?,
                _ => remainder::merge(&mut self.function, &key, json.json()?),
            }
        }
        Ok(())
    }
}

/// The text, if there is any.
fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
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
        let (id, name) = (some(&piece.id), some(&piece.name));
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
            self.id = some(&piece.id).map(CallId::from);
        }
        self.push_name(&piece.name);
        for (key, value) in piece.rest {
            remainder::merge(&mut self.rest, &key, value);
        }
        remainder::merge_map(&mut self.rest, "function", piece.function);
        let before = self.arguments.len();
        match before {
            0 => self.arguments = piece.arguments.into_owned(),
            _ => self.arguments.push_str(&piece.arguments),
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
