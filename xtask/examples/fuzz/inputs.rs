//! Inputs: seeds of a target, mutated, spliced and repeated, and bytes that are random.

use fastrand::Rng;

use crate::targets::Target;

/// The longest input.
const LONGEST: usize = 64 << 10;

/// What the inputs of a target are made of.
pub(crate) struct Inputs {
    seeds: Vec<Vec<u8>>,
    words: &'static [&'static str],
}

impl Inputs {
    /// The seeds of a target, with those of the shared data if they are there.
    pub(crate) fn of(target: &Target) -> Self {
        Self { seeds: (target.seeds)(), words: target.words }
    }

    /// Another input.
    pub(crate) fn next(&self, random: &mut Rng) -> Vec<u8> {
        let mut input = match random.u8(..16) {
            0 => (0..random.usize(..200)).map(|_| random.u8(..)).collect(),
            _ => random.choice(&self.seeds).cloned().unwrap_or_default(),
        };
        for _ in 0..random.usize(..8) {
            self.mutate(&mut input, random);
        }
        input.truncate(LONGEST);
        input
    }

    fn mutate(&self, input: &mut Vec<u8>, random: &mut Rng) {
        let at = random.usize(..=input.len());
        match random.u8(..7) {
            0 => input.truncate(at),
            1 => input.insert(at, random.u8(..)),
            2 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.u8(..8);
                }
            }
            3 => {
                let end = (at + random.usize(..40)).min(input.len());
                input.drain(at..end);
            }
            4 => {
                // Again and again: what grows shall grow in a line.
                let end = (at + random.usize(1..200)).min(input.len());
                let piece: Vec<u8> = input.get(at..end).unwrap_or_default().to_vec();
                let times = random.usize(..200).min(LONGEST / piece.len().max(1));
                input.splice(at..at, piece.repeat(times));
            }
            5 => {
                let word = random.choice(self.words).copied().unwrap_or_default();
                input.splice(at..at, word.bytes());
            }
            _ => {
                let other = random.choice(&self.seeds).cloned().unwrap_or_default();
                input.splice(at..at, other);
            }
        }
    }
}
