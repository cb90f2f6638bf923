//! The items of a sequence, handed out as each is complete.

use crate::extract::Start;
use crate::output::{Arriving, Error, Output};
use crate::partial::{Array, Value};

/// The items of a sequence, each read through all stages as soon as it is complete.
///
/// ```
/// use legwork_output::Output;
/// use legwork_output::output::Items;
///
/// let mut items = Items::of(Output::<String>::of()?);
/// assert_eq!(items.push("Here: [\"one\", \"tw").collect::<Result<Vec<_>, _>>()?, ["one"]);
/// assert_eq!(items.push("o\", \"three\"]").collect::<Result<Vec<_>, _>>()?, ["two", "three"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Items<T> {
    item: Output<T>,
    arriving: Arriving,
    handed_out: usize,
}

impl<T: 'static> Items<T> {
    /// Reads items of this kind from an array, or from an object with the key `items`.
    pub fn of(item: Output<T>) -> Self {
        Self { item, arriving: Arriving::new(Start::default(), None), handed_out: 0 }
    }

    /// Takes the next piece of the text and gives the items that it completes.
    ///
    /// An item that fails in one of the stages is an error by itself; the others follow.
    pub fn push(&mut self, piece: &str) -> impl Iterator<Item = Result<T, Error>> + use<'_, T> {
        self.arriving.push(piece);
        let value = self.arriving.value();
        self.take(value)
    }

    /// Gives the items that are complete in a value and were not handed out before.
    pub fn take(
        &mut self,
        value: Option<Value>,
    ) -> impl Iterator<Item = Result<T, Error>> + use<'_, T> {
        let array = value.as_ref().and_then(array_of).cloned();
        let complete = array.as_ref().map_or(0, Array::complete_len);
        let new = self.handed_out..complete;
        self.handed_out = self.handed_out.max(complete);
        let item = &self.item;
        new.filter_map(move |at| array.as_ref()?.get(at).map(Value::to_json))
            .map(|value| item.read_value(item.schema().restored(value)))
    }

    /// Begins anew with another text.
    pub fn restart(&mut self) {
        self.arriving.restart();
        self.handed_out = 0;
    }

    /// How many items were handed out, failed ones included.
    pub fn handed_out(&self) -> usize {
        self.handed_out
    }
}

fn array_of(value: &Value) -> Option<&Array> {
    value.as_array().or_else(|| value.get("items")?.as_array())
}
