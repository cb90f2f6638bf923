use super::Generation;

#[test]
fn a_name_says_the_generation() {
    for name in ["gemini-3-pro-preview", "gemini-3.1-flash-lite", "gemini-flash-latest"] {
        assert_eq!(Generation::of(name), Generation::Third, "{name}");
    }
    for name in ["gemini-2.5-pro", "gemini-2.0-flash", "gemini-1.5-flash", "gemma-3-27b-it", ""] {
        assert_eq!(Generation::of(name), Generation::Second, "{name}");
    }
}
