//! The headers of a frame: names with values of ten types, of which texts are used here.

use std::ops::Range;

/// The bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invalid;

/// What headers say about an error.
#[derive(Debug, Default)]
pub(super) struct Headers<'a> {
    /// The name of an exception or error, if the frame is one.
    pub(super) exception: Option<&'a str>,
    /// Where in the headers it is said what is wrong.
    pub(super) error_message: Option<Range<usize>>,
}

impl<'a> Headers<'a> {
    pub(super) fn read(headers: &'a [u8]) -> Result<Self, Invalid> {
        let (mut kind, mut exception, mut code) = (&b""[..], None, None);
        let (mut read, mut rest) = (Self::default(), headers);
        while !rest.is_empty() {
            let (name, value) = next(&mut rest)?;
            let Value::Text(text) = value else { continue };
            match name {
                b":message-type" => kind = text,
                b":exception-type" => exception = Some(text),
                b":error-code" => code = Some(text),
                b":error-message" => {
                    let end = headers.len() - rest.len();
                    read.error_message = Some(end - text.len()..end);
                }
                _ => {}
            }
        }
        read.exception = match kind {
            b"exception" => Some(exception.unwrap_or_default()),
            b"error" => Some(code.unwrap_or_default()),
            _ => None,
        }
        .map(|name| std::str::from_utf8(name).map_err(|_| Invalid))
        .transpose()?;
        Ok(read)
    }
}

/// The value of a header.
enum Value<'a> {
    Text(&'a [u8]),
    Other,
}

/// Reads a header.
fn next<'a>(rest: &mut &'a [u8]) -> Result<(&'a [u8], Value<'a>), Invalid> {
    let length = take(rest, 1)?.first().copied().unwrap_or_default();
    let name = take(rest, length.into())?;
    let value = match take(rest, 1)? {
        // True and false are said by the type.
        [0 | 1] => Value::Other,
        [2] => other(rest, 1)?,
        [3] => other(rest, 2)?,
        [4] => other(rest, 4)?,
        // A number, and a time in milliseconds.
        [5 | 8] => other(rest, 8)?,
        [6] => {
            let length = length_of(rest)?;
            other(rest, length)?
        }
        [7] => {
            let length = length_of(rest)?;
            Value::Text(take(rest, length)?)
        }
        // A UUID.
        [9] => other(rest, 16)?,
        _ => return Err(Invalid),
    };
    Ok((name, value))
}

fn other<'a>(rest: &mut &[u8], length: usize) -> Result<Value<'a>, Invalid> {
    take(rest, length).map(|_| Value::Other)
}

fn length_of(rest: &mut &[u8]) -> Result<usize, Invalid> {
    let length = take(rest, 2)?.first_chunk().ok_or(Invalid)?;
    Ok(u16::from_be_bytes(*length).into())
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], Invalid> {
    let (taken, left) = rest.split_at_checked(length).ok_or(Invalid)?;
    *rest = left;
    Ok(taken)
}
