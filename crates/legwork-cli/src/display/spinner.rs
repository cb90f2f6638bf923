//! What moves the mark in the status line, and shows notes that wait to be shown.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Screen;

/// How often the mark moves.
const PERIOD: Duration = Duration::from_millis(100);

/// Begins to move it, on a thread of its own that ends with the screen.
///
/// # Errors
/// When there is no thread to be had.
pub(super) fn start(screen: &Arc<Screen>) -> io::Result<()> {
    let screen = Arc::downgrade(screen);
    thread::Builder::new().name("spinner".to_owned()).spawn(move || spin(&screen))?;
    Ok(())
}

fn spin(screen: &Weak<Screen>) {
    loop {
        thread::park_timeout(PERIOD);
        let Some(screen) = screen.upgrade() else { return };
        // A terminal that was stopped must not stop whoever waits for the screen.
        if takes_more() {
            screen.tick();
        }
    }
}

fn takes_more() -> bool {
    let stderr = io::stderr();
    let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok_and(|ready| ready > 0)
}
