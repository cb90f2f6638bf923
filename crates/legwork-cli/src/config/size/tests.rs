use super::*;

#[test]
fn sizes_have_units() {
    for (text, size) in
        [("500MB", 500_000_000), ("10GiB", 10 << 30), ("1 kib", 1_024), ("1_000", 1_000), ("7b", 7)]
    {
        assert_eq!(bytes(text), Ok(size), "{text}");
    }
    for text in ["", "GB", "0", "0GB", "-1", "1.5GB", "2 apples", "99999999999TB"] {
        assert!(bytes(text).is_err(), "{text}");
    }
    for text in ["500MB", "10GiB", "2GiB", "1KiB", "7B"] {
        assert_eq!(in_bytes(bytes(text).unwrap()), text);
    }
}
