//! Frames of AWS's event streams: those before any damage come out, and nothing behind it.
//!
//! What should come out is worked out another way than the crate does it, with checksums of its
//! own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use fastrand::Rng;
use legwork_models::fuzzing::Frames;

use super::answers::framed::{self, PRELUDE, SUM};
use super::{MIB, Target, pieces};
use crate::memory::Since;

pub(super) const TARGET: Target = Target {
    name: "frames",
    seeds,
    grammar: Some(stream),
    words: &[
        "\0\0\0\x10\0\0\0\0",
        "\0\0\0\0",
        "\x0d:message-type\x07\0\x05event",
        "\x0d:message-type\x07\0\x09exception",
        "\x0f:exception-type\x07\0\x02no",
        "\x0e:error-message\x07\0\x02no",
        "\x7f",
    ],
    longest: MIB,
    memory: 8 * MIB,
    one_of: 1,
    run,
};

/// Of so many streams one has as many frames as fit.
const MANY: u32 = 1_000;

fn seeds() -> Vec<Vec<u8>> {
    let delta = br#"{"contentBlockIndex":0,"delta":{"text":"Hi"}}"#;
    let busy = br#"{"message":"busy"}"#;
    let pages = [&b"<html><title>Busy</title></html>"[..], b"{\"message\":\"no\"}"];
    let mut seeds: Vec<Vec<u8>> = pages.map(<[u8]>::to_vec).into();
    seeds.push(framed::event(delta).repeat(3));
    seeds.push([framed::event(delta), framed::exception(b"throttlingException", busy)].concat());
    seeds.push([framed::event(delta), framed::frame(b"", b""), framed::event(b"")].concat());
    seeds
}

/// Frames with any headers and payloads, of which one may be damaged.
fn stream(random: &mut Rng) -> Vec<u8> {
    // Work that grows with the square of the frames takes too long for as many as fit.
    if random.u32(..MANY) == 0 {
        let frame = framed::frame(&[], &[]);
        return frame.repeat(MIB / frame.len());
    }
    let mut frames: Vec<Vec<u8>> = (0..random.usize(..8)).map(|_| frame(random)).collect();
    let which = random.usize(..frames.len().max(1));
    if random.bool()
        && let Some(frame) = frames.get_mut(which)
    {
        damage(frame, random);
    }
    let mut bytes = frames.concat();
    if random.u8(..4) == 0 {
        bytes.truncate(random.usize(..=bytes.len()));
    }
    bytes
}

fn frame(random: &mut Rng) -> Vec<u8> {
    let payload: Vec<u8> = match random.u8(..4) {
        0 => Vec::new(),
        1 => (0..random.usize(..300)).map(|_| random.u8(..)).collect(),
        _ => br#"{"message":"busy","delta":{"text":"Hi"}}"#.to_vec(),
    };
    match random.u8(..4) {
        0 => framed::event(&payload),
        1 => framed::exception(b"throttlingException", &payload),
        _ => {
            let headers: Vec<_> = (0..random.usize(..5)).map(|_| header(random)).collect();
            let mut headers = headers.concat();
            if random.u8(..4) == 0 {
                headers.truncate(random.usize(..=headers.len()));
            }
            framed::frame(&headers, &payload)
        }
    }
}

/// A header of any of the ten types, or of one that there is not.
fn header(random: &mut Rng) -> Vec<u8> {
    let names = [":message-type", ":exception-type", ":error-code", ":error-message", ":x", ""];
    let texts: [&[u8]; 6] = [b"event", b"exception", b"error", b"busy", b"", b"\xff"];
    let name = random.choice(names).unwrap_or_default();
    let value = random.choice(texts).unwrap_or_default();
    let length = match random.u8(..12) {
        kind @ (0 | 1 | 10 | 11) => return framed::header(name, kind, b""),
        2 => 1,
        3 => 2,
        4 => 4,
        5 | 8 => 8,
        9 => 16,
        _ => return framed::text(name, value),
    };
    let kind = [2, 3, 4, 5, 9].into_iter().find(|kind| width(*kind) == Some(length));
    framed::header(name, kind.unwrap_or(8), &vec![7; length])
}

/// Changes a byte, or a length together with the checksums.
fn damage(frame: &mut Vec<u8>, random: &mut Rng) {
    let at = random.usize(..frame.len());
    match random.u8(..3) {
        0 => frame.truncate(at),
        1 => {
            if let Some(byte) = frame.get_mut(at) {
                *byte ^= 1 << random.u8(..8);
            }
        }
        _ => {
            let lengths = [0, 4, 15, 16, 17, 1 << 20, u32::MAX];
            let length = random.choice(lengths).unwrap_or_default();
            let place = if random.bool() { 0 } else { 4 };
            frame.splice(place..place + 4, length.to_be_bytes());
            let sum = framed::sum(frame.get(..8).unwrap_or_default());
            frame.splice(8..PRELUDE, sum.to_be_bytes());
            let end = frame.len() - SUM;
            let sum = framed::sum(frame.get(..end).unwrap_or_default());
            frame.splice(end.., sum.to_be_bytes());
        }
    }
}

/// What came of a stream, its frames reduced to what distinguishes two of them.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    frames: usize,
    hash: u64,
    /// Bytes of a frame whose end did not come.
    held: usize,
    is_broken: bool,
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let (wanted, longest) = wanted(input);
    let whole = read(&[input]);
    assert!(whole == wanted, "it reads {whole:?} instead of {wanted:?}");
    let pieces = pieces(input, random);
    let since = Since::now();
    let cut = read(&pieces);
    assert!(cut == wanted, "cut otherwise it reads {cut:?} instead of {wanted:?}");
    let piece = pieces.iter().map(|piece| piece.len()).max().unwrap_or_default();
    // A frame and what comes with its end, in a buffer that grows by doubling, and an error.
    let (bytes, allowed) = (since.most(), 8_192 + 4 * (longest + piece));
    assert!(bytes <= allowed, "{bytes} bytes are held of a frame of {longest}");
    whole.frames > 0
}

fn read(pieces: &[&[u8]]) -> Read {
    let (mut parser, mut frames, mut hasher) = (Frames::default(), 0, DefaultHasher::new());
    for piece in pieces {
        parser.push(piece);
        while let Some((payload, error)) = parser.next_frame() {
            frames += 1;
            (payload, error.map(|error| error.code)).hash(&mut hasher);
        }
    }
    let (held, is_broken) = (parser.held(), parser.is_broken());
    Read { frames, hash: hasher.finish(), held, is_broken }
}

/// What should come of a stream, and the length of its longest frame, as far as that came.
fn wanted(mut rest: &[u8]) -> (Read, usize) {
    let (mut frames, mut hasher, mut longest) = (0, DefaultHasher::new(), 0);
    let mut is_broken = false;
    while let Some(length) = number(rest, 0).filter(|_| rest.len() >= PRELUDE) {
        let whole = length >= PRELUDE + SUM;
        if whole && length > rest.len() {
            break;
        }
        let (frame, behind) = rest.split_at(length.min(rest.len()));
        longest = longest.max(frame.len());
        let Some((payload, code)) = Some(frame).filter(|_| whole).and_then(opened) else {
            (is_broken, rest) = (true, &[]);
            break;
        };
        frames += 1;
        (payload, code).hash(&mut hasher);
        rest = behind;
    }
    let held = rest.len();
    (Read { frames, hash: hasher.finish(), held, is_broken }, longest.max(held))
}

/// The payload of a frame, and of an error its code; none if a checksum or the form is wrong.
fn opened(frame: &[u8]) -> Option<(&[u8], Option<Option<String>>)> {
    let (before, sum) = frame.split_last_chunk::<SUM>()?;
    let is_sound = number(frame, 8)? == framed::sum(frame.get(..8)?) as usize
        && u32::from_be_bytes(*sum) == framed::sum(before);
    let headers = before.get(PRELUDE..PRELUDE + number(frame, 4)?).filter(|_| is_sound)?;
    let payload = before.get(PRELUDE + headers.len()..)?;
    let texts = texts(headers)?;
    let said = |name: &str| {
        let all = texts.iter().rev();
        all.clone().find(|(known, _)| *known == name.as_bytes()).map(|(_, text)| *text)
    };
    let name = match said(":message-type") {
        Some(b"exception") => Some(said(":exception-type").unwrap_or_default()),
        Some(b"error") => Some(said(":error-code").unwrap_or_default()),
        _ => None,
    };
    let name = name.map(std::str::from_utf8).transpose().ok()?;
    let payload = said(":error-message").filter(|_| payload.is_empty()).unwrap_or(payload);
    Some((payload, name.map(code)))
}

/// The code of an error by its name; no payload here has another one.
fn code(name: &str) -> Option<String> {
    let name = name.split(':').next().unwrap_or_default().rsplit('#').next().unwrap_or_default();
    Some(name.trim().chars().take(200).collect()).filter(|name: &String| !name.is_empty())
}

/// The headers that are texts; none if one of the headers has no such form.
fn texts(mut rest: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut texts = Vec::new();
    while let Some((length, more)) = rest.split_first() {
        let (name, more) = more.split_at_checked(usize::from(*length))?;
        let (kind, more) = more.split_first()?;
        let (length, more) = match kind {
            6 | 7 => {
                let (length, more) = more.split_first_chunk::<2>()?;
                (usize::from(u16::from_be_bytes(*length)), more)
            }
            kind => (width(*kind)?, more),
        };
        let (value, more) = more.split_at_checked(length)?;
        if *kind == 7 {
            texts.push((name, value));
        }
        rest = more;
    }
    Some(texts)
}

/// Bytes of a value of a type that always has as many.
fn width(kind: u8) -> Option<usize> {
    [Some(0), Some(0), Some(1), Some(2), Some(4), Some(8), None, None, Some(8), Some(16)]
        .get(usize::from(kind))
        .copied()?
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_be_bytes(*bytes)).ok()
}
