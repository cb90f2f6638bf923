//! Reading a streamed answer.

use super::dialect::Dialect;
use crate::error::Error;

/// Puts the answer of a stream together.
pub(super) async fn read<D: Dialect>(mut response: reqwest::Response) -> Result<D::Answer, Error> {
    let mut answer = D::Answer::default();
    let mut open = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        open.extend_from_slice(&bytes);
        D::take(&mut open, &mut answer)?;
    }
    Ok(answer)
}

/// Takes the whole lines of server-sent events out of the bytes that came.
pub(super) fn take_lines(
    open: &mut Vec<u8>,
    mut event: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let whole = memchr::memrchr(b'\n', open).map_or(0, |end| end + 1);
    for line in open.get(..whole).unwrap_or_default().split(|b| *b == b'\n') {
        if let Some(data) = line.strip_prefix(b"data: ") {
            event(data)?;
        }
    }
    open.drain(..whole);
    Ok(())
}
