//! Bytes compressed with gzip.

use compression_codecs::core::Level;
use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::{EncodeV2, GzipEncoder};

/// Each piece as it is flushed, the last with the end.
pub(crate) fn gzipped(pieces: &[impl AsRef<[u8]>]) -> Vec<Vec<u8>> {
    let mut encoder = GzipEncoder::new(Level::Default.into());
    let mut room = vec![0; 1 << 20];
    let each = pieces.iter().enumerate().map(|(number, piece)| {
        let mut output = WriteBuffer::new_initialized(&mut room);
        let mut input = PartialBuffer::new(piece.as_ref());
        while !input.unwritten().is_empty() {
            encoder.encode(&mut input, &mut output).unwrap();
        }
        while !encoder.flush(&mut output).unwrap() {}
        while number + 1 == pieces.len() && !encoder.finish(&mut output).unwrap() {}
        output.written().to_vec()
    });
    each.collect()
}
