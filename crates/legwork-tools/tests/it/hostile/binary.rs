//! Files that are no text.

use super::{overwritten, said};
use crate::fixture::{Fixture, ok};

#[tokio::test]
async fn bytes_with_nul() {
    let place = Fixture::new();
    place.write("a.out", b"\x7fELF\0needle\n\x01\x02\0");
    assert_eq!(
        said(&place.workspace(), "a.out").await,
        "\
- read: a.out is not a text file: it holds NUL bytes; look at it with a program made for its format
- list: a.out is not a directory; give one, or leave the path out for the whole workspace
+ search: [no matches in 1 file]
[1 binary file passed by]
- write: a.out exists and holds something else (15 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: a.out is not a text file: it holds NUL bytes; nothing was changed; use a program made for its format
"
    );
    assert_eq!(ok!(place.list(), {}), "a.out  15 B\n");
    assert_eq!(
        overwritten(&place.workspace(), "a.out", "text\n").await,
        "+ overwrote a.out: 5 bytes, 1 line\n[it had 15 bytes; they are not shown]\n"
    );
}

#[tokio::test]
async fn utf_16() {
    let place = Fixture::new();
    let text: Vec<u8> = "\u{feff}needle\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("wide.txt", text);
    assert_eq!(
        said(&place.workspace(), "wide.txt").await,
        "\
- read: wide.txt is not a text file: it looks like UTF-16, which `iconv -f UTF-16 -t UTF-8` makes readable; look at it with a program made for its format
- list: wide.txt is not a directory; give one, or leave the path out for the whole workspace
+ search: [no matches in 1 file]
[1 binary file passed by]
- write: wide.txt exists and holds something else (16 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: wide.txt is not a text file: it looks like UTF-16; nothing was changed; use a program made for its format
"
    );
}

#[tokio::test]
async fn text_that_is_not_utf_8_keeps_its_other_bytes() {
    let place = Fixture::new();
    place.write("latin", b"a needle in a caf\xe9 of Latin-1\n");
    assert_eq!(
        said(&place.workspace(), "latin").await,
        "\
+ read:      1\ta needle in a caf\u{fffd} of Latin-1
[1 places are not UTF-8 and are shown as \u{fffd}]
- list: latin is not a directory; give one, or leave the path out for the whole workspace
+ search: latin
1:a needle in a caf\u{fffd} of Latin-1

[1 match in 1 file]
- write: latin exists and holds something else (30 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
+ edit: edited latin: 1 place replaced
--- latin
+++ latin
@@ -1,1 +1,1 @@
-a needle in a caf\u{fffd} of Latin-1
+a found in a caf\u{fffd} of Latin-1
"
    );
    assert_eq!(place.bytes("latin"), b"a found in a caf\xe9 of Latin-1\n");
}
