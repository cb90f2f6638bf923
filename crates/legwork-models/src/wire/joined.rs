//! Fields of which those from outside are joined with those of the wire.

use std::borrow::Cow;

use legwork_core::ModelRequest;
use serde_json::{Map, Value};

use super::{Frame, field, write};

/// A field that is an object, as a request has it.
pub(crate) enum Joined {
    /// Nothing of it is set from outside: the fields of the wire, each once, sorted by key as
    /// those of the other kind are.
    Own(Vec<(Cow<'static, str>, Value)>),
    /// With what is set from outside, which may be no object.
    All(Value),
}

/// A field of a request with what the builder and then the settings set of it.
pub(crate) fn joined<K: Into<Cow<'static, str>>>(
    key: &str,
    own: impl IntoIterator<Item = (K, Value)>,
    request: &ModelRequest,
    frame: Frame<'_>,
) -> Joined {
    let own = own.into_iter().map(|(key, value)| (key.into(), value));
    let outside = [frame.extra, &request.settings.extra];
    let mut outside = outside.into_iter().filter_map(|set| set.get(key)).peekable();
    if outside.peek().is_none() {
        return Joined::Own(own.collect());
    }
    let own: Map<_, _> = own.map(|(key, value)| (key.into_owned(), value)).collect();
    let mut all = Value::Object(own);
    outside.for_each(|set| put_over(&mut all, set));
    Joined::All(all)
}

impl Joined {
    /// Appends it as a field behind others, unless it is empty.
    pub(crate) fn append(&self, key: &str, out: &mut Vec<u8>) {
        match self {
            Self::All(Value::Object(fields)) if fields.is_empty() => {}
            Self::All(value) => field(out, key, value),
            Self::Own(fields) => {
                let Some((first, rest)) = fields.split_first() else { return };
                out.push(b',');
                write(out, key);
                out.extend_from_slice(b":{");
                write(out, &*first.0);
                out.push(b':');
                write(out, &first.1);
                rest.iter().for_each(|(key, value)| field(out, key, value));
                out.push(b'}');
            }
        }
    }

    /// What is set from outside, and the fields of the wire below it; none if nothing is set.
    pub(crate) fn with_outside(&self) -> Option<&Value> {
        match self {
            Self::Own(_) => None,
            Self::All(all) => Some(all),
        }
    }
}

/// The fields that have a value; they are given sorted by key.
pub(crate) fn set<const N: usize>(
    fields: [(&'static str, Option<Value>); N],
) -> impl Iterator<Item = (&'static str, Value)> {
    fields.into_iter().filter_map(|(key, value)| Some((key, value?)))
}

/// Puts a value over another: objects field by field.
fn put_over(under: &mut Value, over: &Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                put_over(under.entry(key).or_insert(Value::Null), value);
            }
        }
        (under, over) => *under = over.clone(),
    }
}
