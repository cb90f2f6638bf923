//! A deserializer over JSON that notes which enums, words and fields the types ask for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, VariantAccess, Visitor,
};
use serde_json::{Error, Value};

/// What the types asked for while they were read.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Enums by their names: all of their words.
    pub(crate) enums: BTreeMap<&'static str, &'static [&'static str]>,
    /// The words that were read, each with the name of its enum.
    pub(crate) words: BTreeSet<(&'static str, String)>,
    /// Structs by their names: all of their fields.
    pub(crate) structs: BTreeMap<&'static str, &'static [&'static str]>,
    /// The fields that were there, each with the name of its struct.
    pub(crate) fields: BTreeSet<(&'static str, String)>,
    /// Where a word stood: a JSON pointer to the text or to the object that it is the key of.
    pub(crate) places: Vec<(&'static str, String)>,
}

/// A JSON value at a place, read by a type.
#[derive(Clone)]
pub(crate) struct Traced<'a> {
    value: &'a Value,
    place: String,
    seen: &'a RefCell<Seen>,
}

impl<'a> Traced<'a> {
    pub(crate) fn new(value: &'a Value, place: &str, seen: &'a RefCell<Seen>) -> Self {
        Self { value, place: place.to_owned(), seen }
    }

    fn at(&self, key: impl std::fmt::Display, value: &'a Value) -> Self {
        let key = key.to_string().replace('~', "~0").replace('/', "~1");
        Self { value, place: format!("{}/{key}", self.place), seen: self.seen }
    }

    fn items(&self) -> Result<Vec<Self>, Error> {
        let items = self.value.as_array().ok_or_else(|| Error::custom("not an array"))?;
        Ok(items.iter().enumerate().map(|(index, item)| self.at(index, item)).collect())
    }

    fn entries(&self) -> Result<Vec<(&'a str, Self)>, Error> {
        let map = self.value.as_object().ok_or_else(|| Error::custom("not an object"))?;
        Ok(map.iter().map(|(key, value)| (key.as_str(), self.at(key, value))).collect())
    }
}

impl<'de> IntoDeserializer<'de, Error> for Traced<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Traced<'de> {
    type Error = Error;

    /// What asks for anything is free JSON: there are no words in it.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.value.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct identifier ignored_any
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(SeqDeserializer::new(self.items()?.into_iter()))
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(MapDeserializer::new(self.entries()?.into_iter()))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let there = self.entries()?.into_iter().map(|(key, _)| (name, key.to_owned()));
        let mut seen = self.seen.borrow_mut();
        seen.structs.insert(name, fields);
        seen.fields.extend(there);
        drop(seen);
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let (word, inner) = match self.value {
            Value::String(word) => (word.as_str(), None),
            _ => match self.entries()?.as_slice() {
                [(word, inner)] => (*word, Some(inner.clone())),
                _ => return Err(Error::custom("not one word")),
            },
        };
        let mut seen = self.seen.borrow_mut();
        seen.enums.insert(name, words);
        seen.words.insert((name, word.to_owned()));
        seen.places.push((name, self.place));
        drop(seen);
        visitor.visit_enum(Word { word, inner: Inner(inner) })
    }
}

struct Word<'de> {
    word: &'de str,
    inner: Inner<'de>,
}

/// The value of an enum variant, if it has one.
struct Inner<'de>(Option<Traced<'de>>);

impl<'de> EnumAccess<'de> for Word<'de> {
    type Error = Error;
    type Variant = Inner<'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Inner<'de>), Error> {
        let word: serde::de::value::BorrowedStrDeserializer<'de, Error> =
            serde::de::value::BorrowedStrDeserializer::new(self.word);
        Ok((seed.deserialize(word)?, self.inner))
    }
}

impl<'de> Inner<'de> {
    fn get(self) -> Result<Traced<'de>, Error> {
        self.0.ok_or_else(|| Error::custom("nothing behind the word"))
    }
}

impl<'de> VariantAccess<'de> for Inner<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(Error::custom("something behind a word that stands alone")),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Error> {
        seed.deserialize(self.get()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _length: usize, visitor: V) -> Result<V::Value, Error> {
        self.get()?.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.get()?.deserialize_map(visitor)
    }
}
