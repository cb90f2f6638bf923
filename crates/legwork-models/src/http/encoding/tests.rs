use compression_codecs::core::util::{PartialBuffer, WriteBuffer};
use compression_codecs::{BrotliEncoder, EncodeV2, GzipEncoder};
use http::HeaderValue;
use http::header::{CONTENT_ENCODING, HeaderMap};
use proptest::prelude::*;

use super::{Broken, Decoder, IDLE, NAMES};

fn encoder(coding: &str) -> Box<dyn EncodeV2> {
    use compression_codecs::brotli::params::EncoderParams;
    match coding {
        "gzip" => Box::new(GzipEncoder::new(compression_codecs::core::Level::Default.into())),
        "br" => Box::new(BrotliEncoder::new(EncoderParams::default())),
        #[cfg(feature = "zstd")]
        "zstd" => Box::new(compression_codecs::ZstdEncoder::new(3)),
        _ => panic!("{coding}"),
    }
}

/// Each piece as it is flushed, and the end.
fn encoded(coding: &str, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut encoder = encoder(coding);
    let mut room = vec![0; 4 << 20];
    let mut all = Vec::new();
    for piece in pieces {
        let mut output = WriteBuffer::new_initialized(&mut room);
        let mut input = PartialBuffer::new(*piece);
        while !input.unwritten().is_empty() {
            encoder.encode(&mut input, &mut output).unwrap();
        }
        while !encoder.flush(&mut output).unwrap() {}
        all.push(output.written().to_vec());
    }
    let mut output = WriteBuffer::new_initialized(&mut room);
    while !encoder.finish(&mut output).unwrap() {}
    all.push(output.written().to_vec());
    all
}

fn decoder(coding: &str) -> Decoder {
    let value = HeaderValue::try_from(coding).unwrap();
    Decoder::of(&HeaderMap::from_iter([(CONTENT_ENCODING, value)])).unwrap()
}

/// All that comes of some bytes.
fn decoded(decoder: &mut Decoder, bytes: &[u8]) -> Result<Vec<u8>, Broken> {
    decoder.push(bytes.to_vec().into());
    let mut all = Vec::new();
    while let Some(piece) = decoder.next()? {
        assert!(!piece.is_empty() && piece.len() <= super::PIECE);
        all.extend_from_slice(&piece);
    }
    Ok(all)
}

#[test]
fn what_was_flushed_comes_out_at_once() {
    for coding in NAMES {
        let (first, second) = ("data: one\n\n", "data: two\n\n".repeat(5_000));
        let pieces = encoded(coding, &[first.as_bytes(), second.as_bytes()]);
        let mut decoder = decoder(coding);
        assert_eq!(decoded(&mut decoder, &pieces[0]).unwrap(), first.as_bytes(), "{coding}");
        assert_eq!(decoded(&mut decoder, &pieces[1]).unwrap(), second.as_bytes(), "{coding}");
        assert!(decoder.finish().is_err(), "{coding}");
        assert_eq!(decoded(&mut decoder, &pieces[2]).unwrap(), b"", "{coding}");
        decoder.finish().unwrap();
    }
}

#[test]
fn members_follow_each_other() {
    for coding in NAMES.iter().filter(|coding| **coding != "br") {
        let one = encoded(coding, &[b"one"]).concat();
        let two = [one.as_slice(), &one].concat();
        let mut decoder = decoder(coding);
        assert_eq!(decoded(&mut decoder, &two).unwrap(), b"oneone", "{coding}");
        decoder.finish().unwrap();
    }
}

#[test]
fn damaged_input_is_not_content() {
    for coding in NAMES {
        let mut whole = encoded(coding, &[&b"some text, and some text".repeat(9)]).concat();
        whole[0] ^= 0xff;
        let mut decoder = decoder(coding);
        let came = decoded(&mut decoder, &whole).and_then(|_| decoder.finish());
        assert!(matches!(came, Err(Broken::Undecoded { .. })), "{coding}: {came:?}");
    }
}

#[test]
fn s13_10_input_that_gives_nothing_ends() {
    // Empty blocks, each flushed.
    for (coding, head, again) in [
        ("gzip", &b"\x1f\x8b\x08\0\0\0\0\0\0\xff"[..], &b"\0\0\0\xff\xff"[..]),
        // A comment in the head that does not end.
        ("gzip", &b"\x1f\x8b\x08\x10\0\0\0\0\0\xff"[..], &b"x"[..]),
    ] {
        let mut decoder = decoder(coding);
        decoded(&mut decoder, head).unwrap();
        let again = again.repeat(1_000);
        let most = IDLE / again.len() + 2;
        let broken = (0..most).find_map(|_| decoded(&mut decoder, &again).err());
        assert!(broken.is_some_and(|broken| broken.is_malformed()));
    }
}

#[test]
fn what_is_named_is_read() {
    let of = |values: &[&str]| {
        let values = values.iter().map(|value| HeaderValue::try_from(*value).unwrap());
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(CONTENT_ENCODING, value);
        }
        Decoder::of(&headers).map(|decoder| format!("{decoder:?}"))
    };
    assert_eq!(of(&[]), None);
    assert_eq!(of(&["identity"]), None);
    assert_eq!(of(&["X-GZip"]).unwrap(), "Decoder { coding: \"gzip\", .. }");
    assert_eq!(of(&["gzip", "br"]).unwrap(), "Decoder { coding: \"gzip, br\", .. }");
}

proptest! {
    #[test]
    fn a_body_is_the_same_however_it_is_cut(
        seed in proptest::collection::vec(any::<u8>(), 0..200),
        times in 1usize..2_000,
        cut in 1usize..5_000,
        coding in proptest::sample::select(NAMES),
    ) {
        let body = seed.repeat(times);
        let whole = encoded(coding, &[&body]).concat();
        let mut decoder = decoder(coding);
        let mut came = Vec::new();
        for piece in whole.chunks(cut) {
            came.extend(decoded(&mut decoder, piece).unwrap());
        }
        prop_assert!(came == body);
        decoder.finish().unwrap();
    }

    #[test]
    fn input_that_is_not_a_body_never_panics(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        coding in proptest::sample::select(NAMES),
        magic in any::<bool>(),
    ) {
        let start = if magic { encoded(coding, &[b"x"])[0].clone() } else { Vec::new() };
        let mut decoder = decoder(coding);
        let came = decoded(&mut decoder, &[start, bytes].concat());
        let _ = came.and_then(|_| decoder.finish());
    }
}
