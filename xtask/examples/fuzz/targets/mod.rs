//! What is fed, one file each.

use fastrand::Rng;

mod chat;
mod sse;

/// Something that reads bytes from outside.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Inputs to begin with.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Words that mean something to it.
    pub(crate) words: &'static [&'static str],
    /// Feeds one input; panics where something does not hold.
    pub(crate) run: fn(&[u8], &mut Rng),
}

/// All targets.
pub(crate) const TARGETS: &[Target] = &[chat::TARGET, sse::TARGET];

/// An input cut into pieces anywhere.
fn pieces<'i>(input: &'i [u8], random: &mut Rng) -> Vec<&'i [u8]> {
    let (mut rest, mut all) = (input, Vec::new());
    while !rest.is_empty() {
        let most = if random.bool() { 8 } else { 8_192 };
        let (piece, more) = rest.split_at(random.usize(1..=most).min(rest.len()));
        all.push(piece);
        rest = more;
    }
    all
}
