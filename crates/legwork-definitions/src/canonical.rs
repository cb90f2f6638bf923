//! Values written in one order, whatever order they were put together in.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

/// A table whose fields are written in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct Ordered<'a>(Vec<(&'a str, Written<'a>)>);

/// What a field of a table holds.
#[derive(Debug)]
pub(crate) enum Written<'a> {
    Text(&'a str),
    Block(&'a str),
    Texts(&'a [String]),
    Value(Value),
    List(Vec<Written<'a>>),
    Table(Ordered<'a>),
}

impl<'a> Ordered<'a> {
    pub(crate) fn add(&mut self, key: &'a str, written: Written<'a>) {
        self.0.push((key, written));
    }

    pub(crate) fn add_value(&mut self, key: &'a str, value: Option<Value>) {
        self.0.extend(value.map(|value| (key, Written::Value(value))));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, written) in &self.0 {
            map.serialize_entry(key, written)?;
        }
        map.end()
    }
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Block(text) => serde_saphyr::LitStr(text).serialize(serializer),
            Self::Texts(texts) => serializer.collect_seq(texts.iter()),
            Self::Value(value) => Canonical(value).serialize(serializer),
            Self::List(list) => serializer.collect_seq(list.iter()),
            Self::Table(table) => table.serialize(serializer),
        }
    }
}

/// A value whose tables are written by name.
struct Canonical<'a>(&'a Value);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Array(values) => {
                let mut seq = serializer.serialize_seq(Some(values.len()))?;
                for value in values {
                    seq.serialize_element(&Canonical(value))?;
                }
                seq.end()
            }
            Value::Object(fields) => {
                let mut sorted: Vec<_> = fields.iter().collect();
                sorted.sort_by_key(|(key, _)| key.as_str());
                let mut map = serializer.serialize_map(Some(sorted.len()))?;
                for (key, value) in sorted {
                    map.serialize_entry(key, &Canonical(value))?;
                }
                map.end()
            }
            value => value.serialize(serializer),
        }
    }
}
