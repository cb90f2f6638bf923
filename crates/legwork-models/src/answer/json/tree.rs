//! A value built from a text, within bounds.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Broken, Room};

/// Builds one value at a depth.
pub(super) struct Tree<'r> {
    pub(super) room: &'r mut Room,
    pub(super) depth: usize,
}

impl Tree<'_> {
    fn value<E: de::Error>(self, value: Value) -> Result<Value, E> {
        self.room.build().map_err(refused)?;
        Ok(value)
    }

    /// The content of an object or array.
    fn inside<E: de::Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        let entered = self.room.build().and_then(|()| self.room.enter(self.depth));
        entered.map_err(refused)
    }

    fn inner(&mut self) -> Tree<'_> {
        Tree { room: self.room, depth: self.depth }
    }
}

/// The error for an exceeded bound; the room records which one.
fn refused<E: de::Error>(_: Broken) -> E {
    E::custom("it exceeds a bound")
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        self.value(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        self.value(Value::from(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        self.value(Value::from(value))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        self.value(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.value(Value::from(value))
    }

    fn visit_string<E: de::Error>(self, value: String) -> Result<Value, E> {
        self.value(Value::String(value))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        self.value(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        self.inside()?;
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self.inner())? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut fields: A) -> Result<Value, A::Error> {
        self.inside()?;
        let mut all = Map::new();
        while let Some(key) = fields.next_key::<String>()? {
            let value = fields.next_value_seed(self.inner())?;
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}
