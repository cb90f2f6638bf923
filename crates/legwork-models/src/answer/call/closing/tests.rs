use proptest::prelude::*;

use super::*;

/// Asked after each piece, it says what reading the whole text says.
fn check(pieces: &[&str]) {
    let (mut closing, mut text) = (Closing::default(), String::new());
    for piece in pieces {
        text.push_str(piece);
        assert_eq!(closing.is_whole(&text), is_json(&text), "{text:?}");
    }
}

#[test]
fn a_text_that_grows_is_whole_when_it_is_json() {
    check(&["", "{", "\"a\"", ":", "\"}\\\"", "\"", "}", " ", "\n", "x", "}"]);
    check(&["[1,", "{\"b\":[]}", "]", "{}"]);
    check(&["nul", "l"]);
    check(&["{x}", "{}"]);
    check(&["}", "{}"]);
}

proptest! {
    #[test]
    fn s13_10_any_text_in_any_pieces(
        pieces in prop::collection::vec("[]\\[{}\"\\\\,:1 a]{0,4}", 0..12),
    ) {
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        check(&pieces);
    }
}
