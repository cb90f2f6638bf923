//! What was damaged is set aside: no byte of it is deleted.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use legwork_core::Seq;

use super::batches;
use super::entered::Entered;
use super::files::{self, Access};

impl Entered<'_> {
    /// Moves what follows an offset of a file to the file of what was cut, and ends it there.
    ///
    /// `last` is the number of the last entry or item before it. A process that dies in between
    /// leaves the bytes in both files.
    pub(super) fn set_aside(
        &self,
        file: &File,
        path: &Path,
        offset: u64,
        last: u64,
    ) -> io::Result<()> {
        let mut source = file;
        source.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes)?;
        let cut = self.place.cut();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let head = serde_json::json!({
            "file": name, "after": last, "offset": offset, "bytes": bytes.len(),
        });
        let mut piece = format!("{head}\n").into_bytes();
        piece.extend_from_slice(&bytes);
        piece.push(b'\n');
        let mut aside = files::open_or_create(&cut, Access::Append)?;
        aside.write_all(&piece)?;
        aside.sync_all()?;
        files::sync_folder(&self.place.folder)?;
        file.set_len(offset)?;
        file.sync_data()
    }

    /// Cuts a journal back behind an entry.
    ///
    /// The append that the entry came with ends there from then on.
    pub(super) fn cut_journal(&mut self, file: &File, len: u64, last: Seq) -> io::Result<()> {
        let path = self.place.journal();
        let missing = || io::Error::other(format!("it has no line {last}"));
        let mut offset = batches::offset_behind(file, len, last)?.ok_or_else(missing)?;
        // Where its records lead may be gone.
        files::if_there(std::fs::remove_file(self.place.index()))?;
        if batches::goes_on_at(file, offset)? {
            // First this one byte: a process that dies next leaves a whole append behind which
            // there is damage.
            let mut line_end = files::open(&path, Access::Write)?;
            line_end.seek(SeekFrom::Start(offset - 2))?;
            line_end.write_all(b"\n")?;
            line_end.sync_data()?;
            offset -= 1;
        }
        self.set_aside(file, &path, offset, last.0)?;
        (self.head.entries, self.head.journal) = (last.0, offset);
        Ok(())
    }
}
