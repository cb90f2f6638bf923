//! Frames of a stream, read by hand: lengths and headers, without their checksums.

/// An event.
pub(super) struct Frame<'a> {
    /// What happened.
    pub(super) kind: &'a [u8],
    /// JSON.
    pub(super) payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Cuts the first frame off, if it came in full.
    pub(super) fn cut(bytes: &mut &'a [u8]) -> Option<Self> {
        let length = number(bytes, 0)?;
        let (frame, rest) = bytes.split_at_checked(length)?;
        let headers = number(frame, 4)?;
        // Two lengths and a checksum are before the headers, a checksum is behind the payload.
        let (headers, payload) =
            frame.get(12..length.checked_sub(4)?)?.split_at_checked(headers)?;
        *bytes = rest;
        Some(Self { kind: kind(headers).unwrap_or_default(), payload })
    }
}

/// The number of four bytes at a place.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let number = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(number)).ok()
}

/// The value of the header that names the event. All headers of this API are texts.
fn kind(mut headers: &[u8]) -> Option<&[u8]> {
    loop {
        let (length, rest) = headers.split_first()?;
        let (name, rest) = rest.split_at_checked(usize::from(*length))?;
        let (_text, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (value, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
        if name == b":event-type" {
            return Some(value);
        }
        headers = rest;
    }
}
