//! What a picture is, and how it is sent.

use super::base64::encode;
use super::media_type;

#[test]
fn base64_is_that_of_the_rfc() {
    let table = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];
    for (plain, encoded) in table {
        assert_eq!(encode(plain.as_bytes()), encoded);
    }
    assert_eq!(encode(&[0xfb, 0xff, 0xfe]), "+//+");
}

#[test]
fn a_picture_is_known_by_its_content() {
    let table: [(&[u8], _); 7] = [
        (b"\x89PNG\r\n\x1a\n rest", Some("image/png")),
        (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
        (b"GIF89a", Some("image/gif")),
        (b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp")),
        (b"RIFF\x10\0\0\0WAVEfmt ", None),
        (b"<svg/>", None),
        (b"", None),
    ];
    for (bytes, wanted) in table {
        assert_eq!(media_type(bytes), wanted, "{bytes:?}");
    }
}
