//! `--traffic`: what models are sent and what they answer, in a file.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use legwork::model::remote::{self, Piece};
use serde_json::{Map, Value, json};

use crate::commands::tell;
use crate::config::locate::shown;
use crate::display::text::now;
use crate::error::Error;

/// A file that has a line of JSON for each piece of a request and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Traffic(Arc<Log>);

#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: Mutex<File>,
    has_failed: AtomicBool,
}

impl Traffic {
    /// A file, which only its owner may read; what is in it already stays.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn to(path: &Path) -> Result<Self, Error> {
        let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
        let file = opened.map_err(|source| {
            let hint = "--traffic takes a file in a folder that is there and may be written";
            Error::usage(format!("cannot write {}: {source}", shown(path)), hint)
        })?;
        let (path, file) = (path.to_owned(), Mutex::new(file));
        Ok(Self(Arc::new(Log { path, file, has_failed: AtomicBool::new(false) })))
    }

    /// Writes a piece. A failure is reported once on standard error, and the run goes on.
    pub(crate) fn write(&self, traffic: &remote::Traffic<'_>) {
        let line = format!("{}\n", line(traffic));
        // One call, so that lines of several runs do not mix.
        let mut file = self.0.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(line.as_bytes())
            && !self.0.has_failed.swap(true, Ordering::Relaxed)
        {
            tell(&format!("cannot write {}: {error}", shown(&self.0.path)));
        }
    }
}

fn line(traffic: &remote::Traffic<'_>) -> Value {
    let piece = match &traffic.piece {
        Piece::Request { method, url, headers, body } => {
            json!({"type": "request", "method": method, "url": url, "headers": fields(headers),
                "body": text(body)})
        }
        Piece::Response { status, headers } => {
            json!({"type": "response", "status": status, "headers": fields(headers)})
        }
        Piece::Bytes(bytes) => json!({"type": "bytes", "text": text(bytes)}),
        Piece::End(why) => json!({"type": "end", "error": why}),
        _ => json!({"type": "other"}),
    };
    let at = json!({"at": now().0, "model": traffic.model, "attempt": traffic.attempt});
    let all = [at, piece].into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    all.flatten().collect::<Map<_, _>>().into()
}

/// Headers as an object; several of one name are one value, as HTTP joins them.
fn fields(headers: &[(&str, String)]) -> Map<String, Value> {
    let mut fields = Map::new();
    for (name, value) in headers {
        let joined = match fields.get(*name).and_then(Value::as_str) {
            Some(before) => format!("{before}, {value}"),
            None => value.clone(),
        };
        fields.insert((*name).to_owned(), joined.into());
    }
    fields
}

/// Bytes as text; what is no UTF-8, such as a character that was cut in two, is replaced.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
