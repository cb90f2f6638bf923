//! What is fed, one file each.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a target panics where something does not hold; fields of JSON are set by name"
)]

use fastrand::Rng;

mod agents;
mod answers;
mod chat;
mod converse;
mod extract;
mod frames;
mod gemini;
mod globs;
mod ground;
mod hosts;
mod ids;
mod index;
mod journal;
mod json;
mod messages;
mod paths;
mod repository;
mod responses;
mod settings;
mod sse;
mod store;
mod urls;

/// Something that reads bytes from outside.
pub(crate) struct Target {
    pub(crate) name: &'static str,
    /// Inputs to begin with.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Makes an input of the form that it reads, each time another one.
    pub(crate) grammar: Option<fn(&mut Rng) -> Vec<u8>>,
    /// Words that mean something to it.
    pub(crate) words: &'static [&'static str],
    /// The longest input, in bytes.
    pub(crate) longest: usize,
    /// Bytes of memory that an input may take.
    pub(crate) memory: usize,
    /// Of how many runs it gets one: more than 1 where each makes files.
    pub(crate) one_of: u64,
    /// Feeds one input, and says whether it was taken for what it should be; panics where
    /// something does not hold.
    pub(crate) run: fn(&[u8], &mut Rng) -> bool,
}

/// All targets.
pub(crate) const TARGETS: &[Target] = &[
    agents::TARGET,
    chat::TARGET,
    converse::TARGET,
    extract::TARGET,
    frames::TARGET,
    gemini::TARGET,
    globs::TARGET,
    hosts::TARGET,
    ids::TARGET,
    index::TARGET,
    journal::TARGET,
    json::TARGET,
    messages::TARGET,
    paths::TARGET,
    repository::TARGET,
    responses::TARGET,
    settings::TARGET,
    sse::TARGET,
    store::TARGET,
    urls::TARGET,
];

const MIB: usize = 1 << 20;

/// Texts as inputs.
fn texts<const N: usize>(texts: [&str; N]) -> Vec<Vec<u8>> {
    texts.map(|text| text.as_bytes().to_vec()).into()
}

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
