use super::Needle;

#[track_caller]
fn finds(needle: &str, text: &str, wanted: Option<&str>) {
    let found = Needle::new(needle).find(text);
    assert_eq!(found.map(|(line, at)| &line[at]), wanted, "{needle:?} in {text:?}");
}

#[test]
fn case_counts_where_there_is_a_capital() {
    finds("makefile", "the Makefile", Some("Makefile"));
    finds("Makefile", "the makefile", None);
    finds("Makefile", "the Makefile", Some("Makefile"));
    finds("ÄRGER", "ÄRGER", Some("ÄRGER"));
    finds("ärger", "viel ÄRGER!", Some("ÄRGER"));
}

#[test]
fn characters_that_change_their_length_are_counted_out() {
    // The Kelvin sign and the dotted I are longer or shorter in lower case.
    finds("k.", "5 \u{212a}. more", Some("\u{212a}."));
    finds("x", "\u{130}\u{130} x", Some("x"));
    finds("i", "a\u{130}b", Some("\u{130}"));
    finds("σ", "ΟΔΟΣ", Some("Σ"));
    finds("🧵", "a 🧵 b", Some("🧵"));
}

#[test]
fn a_match_lies_in_one_line() {
    finds("a b", "a\nb\na b c", Some("a b"));
    finds("a\nb", "a\nb", None);
}
