//! Whether a server of this machine was there before.

use std::sync::atomic::{AtomicBool, Ordering};

use http::Uri;
use legwork_port::model::Error;

use super::address;
use crate::http::Broken;
use crate::retry::NOT_RUNNING;

/// Whether a server of this machine was there before.
///
/// One that answered and is gone may be restarting: it is worth a wait. One that never answered
/// does not run, and nobody starts it while a request waits for it.
#[derive(Debug)]
pub(super) struct Presence {
    /// Whether it is asked at this machine, and not by way of a proxy.
    is_here: bool,
    answered: AtomicBool,
}

impl Presence {
    pub(super) fn of(server: &Uri) -> Self {
        let is_here = server.host().is_some_and(address::is_here);
        Self { is_here, answered: AtomicBool::new(false) }
    }

    /// Notes that it answered.
    pub(super) fn note(&self) {
        // Most requests find it noted, and write nothing that others read.
        if !self.answered.load(Ordering::Relaxed) {
            self.answered.store(true, Ordering::Relaxed);
        }
    }

    /// The error, with a code for retries if the server does not run.
    pub(super) fn classified(&self, error: Error, broken: &Broken) -> Error {
        let is_gone = self.is_here && !self.answered.load(Ordering::Relaxed) && broken.is_refused();
        let code = is_gone.then(|| NOT_RUNNING.to_owned()).or(error.code);
        Error { code, ..error }
    }
}
