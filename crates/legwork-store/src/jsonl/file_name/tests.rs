#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::collections::BTreeSet;

use super::*;

/// Ids that file systems confuse, or that lead elsewhere.
const IDS: [&str; 24] = [
    "a",
    "A",
    "a.b",
    ".",
    "..",
    "../up",
    "/etc/passwd",
    "a/../b",
    "a\\b",
    "con",
    "con.txt",
    "com1",
    "COM1",
    "console",
    "a b",
    "a%20b",
    "%61",
    "é",
    "e\u{301}",
    "漢字",
    "🧵",
    "a.",
    "~",
    "demo.12-0",
];

#[test]
fn s13_9_a_name_stays_in_its_folder_and_is_one_session_whatever_the_case() {
    let mut names = BTreeSet::new();
    let long = ["x".repeat(1_024), "X".repeat(1_024), "é".repeat(512), "x".repeat(1_023)];
    for id in IDS.into_iter().chain(long.iter().map(String::as_str)) {
        let session = SessionId::from(id);
        let name = of(&session);
        assert!(name.len() < 200 && !name.is_empty(), "{name}");
        assert!(!name.contains(['/', '\\']) && !name.starts_with('.') && !name.ends_with('.'));
        assert_eq!(name, name.to_lowercase(), "{id}");
        assert!(name.is_ascii() && names.insert(name.clone()), "{name} is that of two sessions");
        match name.contains('~') {
            true => assert_eq!(super::session(&name), None),
            false => assert_eq!(super::session(&name), Some(session), "{name}"),
        }
    }
}

#[test]
fn names_are_readable_where_they_can_be() {
    for (id, name) in [
        ("demo.12-0", "demo.12-0"),
        ("My task", "%4dy%20task"),
        ("../x", "%2e.%2fx"),
        ("con", "%63on"),
        ("console", "console"),
    ] {
        assert_eq!(of(&id.into()), name);
    }
    for other in ["A", "%6", "%zz", "%61", "a/b", "%ff"] {
        assert_eq!(session(other), None, "{other}");
    }
}
