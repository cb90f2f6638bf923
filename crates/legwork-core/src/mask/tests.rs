use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEY: &str = "sk-canary/0123+456\"789";

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let all =
            group.iter().chain([0; 2].iter()).take(3).fold(0u32, |all, b| all << 8 | u32::from(*b));
        for at in 0..=group.len() {
            text.push(char::from(LETTERS[(all >> (18 - 6 * at) & 63) as usize]));
        }
    }
    text
}

#[test]
fn s13_11_a_secret_is_masked_however_it_is_spelled() {
    let mask = Mask::of([KEY]);
    let json = json!({"a": KEY}).to_string();
    for text in [
        KEY.to_owned(),
        json.clone(),
        json!({"inner": json}).to_string(),
        "https://host/?key=sk-canary%2F0123%2B456%22789&x".to_owned(),
        "https://host/?key=sk-canary%2f0123%2b456%22789&x".to_owned(),
        base64(KEY.as_bytes()),
        base64(format!("u:{KEY}").as_bytes()),
        base64(format!("user:{KEY}\n").as_bytes()),
        base64(format!("Bearer {KEY} and more").as_bytes()).replace('+', "-").replace('/', "_"),
    ] {
        let masked = mask.text(&text);
        assert!(masked.contains(MASK) && !masked.contains("canary"), "{text}: {masked}");
        assert!(masked.len() < text.len(), "{text}: {masked}");
    }
    assert_eq!(mask.text(&format!("{KEY}{KEY} {KEY}")), "[redacted] [redacted]");
    assert!(matches!(mask.text("sk-canary/0123"), Cow::Borrowed(_)));
}

#[test]
fn s13_11_short_words_are_no_secrets() {
    let mask = Mask::of(["none", "lm-studio", ""]);
    assert!(mask.is_none() && mask.text("none of lm-studio") == "none of lm-studio");
}

#[test]
fn s13_11_masks_come_together_and_show_nothing() {
    let both = Mask::of(["first-0123456789"]).and(&Mask::of(["second-0123456789"]));
    assert_eq!(both.text("first-0123456789, second-0123456789"), "[redacted], [redacted]");
    assert_eq!(both.and(&Mask::default()).text("second-0123456789"), MASK);
    assert!(!format!("{both:?}").contains("0123456789"));
}

#[test]
fn s13_11_all_texts_of_a_value_are_masked() {
    let mask = Mask::of([KEY]);
    let value = json!({"a": [1, null, {KEY: true, "b": format!("is {KEY}.")}]});
    let masked = mask.masked(&value).unwrap();
    assert_eq!(masked, json!({"a": [1, null, {MASK: true, "b": "is [redacted]."}]}));
    assert_eq!(mask.masked(&masked), None);
}

proptest! {
    /// However a text is cut, nothing of a secret is shown, and all else is.
    #[test]
    fn s13_11_a_stream_is_masked_across_its_pieces(
        words in prop::collection::vec(prop_oneof![
            Just(KEY.to_owned()), Just("sk-canary/".to_owned()), Just("é".to_owned()), "[a-z ]{0,9}",
        ], 0..8),
        cuts in prop::collection::vec(0..40usize, 0..30),
    ) {
        let (text, mask) = (words.concat(), Mask::of([KEY]));
        let (mut stream, mut shown, mut rest) = (Stream::new(mask.clone()), String::new(), &*text);
        for cut in cuts {
            let (piece, more) = rest.split_at(rest.floor_char_boundary(cut));
            shown.push_str(&stream.push(piece));
            prop_assert!(!shown.contains(KEY));
            rest = more;
        }
        shown.push_str(&stream.push(rest));
        shown.push_str(&stream.end());
        // Masks side by side are as good as one.
        prop_assert_eq!(collapsed(shown), collapsed(mask.text(&text).into_owned()));
    }
}

/// The text with one mask where several stand side by side.
fn collapsed(mut text: String) -> String {
    let double = [MASK, MASK].concat();
    while text.contains(&double) {
        text = text.replace(&double, MASK);
    }
    text
}

#[test]
fn s13_11_secrets_that_become_known_are_masked_from_then_on() {
    let (tokens, other) = (Growing::default(), Growing::default());
    let both = tokens.mask().and(&Mask::of(["first-0123456789"])).and(&other.mask());
    let (both, mut stream) = (both.and(&tokens.mask()), Stream::new(tokens.mask()));
    assert!(!tokens.mask().is_none() && both.text("token-0123456789") == "token-0123456789");
    tokens.add("token-0123456789");
    other.add("other-0123456789");
    tokens.add("short");
    let text = "first-0123456789 token-0123456789 other-0123456789 short";
    assert_eq!(both.text(text), "[redacted] [redacted] [redacted] short");
    assert!(both.is_in(&json!({"a": ["token-0123456789"]})));
    assert_eq!(stream.push("it is token-01") + &stream.push("23456789!"), "it is [redacted]!");
    assert!(!format!("{tokens:?} {both:?}").contains("0123456789"));
}

#[test]
fn s13_11_the_last_secrets_that_became_known_are_kept() {
    let tokens = Growing::default();
    let token = |number: usize| format!("token-0123456789-{number:02}");
    (0..17).for_each(|number| tokens.add(&token(number)));
    (1..17).for_each(|number| tokens.add(&token(number)));
    assert_eq!(tokens.mask().text(&token(0)), token(0), "the oldest is forgotten");
    assert!((1..17).all(|number| tokens.mask().text(&token(number)) == MASK));
}
