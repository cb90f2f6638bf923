//! The system's errors as errors of the port.

use std::io;
use std::path::Path;

use legwork_port::store::Error;

use crate::name::Name;

impl Name {
    /// The error of something that was tried with a file.
    pub(super) fn io(&self, tried: &str, path: &Path, error: &io::Error) -> Error {
        let advice = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "the disk is full, so nothing was written; make room and go on".to_owned()
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                format!("{error}; see whether this user may read and write there")
            }
            io::ErrorKind::WouldBlock => {
                "another process kept it locked for too long; end that one or try again".to_owned()
            }
            _ => format!("{error}; see whether the disk works, then try again"),
        };
        self.failed(format!("{tried} {}: {advice}", path.display()))
    }
}
