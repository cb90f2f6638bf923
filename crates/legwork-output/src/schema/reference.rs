//! References inside of a schema.

use serde_json::Value;

/// The longest chain of references that is followed.
const LONGEST: usize = 32;

/// The schema that a reference means; itself if it is none, or leads nowhere.
pub(super) fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    for _ in 0..LONGEST {
        match target(root, schema) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// The schema that a reference leads to in one step.
pub(super) fn target<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}
