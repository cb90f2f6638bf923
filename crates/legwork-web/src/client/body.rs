//! The body of an answer, read and decompressed as far as the limit.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, HeaderMap};

use super::Error;
use crate::address::Address;

/// Bytes that are decompressed at once.
const PIECE: usize = 16 << 10;

/// Reads a body; says whether the limit ended it.
pub(super) async fn read(
    headers: &HeaderMap,
    mut body: Incoming,
    limit: usize,
    address: &Address,
) -> Result<(Vec<u8>, bool), Error> {
    let (mut bytes, mut is_cut) = (Vec::new(), false);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|source| Error::Broken { host: address.authority(), source })?;
        let Ok(data) = frame.into_data() else { continue };
        let room = limit.saturating_sub(bytes.len());
        bytes.extend_from_slice(data.get(..room).unwrap_or(&data));
        if data.len() > room {
            is_cut = true;
            break;
        }
    }
    match coding(headers).as_deref() {
        None => Ok((bytes, is_cut)),
        Some("gzip" | "x-gzip") => {
            let (bytes, more) = decompressed(&bytes, limit, is_cut)?;
            Ok((bytes, is_cut || more))
        }
        Some(other) => {
            let coding = other.chars().take(40).collect();
            Err(Error::Encoding { coding, why: "it was not asked for".to_owned() })
        }
    }
}

/// The coding of a body; none if it has none.
fn coding(headers: &HeaderMap) -> Option<String> {
    let named = String::from_utf8_lossy(headers.get(CONTENT_ENCODING)?.as_bytes());
    let named = named.trim().to_ascii_lowercase();
    (!named.is_empty() && named != "identity").then_some(named)
}

/// Decompresses what was read, as far as the limit; says whether there would be more. What was cut
/// need not be whole.
fn decompressed(bytes: &[u8], limit: usize, is_cut: bool) -> Result<(Vec<u8>, bool), Error> {
    let mut decoder = MultiGzDecoder::new(bytes);
    let (mut all, mut piece) = (Vec::new(), vec![0; PIECE]);
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => return Ok((all, false)),
            Ok(count) => {
                let room = limit.saturating_sub(all.len());
                all.extend_from_slice(piece.get(..count.min(room)).unwrap_or_default());
                if count > room {
                    return Ok((all, true));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) if is_cut => return Ok((all, false)),
            Err(error) => {
                return Err(Error::Encoding { coding: "gzip".to_owned(), why: error.to_string() });
            }
        }
    }
}
