//! Schemas of arguments, as a server gives them: they are read, and nothing is fetched for them.

use serde_json::{Map, Value};

/// Bytes, values and levels of a schema at most.
const BYTES: usize = 64 << 10;
const VALUES: usize = 5_000;
const LEVELS: usize = 32;

/// A schema that arguments can be checked by.
///
/// # Errors
/// Why it cannot be used, in words.
pub(crate) fn checked(schema: &Map<String, Value>) -> Result<Value, String> {
    match schema.get("type") {
        None => {}
        Some(Value::String(of)) if of == "object" => {}
        Some(_) => return Err("its arguments are not an object".to_owned()),
    }
    let mut whole = schema.clone();
    whole.insert("type".to_owned(), Value::from("object"));
    let whole = Value::Object(whole);
    if whole.to_string().len() > BYTES {
        return Err(format!("its schema has more than {} KiB", BYTES >> 10));
    }
    let mut left = VALUES;
    look(&whole, 0, &mut left)?;
    match jsonschema::validator_for(&whole) {
        Ok(_) => Ok(whole),
        Err(error) => Err(format!("its schema is wrong: {error}")),
    }
}

/// Looks at all that is in a schema, before anything resolves it.
fn look(value: &Value, level: usize, left: &mut usize) -> Result<(), String> {
    *left = left.checked_sub(1).ok_or_else(|| "its schema is too large".to_owned())?;
    if level > LEVELS {
        return Err("its schema is nested too deeply".to_owned());
    }
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| look(item, level + 1, left)),
        Value::Object(fields) => {
            for (name, field) in fields {
                let refers = ["$ref", "$dynamicRef", "$recursiveRef"].contains(&name.as_str());
                if let (true, Value::String(to)) = (refers, field)
                    && !to.starts_with('#')
                {
                    return Err(format!("its schema refers to `{to}`, which is not fetched"));
                }
                look(field, level + 1, left)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
