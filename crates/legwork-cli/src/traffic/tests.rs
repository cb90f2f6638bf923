use serde_json::json;

use super::{fields, text};

#[test]
fn headers_of_one_name_are_one_value() {
    let headers = [("a", "1".to_owned()), ("b", "2".to_owned()), ("a", "3".to_owned())];
    assert_eq!(serde_json::Value::from(fields(&headers)), json!({"a": "1, 3", "b": "2"}));
}

#[test]
fn what_is_no_text_is_shown_as_far_as_it_is() {
    assert_eq!(text(b"a\xffb"), "a\u{fffd}b");
}
