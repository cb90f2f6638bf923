//! Paths as long as they can be, and longer.

use super::{overwritten, said};
use crate::fixture::{Fixture, ok};

#[tokio::test]
async fn four_thousand_and_ninety_six_bytes() {
    let place = Fixture::new();
    let names = ["p/".repeat(2_047) + "ab", "n".repeat(4_096), format!("{}/a", "n".repeat(256))];
    for path in names {
        assert!(path.len() == 4_096 || path.len() == 258);
        let start: String = path.chars().take(60).collect();
        let why = format!(
            "the path {start}… is too long: a name has at most 255 bytes and a path 4,095; give a shorter one"
        );
        assert_eq!(
            said(&place.workspace(), &path).await,
            format!(
                "- read: {why}\n- list: {why}\n- search: {why}\n- write: {why}\n- edit: {why}\n"
            )
        );
    }
    assert!(place.names().is_empty(), "no folder is left");
}

/// One byte less is a path; longer than any that is shown from the root of the system.
#[tokio::test]
async fn four_thousand_and_ninety_five_bytes() {
    let place = Fixture::new();
    let path = format!("{}/", "d".repeat(200)).repeat(20) + &"f".repeat(75);
    assert_eq!(path.len(), 4_095);
    let text = overwritten(&place.workspace(), &path, "a needle\n").await;
    assert_eq!(text, format!("+ created {path}: 9 bytes, 1 line"));
    let text = said(&place.workspace(), &path).await;
    assert_eq!(
        text,
        format!(
            "\
+ read:      1\ta needle
- list: {path} is not a directory; give one, or leave the path out for the whole workspace
+ search: {path}
1:a needle

[1 match in 1 file]
- write: {path} exists and holds something else (9 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
+ edit: edited {path}: 1 place replaced
--- {path}
+++ {path}
@@ -1,1 +1,1 @@
-a needle
+a found
"
        )
    );
    // Found from above as well.
    let text = ok!(place.search(), { "pattern": "found" });
    assert_eq!(text, format!("{path}\n1:a found\n\n[1 match in 1 file]\n"));
}
