//! Tool calls, assembled from deltas that not every provider labels well.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::message::{JsonText, ProviderData};
use legwork_core::{CallId, ToolCall};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::json::{Read, Reader};
use super::remainder::Remainder;
use super::repeated::Repeated;
use crate::bounds::NAME_BYTES;

mod closing;

use closing::Closing;

/// Where a call comes from.
pub(crate) struct Origin<'a> {
    /// The provider, as in `provider:model`.
    pub(crate) provider: &'a Arc<str>,
    /// The id of the response; empty if it has none.
    pub(crate) response: &'a str,
}

/// The ids that calls of an answer have. Most answers have one call, whose id needs no set.
#[derive(Default)]
pub(crate) struct Taken {
    first: Option<CallId>,
    others: BTreeSet<CallId>,
}

impl Taken {
    fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.others.len()
    }

    fn contains(&self, id: &CallId) -> bool {
        self.first.as_ref() == Some(id) || self.others.contains(id)
    }

    fn insert(&mut self, id: CallId) {
        match &self.first {
            None => self.first = Some(id),
            Some(_) => drop(self.others.insert(id)),
        }
    }
}

/// One delta of a call, or a whole call.
#[derive(Debug, Default)]
pub(crate) struct Piece<'a> {
    index: Option<u64>,
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    arguments: Cow<'a, str>,
    function: Remainder,
    rest: Remainder,
    /// All that the provider attached, where that is the same for each call.
    own: Option<JsonText>,
    /// What the text of it weighs.
    weight: usize,
}

impl<'a> Piece<'a> {
    /// A piece of the call of an index; empty texts say nothing.
    pub(crate) fn new(
        index: u64,
        id: impl Into<Cow<'a, str>>,
        name: impl Into<Cow<'a, str>>,
    ) -> Self {
        Self { index: Some(index), id: id.into(), name: name.into(), ..Self::default() }
    }

    /// The same with more of the arguments; `written` is their length in the JSON source.
    #[must_use]
    pub(crate) fn with_arguments(self, json: impl Into<Cow<'a, str>>, written: usize) -> Self {
        Self { arguments: json.into(), weight: self.weight + written, ..self }
    }

    /// The same with a field of the provider.
    #[must_use]
    pub(crate) fn with_field(mut self, key: &str, value: Value) -> Self {
        self.rest.merge(key, value);
        self
    }

    /// The same with fields of the provider that are all that it attaches to a call.
    #[cfg(feature = "responses")]
    #[must_use]
    pub(crate) fn with_own(self, own: JsonText) -> Self {
        Self { weight: self.weight + own.as_str().len(), own: Some(own), ..self }
    }

    pub(crate) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let (mut position, mut piece) = (json.object()?, Self::default());
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "index" => piece.index = json.count()?,
                "id" => piece.id = json.text()?,
                "type" => piece.kind(&json.text()?),
                "function" => piece.function(json)?,
                _ => drop(piece.rest.merge(&key, json.json()?)),
            }
        }
        Ok(piece)
    }

    fn kind(&mut self, kind: &str) {
        if !matches!(kind, "function" | "") {
            self.rest.merge("type", Value::from(kind));
        }
    }

    fn function(&mut self, json: &mut Reader<'a>) -> Read {
        let mut position = json.object()?;
        while let Some(key) = json.key(&mut position)? {
            match &*key {
                "name" => self.name = json.text()?,
                "arguments" => {
                    // Its length in the source: a journal holds it escaped in the same way.
                    let begin = json.at();
                    self.arguments = json.text()?;
                    self.weight += json.at() - begin;
                }
                _ => drop(self.function.merge(&key, json.json()?)),
            }
        }
        Ok(())
    }

    /// The index that the provider gave the call.
    pub(crate) fn index(&self) -> Option<u64> {
        self.index
    }

    /// What the text of it weighs.
    pub(crate) fn weight(&self) -> usize {
        self.weight
    }
}

/// A name, shared with the answers that had it before.
pub(crate) fn shared(names: Option<&Repeated>, name: &str) -> Arc<str> {
    names.map_or_else(|| name.into(), |names| names.name(name))
}

/// The text, if there is any.
fn some(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// A call that is still being assembled.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    index: Option<u64>,
    id: Option<CallId>,
    name: Arc<str>,
    arguments: String,
    /// What the provider attached.
    own: Option<JsonText>,
    /// Rare fields, kept apart because drafts are moved.
    more: Option<Box<More>>,
}

#[derive(Debug, Default)]
struct More {
    /// The name, where it came in more than one piece.
    name: String,
    rest: Remainder,
    closing: Closing,
}

/// What a piece adds to a call.
pub(crate) struct Added<'c> {
    /// The name of a call whose name was not known.
    pub(crate) begun: Option<&'c str>,
    /// More of its arguments.
    pub(crate) arguments: &'c str,
    /// How much heavier its other fields became.
    pub(crate) added: usize,
}

impl Draft {
    /// Whether a piece goes on with this call rather than beginning another.
    ///
    /// A new id with a name begins a call even under an index that was used.
    pub(crate) fn goes_on_with(&mut self, piece: &Piece<'_>, is_last: bool) -> bool {
        let (id, name) = (some(&piece.id), some(&piece.name));
        let own_id = self.id.as_ref().map(CallId::as_str);
        let other_id = id.is_some() && own_id.is_some() && id != own_id;
        match (piece.index, self.index) {
            (Some(index), Some(own)) => index == own && !(other_id && name.is_some()),
            _ if id.is_some() => !other_id && own_id.is_some(),
            _ if name.is_some() => is_last && name == Some(self.name()) && !self.is_whole(),
            _ => is_last,
        }
    }

    /// Adds a piece.
    pub(crate) fn push(&mut self, piece: Piece<'_>, names: Option<&Repeated>) -> Added<'_> {
        let unnamed = self.name().is_empty();
        self.index = self.index.or(piece.index);
        if self.id.is_none() {
            self.id = some(&piece.id).map(CallId::from);
        }
        self.push_name(&piece.name, names);
        self.own = piece.own.or(self.own.take());
        let mut added = 0;
        if !piece.rest.is_none() || !piece.function.is_none() {
            let rest = &mut self.more().rest;
            added += rest.join(piece.rest);
            added += rest.merge_as("function", piece.function);
        }
        let before = self.arguments.len();
        match before {
            0 => self.arguments = piece.arguments.into_owned(),
            _ => self.arguments.push_str(&piece.arguments),
        }
        let name = self.name();
        let begun = unnamed && !name.is_empty();
        Added {
            begun: begun.then_some(name),
            arguments: self.arguments.get(before..).unwrap_or_default(),
            added,
        }
    }

    /// A name comes whole, again and again, growing, or in pieces.
    fn push_name(&mut self, name: &str, names: Option<&Repeated>) {
        let new = match name.strip_prefix(self.name()) {
            Some(new) => new,
            None if self.arguments.is_empty() => name,
            None => return,
        };
        match self.name.is_empty() {
            _ if new.is_empty() => {}
            true => self.name = shared(names, new),
            false => {
                let first = Arc::clone(&self.name);
                let whole = &mut self.more().name;
                if whole.is_empty() {
                    whole.push_str(&first);
                }
                whole.push_str(new);
            }
        }
    }

    /// Merges a field of the provider; how much its weight grew.
    pub(crate) fn attach(&mut self, key: &str, value: Value) -> usize {
        self.more().rest.merge(key, value)
    }

    /// The arguments, as far as they came.
    pub(crate) fn arguments(&self) -> &str {
        &self.arguments
    }

    fn name(&self) -> &str {
        let whole = self.more.as_ref().map(|more| &*more.name).filter(|name| !name.is_empty());
        whole.unwrap_or(&self.name)
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    fn is_whole(&mut self) -> bool {
        let more = self.more.get_or_insert_default();
        more.closing.is_whole(&self.arguments)
    }

    /// Whether its name and id are within the bound.
    pub(crate) fn is_named_shortly(&self) -> bool {
        let id = self.id.as_ref().map_or(0, |id| id.as_str().len());
        self.name().len().max(id) <= NAME_BYTES
    }

    /// Bytes of its text.
    pub(crate) fn len(&self) -> usize {
        let id = self.id.as_ref().map_or(0, |id| id.as_str().len());
        id + self.name().len() + self.arguments.len()
    }

    /// Drops all but this much of the arguments, and the other fields.
    pub(crate) fn clip(&mut self, bytes: usize) {
        self.arguments.truncate(self.arguments.floor_char_boundary(bytes));
        let name = self.name();
        self.name = name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or_default().into();
        (self.own, self.more) = (None, None);
        self.id = self.id.take().filter(|id| id.as_str().len() <= NAME_BYTES);
    }

    /// Whether the arguments are JSON from beginning to end.
    pub(crate) fn has_whole_arguments(&self) -> bool {
        serde_json::from_str::<IgnoredAny>(&self.arguments).is_ok()
    }

    /// The call; one without an id, or with that of another, gets its own.
    pub(crate) fn finish(self, taken: &mut Taken, origin: &Origin<'_>) -> Arc<ToolCall> {
        let number = taken.len();
        let own = match (self.id, origin.response) {
            (None, "") => format!("call_{number}").into(),
            // Where ids are never given this is done for each call, and `format!` is slow.
            (None, response) => ["call_", response, "_", &number.to_string()].concat().into(),
            (Some(id), _) if taken.contains(&id) => format!("{id}_{number}").into(),
            (Some(id), _) => id,
        };
        taken.insert(own.clone());
        let (name, rest) = match self.more {
            None => (self.name, Remainder::default()),
            Some(more) if more.name.is_empty() => (self.name, more.rest),
            Some(more) => (more.name.into(), more.rest),
        };
        let mut call = ToolCall::new(own, name, self.arguments);
        let data = match (self.own, rest.into_fields()) {
            (own, None) => own,
            (None, Some(fields)) => Some(Value::Object(fields).into()),
            (Some(own), Some(mut fields)) => {
                let Value::Object(own) = own.value() else { return Arc::new(call) };
                fields.extend(own);
                Some(Value::Object(fields).into())
            }
        };
        call.provider = data.map(|data| ProviderData::new(Arc::clone(origin.provider), data));
        Arc::new(call)
    }
}
