//! JSON Schemas of arguments: checked when a tool comes to be known, then used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::{Digest, ToolSpec, tool};
use serde_json::Value;

use crate::validate::Check;

/// The checks of tools whose schemas are valid, by the tools' digests. An agent shares them
/// with those that are made of it: spawning a subagent checks nothing again.
#[derive(Clone, Default)]
pub struct Schemas(Arc<Mutex<BTreeMap<Digest, Arc<Check>>>>);

impl Schemas {
    /// The check of a tool with a digest.
    ///
    /// # Errors
    /// What is wrong with its name or its schema.
    pub(crate) fn check(&self, spec: &ToolSpec, digest: &Digest) -> Result<Arc<Check>, String> {
        if let Some(known) = self.valid().get(digest) {
            return Ok(Arc::clone(known));
        }
        let check = check(spec)?;
        self.valid().insert(digest.clone(), Arc::clone(&check));
        Ok(check)
    }

    fn valid(&self) -> MutexGuard<'_, BTreeMap<Digest, Arc<Check>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The check of a tool's arguments.
///
/// # Errors
/// What is wrong with its name or its schema.
pub(crate) fn check(spec: &ToolSpec) -> Result<Arc<Check>, String> {
    let (name, check) = (&spec.name, Arc::<Check>::default());
    tool::check_name(name).map_err(|error| format!("a tool: {error}"))?;
    let problem = wrong(&spec.parameters, &check);
    match problem {
        None => Ok(check),
        Some(why) => Err(format!(
            "the JSON Schema of the arguments of the tool `{name}` is not valid: {why}"
        )),
    }
}

/// Why a value is not the schema of a tool's arguments.
fn wrong(schema: &Value, check: &Check) -> Option<String> {
    if !schema.is_object() {
        return Some("a JSON Schema of arguments is an object".to_owned());
    }
    if let Some(kind) = schema.get("type").filter(|kind| *kind != "object") {
        return Some(format!("arguments are of the type \"object\", not {kind}"));
    }
    check.problem(schema)
}

/// Holds arguments against the schema of a tool.
///
/// # Errors
/// What does not fit, in words for the model.
pub fn fits(spec: &ToolSpec, arguments: &Value) -> Result<(), String> {
    Check::default().value(&spec.parameters, arguments)
}
