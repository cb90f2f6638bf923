//! The schema of a tool's arguments as a list that people read.

use serde_json::Value;

/// An argument of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Its type with what limits it, such as `integer, 1 to 600, optional`.
    pub(super) kind: String,
    pub(super) description: String,
}

/// The arguments that an object schema names, the required ones first, each before what is
/// within it.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter> {
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|one| one == name))
    };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut all: Vec<_> = properties.iter().collect();
    all.sort_by_key(|(name, _)| !required(name));
    let one = |(name, part): (&String, &Value)| {
        let needed = if required(name) { "required" } else { "optional" };
        let description = part.get("description").and_then(Value::as_str).unwrap_or_default();
        let itself = Parameter {
            name: name.clone(),
            kind: format!("{}, {needed}", kind(part)),
            description: description.to_owned(),
        };
        [vec![itself], within(name, part)].concat()
    };
    all.into_iter().flat_map(one).collect()
}

/// What an argument holds that is an object or a list of them: `edits[].old`.
fn within(name: &str, part: &Value) -> Vec<Parameter> {
    let (inner, joint) = match part.get("items") {
        Some(items) => (items, "[]."),
        None => (part, "."),
    };
    let prefixed = |one: Parameter| Parameter { name: format!("{name}{joint}{}", one.name), ..one };
    parameters(inner).into_iter().map(prefixed).collect()
}

/// The type of a value with what limits it.
fn kind(part: &Value) -> String {
    let mut words = vec![type_of(part)];
    let number = |name: &str| part.get(name).filter(|value| value.is_number());
    match (number("minimum"), number("maximum")) {
        (Some(least), Some(most)) => words.push(format!("{least} to {most}")),
        (Some(least), None) => words.push(format!("at least {least}")),
        (None, Some(most)) => words.push(format!("at most {most}")),
        (None, None) => {}
    }
    if let Some(default) = part.get("default") {
        words.push(format!("default {default}"));
    }
    words.join(", ")
}

fn type_of(part: &Value) -> String {
    if let Some(values) = part.get("enum").and_then(Value::as_array) {
        let values: Vec<_> = values.iter().map(Value::to_string).collect();
        return values.join(" or ");
    }
    match part.get("type") {
        Some(Value::String(name)) if name == "array" => match part.get("items") {
            Some(items) => format!("array of {}", type_of(items)),
            None => "array".to_owned(),
        },
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
            names.join(" or ")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests;
