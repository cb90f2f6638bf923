//! Arguments against their schema, in words that a model can act on.

use jsonschema::Validator;
use serde_json::Value;

/// Errors told at most; a model needs the first few, not all.
const SHOWN: usize = 8;

/// Compiles a schema.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    jsonschema::validator_for(schema).map_err(|error| error.to_string())
}

/// Says each error's path, what came, what was expected, and the schema's part.
pub(crate) fn check(validator: &Validator, schema: &Value, value: &Value) -> Result<(), String> {
    if validator.is_valid(value) {
        return Ok(());
    }
    let problems: Vec<_> = validator
        .iter_errors(value)
        .take(SHOWN)
        .map(|error| {
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "/".to_owned() } else { path };
            let part = schema.pointer(&error.schema_path().to_string());
            let part = part.map_or_else(String::new, |part| format!(" (schema: {part})"));
            format!("at {place}: {error}{part}")
        })
        .collect();
    Err(format!("The arguments do not fit: {}.", problems.join("; ")))
}
