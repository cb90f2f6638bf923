//! JSON Schemas of arguments: found to be right when an agent is built, then used.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use legwork_core::{Digest, ToolSpec};
use serde_json::Value;

use crate::validate::Check;

/// The checks of tools whose schemas were found to be right, by the tools' digests. An agent
/// shares them with those that are made of it: spawning a subagent checks nothing again.
#[derive(Clone, Default)]
pub struct Schemas(Arc<Mutex<BTreeMap<Digest, Arc<Check>>>>);

impl Schemas {
    /// The check of the tool with a digest, if its schema was found to be right.
    pub(super) fn get(&self, digest: &Digest) -> Option<Arc<Check>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }

    /// What is wrong with the schema of a tool, if anything is; else its check is kept.
    pub(super) fn problem(
        &self,
        spec: &ToolSpec,
        digest: &Digest,
        check: &Arc<Check>,
    ) -> Option<String> {
        if self.get(digest).is_some() {
            return None;
        }
        let problem = wrong(&spec.parameters, check);
        if problem.is_none() {
            let mut right = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            right.insert(digest.clone(), Arc::clone(check));
        }
        problem
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
