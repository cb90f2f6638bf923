//! A value of a type, taken from a text.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::command::Legwork;

const TEXT: &str = "Take the order from this text: \"Good morning, this is Anna Berg. I would like \
                    to order 12 pears for my shop. Please send the bill to my brother.\"";

/// What is wanted of it.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "customer": {"type": "string", "description": "who orders"},
            "fruit": {"type": "string", "description": "what is ordered"},
            "count": {"type": "integer", "description": "how many"},
        },
        "required": ["customer", "fruit", "count"],
        "additionalProperties": false,
    })
}

/// Has the model take an order from a text, and says what is wrong with it.
pub(super) fn play(legwork: &Legwork) -> Result<(), String> {
    println!("\n== a value of a type\ntask: {TEXT}\n");
    let folder = legwork.folder.join("extraction");
    let file = folder.join("order.schema.json");
    write(&folder, &file)?;
    let printed = legwork.value((TEXT, "read"), &folder, &file)?;
    println!("{}", printed.trim());
    judge(&printed)
}

fn write(folder: &Path, file: &Path) -> Result<(), String> {
    let cannot = |error| format!("cannot write into {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot)?;
    fs::write(file, format!("{:#}\n", schema())).map_err(cannot)
}

fn judge(printed: &str) -> Result<(), String> {
    let value: Value = serde_json::from_str(printed)
        .map_err(|error| format!("what was printed is no JSON: {error}: {printed:?}"))?;
    let field = |name: &str| value.get(name).unwrap_or(&Value::Null);
    let text = |name: &str| field(name).as_str().unwrap_or_default().to_lowercase();
    let right = *field("count") == 12
        && text("fruit").starts_with("pear")
        && text("customer").contains("anna berg");
    if right { Ok(()) } else { Err(format!("Anna Berg ordered 12 pears, but it says {value}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_order_in_the_text_is_right() {
        let order = |customer, fruit, count| {
            judge(&json!({"customer": customer, "fruit": fruit, "count": count}).to_string())
        };
        assert_eq!(order("Anna Berg", "Pears", 12), Ok(()));
        assert!(order("Anna Berg", "pears", 3).is_err());
        assert!(order("her brother", "pears", 12).is_err());
        assert!(order("Anna Berg", "apples", 12).is_err());
        assert!(judge("12 pears").is_err());
    }
}
