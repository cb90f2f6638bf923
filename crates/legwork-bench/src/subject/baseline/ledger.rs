//! The durable baseline: writes as many bytes, in as many durable writes, as Legwork.

use std::{fs::File, io::Write};

use serde::Serialize;

use crate::{error::Error, subject::Disk};

/// A file to which each step is appended, and the size of each step.
#[derive(Debug)]
pub(super) struct Ledger {
    file: File,
    bytes: usize,
    writes: usize,
    steps: Vec<usize>,
}

impl Ledger {
    /// An empty file in the disk's folder.
    pub(super) fn create(disk: &Disk) -> Result<Self, Error> {
        let path = disk.dir.join("baseline.jsonl");
        let what = format!("creating {}", path.display());
        Ok(Self {
            file: File::create(path).map_err(Error::io(what))?,
            bytes: disk.bytes,
            writes: disk.writes.max(1),
            steps: Vec::new(),
        })
    }

    /// Removes the steps of the previous execution.
    pub(super) fn restart(&mut self) {
        self.steps.clear();
    }

    /// The JSON of each step's messages, in bytes.
    pub(super) fn steps(&self) -> Vec<usize> {
        self.steps.clone()
    }

    /// Appends one step, padded to the bytes of a step.
    pub(super) fn append<M: Serialize>(&mut self, new: &[M]) -> Result<(), Error> {
        let mut lines = Vec::with_capacity(self.bytes);
        for message in new {
            serde_json::to_writer(&mut lines, message).map_err(Error::json("a message"))?;
            lines.push(b'\n');
        }
        self.steps.push(lines.len() - new.len());
        lines.resize(self.bytes.max(lines.len()), b' ');
        for part in lines.chunks(lines.len().div_ceil(self.writes)) {
            self.file
                .write_all(part)
                .and_then(|()| self.file.sync_data())
                .map_err(Error::io("appending to the baseline's file"))?;
        }
        Ok(())
    }
}
