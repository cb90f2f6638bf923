use super::{Precision, Tokens, count};

#[test]
fn tokens_are_those_of_the_family() {
    // Counted with OpenAI's own library.
    assert_eq!(count(""), 0);
    assert_eq!(count("hello world"), 2);
    assert_eq!(count("tiktoken is great!"), 6);
    assert_eq!(count("お誕生日おめでとう"), 8);
}

#[test]
fn hostile_texts_are_counted_too() {
    for text in ["a", " ", "\n", "=", "\u{200b}", "\r\n ", "👩‍👩‍👧"] {
        let text = format!("x{}x", text.repeat(66_000 / text.len()));
        assert!(count(&text) > 0, "{:?}", text.chars().nth(1));
    }
}

#[test]
fn other_families_are_marked() {
    for model in ["openai:gpt-5-mini", "openai:gpt-4o-2024-08-06", "openai:o3", "openai:gpt-5.1"] {
        assert_eq!(Precision::of(model), Precision::Exact, "{model}");
    }
    for model in ["openai:gpt-4", "ollama:gpt-5", "openai:o3000", "qwen", "openai:gpt-50"] {
        assert_eq!(Precision::of(model), Precision::About, "{model}");
    }
    let tokens = |precision| Tokens { count: 1234, precision };
    assert_eq!(format!("{:>8}|", tokens(Precision::Exact)), "   1,234|");
    assert_eq!(format!("{:>8}|", tokens(Precision::About)), " ≈ 1,234|");
}
