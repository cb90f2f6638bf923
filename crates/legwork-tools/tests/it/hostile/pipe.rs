//! Named pipes: nothing waits at them, and no process that waits there is unblocked.

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io::Errno;

use super::{overwritten, said};
use crate::fixture::{Fixture, ok};
use crate::write::pipe;

#[tokio::test]
async fn a_pipe_is_not_opened() {
    let place = Fixture::new();
    pipe(&place, "pipe");
    // Rules that would never come.
    pipe(&place, ".gitignore");
    // Opening one unblocks a process that waits to write into it, only to be killed afterwards.
    let watch = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("a watch");
    for name in ["pipe", ".gitignore"] {
        add_watch(&watch, place.path(name), WatchFlags::OPEN).expect("watched");
    }
    let mut buffer = [std::mem::MaybeUninit::uninit(); 4_096];
    let mut opened = Reader::new(&watch, &mut buffer);
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
    assert_eq!(opened.next().map(|event| event.events()), Err(Errno::AGAIN));
    // The watch would have reported it.
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NONBLOCK;
    rustix::fs::open(place.path("pipe"), flags, rustix::fs::Mode::empty()).expect("opened");
    assert_eq!(opened.next().map(|event| event.events()), Ok(ReadFlags::OPEN));
}
