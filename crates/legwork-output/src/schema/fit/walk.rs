//! The walk over a schema, which rewrites each part of it.

use serde_json::{Map, Value, json};

use crate::schema::fit::{LeftOut, Unfit};
use crate::schema::{Dialect, reference};

/// How deeply schemas may nest.
const DEEPEST: usize = 64;

/// How many schemas there may be, because references that are written out multiply.
const MOST: usize = 5_000;

/// Where a schema keeps those that it refers to; before the draft of 2019 in the second.
pub(crate) const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// Keywords that only annotate: leaving them out changes nothing.
const ANNOTATIONS: [&str; 12] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentMediaType",
    "contentEncoding",
];

/// Keywords that are rewritten, not copied.
const REWRITTEN: [&str; 12] = [
    "type",
    "format",
    "const",
    "enum",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "anyOf",
    "oneOf",
    "allOf",
];

pub(super) type Keywords = Map<String, Value>;

/// A walk over a schema.
pub(super) struct Walk<'s> {
    root: &'s Value,
    pub(super) dialect: Dialect,
    pub(super) left_out: Vec<LeftOut>,
    path: Vec<String>,
    /// The definitions that this part is in, for dialects without recursion.
    inside: Vec<&'s str>,
    seen: usize,
}

impl<'s> Walk<'s> {
    pub(super) fn new(root: &'s Value, dialect: Dialect) -> Self {
        Self { root, dialect, left_out: Vec::new(), path: Vec::new(), inside: Vec::new(), seen: 0 }
    }

    /// Rewrites the outermost schema, with the definitions that it keeps.
    pub(super) fn root(&mut self, schema: &'s Value) -> Result<Value, Unfit> {
        if schema.get("type").is_none_or(|kind| kind != "object") || schema.get("anyOf").is_some() {
            return Err(self.unfit("a value that is no object at its root"));
        }
        let mut fitted = self.schema(schema)?;
        if !self.dialect.has_references() {
            return Ok(fitted);
        }
        for place in DEFINITIONS {
            let kept = self.definitions(place)?;
            if let Some(fitted) = fitted.as_object_mut().filter(|_| !kept.is_empty()) {
                fitted.insert(place.to_owned(), kept.into());
            }
        }
        Ok(fitted)
    }

    /// Rewrites the definitions of the outermost schema at a place.
    fn definitions(&mut self, place: &str) -> Result<Keywords, Unfit> {
        let mut kept = Map::new();
        let definitions = self.root.get(place).and_then(Value::as_object);
        for (name, schema) in definitions.into_iter().flatten() {
            self.inside.push(name);
            let schema = self.at(&[place, name], |walk| walk.schema(schema))?;
            self.inside.pop();
            kept.insert(name.clone(), schema);
        }
        Ok(kept)
    }

    /// Rewrites one schema.
    pub(super) fn schema(&mut self, schema: &'s Value) -> Result<Value, Unfit> {
        self.seen += 1;
        if self.path.len() > 2 * DEEPEST || self.seen > MOST {
            return Err(self.unfit("so many schemas, or schemas that are nested so deeply"));
        }
        let Some(keywords) = schema.as_object().filter(|keywords| says_something(keywords)) else {
            return Err(self.unfit("a value of any kind"));
        };
        if keywords.contains_key("$ref") {
            return self.reference(schema, keywords);
        }
        let mut fitted = self.plain(keywords);
        self.objects(keywords, &mut fitted)?;
        self.arrays(keywords, &mut fitted)?;
        self.unions(keywords, &mut fitted)?;
        self.types(keywords, &mut fitted)?;
        Ok(fitted.into())
    }

    /// Does something at a place further inside.
    pub(super) fn at<T>(
        &mut self,
        place: &[&str],
        inside: impl FnOnce(&mut Self) -> Result<T, Unfit>,
    ) -> Result<T, Unfit> {
        let length = self.path.len();
        self.path.extend(place.iter().map(|part| part.replace('~', "~0").replace('/', "~1")));
        let done = inside(self);
        self.path.truncate(length);
        done
    }

    pub(super) fn unfit(&self, what: &'static str) -> Unfit {
        Unfit { dialect: self.dialect, path: self.pointer(), what }
    }

    /// Records a keyword that is left out.
    pub(super) fn leave_out(&mut self, keyword: &str) {
        let path = self.pointer();
        self.left_out.push(LeftOut { path, keyword: keyword.to_owned() });
    }

    /// The whole schema, which references point into.
    pub(super) fn document(&self) -> &'s Value {
        self.root
    }

    fn pointer(&self) -> String {
        self.path.iter().map(|part| format!("/{part}")).collect()
    }

    fn reference(&mut self, schema: &'s Value, keywords: &'s Keywords) -> Result<Value, Unfit> {
        let name = keywords.get("$ref").and_then(Value::as_str).unwrap_or_default();
        let Some(target) = reference::target(self.root, schema) else {
            return Err(self.unfit("a reference to another document"));
        };
        let definition = definition(name);
        // What is no definition of the outermost schema is not kept, so it is written out.
        let is_kept = self.dialect.has_references() && (name == "#" || definition.is_some());
        let short = definition.unwrap_or(name);
        let is_recursive = name == "#" || self.inside.contains(&short);
        if is_recursive && !(is_kept && self.dialect.has_recursion()) {
            return Err(self.unfit("a type that contains itself"));
        }
        let fitted = match is_kept {
            true => json!({"$ref": name}),
            false => {
                self.inside.push(short);
                let fitted = self.schema(target);
                self.inside.pop();
                fitted?
            }
        };
        Ok(described(fitted, keywords.get("description")))
    }

    /// What is copied, with what cannot be said noted in the description.
    fn plain(&mut self, keywords: &Keywords) -> Keywords {
        let (mut fitted, mut noted) = (Keywords::new(), Vec::new());
        for (keyword, value) in keywords {
            let keyword = keyword.as_str();
            let known = REWRITTEN.contains(&keyword) || self.keeps(keyword, value);
            match known {
                true if REWRITTEN.contains(&keyword) => {}
                true => drop(fitted.insert(keyword.to_owned(), value.clone())),
                false if ANNOTATIONS.contains(&keyword) => {}
                false => {
                    noted.push(format!("{keyword}: {value}"));
                    self.leave_out(keyword);
                }
            }
        }
        if !noted.is_empty() {
            note(&mut fitted, &noted.join(", "));
        }
        fitted
    }

    fn keeps(&self, keyword: &str, value: &Value) -> bool {
        let few_items = self.dialect == Dialect::Anthropic && keyword == "minItems";
        self.dialect.keeps(keyword) || few_items && value.as_u64().is_some_and(|least| least < 2)
    }
}

/// The name of the definition that a reference leads to, if it leads to a whole one.
fn definition(reference: &str) -> Option<&str> {
    let pointer = reference.strip_prefix("#/")?;
    let (place, name) = pointer.split_once('/')?;
    (DEFINITIONS.contains(&place) && !name.contains('/')).then_some(name)
}

/// Tells in the description what the dialect cannot say.
pub(super) fn note(fitted: &mut Keywords, what: &str) {
    let before = fitted.get("description").and_then(Value::as_str).unwrap_or_default();
    let text = format!("{before} ({what})").trim().to_owned();
    fitted.insert("description".to_owned(), text.into());
}

fn says_something(keywords: &Keywords) -> bool {
    let says = ["type", "$ref", "enum", "const", "anyOf", "oneOf", "allOf"];
    says.iter().any(|keyword| keywords.contains_key(*keyword))
}

/// A schema with a description, which a reference cannot have beside it.
pub(super) fn described(fitted: Value, description: Option<&Value>) -> Value {
    match (fitted, description) {
        (fitted, None) => fitted,
        (fitted, Some(text)) if fitted.get("$ref").is_some() => {
            json!({"anyOf": [fitted], "description": text})
        }
        (Value::Object(mut fitted), Some(text)) => {
            fitted.insert("description".to_owned(), text.clone());
            fitted.into()
        }
        (fitted, _) => fitted,
    }
}
