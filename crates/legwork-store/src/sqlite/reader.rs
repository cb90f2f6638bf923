//! The thread that reads, on a connection of its own that writers never block.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use legwork_port::store::Error;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::connect::Connector;
use super::fault::Name;

type Job = Box<dyn FnOnce(Result<&Connection, Error>) + Send>;

/// Takes questions and answers them one after another.
pub(super) struct Reader {
    name: Name,
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts it; without a connection it opens one for the first question.
    pub(super) fn start(
        name: Name,
        connector: Connector,
        connection: Option<Connection>,
    ) -> Result<Self, Error> {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("legwork-store-r".into())
            .spawn(move || work(&receiver, &connector, connection))
            .map_err(|error| name.failed(format!("no thread for it: {error}")))?;
        Ok(Self { name, jobs: Some(sender), thread: Some(thread) })
    }

    /// Asks something about one moment of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection, &Name) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let ended = || self.name.failed("its reading thread has ended; open it anew");
        let (reply, answer) = oneshot::channel();
        let name = self.name.clone();
        let job: Job = Box::new(move |connection| {
            let answer = connection.and_then(|connection| {
                let failed = |error| name.sqlite("reading it", &error);
                // Ends when it is dropped; until then nothing that is read changes.
                let _moment = connection.unchecked_transaction().map_err(failed)?;
                question(connection, &name)
            });
            // Whoever asked may have gone.
            let _ = reply.send(answer);
        });
        self.jobs.as_ref().and_then(|jobs| jobs.send(job).ok()).ok_or_else(ended)?;
        answer.await.map_err(|_| ended())?
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // It does not panic; and if it did, it told whoever waited.
            let _ = thread.join();
        }
    }
}

fn work(jobs: &Receiver<Job>, connector: &Connector, mut connection: Option<Connection>) {
    while let Ok(job) = jobs.recv() {
        if connection.is_none() {
            match connector.reader() {
                Ok(opened) => connection = Some(opened),
                Err(error) => {
                    job(Err(error));
                    continue;
                }
            }
        }
        if let Some(connection) = &connection {
            job(Ok(connection));
        }
    }
}
