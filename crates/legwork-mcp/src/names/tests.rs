use std::collections::BTreeSet;

use super::{is_server_name, shown};

#[test]
fn s18_2_names_are_those_that_providers_take() {
    let none = BTreeSet::new();
    assert_eq!(shown("files", "read_file", &none), "files_read_file");
    assert_eq!(shown("files", "read.file/now", &none), "files_read_file_now");
    let long = shown("files", &"x".repeat(100), &none);
    assert_eq!(long.len(), 64);
    assert_ne!(long, shown("files", &"x".repeat(101), &none));
    let taken = BTreeSet::from(["files_a_b".to_owned()]);
    let other = shown("files", "a.b", &taken);
    assert!(other.starts_with("files_a_b_") && other.len() <= 64, "{other}");
}

#[test]
fn servers_have_short_plain_names() {
    assert!(is_server_name("my-files_2"));
    for wrong in ["", "a b", "a.b", "ä", &"x".repeat(33)] {
        assert!(!is_server_name(wrong), "{wrong}");
    }
}
