use serde_json::json;

use super::parameters;

#[test]
fn a_schema_reads_as_a_list() {
    let schema = json!({
        "type": "object",
        "properties": {
            "count": {"type": ["integer", "null"], "minimum": 1, "maximum": 9, "default": 3},
            "mode": {"enum": ["fast", "slow"]},
            "path": {"type": "string", "description": "The file."},
            "tags": {"type": "array", "items": {"type": "string"}},
            "parts": {"type": "array", "items": {
                "type": "object",
                "properties": {"at": {"type": "object", "properties": {"x": {"type": "number"}}}},
                "required": ["at"],
            }},
            "what": true,
        },
        "required": ["path"],
    });
    let read: Vec<_> = parameters(&schema)
        .into_iter()
        .map(|one| format!("{}: {} {}", one.name, one.kind, one.description))
        .collect();
    let wanted = [
        "path: string, required The file.",
        "count: integer or null, 1 to 9, default 3, optional ",
        "mode: \"fast\" or \"slow\", optional ",
        "parts: array of object, optional ",
        "parts[].at: object, required ",
        "parts[].at.x: number, optional ",
        "tags: array of string, optional ",
        "what: any, optional ",
    ];
    assert_eq!(read, wanted);
    assert!(parameters(&json!(true)).is_empty());
}
