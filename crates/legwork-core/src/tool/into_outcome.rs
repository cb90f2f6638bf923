//! The types that a tool's body can return.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::message::{File, Image, ResultPart};
use crate::tool::{Output, ToolOutcome};

/// A type that a tool's body can return: a value, an outcome, or a `Result` of either.
///
/// Text, numbers, lists and maps are returned as they are; wrap any other type that implements
/// `Serialize` in [`Json`]. The error of a `Result` becomes a soft failure that the model reads,
/// if it can be displayed; a [`ToolOutcome`] as error is the outcome.
///
/// ```
/// use legwork_core::ToolOutcome;
/// use legwork_core::tool::{IntoOutcome, Json};
///
/// assert_eq!("sent".into_outcome(), ToolOutcome::text("sent"));
/// assert_eq!("seven".parse::<u8>().into_outcome(), ToolOutcome::failed("invalid digit found in string"));
/// let refused: Result<u8, _> = Err(ToolOutcome::Retry("later".to_owned()));
/// assert_eq!(refused.into_outcome(), ToolOutcome::Retry("later".to_owned()));
/// assert_eq!(Json((1, "a")).into_outcome(), ToolOutcome::value(serde_json::json!([1, "a"])));
/// ```
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    note = "return text, a number, a list, a map, a `ToolOutcome`, or a `Result` of these; wrap \
            any other type that implements `serde::Serialize` in `Json(..)`"
)]
pub trait IntoOutcome {
    /// Converts it into an outcome.
    fn into_outcome(self) -> ToolOutcome;
}

/// An error that a tool's body can return.
pub trait IntoFailure {
    /// Converts it into an outcome.
    fn into_failure(self) -> ToolOutcome;
}

/// A value of any type that implements `Serialize`, as the result of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl IntoOutcome for ToolOutcome {
    fn into_outcome(self) -> ToolOutcome {
        self
    }
}

impl<T: IntoOutcome, E: IntoFailure> IntoOutcome for Result<T, E> {
    fn into_outcome(self) -> ToolOutcome {
        self.map_or_else(E::into_failure, T::into_outcome)
    }
}

impl IntoFailure for ToolOutcome {
    fn into_failure(self) -> ToolOutcome {
        self
    }
}

/// Formatted with `#`, for which some error types add their causes.
impl<E: Display> IntoFailure for E {
    fn into_failure(self) -> ToolOutcome {
        ToolOutcome::failed(format!("{self:#}"))
    }
}

impl<T: Serialize> IntoOutcome for Json<T> {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::json(&self.0)
    }
}

impl IntoOutcome for ResultPart {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::parts([self])
    }
}

/// The parts of a result, in the order in which a model reads them.
impl IntoOutcome for Output {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::Ok(self)
    }
}

impl IntoOutcome for Image {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::parts([ResultPart::Image(self)])
    }
}

impl IntoOutcome for File {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::parts([ResultPart::File(self)])
    }
}

impl IntoOutcome for Value {
    fn into_outcome(self) -> ToolOutcome {
        ToolOutcome::value(self)
    }
}

macro_rules! as_json {
    ($( $of:ty $([$($generics:tt)+])? ),+ $(,)?) => {$(
        impl $(<$($generics)+>)? IntoOutcome for $of {
            fn into_outcome(self) -> ToolOutcome {
                ToolOutcome::json(&self)
            }
        }
    )+};
}

as_json! {
    (), bool, char, u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64,
    &'static str, String, Box<str>, Arc<str>, Cow<'static, str>,
    Option<T> [T: Serialize], Vec<T> [T: Serialize],
    BTreeSet<T> [T: Serialize], BTreeMap<K, V> [K: Serialize, V: Serialize],
    HashSet<T, S> [T: Serialize, S], HashMap<K, V, S> [K: Serialize, V: Serialize, S],
}
