//! The server: two streams, and what comes in between.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use legwork_port::Cancellation;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use crate::client::Client;
use crate::host::Host;
use crate::lines::Lines;
use crate::service::Service;

/// Serves an editor over two streams, such as standard input and output.
///
/// Nothing else may write to the output meanwhile.
pub struct Server {
    host: Arc<dyn Host>,
    name: String,
    version: String,
}

impl Server {
    /// A server with the agents and sessions of a program.
    pub fn new(host: impl Host + 'static) -> Self {
        let (name, version) = ("legwork".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Self { host: Arc::new(host), name, version }
    }

    /// The same under another name than Legwork's, which the editor may show.
    #[must_use]
    pub fn named(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..self }
    }

    /// Serves until the editor closes its stream.
    ///
    /// Turns under way are interrupted then: their sessions stay in progress, and can be resumed.
    /// It runs tasks, so it needs a runtime of tokio.
    ///
    /// # Errors
    /// When a stream cannot be read or written.
    pub async fn serve<R, W>(self, input: R, output: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        self.serve_until(input, output, &Cancellation::new()).await
    }

    /// The same, and not longer than until it is cancelled.
    ///
    /// # Errors
    /// As [`Server::serve`].
    pub async fn serve_until<R, W>(self, input: R, output: W, ends: &Cancellation) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let (out, lines) = mpsc::unbounded_channel();
        let mut writing = pin!(write(lines, output));
        let mut input = Lines::new(BufReader::new(input));
        let mut service = Service::new(self.host, Client::new(out), (self.name, self.version));
        let read = loop {
            tokio::select! {
                biased;
                () = ends.cancelled() => break Ok(()),
                // Only an error ends it while the service lives.
                written = &mut writing => break written,
                line = input.next() => match line {
                    Ok(Some(line)) => service.take(&line),
                    Ok(None) => break Ok(()),
                    Err(error) => break Err(error),
                },
                () = service.tidies() => {}
            }
        };
        match read {
            Ok(()) => {
                let (_, written) = tokio::join!(service.end(), writing);
                written
            }
            Err(error) => {
                service.end().await;
                Err(error)
            }
        }
    }
}

/// Writes lines until all senders are gone.
async fn write(
    mut lines: mpsc::UnboundedReceiver<String>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(mut line) = lines.recv().await {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        if lines.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
}
