//! Fields that each answer of a model repeats word for word, and how they are skipped at once.
//!
//! Responses says again what the request said, tools and instructions included, in each answer.
//! So runs of such fields are kept as they were written: where the same bytes come again, they are
//! compared and not read. Names of models and tools come again, too, and are kept once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::json::{Position, Reader};

/// How many runs are kept, and how many bytes one may have.
const RUNS: usize = 16;
const LONGEST: usize = 64 << 10;

/// How many names are kept, and how many bytes one may have.
const NAMES: usize = 16;
const LONGEST_NAME: usize = 64;

/// What answers of a model had last.
#[derive(Debug, Default)]
pub(crate) struct Repeated {
    runs: Mutex<Runs>,
    /// Names, the oldest first.
    names: Mutex<VecDeque<Arc<str>>>,
}

/// Runs of fields, each with the comma before it.
///
/// Those of the last answer that had a new one come first, in its order.
type Runs = Arc<Vec<Box<str>>>;

impl Repeated {
    fn runs(&self) -> Runs {
        Arc::clone(&self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, runs: Vec<Box<str>>) {
        *self.runs.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(runs);
    }

    /// The name, shared with the answers that had it before.
    pub(crate) fn name(&self, name: &str) -> Arc<str> {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.iter().find(|known| ***known == *name) {
            return Arc::clone(known);
        }
        let new = Arc::from(name);
        if name.len() <= LONGEST_NAME {
            if names.len() == NAMES {
                names.pop_front();
            }
            names.push_back(Arc::clone(&new));
        }
        new
    }
}

/// The runs of one answer.
pub(crate) struct Run<'a> {
    known: Option<(Arc<Repeated>, Runs)>,
    /// The known run that is expected next.
    next: usize,
    /// A field was read that may be repeated: any run may be next.
    is_lost: bool,
    /// The run that goes on, by its bounds in the text.
    open: Option<(usize, usize)>,
    /// The runs that came since.
    came: Vec<&'a str>,
    /// One of them is not known.
    has_new: bool,
}

impl<'a> Run<'a> {
    /// Nothing is skipped or kept without a place for it.
    pub(crate) fn new(repeated: Option<&Arc<Repeated>>) -> Self {
        let known = repeated.map(|repeated| (Arc::clone(repeated), repeated.runs()));
        Self { known, next: 0, is_lost: false, open: None, came: Vec::new(), has_new: false }
    }

    /// Skips a run of the last answers, if one comes next in an object.
    #[inline]
    pub(crate) fn skip(&mut self, json: &mut Reader<'a>, position: &Position) -> bool {
        if !matches!(position, Position::Later) {
            return false;
        }
        if self.is_lost {
            return self.find(json);
        }
        let Some(run) = self.known.as_ref().and_then(|(_, runs)| runs.get(self.next)) else {
            return false;
        };
        let comes = json.skip_fields(run);
        self.next += usize::from(comes);
        comes
    }

    /// Skips any of the runs.
    fn find(&mut self, json: &mut Reader<'a>) -> bool {
        let Some((_, runs)) = &self.known else { return false };
        let begin = json.at();
        let comes = runs.iter().any(|run| json.skip_fields(run));
        if comes {
            self.close(json);
            self.came.push(json.written(begin, json.at()));
        }
        comes
    }

    /// Notes a field that may be repeated, which was read from the comma before it on.
    pub(crate) fn note(&mut self, begin: usize, json: &mut Reader<'a>) {
        let end = json.at();
        if self.known.is_none() || !json.written(begin, end).starts_with(',') {
            return;
        }
        if !std::mem::replace(&mut self.is_lost, true) {
            // It may begin a run that is known and was not expected.
            json.rewind(begin);
            if self.find(json) {
                return;
            }
            json.rewind(end);
        }
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
        if run.len() <= LONGEST {
            self.came.push(run);
            self.has_new = true;
        }
    }

    /// Keeps the runs in the order in which they came, in place of the oldest.
    pub(crate) fn end(mut self, json: &Reader<'a>) {
        self.close(json);
        let Some((repeated, runs)) = self.known.filter(|_| self.has_new) else { return };
        let (expected, others) = runs.split_at_checked(self.next).unwrap_or_default();
        let others = others.iter().filter(|run| !self.came.contains(&&***run));
        let came = self.came.iter().map(|run| Box::from(*run));
        let all = expected.iter().cloned().chain(came).chain(others.cloned());
        repeated.keep(all.take(RUNS).collect());
    }
}

#[cfg(all(test, feature = "responses"))]
mod tests;
