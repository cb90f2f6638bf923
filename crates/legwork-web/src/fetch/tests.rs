use super::excerpt::Excerpt;

#[test]
fn s6_9_a_long_text_is_cut_with_a_note_that_says_how_to_read_on() {
    let text = "äöü€1234";
    let whole = Excerpt::of(text, 0, 8);
    assert_eq!((whole.text, whole.note()), (text, None));
    let first = Excerpt::of(text, 0, 3);
    assert_eq!(first.text, "äöü");
    let note = "[characters 0 to 3 of 8; call again with start=3 for the rest]";
    assert_eq!(first.note().as_deref(), Some(note));
    let last = Excerpt::of(text, 3, usize::MAX);
    assert_eq!((last.text, last.is_last()), ("€1234", true));
    assert_eq!(last.note().as_deref(), Some("[the end: characters 3 to 8]"));
    let none = Excerpt::of(text, 99, 3);
    assert_eq!(none.note().as_deref(), Some("[there is no text behind its 8 characters]"));
    assert_eq!(Excerpt::of("", 0, 3).note(), None);
}
