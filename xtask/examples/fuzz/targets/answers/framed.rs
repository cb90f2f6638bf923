//! Frames of AWS's event streams, written and checked by its guide "Event stream encoding" alone.

/// Bytes before the headers: the length of all, that of the headers, a checksum of both.
pub(crate) const PRELUDE: usize = 12;

/// Bytes of a checksum.
pub(crate) const SUM: usize = 4;

/// A frame with headers, as they are encoded, and a payload.
pub(crate) fn frame(headers: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = PRELUDE + headers.len() + payload.len() + SUM;
    let mut frame = Vec::with_capacity(length);
    for length in [length, headers.len()] {
        frame.extend(u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
    }
    frame.extend(sum(&frame).to_be_bytes());
    frame.extend(headers);
    frame.extend(payload);
    frame.extend(sum(&frame).to_be_bytes());
    frame
}

/// A header whose value is a text.
pub(crate) fn text(name: &str, value: &[u8]) -> Vec<u8> {
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    header(name, 7, &[&length.to_be_bytes(), value].concat())
}

/// A header with a value of any type, as it is encoded.
pub(crate) fn header(name: &str, kind: u8, value: &[u8]) -> Vec<u8> {
    let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
    [&[length], name.as_bytes(), &[kind], value].concat()
}

/// The frame of an event.
pub(crate) fn event(payload: &[u8]) -> Vec<u8> {
    let headers = [text(":message-type", b"event"), text(":event-type", b"any")].concat();
    frame(&headers, payload)
}

/// The frame of an exception.
pub(crate) fn exception(name: &[u8], payload: &[u8]) -> Vec<u8> {
    let headers = [text(":message-type", b"exception"), text(":exception-type", name)].concat();
    frame(&headers, payload)
}

/// A frame for each line: an event, or an exception if a name and a blank precede its payload.
pub(crate) fn of_lines(lines: &[u8]) -> Vec<u8> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let framed = lines.map(|line| match line.strip_prefix(b"!") {
        None => event(line),
        Some(error) => {
            let name = error.iter().position(|byte| *byte == b' ').unwrap_or(error.len());
            let (name, payload) = error.split_at(name.min(200));
            exception(name, payload)
        }
    });
    framed.collect::<Vec<_>>().concat()
}

/// The checksum of bytes: CRC-32 as in IEEE 802.3.
pub(crate) fn sum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        let [low, ..] = sum.to_le_bytes();
        (sum >> 8) ^ TABLE.get(usize::from(low ^ byte)).copied().unwrap_or_default()
    })
}

/// What a byte adds to a checksum.
static TABLE: [u32; 256] = table();

#[allow(clippy::indexing_slicing, reason = "a constant is made when this is compiled")]
const fn table() -> [u32; 256] {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < 256 {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}
