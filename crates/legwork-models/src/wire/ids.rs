//! Ids of calls, which another provider may have made.

use std::borrow::Cow;

/// An id as an API takes it: letters, digits, `_` and `-`, and at most so many of them.
///
/// What fits stays as it is. Anything else gets a digest at its end, so that two ids stay two.
pub(crate) fn fitting(id: &str, most: usize) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !id.is_empty() && id.len() <= most && id.bytes().all(is_plain) {
        return Cow::Borrowed(id);
    }
    let digest = format!("_{:016x}", digest([id]));
    let is_kept = |c: char| u8::try_from(c).is_ok_and(is_plain);
    let plain = id.chars().map(|c| if is_kept(c) { c } else { '_' });
    let kept: String = plain.take(most.saturating_sub(digest.len())).collect();
    Cow::Owned(kept + &digest)
}

/// An id of nine letters and digits; another one becomes its digest.
pub(crate) fn nine(id: &str) -> Cow<'_, str> {
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(id);
    }
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let rest = std::iter::successors(Some(digest([id])), |rest| Some(rest / 62));
    let digit = |rest: u64| DIGITS.get(usize::try_from(rest % 62).unwrap_or_default());
    Cow::Owned(rest.take(9).filter_map(digit).copied().map(char::from).collect())
}

/// FNV-1a over all texts.
pub(crate) fn digest<'t>(texts: impl IntoIterator<Item = &'t str>) -> u64 {
    texts.into_iter().flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
