//! What `cargo xtask test` draws of a long list: another part at each commit, known beforehand.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::cargo;

/// What the choice depends on: the commit, or the day where there is none.
pub(crate) fn seed() -> String {
    cargo::commit().unwrap_or_else(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("day {}", since.as_secs() / 86_400)
    })
}

/// The lot of a name: the lowest ones are drawn.
///
/// FNV-1a: the same in every version of Rust, as that of the standard library is not.
pub(crate) fn lot(seed: &str, name: &str) -> u64 {
    let bytes = seed.bytes().chain([0]).chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
