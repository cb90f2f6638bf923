//! Named pipes: nothing waits at them, and nobody who does is let go on.

use std::io::Write as _;
use std::sync::mpsc::channel;

use super::{overwritten, said};
use crate::place::{Place, ok};
use crate::write::pipe;

#[tokio::test]
async fn a_pipe_is_not_opened() {
    let place = Place::new();
    pipe(&place, "pipe");
    // Rules that would never come.
    pipe(&place, ".gitignore");
    // Opening waits for a reader; one that reads nothing would end the writer.
    let (sender, written) = channel();
    let path = place.path("pipe");
    let writer = std::thread::spawn(move || {
        let mut writer = std::fs::File::options().write(true).open(path).expect("opened");
        sender.send(writer.write_all(b"whole")).expect("awaited");
    });
    assert_eq!(
        said(&place.workspace(), "pipe").await,
        "\
- read: pipe is a named pipe, not a regular file, and is not opened
- list: pipe is not a directory; give one, or leave the path out for the whole workspace
- search: pipe is a named pipe, not a regular file, and is not opened
- write: pipe is a named pipe, not a regular file, and is not opened
- edit: pipe is a named pipe, not a regular file, and is not opened
"
    );
    assert_eq!(
        overwritten(&place.workspace(), "pipe", "x").await,
        "- pipe is a named pipe, not a regular file, and is not opened"
    );
    let text = ok!(place.list(), { "all": true });
    assert_eq!(text, ".gitignore  [named pipe]\npipe  [named pipe]\n");
    assert_eq!(ok!(place.search(), { "pattern": "" }), "[no matches in 0 files]\n");
    // Whoever waited still does, and gets all of it to a reader of its own.
    assert!(written.try_recv().is_err());
    assert_eq!(std::fs::read(place.path("pipe")).expect("read"), b"whole");
    assert!(written.recv().expect("told").is_ok());
    writer.join().expect("no panic");
}
