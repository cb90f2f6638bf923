//! Unions, types and constants in a dialect.

use serde_json::{Value, json};

use crate::schema::Dialect;
use crate::schema::fit::Unfit;
use crate::schema::fit::walk::{Keywords, Walk, note};

impl<'s> Walk<'s> {
    /// Rewrites `anyOf`, `oneOf` and `allOf`; that exactly one of several fits is checked later.
    pub(super) fn unions(
        &mut self,
        keywords: &'s Keywords,
        fitted: &mut Keywords,
    ) -> Result<(), Unfit> {
        for union in ["anyOf", "oneOf"] {
            let Some(branches) = keywords.get(union).and_then(Value::as_array) else { continue };
            if fitted.contains_key("anyOf") {
                return Err(self.unfit("two unions at once"));
            }
            let mut kept = Vec::new();
            for (at, branch) in branches.iter().enumerate() {
                kept.push(self.at(&[union, &at.to_string()], |walk| walk.schema(branch))?);
            }
            fitted.insert("anyOf".to_owned(), kept.into());
        }
        let all = keywords.get("allOf").and_then(Value::as_array);
        match all.map(Vec::as_slice) {
            None => Ok(()),
            Some([one]) => {
                let inner = self.at(&["allOf", "0"], |walk| walk.schema(one))?;
                self.merge(inner, fitted)
            }
            Some(_) => Err(self.unfit("`allOf` of several schemas")),
        }
    }

    /// Takes the keywords of the only schema of `allOf`.
    fn merge(&mut self, inner: Value, fitted: &mut Keywords) -> Result<(), Unfit> {
        let Value::Object(inner) = inner else { return Ok(()) };
        for (keyword, value) in inner {
            match fitted.get(&keyword) {
                Some(own) if *own != value && keyword != "description" && keyword != "title" => {
                    return Err(self.unfit("`allOf` beside other keywords"));
                }
                Some(_) => {}
                None => drop(fitted.insert(keyword, value)),
            }
        }
        Ok(())
    }

    /// Rewrites `type`, `format`, `enum` and `const`.
    pub(super) fn types(
        &mut self,
        keywords: &'s Keywords,
        fitted: &mut Keywords,
    ) -> Result<(), Unfit> {
        if let Some(format) = keywords.get("format")
            && format.as_str().is_some_and(|format| self.dialect.knows_format(format))
        {
            fitted.insert("format".to_owned(), format.clone());
        }
        let values = keywords.get("const").map(std::slice::from_ref);
        let values = values.or_else(|| keywords.get("enum")?.as_array().map(Vec::as_slice));
        let kind = keywords.get("type").cloned().or_else(|| kind_of(values?));
        if self.dialect == Dialect::Gemini {
            self.types_of_gemini(kind, values, fitted);
            return Ok(());
        }
        if let Some(kind) = kind {
            fitted.insert("type".to_owned(), kind);
        }
        for keyword in ["const", "enum"] {
            if let Some(value) = keywords.get(keyword) {
                fitted.insert(keyword.to_owned(), value.clone());
            }
        }
        Ok(())
    }

    /// Types, of which several are a union, and values, which are texts and numbers.
    fn types_of_gemini(
        &mut self,
        kind: Option<Value>,
        values: Option<&[Value]>,
        fitted: &mut Keywords,
    ) {
        let kinds = match kind {
            Some(Value::Array(kinds)) => kinds,
            kind => kind.into_iter().collect(),
        };
        let others: Vec<_> = kinds.iter().filter(|kind| *kind != "null").collect();
        match (kinds.as_slice(), others.as_slice()) {
            ([], _) => {}
            ([one], _) => drop(fitted.insert("type".to_owned(), one.clone())),
            (_, [one]) => drop(fitted.insert("type".to_owned(), json!([one, "null"]))),
            (several, _) => {
                let branches: Vec<_> = several.iter().map(|kind| json!({"type": kind})).collect();
                fitted.insert("anyOf".to_owned(), branches.into());
            }
        }
        if let Some(values) = values {
            self.values_of_gemini(values, fitted);
        }
    }

    fn values_of_gemini(&mut self, values: &[Value], fitted: &mut Keywords) {
        fitted.remove("enum");
        let others: Vec<_> = values.iter().filter(|value| !value.is_null()).collect();
        let are_known = others.iter().all(|value| value.is_string() || value.is_number());
        if !are_known || others.is_empty() {
            self.leave_out("enum");
            note(fitted, &format!("one of {}", json!(values)));
            return;
        }
        if others.len() == values.len() {
            fitted.insert("enum".to_owned(), json!(others));
            return;
        }
        let mut branch = json!({"enum": others});
        if let (Some(branch), Some(kind)) = (branch.as_object_mut(), fitted.remove("type")) {
            let kind = kind.get(0).cloned().unwrap_or(kind);
            branch.insert("type".to_owned(), kind);
        }
        fitted.insert("anyOf".to_owned(), json!([branch, {"type": "null"}]));
    }
}

/// The type that all values have.
fn kind_of(values: &[Value]) -> Option<Value> {
    let mut kinds: Vec<_> = values.iter().map(name_of_kind).collect();
    kinds.dedup();
    match kinds.as_slice() {
        [one] => Some(json!(one)),
        [] => None,
        several => Some(json!(several)),
    }
}

fn name_of_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
