//! Lines that end as on Windows, and marks of byte order.

use serde_json::json;

use super::{edited, overwritten, said};
use crate::fixture::{Fixture, ok};

#[tokio::test]
async fn crlf() {
    let place = Fixture::new();
    place.write("dos", "one\r\na needle\r\nthree\r\n");
    assert_eq!(
        said(&place.workspace(), "dos").await,
        "\
+ read:      1\tone
     2\ta needle
     3\tthree
- list: dos is not a directory; give one, or leave the path out for the whole workspace
+ search: dos
2:a needle

[1 match in 1 file]
- write: dos exists and holds something else (22 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
+ edit: edited dos: 1 place replaced
--- dos
+++ dos
@@ -1,3 +1,3 @@
 one
-a needle
+a found
 three
"
    );
    assert_eq!(place.bytes("dos"), b"one\r\na found\r\nthree\r\n");
    // Lines as `read` shows them are found, and what is written ends as they did.
    let edits = json!([{ "old": "one\na found\n", "new": "1\n2\n2b\n" }]);
    let text = edited(&place.workspace(), "dos", edits).await;
    assert!(text.starts_with("+ edited dos: 1 place replaced"), "{text}");
    assert_eq!(place.bytes("dos"), b"1\r\n2\r\n2b\r\nthree\r\n");
    // The end of a line is its end for a pattern too.
    assert!(ok!(place.search(), { "pattern": "three$" }).starts_with("dos\n4:three\n"));
    // Who replaces all of it is shown that the endings are others.
    let text = overwritten(&place.workspace(), "dos", "1\n2\n").await;
    assert_eq!(
        text,
        "+ overwrote dos: 4 bytes, 2 lines\n--- dos\n+++ dos\n@@ -1,4 +1,2 @@\n-1\\r\n-2\\r\n-2b\\r\n-three\\r\n+1\n+2\n"
    );
}

#[tokio::test]
async fn a_byte_order_mark() {
    let place = Fixture::new();
    place.write("marked", "\u{feff}needle\ntwo\n");
    assert_eq!(
        said(&place.workspace(), "marked").await,
        "\
+ read:      1\tneedle
     2\ttwo
[a byte order mark comes before line 1; `edit` keeps it]
- list: marked is not a directory; give one, or leave the path out for the whole workspace
+ search: marked
1:needle

[1 match in 1 file]
- write: marked exists and holds something else (14 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
+ edit: edited marked: 1 place replaced
--- marked
+++ marked
@@ -1,2 +1,2 @@
-\u{feff}needle
+\u{feff}found
 two
"
    );
    assert_eq!(place.bytes("marked"), "\u{feff}found\ntwo\n".as_bytes());
    // It is no part of the line.
    assert!(ok!(place.search(), { "pattern": "^found$" }).starts_with("marked\n1:found\n"));
    let page = ok!(place.read(), { "path": "marked", "offset": 2 });
    assert_eq!(page, "     2\ttwo\n[end of the file at line 2]\n");
    place.write("alone", "\u{feff}");
    let page = ok!(place.read(), { "path": "alone" });
    assert_eq!(page, "[alone holds nothing but a byte order mark]");
}
