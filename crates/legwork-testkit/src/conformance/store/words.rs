//! Lines with a word that no version knows.

use legwork_core::entry::Error;
use legwork_core::{Entry, Seq};
use serde_json::Value;

const UNKNOWN: &str = "from_the_future";

/// Every whole line that this one becomes, as the entry of a number, when one of its texts
/// or keys is an unknown one, as far as that cannot be read.
///
/// So this is every place of a word of an enum, and not those of free texts, nor of words
/// that are kept as they come.
pub(super) fn unreadable(line: &str, seq: Seq) -> Vec<Vec<u8>> {
    // A body that only an unknown event can have may not be a `Value`.
    let Ok(mut line) = serde_json::from_str::<Value>(line) else { return Vec::new() };
    if let Some(fields) = line.as_object_mut() {
        fields.insert("seq".to_owned(), seq.0.into());
    }
    let mut changed = Vec::new();
    change(&line, &mut |with| changed.push(with.clone()));
    let lines = changed.iter().filter_map(|line| serde_json::to_vec(line).ok());
    lines.filter(|line| is_refused(line)).collect()
}

fn is_refused(line: &[u8]) -> bool {
    matches!(Entry::decode(line), Err(Error::Unreadable { .. }))
}

/// Gives the value once for each of its texts and keys, with that one changed.
fn change(value: &Value, give: &mut dyn FnMut(&Value)) {
    match value {
        Value::String(_) => give(&Value::from(UNKNOWN)),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                change(item, &mut |with| {
                    let mut items = items.clone();
                    if let Some(item) = items.get_mut(at) {
                        *item = with.clone();
                    }
                    give(&Value::Array(items));
                });
            }
        }
        Value::Object(fields) => {
            for (key, item) in fields {
                let mut renamed = fields.clone();
                renamed.remove(key);
                renamed.insert(UNKNOWN.to_owned(), item.clone());
                give(&Value::Object(renamed));
                change(item, &mut |with| {
                    let mut fields = fields.clone();
                    fields.insert(key.clone(), with.clone());
                    give(&Value::Object(fields));
                });
            }
        }
        _ => {}
    }
}
