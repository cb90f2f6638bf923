//! A file without a byte.

use super::{overwritten, said};
use crate::fixture::{Fixture, ok};

#[tokio::test]
async fn nothing_is_in_it() {
    let place = Fixture::new();
    place.write("empty", "");
    assert_eq!(
        said(&place.workspace(), "empty").await,
        "\
+ read: [empty is empty]
- list: empty is not a directory; give one, or leave the path out for the whole workspace
+ search: [no matches in 1 file]
- write: empty exists and holds something else (0 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it
- edit: edit 1 of 1 does not fit empty: `old` was found 0 times, since the file is empty; use `write`; nothing was changed
"
    );
    assert_eq!(ok!(place.list(), {}), "empty  0 B\n");
    assert_eq!(
        overwritten(&place.workspace(), "empty", "text\n").await,
        "+ overwrote empty: 5 bytes, 1 line\n--- empty\n+++ empty\n@@ -0,0 +1,1 @@\n+text\n"
    );
    assert_eq!(
        overwritten(&place.workspace(), "empty", "").await,
        "+ overwrote empty: 0 bytes, 0 lines\n--- empty\n+++ empty\n@@ -1,1 +0,0 @@\n-text\n"
    );
}

#[tokio::test]
async fn a_directory_holds_nothing() {
    let place = Fixture::new();
    std::fs::create_dir(place.path("void")).expect("made");
    assert_eq!(
        said(&place.workspace(), "void").await,
        "\
- read: void is a directory, not a file; void is empty
+ list: [void holds nothing to show]
+ search: [no matches in 0 files]
- write: void is a directory, not a file; void is empty
- edit: void is a directory, not a file; void is empty
"
    );
}
