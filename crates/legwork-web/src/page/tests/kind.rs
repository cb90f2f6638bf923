use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue};

use crate::page::Kind;

fn of(content_type: &str, body: &[u8]) -> Kind {
    let mut headers = HeaderMap::new();
    if !content_type.is_empty() {
        headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
    }
    Kind::of(&headers, body)
}

#[test]
fn the_kind_is_what_the_server_names() {
    let kind = of("Text/HTML; a=b; Charset=\"UTF-8\"", b"");
    assert_eq!((&*kind.media_type, &*kind.charset), ("text/html", "utf-8"));
    for text in
        ["text/css", "application/json", "application/ld+json", "image/svg+xml", "application/xml"]
    {
        assert!(of(text, b"").is_text(), "{text}");
    }
    for other in ["application/pdf", "application/octet-stream", "video/mp4", "font/woff2"] {
        let kind = of(other, b"");
        assert!(!kind.is_text() && !kind.is_picture(), "{other}");
    }
    assert!(of("image/png", b"").is_picture());
}

#[test]
fn where_the_server_names_none_the_first_bytes_tell() {
    assert!(of("", b" <!DOCTYPE html><p>").is_html());
    assert_eq!(of("", b"hello").media_type, "text/plain");
    assert_eq!(of("nonsense", b"a\0b").media_type, "application/octet-stream");
}
