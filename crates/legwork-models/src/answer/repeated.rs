//! Fields that each answer of a model repeats word for word, and how they are skipped at once.
//!
//! Responses says again what the request said, tools and instructions included, in each answer.
//! So runs of such fields are kept as they were written: where the same bytes come again, they are
//! compared and not read.

use std::sync::{Arc, Mutex, PoisonError};

use super::json::{Position, Reader};

/// How many runs are kept, and how many bytes one may have.
const RUNS: usize = 8;
const LONGEST: usize = 64 << 10;

/// A shorter run is read as fast as it is compared.
const SHORTEST: usize = 16;

/// The runs that answers of a model had last.
#[derive(Debug, Default)]
pub(crate) struct Repeated(Mutex<Runs>);

/// Runs of fields, each with the comma before it; the newest first.
type Runs = Arc<Vec<Box<str>>>;

impl Repeated {
    fn runs(&self) -> Runs {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, runs: Vec<Box<str>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(runs);
    }
}

/// The runs of one answer.
pub(crate) struct Run<'a> {
    known: Option<(Arc<Repeated>, Runs)>,
    /// The run that goes on, by its bounds in the text.
    open: Option<(usize, usize)>,
    new: Vec<&'a str>,
}

impl<'a> Run<'a> {
    /// Nothing is skipped or kept without a place for it.
    pub(crate) fn new(repeated: Option<&Arc<Repeated>>) -> Self {
        let known = repeated.map(|repeated| (Arc::clone(repeated), repeated.runs()));
        Self { known, open: None, new: Vec::new() }
    }

    /// Skips a run of the last answers, if one comes next in an object.
    pub(crate) fn skip(&self, json: &mut Reader<'a>, position: &Position) -> bool {
        let Some((_, runs)) = &self.known else { return false };
        matches!(position, Position::Later) && runs.iter().any(|run| json.skip_fields(run))
    }

    /// Notes a field that may be repeated, which was read from the comma before it on.
    pub(crate) fn note(&mut self, begin: usize, json: &Reader<'a>) {
        if self.known.is_none() {
            return;
        }
        let end = json.at();
        match &mut self.open {
            Some((_, last)) if *last == begin => *last = end,
            _ => {
                self.close(json);
                self.open = Some((begin, end));
            }
        }
    }

    fn close(&mut self, json: &Reader<'a>) {
        let Some((begin, end)) = self.open.take() else { return };
        let run = json.written(begin, end);
        if (SHORTEST..=LONGEST).contains(&run.len()) && run.starts_with(',') {
            self.new.push(run);
        }
    }

    /// Keeps the runs that are new, in place of the oldest.
    pub(crate) fn end(mut self, json: &Reader<'a>) {
        self.close(json);
        let Some((repeated, runs)) = self.known.filter(|_| !self.new.is_empty()) else { return };
        let new = self.new.into_iter().map(Box::from);
        repeated.keep(new.chain(runs.iter().cloned()).take(RUNS).collect());
    }
}

#[cfg(all(test, feature = "responses"))]
mod tests;
