//! The shapes that are asked for.

use std::collections::{BTreeMap, BTreeSet};

use legwork_output::schema::Schema;
use legwork_output::{Maybe, Output};
use schemars::JsonSchema;
use serde_json::{Value, json};

/// An output of which only the request counts: its values stay JSON.
pub(super) type Shape = Output<Value>;

/// A sum.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[allow(dead_code, reason = "only its schema is used")]
struct Sum {
    /// The sum of both numbers.
    sum: i64,
}

/// A figure.
#[derive(JsonSchema)]
#[schemars(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum Figure {
    Circle { radius: f64 },
    Square { side: f64, label: Option<String> },
    Point,
}

#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
enum Colour {
    Red,
    Green,
}

/// What few dialects can say all of.
#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Bounded {
    #[schemars(length(min = 1, max = 20), regex(pattern = "^[a-z]+$"))]
    name: String,
    #[schemars(range(min = 0.0, max = 1.0))]
    share: f64,
    #[schemars(length(min = 1, max = 3))]
    tags: Option<Vec<String>>,
    #[schemars(email)]
    address: String,
    level: Option<u8>,
    colours: BTreeSet<Colour>,
    pair: (String, u8),
    nested: Option<Box<Sum>>,
}

#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Tree {
    value: i64,
    children: Vec<Tree>,
}

#[derive(JsonSchema)]
#[allow(dead_code, reason = "only its schema is used")]
struct Counts {
    counts: BTreeMap<String, u64>,
}

/// The sum of two numbers.
pub(super) fn sum() -> Result<Shape, String> {
    of::<Sum>()
}

/// The same with a name, a description and an example.
pub(super) fn described() -> Result<Shape, String> {
    let output = sum()?.named("answer").described("Gives the sum.");
    output.example(&json!({"sum": 3})).map_err(|error| error.to_string())
}

/// All others, each by its name.
pub(super) fn shapes() -> Result<Vec<(&'static str, Shape)>, String> {
    Ok(vec![
        ("union", of::<Figure>()?),
        ("enum", of::<Colour>()?),
        ("scalar", of::<u8>()?),
        ("text", of::<String>()?),
        ("sequence", of::<Vec<Sum>>()?),
        ("unions", of::<Vec<Figure>>()?),
        ("optional", of::<Option<Sum>>()?),
        ("optional_enum", of::<Option<Colour>>()?),
        ("maybe", of::<Maybe<Sum>>()?),
        ("bounded", of::<Bounded>()?),
        ("recursive", of::<Tree>()?),
        ("map", of::<Counts>()?),
        ("any", of::<Value>()?),
        ("dynamic", dynamic()?),
        ("dynamic_union", dynamic_union()?),
        ("dynamic_open", open()?),
    ])
}

fn of<T: JsonSchema>() -> Result<Shape, String> {
    let schema = Schema::of::<T>().map_err(|error| error.to_string())?;
    Output::with_schema(schema).map_err(|error| error.to_string())
}

/// A schema that a program got from elsewhere, with references, unions and bounds.
fn dynamic() -> Result<Shape, String> {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "An order (v2)",
        "type": "object",
        "properties": {
            "item": {"$ref": "#/definitions/Item"},
            "count": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
            "to": {"oneOf": [
                {"type": "string", "format": "email"},
                {"type": "object", "properties": {"street": {"type": "string", "minLength": 1}},
                    "required": ["street"], "additionalProperties": false}]},
            "state": {"const": "open"},
        },
        "required": ["item", "to"],
        "additionalProperties": false,
        "definitions": {"Item": {
            "type": "object", "properties": {"code": {"type": "string", "pattern": "^[A-Z]{3}$"}},
            "required": ["code"], "additionalProperties": false}},
    });
    Output::dynamic(schema).map_err(|error| error.to_string())
}

/// One that is no object, of an older draft.
fn dynamic_union() -> Result<Shape, String> {
    let schema = json!({
        "oneOf": [
            {"$ref": "#/definitions/Paid"},
            {"type": "object", "properties": {"why": {"enum": ["closed", "late", null]}},
                "required": ["why"]}],
        "definitions": {"Paid": {"type": "object", "properties": {"sum": {"type": "number"}},
            "required": ["sum"]}},
    });
    Output::dynamic(schema).map_err(|error| error.to_string())
}

/// A schema of objects of which nothing is known.
fn open() -> Result<Shape, String> {
    Output::dynamic(json!({"type": "object"})).map_err(|error| error.to_string())
}
