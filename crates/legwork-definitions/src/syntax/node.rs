//! A value of a text and the line that it stands on.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::problem::quoted;

/// A value and the line that it stands on.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// The line, from 1, where it is known.
    pub(crate) line: Option<u64>,
    pub(crate) data: Data,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Table(Vec<Field>),
}

/// A key of a table, its line and its value.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) key: String,
    pub(crate) line: Option<u64>,
    pub(crate) node: Node,
}

impl Node {
    /// What was found, in words: `text `x``, `the number 3`, `a list`.
    pub(crate) fn found(&self) -> String {
        match &self.data {
            Data::Null => "nothing".to_owned(),
            Data::Bool(is) => format!("`{is}`"),
            Data::Number(number) => format!("the number {number}"),
            Data::Text(text) if text.is_empty() => "empty text".to_owned(),
            Data::Text(text) => format!("the text {}", quoted(text)),
            Data::List(_) => "a list".to_owned(),
            Data::Table(_) => "a table of fields".to_owned(),
        }
    }

    /// The value without its lines.
    pub(crate) fn into_value(self) -> Value {
        match self.data {
            Data::Null => Value::Null,
            Data::Bool(is) => Value::Bool(is),
            Data::Number(number) => Value::Number(number),
            Data::Text(text) => Value::String(text),
            Data::List(nodes) => nodes.into_iter().map(Self::into_value).collect(),
            Data::Table(fields) => Value::Object(
                fields.into_iter().map(|field| (field.key, field.node.into_value())).collect(),
            ),
        }
    }

    /// The first list or table, from the beginning, that has this many others around it.
    pub(crate) fn deeper_than(&self, levels: usize) -> Option<&Self> {
        let left = levels.checked_sub(1);
        match (&self.data, left) {
            (Data::List(_) | Data::Table(_), None) => Some(self),
            (Data::List(nodes), Some(left)) => nodes.iter().find_map(|node| node.deeper_than(left)),
            (Data::Table(fields), Some(left)) => {
                fields.iter().find_map(|field| field.node.deeper_than(left))
            }
            _ => None,
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        let data = match value {
            Value::Null => Data::Null,
            Value::Bool(is) => Data::Bool(is),
            Value::Number(number) => Data::Number(number),
            Value::String(text) => Data::Text(text),
            Value::Array(values) => Data::List(values.into_iter().map(Self::from).collect()),
            Value::Object(map) => Data::Table(fields(map)),
        };
        Self { line: None, data }
    }
}

fn fields(map: Map<String, Value>) -> Vec<Field> {
    let field = |(key, value)| Field { key, line: None, node: Node::from(value) };
    map.into_iter().map(field).collect()
}

/// Knows the line that a deserializer stands at.
pub(crate) trait Lines {
    fn line(&self) -> Option<u64>;
}

/// Makes a node of whatever comes; the seed makes those inside it.
pub(crate) struct NodeVisitor<S>(pub(crate) S);

impl<S: Lines> NodeVisitor<S> {
    fn node(&self, data: Data) -> Node {
        Node { line: self.0.line(), data }
    }
}

impl<'de, S: Lines + Copy + DeserializeSeed<'de, Value = Node>> Visitor<'de> for NodeVisitor<S> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(self.node(Data::Null))
    }

    fn visit_bool<E: Error>(self, is: bool) -> Result<Node, E> {
        Ok(self.node(Data::Bool(is)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(self.node(Data::Number(number.into())))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(self.node(Data::Number(number.into())))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Node, E> {
        Err(E::custom(format!("the number {number} is too large: quote it to make it text")))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Node, E> {
        Err(E::custom(format!("the number {number} is too large: quote it to make it text")))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        let number = Number::from_f64(number)
            .ok_or_else(|| E::custom("a number that is not finite: quote it to make it text"))?;
        Ok(self.node(Data::Number(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(self.node(Data::Text(text.to_owned())))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Node, E> {
        Ok(self.node(Data::Text(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let line = self.0.line();
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element_seed(self.0)? {
            nodes.push(node);
        }
        Ok(Node { line, data: Data::List(nodes) })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let line = self.0.line();
        let mut fields: Vec<Field> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(key) = map.next_key_seed(self.0)? {
            let found = key.found();
            let Data::Text(name) = key.data else {
                return Err(A::Error::custom(format!("a name of a field is {found}: quote it")));
            };
            if !seen.insert(name.clone()) {
                let name = quoted(&name);
                return Err(A::Error::custom(format!("the field {name} is there twice")));
            }
            let node = map.next_value_seed(self.0)?;
            fields.push(Field { key: name, line: key.line, node });
        }
        Ok(Node { line, data: Data::Table(fields) })
    }
}
