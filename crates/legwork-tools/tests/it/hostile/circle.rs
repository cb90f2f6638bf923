//! Symlinks that lead in a circle.

use std::os::unix::fs::symlink;

use super::{overwritten, said};
use crate::fixture::{Fixture, ok};

#[tokio::test]
async fn a_link_to_itself() {
    let place = Fixture::new();
    symlink("round", place.path("round")).expect("linked");
    symlink("pong", place.path("ping")).expect("linked");
    symlink("ping", place.path("pong")).expect("linked");
    for name in ["round", "ping"] {
        let why = "it leads through a circle of symlinks, or through more than 40 of them; give the path of a real file or directory";
        assert_eq!(
            said(&place.workspace(), name).await,
            format!(
                "\
- read: cannot open {name}: {why}
- list: cannot open {name}: {why}
- search: cannot open {name}: {why}
- write: cannot open {name}: {why}
- edit: cannot open {name}: {why}
"
            )
        );
        let beneath = format!("{name}/beneath");
        let text = overwritten(&place.workspace(), &beneath, "x").await;
        assert_eq!(text, format!("- cannot open {beneath}: {why}"));
    }
    let text = ok!(place.list(), { "depth": 10 });
    assert_eq!(text, "ping -> pong\npong -> ping\nround -> round\n");
}

#[tokio::test]
async fn a_directory_within_itself() {
    let place = Fixture::new();
    std::fs::create_dir(place.path("dir")).expect("made");
    place.write("dir/a", "needle\n");
    symlink("..", place.path("dir/up")).expect("linked");
    symlink(".", place.path("dir/here")).expect("linked");
    let text = ok!(place.list(), { "depth": 10 });
    assert_eq!(text, "dir/\ndir/a  7 B\ndir/here -> .\ndir/up -> ..\n");
    let text = ok!(place.search(), { "pattern": "needle" });
    assert_eq!(text, "dir/a\n1:needle\n\n[1 match in 1 file]\n");
    // A way that goes round some times, and still ends.
    let path = "dir/up/".repeat(20) + "dir/here/a";
    let why = "exists and holds something else (7 bytes); nothing was changed; use `edit` to change parts of it, or overwrite=true to replace all of it";
    assert_eq!(
        said(&place.workspace(), &path).await,
        format!(
            "\
+ read:      1\tneedle
- list: {path} is not a directory; give one, or leave the path out for the whole workspace
+ search: dir/a
1:needle

[1 match in 1 file]
- write: {path} {why}
+ edit: edited {path}: 1 place replaced
--- {path}
+++ {path}
@@ -1,1 +1,1 @@
-needle
+found
"
        )
    );
    assert_eq!(place.bytes("dir/a"), b"found\n");
    // One more than the kernel follows.
    let path = "dir/up/".repeat(41) + "dir/a";
    let text = said(&place.workspace(), &path).await;
    assert_eq!(text.matches("through more than 40 of them").count(), 5, "{text}");
}
