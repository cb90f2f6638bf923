//! Requests and answers, written down as they happen.

mod row;

use std::fmt;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use legwork_core::{Mask, ModelRequest, Response};
use legwork_port::BoxFuture;
use legwork_port::model::{Deltas, Error, Model};
use serde_json::Value;
use tracing::warn;

pub(super) use row::Row;

use super::request;
use super::several::answered_by;

/// Where requests and answers are written, a line of JSON each; clones are the same.
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<Written>>);

struct Written {
    out: Box<dyn Write + Send>,
    rows: u64,
    failed: Option<io::Error>,
}

impl Recorder {
    /// A recorder that writes to a file or into memory. Each line is written at once.
    pub fn to(out: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Written { out: Box::new(out), rows: 0, failed: None })))
    }

    /// The number of lines that were written.
    ///
    /// # Errors
    /// The first error of writing; nothing was written after it.
    pub fn finish(&self) -> io::Result<u64> {
        let mut written = self.lock();
        match written.failed.take() {
            Some(error) => Err(error),
            None => Ok(written.rows),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, row: Row, mask: &Mask) {
        let mut written = self.lock();
        if written.failed.is_some() {
            return;
        }
        match written.write(row, mask) {
            Ok(()) => written.rows += 1,
            Err(error) => {
                warn!(%error, "an answer could not be recorded; the recording ends here");
                written.failed = Some(error);
            }
        }
    }
}

impl Written {
    fn write(&mut self, mut row: Row, mask: &Mask) -> io::Result<()> {
        row.index = self.rows;
        let mut row = serde_json::to_value(row)?;
        mask.cover(&mut row);
        let mut line = row.to_string();
        line.push('\n');
        self.out.write_all(line.as_bytes())?;
        self.out.flush()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("rows", &self.lock().rows).finish_non_exhaustive()
    }
}

/// A model whose requests and answers are written down, for [`Replay`](super::Replay).
///
/// A line holds the request as data, its digest, and the response or the error; the keys of the
/// model are masked in it. An inference that is left is not recorded. If a line cannot be written,
/// the answer is returned all the same, and [`Recorder::finish`] is an error.
///
/// ```
/// use legwork_models::layers::{ModelExt as _, Recorder, Replay};
/// use legwork_port::Model;
/// use legwork_port::core::ModelRequest;
/// use legwork_testkit::{ScriptedModel, Turn};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = tempfile::NamedTempFile::new()?;
/// let request = ModelRequest::blank(Default::default());
///
/// let recorder = Recorder::to(file.reopen()?);
/// let model = ScriptedModel::new([Turn::text("Rome")]).with_recorder(recorder.clone());
/// model.infer(request.clone(), None).await?;
/// assert_eq!(recorder.finish()?, 1);
///
/// let model = Replay::read(std::io::BufReader::new(file.reopen()?))?;
/// assert_eq!(model.infer(request, None).await?.text(), "Rome");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Recording<M> {
    model: M,
    recorder: Recorder,
}

impl<M> Recording<M> {
    /// A model with a recorder.
    pub fn new(model: M, recorder: Recorder) -> Self {
        Self { model, recorder }
    }
}

impl<M: Model> Model for Recording<M> {
    as_wrapped!();

    fn infer<'a>(
        &'a self,
        request: ModelRequest,
        deltas: Option<&'a mut dyn Deltas>,
    ) -> BoxFuture<'a, Result<Response, Error>> {
        Box::pin(async move {
            let streaming = deltas.as_ref().is_some_and(|deltas| deltas.streams());
            let data: Value = request::as_data(self.name(), &request);
            let outcome = self.model.infer(request, deltas).await;
            let outcome = outcome.map(|response| answered_by(response, self.name()));
            let row = Row::of(self.name(), data, streaming, &outcome);
            self.recorder.write(row, &self.mask());
            outcome
        })
    }
}
