//! A process whose standard error is read while it runs.

use std::collections::VecDeque;
use std::time::Duration;

use legwork_port::BoxFuture;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::connect::{Peer, Process};

/// Bytes of standard error that are kept.
const WORDS: usize = 2_000;

/// How long what it wrote may take to be read when it has ended: a child of its own may hold its
/// standard error open.
const READING: Duration = Duration::from_secs(1);

/// A process, and the end of what it writes for people.
pub(crate) struct Attended {
    process: Option<Box<dyn Process>>,
    said: JoinHandle<String>,
}

impl Attended {
    pub(crate) fn new(
        errors: impl AsyncRead + Send + Unpin + 'static,
        process: impl Process + 'static,
    ) -> Self {
        Self { process: Some(Box::new(process)), said: tokio::spawn(last(errors)) }
    }
}

impl Peer for Attended {
    fn end(mut self: Box<Self>) -> BoxFuture<'static, String> {
        Box::pin(async move {
            let how = match self.process.take() {
                Some(process) => process.end().await,
                None => None,
            };
            let said = timeout(READING, &mut self.said).await;
            let said = said.ok().and_then(Result::ok).filter(|said| !said.is_empty());
            how.into_iter().chain(said).collect::<Vec<_>>().join(": ")
        })
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        self.said.abort();
    }
}

/// The end of what is written to a standard error, once it is closed.
async fn last(mut words: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut bytes) = (VecDeque::new(), [0; 4_096]);
    while let Ok(count @ 1..) = words.read(&mut bytes).await {
        kept.extend(bytes.get(..count).unwrap_or_default());
        let old = kept.len().saturating_sub(WORDS);
        kept.drain(..old);
    }
    String::from_utf8_lossy(kept.make_contiguous()).trim().to_owned()
}
