//! Pictures, told apart by what is in them.

mod base64;

use std::path::Path;

use legwork::core::message::{Image, MediaSource};

use super::file;
use crate::error::Error;

/// Bytes of the largest picture.
const MOST: usize = 20 << 20;

/// A picture from a file.
pub(crate) fn read(path: &Path) -> Result<Image, Error> {
    const HINT: &str = "name a picture with --image";
    let hints = file::Hints { missing: HINT, irregular: HINT.to_owned() };
    let bytes = file::bytes(path, MOST, &hints)?;
    let shown = path.display();
    if bytes.len() > MOST {
        let message = format!("{shown} is larger than {} MiB", MOST >> 20);
        return Err(Error::usage(message, "make the picture smaller"));
    }
    let Some(media_type) = media_type(&bytes) else {
        let message = format!("{shown} is not a PNG, JPEG, GIF or WebP picture");
        let hint = "give other files by naming them in the task: the agent can read them";
        return Err(Error::usage(message, hint));
    };
    let source = MediaSource::Base64(base64::encode(&bytes));
    Ok(Image { media_type: media_type.to_owned(), source })
}

/// The media type, by how the content begins.
pub(super) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
