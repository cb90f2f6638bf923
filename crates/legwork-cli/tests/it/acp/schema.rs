//! The schema of the protocol.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

/// The schema, where it is there.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/acp/v1-schema.json");

/// Holds lines against the schema.
pub(super) struct Schema {
    /// Any line; none where there is no schema.
    line: Option<Validator>,
    /// Parameters and results, by method.
    params: BTreeMap<String, Validator>,
    results: BTreeMap<String, Validator>,
}

impl Schema {
    pub(super) fn load() -> Self {
        let Ok(text) = std::fs::read_to_string(FILE) else {
            println!("skipped: no schema of the Agent Client Protocol, lines are not validated");
            return Self { line: None, params: BTreeMap::new(), results: BTreeMap::new() };
        };
        let schema: Value = serde_json::from_str(&text).unwrap();
        let (mut params, mut results) = (BTreeMap::new(), BTreeMap::new());
        for (name, definition) in schema["$defs"].as_object().unwrap() {
            let Some(method) = definition["x-method"].as_str() else { continue };
            let one = json!({"$ref": format!("#/$defs/{name}"), "$defs": schema["$defs"]});
            let validator = jsonschema::draft202012::new(&one).unwrap();
            let all = if name.ends_with("Response") { &mut results } else { &mut params };
            all.insert(method.to_owned(), validator);
        }
        assert!(params.len() > 10 && results.len() > 10);
        Self { line: Some(jsonschema::draft202012::new(&schema).unwrap()), params, results }
    }

    /// Checks a line; `answers` is the method of the request that it answers.
    #[track_caller]
    pub(super) fn check(&self, line: &Value, answers: Option<&str>) {
        let Some(any) = &self.line else { return };
        let hold = |validator: &Validator, value: &Value| {
            let wrong: Vec<_> = validator.iter_errors(value).map(|e| e.to_string()).collect();
            assert!(wrong.is_empty(), "{line:#}: {}", wrong.join("; "));
        };
        hold(any, line);
        if let Some(method) = line["method"].as_str() {
            hold(&self.params[method], &line["params"]);
        } else if let (Some(method), Some(result)) = (answers, line.get("result")) {
            hold(&self.results[method], result);
        }
    }
}
