//! Compressed bodies, decompressed as they come.

mod named;

use std::fmt;
use std::io;

use bytes::{Buf as _, Bytes};
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::{BrotliDecoder, DecodeV2, GzipDecoder};
use http::HeaderValue;
use http::header::HeaderMap;

use super::broken::Broken;

#[cfg(test)]
mod tests;

/// The content codings that are read.
#[cfg(feature = "zstd")]
pub(super) const NAMES: &[&str] = &["gzip", "br", "zstd"];
/// The content codings that are read.
#[cfg(not(feature = "zstd"))]
pub(super) const NAMES: &[&str] = &["gzip", "br"];

/// Bytes that are decompressed at once. A body is decompressed no faster than it is read, so
/// that one that grows without end meets the bounds of an answer.
const PIECE: usize = 16 << 10;

/// Bytes that may be received without any that come of them.
const IDLE: usize = 1 << 20;

/// The largest window of Zstandard, as the logarithm of its bytes (RFC 9659).
#[cfg(feature = "zstd")]
const ZSTD_WINDOW: u32 = 23;

/// What is sent as `Accept-Encoding`.
pub(crate) fn accepted() -> Option<HeaderValue> {
    HeaderValue::try_from(NAMES.join(", ")).ok()
}

/// Decompresses a body piece by piece; what was flushed comes out at once.
pub(super) struct Decoder {
    coding: Coding,
    input: Bytes,
    output: Box<[u8]>,
    /// Whether the output was full, so that there may be more without further input.
    is_full: bool,
    /// Whether the last member has ended.
    is_over: bool,
    /// Bytes that were received since some came of them.
    idle: usize,
}

enum Coding {
    Known { name: &'static str, codec: Box<dyn DecodeV2 + Send> },
    Unknown(String),
}

impl Decoder {
    /// None if the body is not compressed.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let coding = Coding::of(named::coding(headers)?);
        let output = vec![0; PIECE].into_boxed_slice();
        let (input, is_full, is_over) = (Bytes::new(), false, false);
        Some(Self { coding, input, output, is_full, is_over, idle: 0 })
    }

    /// Takes what was received, once there is nothing left of what came before.
    pub(super) fn push(&mut self, bytes: Bytes) {
        self.input = bytes;
    }

    /// The next piece of what was received; none if more has to be received.
    pub(super) fn next(&mut self) -> Result<Option<Bytes>, Broken> {
        match &mut self.coding {
            Coding::Unknown(coding) => Err(Broken::Encoding(coding.clone())),
            Coding::Known { name, .. } => {
                let coding = *name;
                self.decoded().map_err(|error| Broken::Undecoded { coding, error })
            }
        }
    }

    fn decoded(&mut self) -> io::Result<Option<Bytes>> {
        let Coding::Known { name, codec } = &mut self.coding else { return Ok(None) };
        while self.is_full || !self.input.is_empty() {
            if self.is_over && *name == "br" {
                // It has one member, and what follows is nothing.
                self.input.clear();
                break;
            }
            if self.is_over {
                codec.reinit()?;
                self.is_over = false;
            }
            let mut output = WriteBuffer::new_initialized(&mut self.output);
            let mut taken = 0;
            if self.input.is_empty() {
                codec.flush(&mut output)?;
            } else {
                let mut input = PartialBuffer::new(&*self.input);
                self.is_over = codec.decode(&mut input, &mut output)?;
                taken = input.written_len();
            }
            let written = output.written_len();
            self.is_full = output.has_no_spare_space() && !self.is_over;
            let is_stuck = taken == 0 && written == 0 && !self.input.is_empty();
            self.input.advance(taken);
            self.idle = if written > 0 { 0 } else { self.idle + taken };
            if is_stuck || self.idle > IDLE {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "there is nothing in it"));
            }
            if written > 0 {
                let piece = self.output.get(..written).unwrap_or_default();
                return Ok(Some(Bytes::copy_from_slice(piece)));
            }
        }
        Ok(None)
    }

    /// Ends the body.
    ///
    /// # Errors
    /// When more would have to follow.
    pub(super) fn finish(&mut self) -> Result<(), Broken> {
        let Coding::Known { name, codec } = &mut self.coding else { return Ok(()) };
        let mut output = WriteBuffer::new_initialized(&mut self.output);
        if self.is_over || matches!(codec.finish(&mut output), Ok(true)) {
            return Ok(());
        }
        let error = io::Error::new(io::ErrorKind::UnexpectedEof, "its end is missing");
        Err(Broken::Undecoded { coding: name, error })
    }
}

impl Coding {
    fn of(named: String) -> Self {
        let (name, codec): (_, Box<dyn DecodeV2 + Send>) = match &*named {
            "gzip" | "x-gzip" => ("gzip", Box::new(GzipDecoder::new())),
            "br" => ("br", Box::new(BrotliDecoder::new())),
            #[cfg(feature = "zstd")]
            "zstd" => ("zstd", Box::new(zstd())),
            _ => return Self::Unknown(named),
        };
        Self::Known { name, codec }
    }
}

#[cfg(feature = "zstd")]
fn zstd() -> compression_codecs::ZstdDecoder {
    use compression_codecs::zstd::params::DParameter;
    compression_codecs::ZstdDecoder::new_with_params(&[DParameter::window_log_max(ZSTD_WINDOW)])
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coding = match &self.coding {
            Coding::Known { name, .. } => name,
            Coding::Unknown(name) => name.as_str(),
        };
        f.debug_struct("Decoder").field("coding", &coding).finish_non_exhaustive()
    }
}
