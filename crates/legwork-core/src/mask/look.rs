//! Searches all texts of a serializable value, without serializing it to a buffer.

use std::fmt;

use serde::ser::{
    self, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::Mask;

/// Whether any text of the value contains a secret.
pub(super) fn finds<T: Serialize + ?Sized>(mask: &Mask, value: &T) -> bool {
    value.serialize(Look(mask)).is_err_and(|why| why == Why::Found)
}

#[derive(Clone, Copy)]
struct Look<'m>(&'m Mask);

/// Why a search ended early.
#[derive(Debug, PartialEq, Eq)]
enum Why {
    /// A secret was found.
    Found,
    /// The value cannot be serialized, so it is never written either.
    Unwritten,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search has ended")
    }
}

impl std::error::Error for Why {}

impl ser::Error for Why {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Unwritten
    }
}

type Looked = Result<(), Why>;

impl Look<'_> {
    fn at(self, text: &str) -> Looked {
        if self.0.finds(text) { Err(Why::Found) } else { Ok(()) }
    }
}

/// Methods for values without text.
macro_rules! nothing {
    ($($method:ident($($type:ty),*)),* $(,)?) => {
        $(fn $method(self, $(_: $type),*) -> Looked {
            Ok(())
        })*
    };
}

/// Methods that begin a value with items or fields.
macro_rules! begins {
    ($($method:ident($($type:ty),*)),* $(,)?) => {
        $(fn $method(self, $(_: $type),*) -> Result<Self, Why> {
            Ok(self)
        })*
    };
}

impl<'m> Serializer for Look<'m> {
    type Ok = ();
    type Error = Why;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    nothing!(
        serialize_bool(bool),
        serialize_i8(i8),
        serialize_i16(i16),
        serialize_i32(i32),
        serialize_i64(i64),
        serialize_u8(u8),
        serialize_u16(u16),
        serialize_u32(u32),
        serialize_u64(u64),
        serialize_f32(f32),
        serialize_f64(f64),
        serialize_char(char),
        serialize_bytes(&[u8]),
        serialize_none(),
        serialize_unit(),
        serialize_unit_struct(&'static str),
        serialize_unit_variant(&'static str, u32, &'static str),
    );

    begins!(
        serialize_seq(Option<usize>),
        serialize_tuple(usize),
        serialize_tuple_struct(&'static str, usize),
        serialize_tuple_variant(&'static str, u32, &'static str, usize),
        serialize_map(Option<usize>),
        serialize_struct(&'static str, usize),
        serialize_struct_variant(&'static str, u32, &'static str, usize),
    );

    fn serialize_str(self, text: &str) -> Looked {
        self.at(text)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Looked {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Looked {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Looked {
        value.serialize(self)
    }

    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Looked {
        self.at(&value.to_string())
    }
}

/// Traits for values with items or fields, each of which is searched.
macro_rules! items {
    ($($trait:ident::$method:ident),* $(,)?) => {
        $(impl $trait for Look<'_> {
            type Ok = ();
            type Error = Why;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Looked {
                value.serialize(*self)
            }

            fn end(self) -> Looked {
                Ok(())
            }
        })*
    };
}

items!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
);

/// The same for fields whose names are fixed by the program.
macro_rules! fields {
    ($($trait:ident),* $(,)?) => {
        $(impl $trait for Look<'_> {
            type Ok = ();
            type Error = Why;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Looked {
                value.serialize(*self)
            }

            fn end(self) -> Looked {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Look<'_> {
    type Ok = ();
    type Error = Why;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Looked {
        key.serialize(*self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Looked {
        value.serialize(*self)
    }

    fn end(self) -> Looked {
        Ok(())
    }
}
