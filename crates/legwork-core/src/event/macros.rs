//! Generates the event enum, with its names, scopes and JSON, from one table.

macro_rules! events {
    ($( $(#[doc = $doc:literal])* $variant:ident($body:ty) = $name:literal, $scope:ident; )+) => {
        /// A fact that happened.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum Event {
            $( $(#[doc = $doc])* $variant($body), )+
            /// An event of a type that this version does not know, kept as it was read.
            Other(Unknown),
        }

        impl Event {
            /// Its type, as it is written to the journal.
            pub fn kind(&self) -> &str {
                match self {
                    $( Self::$variant(_) => $name, )+
                    Self::Other(unknown) => &unknown.kind,
                }
            }

            /// Over which entries it is folded.
            pub fn scope(&self) -> Scope {
                match self {
                    $( Self::$variant(_) => Scope::$scope, )+
                    Self::Other(_) => Scope::Conversation,
                }
            }

            /// The types of all known events.
            pub const KINDS: &'static [&'static str] = &[$( $name ),+];

            /// Decodes the body of an event of a type.
            ///
            /// # Errors
            /// If the body does not fit its type.
            pub fn decode(kind: &str, body: &RawValue) -> Result<Self, Error> {
                let fail = |source| Error { kind: kind.to_owned(), source };
                let mut json = serde_json::Deserializer::from_str(body.get());
                match Self::deserialize_body(kind, &mut json) {
                    // serde reads a struct from an array of its fields, too.
                    Some(Ok(_)) if !body.get().starts_with('{') => {
                        Err(fail(serde::de::Error::custom("the body is not an object")))
                    }
                    Some(event) => event.map_err(fail),
                    None => Unknown::read(kind, body).map(Self::Other).map_err(fail),
                }
            }

            /// Deserializes the body of an event of a type; none if the type is not known.
            pub fn deserialize_body<'de, D: serde::Deserializer<'de>>(
                kind: &str,
                body: D,
            ) -> Option<Result<Self, D::Error>> {
                use serde::Deserialize as _;
                match kind {
                    $( $name => Some(<$body>::deserialize(body).map(Self::$variant)), )+
                    _ => None,
                }
            }
        }

        #[cfg(feature = "schema")]
        impl Event {
            /// The schema of the body of each type of event, with what the event means.
            pub(crate) fn bodies(
                generator: &mut schemars::SchemaGenerator,
            ) -> Vec<(&'static str, String, schemars::Schema)> {
                vec![$((
                    $name,
                    [$($doc.trim()),*].join(" "),
                    generator.subschema_for::<$body>(),
                )),+]
            }
        }

        /// Serializes the body alone, without the type.
        impl serde::Serialize for Event {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $( Self::$variant(body) => body.serialize(serializer), )+
                    Self::Other(unknown) => unknown.body.serialize(serializer),
                }
            }
        }
    };
}

pub(crate) use events;
