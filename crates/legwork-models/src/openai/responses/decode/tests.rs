use std::borrow::Cow;

use super::Event;
use super::item::{CONTENT, place};
use crate::answer::assembly::{Assembly, Form};
use crate::answer::json::Reader;
use crate::bounds::Bounds;

#[test]
fn a_delta_is_read_without_copying() {
    let text = r#"{"sequence_number":7,"delta":"Hi.","logprobs":[],"output_index":2,
        "obfuscation":"x","content_index":1,"type":"response.output_text.delta"}"#;
    let text = text.replace('\n', "");
    let (mut reader, bounds) = (Reader::new(&text, &Bounds::default()), Bounds::default());
    let event = Event::read(&mut reader, &mut Assembly::new(Form::Chunks, bounds)).unwrap();
    assert!(matches!(event.kind, Cow::Borrowed("response.output_text.delta")));
    assert!(matches!(event.delta, Cow::Borrowed("Hi.")));
    assert_eq!((event.output, event.inner, event.written), (2, 1, 5));
    assert_eq!(event.value, None);
}

#[test]
fn each_text_of_an_item_has_a_place_of_its_own_in_order() {
    let places = [place(0, 0), place(0, 1), place(0, CONTENT), place(0, CONTENT | 1), place(1, 0)];
    assert!(places.is_sorted_by(|one, next| one < next));
}
