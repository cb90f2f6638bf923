use super::of;

#[test]
fn providers_have_the_names_of_the_conventions() {
    assert_eq!(of("openai:gpt-5-mini"), ("openai", "gpt-5-mini"));
    assert_eq!(of("gemini:gemini-3-pro"), ("gcp.gemini", "gemini-3-pro"));
    assert_eq!(of("ollama:qwen3:8b"), ("ollama", "qwen3:8b"));
    assert_eq!(of("script"), ("legwork", "script"));
    assert_eq!(of(""), ("legwork", ""));
}
