//! The tools that read and change the metadata.

use std::collections::BTreeMap;
use std::sync::Arc;

use legwork_core::tool::ExecutionMode;
use legwork_core::{EffectClass, ToolCall, ToolOutcome, ToolSpec};
use legwork_port::undo::NothingOutside;
use legwork_port::{BoxFuture, Tool, ToolContext, Undo};
use serde_json::{Map, Value, json};

use super::limits::{Rules, shortened, size};
use super::store::{Arguments, seen};
use crate::capability::writes::Seen;

/// The tool that reads a value.
pub const READ: &str = "read_metadata";
/// The tool that writes a value.
pub const WRITE: &str = "write_metadata";
/// The tool that lists keys.
pub const LIST: &str = "list_metadata";
/// The tool that removes a value.
pub const REMOVE: &str = "remove_metadata";

/// The tools under the rules.
pub(super) fn all(rules: &Arc<Rules>) -> Vec<Arc<dyn Tool>> {
    let all = [Verb::Read, Verb::Write, Verb::List, Verb::Remove];
    let turn = Arc::new(Seen::default());
    let made = |verb: Verb| -> Arc<dyn Tool> {
        let (spec, rules, turn) = (verb.spec(rules), Arc::clone(rules), Arc::clone(&turn));
        Arc::new(MetadataTool { verb, spec: Arc::new(spec), rules, turn })
    };
    all.into_iter().map(made).collect()
}

#[derive(Debug, Clone, Copy)]
enum Verb {
    Read,
    Write,
    List,
    Remove,
}

impl Verb {
    fn spec(self, rules: &Rules) -> ToolSpec {
        let key = json!({ "type": "string", "description": "The key." });
        let object = |properties: Value, required: &[&str]| {
            json!({
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": false
            })
        };
        let limits = &rules.limits;
        match self {
            Self::Read => ToolSpec::new(
                READ,
                "Reads a value that is kept with this session.",
                object(json!({ "key": key }), &["key"]),
            )
            .effect(EffectClass::ReadOnly),
            Self::List => ToolSpec::new(
                LIST,
                "Lists the keys of all values that are kept with this session, with their sizes.",
                object(json!({}), &[]),
            )
            .effect(EffectClass::ReadOnly),
            Self::Write => ToolSpec::new(
                WRITE,
                format!(
                    "Keeps a value with this session, in the place of one of the same key.\n\
                     For what must not be forgotten in a long conversation. Up to {} keys, {} bytes a \
                     value.",
                    limits.keys, limits.value_bytes
                ),
                object(
                    json!({ "key": key, "value": { "description": "Any JSON." } }),
                    &["key", "value"],
                ),
            )
            .effect(EffectClass::Idempotent)
            .mode(ExecutionMode::Sequential),
            Self::Remove => ToolSpec::new(
                REMOVE,
                "Removes a value that is kept with this session.",
                object(json!({ "key": key }), &["key"]),
            )
            .effect(EffectClass::Idempotent)
            .mode(ExecutionMode::Sequential),
        }
    }
}

/// One tool. Those that change something only check it and answer; a hook keeps it.
struct MetadataTool {
    verb: Verb,
    spec: Arc<ToolSpec>,
    rules: Arc<Rules>,
    /// What the turn under way wrote, for all of these tools.
    turn: Arc<Seen<BTreeMap<String, Value>>>,
}

impl Tool for MetadataTool {
    fn spec(&self) -> Arc<ToolSpec> {
        Arc::clone(&self.spec)
    }

    fn undo(&self) -> Option<&dyn Undo> {
        Some(&NothingOutside)
    }

    fn call<'a>(&'a self, call: &'a ToolCall, cx: &'a ToolContext) -> BoxFuture<'a, ToolOutcome> {
        let answer = |arguments| {
            let answer = self.answer(arguments, &seen(&self.turn, &cx.state, cx.key.index));
            answer.unwrap_or_else(ToolOutcome::Retry)
        };
        let outcome = cx.arguments(call).map_or_else(|unfit| unfit, answer);
        Box::pin(std::future::ready(outcome))
    }
}

impl MetadataTool {
    fn answer(
        &self,
        arguments: Arguments,
        kept: &BTreeMap<String, Value>,
    ) -> Result<ToolOutcome, String> {
        let Arguments { key, value } = arguments;
        match self.verb {
            Verb::List => Ok(ToolOutcome::value(self.list(kept))),
            Verb::Read => match kept.get(&key).filter(|_| self.rules.shows(&key)) {
                Some(value) => Ok(ToolOutcome::value(value.clone())),
                None => Ok(ToolOutcome::failed(self.missing(&key, kept))),
            },
            Verb::Write => {
                self.rules.may_write(kept, &key, &value)?;
                Ok(ToolOutcome::text(format!("kept `{key}`")))
            }
            Verb::Remove => {
                self.rules.may_change(&key)?;
                match kept.contains_key(&key) {
                    true => Ok(ToolOutcome::text(format!("removed `{key}`"))),
                    false => Ok(ToolOutcome::failed(self.missing(&key, kept))),
                }
            }
        }
    }

    /// Keys with the sizes of their values.
    fn list(&self, kept: &BTreeMap<String, Value>) -> Value {
        let shown = kept.iter().filter(|(key, _)| self.rules.shows(key));
        Value::Object(
            shown.map(|(key, value)| (key.clone(), size(value).into())).collect::<Map<_, _>>(),
        )
    }

    fn missing(&self, key: &str, kept: &BTreeMap<String, Value>) -> String {
        let known: Vec<_> =
            kept.keys().filter(|key| self.rules.shows(key)).map(String::as_str).collect();
        let key = shortened(key);
        match known.is_empty() {
            true => format!("There is no value `{key}`: nothing is kept yet."),
            false => format!("There is no value `{key}`. There are: {}.", known.join(", ")),
        }
    }
}
