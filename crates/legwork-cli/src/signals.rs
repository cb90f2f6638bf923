//! Ctrl-C and SIGTERM: the first leaves the session resumable, the second ends at once.

use std::io;
use std::sync::Arc;
use std::thread;

use legwork::agent::context::Control;
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::display::Screen;
use crate::error::Error;
use crate::exit::Exit;

/// Begins to listen. It does so on a thread of its own: a loop that is stuck in a write
/// to a full pipe can be ended all the same.
pub(crate) fn watch(control: Control, screen: Arc<Screen>) -> Result<(), Error> {
    start(control, screen).map_err(|source| Error::System { doing: "listening to signals", source })
}

/// The same for what has no session: whoever awaits it decides what to end.
pub(crate) struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Begins to listen; from here on neither ends the process.
    pub(crate) fn listen() -> Result<Self, Error> {
        let both = || Ok((signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?));
        let (interrupt, terminate) =
            both().map_err(|source| Error::System { doing: "listening to signals", source })?;
        Ok(Self { interrupt, terminate })
    }

    /// Waits for the next.
    pub(crate) async fn next(&mut self) {
        either(&mut self.interrupt, &mut self.terminate).await;
    }
}

fn start(control: Control, screen: Arc<Screen>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let (mut interrupt, mut terminate) = {
        let _inside = runtime.enter();
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?)
    };
    let listen = async move {
        either(&mut interrupt, &mut terminate).await;
        // Told first, so that it is not told after the end.
        screen.interrupting();
        control.interrupt.cancel();
        either(&mut interrupt, &mut terminate).await;
        screen.leave();
        std::process::exit(Exit::Interrupted as i32);
    };
    thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(listen))?;
    Ok(())
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}
