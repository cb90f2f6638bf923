//! Arguments against their schema, in words that a model can act on.

mod plain;

use std::sync::OnceLock;

use serde_json::Value;

/// Errors reported at most; a model needs the first few, not all.
const SHOWN: usize = 8;

/// How values are checked against one schema, which each method must be given.
///
/// A plain schema is compiled only when a value is not proved to fit it; another one when
/// it is first needed.
#[derive(Default)]
pub(crate) struct Check {
    plain: OnceLock<bool>,
    compiled: OnceLock<Result<jsonschema::Validator, String>>,
}

impl Check {
    /// What is wrong with the schema itself, if anything is.
    pub(crate) fn problem(&self, schema: &Value) -> Option<String> {
        if self.is_plain(schema) {
            return None;
        }
        self.compiled(schema).err()
    }

    /// Says each error's path, what came, what was expected, and the schema's part.
    pub(crate) fn value(&self, schema: &Value, value: &Value) -> Result<(), String> {
        if self.is_plain(schema) && plain::fits(schema, value) {
            return Ok(());
        }
        match self.compiled(schema) {
            Ok(validator) => explain(validator, schema, value),
            Err(error) => Err(format!("The schema of the tool's arguments is not valid: {error}.")),
        }
    }

    fn is_plain(&self, schema: &Value) -> bool {
        *self.plain.get_or_init(|| plain::is_plain(schema))
    }

    fn compiled(&self, schema: &Value) -> Result<&jsonschema::Validator, String> {
        let compile = || jsonschema::validator_for(schema).map_err(|error| error.to_string());
        self.compiled.get_or_init(compile).as_ref().map_err(Clone::clone)
    }
}

fn explain(validator: &jsonschema::Validator, schema: &Value, value: &Value) -> Result<(), String> {
    if validator.is_valid(value) {
        return Ok(());
    }
    let mut errors = validator.iter_errors(value);
    let mut problems: Vec<_> = errors
        .by_ref()
        .take(SHOWN)
        .map(|error| {
            let path = error.instance_path().to_string();
            let place = if path.is_empty() { "/".to_owned() } else { path };
            let part = schema.pointer(&error.schema_path().to_string());
            let part = part.map_or_else(String::new, |part| format!(" (schema: {part})"));
            format!("at {place}: {error}{part}")
        })
        .collect();
    let more = errors.count();
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    Err(format!("The arguments do not fit: {}.", problems.join("; ")))
}
