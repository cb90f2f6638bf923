//! Ctrl-C, SIGTERM and SIGHUP: the first leaves the session resumable, the second ends at
//! once.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::{fs, io, thread};

use legwork::agent::Control;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::display::Screen;
use crate::error::Error;
use crate::exit::Exit;
use crate::keyboard::Keyboard;

/// Begins to listen. It does so on a thread of its own: a loop that is stuck in a write
/// to a full pipe can be ended all the same.
pub(crate) fn watch(control: Control, screen: Arc<Screen>) -> Result<(), Error> {
    start(control, screen).map_err(|source| Error::System { doing: "listening to signals", source })
}

/// What came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Came {
    /// Ctrl-C, where the terminal makes a signal of it.
    Interrupt,
    /// Anything else that ends the command.
    End,
}

/// The signals that end the command; for commands without a session: the caller decides
/// what to end.
pub(crate) struct Signals(Vec<Signal>);

impl Signals {
    /// Begins to listen; from here on none of them ends the process.
    pub(crate) fn listen() -> Result<Self, Error> {
        let listening = |source| Error::System { doing: "listening to signals", source };
        Self::all().map_err(listening)
    }

    fn all() -> io::Result<Self> {
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        // `nohup` has it ignored, and that is to hold.
        kinds.extend((!is_hangup_ignored()).then(SignalKind::hangup));
        kinds.into_iter().map(signal).collect::<io::Result<_>>().map(Self)
    }

    /// Waits for the next.
    pub(crate) async fn next(&mut self) -> Came {
        poll_fn(|cx| {
            let came = self.0.iter_mut().position(|signal| signal.poll_recv(cx).is_ready());
            match came {
                // It is the first that is listened to.
                Some(0) => Poll::Ready(Came::Interrupt),
                Some(_) => Poll::Ready(Came::End),
                None => Poll::Pending,
            }
        })
        .await
    }

    /// Waits for the next that ends the command: Ctrl-C in a chat is one of its keys.
    async fn next_of(&mut self, screen: &Screen) {
        let is_key =
            |came| came == Came::Interrupt && screen.keyboard().is_some_and(Keyboard::interrupts);
        while is_key(self.next().await) {}
    }
}

fn start(control: Control, screen: Arc<Screen>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::all()?
    };
    let listen = async move {
        signals.next_of(&screen).await;
        // Reported first, so that it is not reported after the end.
        screen.interrupting();
        control.interrupt.cancel();
        signals.next_of(&screen).await;
        screen.leave();
        std::process::exit(Exit::Interrupted as i32);
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(listen))?;
    Ok(())
}

/// Whether the process was started with SIGHUP ignored.
fn is_hangup_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The lowest bit is that of signal 1, SIGHUP.
    mask.is_some_and(|mask| mask & 1 == 1)
}
