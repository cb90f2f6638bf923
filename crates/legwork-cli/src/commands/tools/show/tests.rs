use super::wrapped;

#[test]
fn words_are_kept_whole() {
    assert_eq!(wrapped("one two three", 9, "  "), ["  one two", "  three"]);
    assert_eq!(wrapped("immeasurable a", 5, ""), ["immeasurable", "a"]);
    assert_eq!(wrapped("a\n\nb", 5, ""), ["a", "", "b"]);
    assert!(wrapped("", 5, "").is_empty());
}
