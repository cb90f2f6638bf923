//! Reads the fields of a form from a JSON Schema.

use serde_json::{Map, Value};

use super::field::{Choice, Field, Kind};

/// How many fields a form has at most.
const FIELDS: usize = 50;

/// The fields of a schema, those that are required first; none if a person cannot fill it in field by field.
pub(super) fn fields(schema: &Value) -> Option<Vec<Field>> {
    let schema = schema.as_object()?;
    let none = Map::new();
    let properties = match schema.get("properties") {
        Some(properties) => properties.as_object()?,
        None => &none,
    };
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    if !is_object || properties.len() > FIELDS {
        return None;
    }
    let required: Vec<_> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let field = |(name, of): (&String, &Value)| field(name, of, required.contains(&name.as_str()));
    let mut fields: Vec<_> = properties.iter().map(field).collect::<Option<_>>()?;
    fields.sort_by_key(|field| !field.is_required);
    Some(fields)
}

fn field(name: &str, of: &Value, is_required: bool) -> Option<Field> {
    let text = |key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut field = Field {
        name: name.to_owned(),
        title: text("title"),
        description: text("description"),
        kind: kind(of)?,
        is_required,
        default: None,
    };
    // One that does not fit is none.
    let default = of.get("default").filter(|default| field.check(default).is_ok());
    field.default = default.cloned();
    Some(field)
}

fn kind(of: &Value) -> Option<Kind> {
    let number = |key: &str| of.get(key).and_then(Value::as_f64);
    let whole = |key: &str| of.get(key).and_then(Value::as_u64);
    Some(match of.get("type").and_then(Value::as_str)? {
        "string" => match choices(of) {
            Some(choices) => Kind::One(choices),
            None => Kind::Text { least: whole("minLength").unwrap_or(0), most: whole("maxLength") },
        },
        kind @ ("number" | "integer") => Kind::Number {
            is_whole: kind == "integer",
            least: number("minimum"),
            most: number("maximum"),
        },
        "boolean" => Kind::Boolean,
        "array" => Kind::Many(choices(of.get("items")?)?),
        _ => return None,
    })
}

/// What can be chosen: an `enum`, with `enumNames` where it has some, or constants with titles.
fn choices(of: &Value) -> Option<Vec<Choice>> {
    let titled = of.get("oneOf").or_else(|| of.get("anyOf")).and_then(Value::as_array);
    if let Some(titled) = titled {
        let choice = |one: &Value| {
            let title = one.get("title").and_then(Value::as_str);
            Some(Choice::new(one.get("const")?.as_str()?, title))
        };
        return titled.iter().map(choice).collect();
    }
    let names = of.get("enumNames").and_then(Value::as_array);
    let name = |at: usize| names.and_then(|names| names.get(at)?.as_str());
    let values = of.get("enum")?.as_array()?;
    let choice = |(at, value): (usize, &Value)| Some(Choice::new(value.as_str()?, name(at)));
    values.iter().enumerate().map(choice).collect()
}
