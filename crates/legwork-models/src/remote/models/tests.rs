use serde_json::json;

use super::offered;

#[test]
fn lists_of_many_servers_are_read() {
    let body = json!({"object": "list", "data": [
        {"id": "gpt-5-mini", "object": "model", "owned_by": "openai"},
        {"id": "meta/llama", "context_length": 131_072},
        {"id": "served-by-vllm", "max_model_len": 32_768},
        {"id": "a.gguf", "meta": {"n_ctx_train": 40_960}},
        {"object": "no model"},
    ]});
    let read: Vec<_> = offered(&body)
        .unwrap()
        .into_iter()
        .map(|one| (one.id, one.context_window.unwrap_or(0)))
        .collect();
    let wanted = [
        ("gpt-5-mini".to_owned(), 0),
        ("meta/llama".to_owned(), 131_072),
        ("served-by-vllm".to_owned(), 32_768),
        ("a.gguf".to_owned(), 40_960),
    ];
    assert_eq!(read, wanted);
    assert_eq!(offered(&json!({"data": []})).unwrap(), []);
    for other in [json!({"error": "no"}), json!("models"), json!({"data": {"id": "x"}})] {
        assert_eq!(offered(&other), None, "{other}");
    }
}
