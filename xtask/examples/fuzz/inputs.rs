//! Inputs: seeds of a target and what its grammar makes, mutated, spliced, nested and repeated, and
//! bytes that are random.

use fastrand::Rng;

use crate::targets::Target;

/// Numbers at which something may overflow, wrap or be taken for another.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "127",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775809",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "1e999",
    "-1e-400",
    "0.1",
    "00",
    "0x10",
    "nan",
];

/// What opens something in one format or another, and never closes it.
const OPENERS: &[&str] =
    &["[", "{", "(", "{\"a\":", "[[", "- ", "? ", "a:\n ", "../", "a/", "**/", "{a,", "\"", "&a "];

/// Text that is rarely typed: directions, joiners, marks, tags, ends of lines, the last of all.
const TEXTS: &[&[u8]] = &[
    "\u{202e}".as_bytes(),
    "\u{200d}\u{200d}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{e0041}".as_bytes(),
    "\u{10ffff}".as_bytes(),
    "\u{fffd}".as_bytes(),
    "e\u{301}\u{301}\u{301}".as_bytes(),
    "👩‍👩‍👧".as_bytes(),
    "İı".as_bytes(),
    b"\0",
    b"\x1b[2J",
    b"\r\n",
    b"\t",
    b"\xff",
    b"\xc0\x80",
    b"\xed\xa0\x80",
    b"\xf0\x9f",
];

/// Of so many inputs one is made as long as the target's may be.
const LONG: u32 = 1_000;

/// What the inputs of a target are made of.
pub(crate) struct Inputs {
    seeds: Vec<Vec<u8>>,
    grammar: Option<fn(&mut Rng) -> Vec<u8>>,
    words: &'static [&'static str],
    longest: usize,
}

impl Inputs {
    /// The seeds of a target, with those of the shared data if they are there.
    pub(crate) fn of(target: &Target) -> Self {
        let Target { grammar, words, longest, .. } = *target;
        Self { seeds: (target.seeds)(), grammar, words, longest }
    }

    /// Another input.
    pub(crate) fn next(&self, random: &mut Rng) -> Vec<u8> {
        let mut input = match (random.u8(..16), self.grammar) {
            (0, _) => (0..random.usize(..200)).map(|_| random.u8(..)).collect(),
            (1..10, Some(grown)) => grown(random),
            _ => random.choice(&self.seeds).cloned().unwrap_or_default(),
        };
        // A long one shall be taken now and then: the work begins behind the first checks.
        let long = random.u32(..LONG) == 0;
        let mutations = if long { random.usize(..2) } else { random.usize(..8) };
        for _ in 0..mutations {
            self.mutate(&mut input, random);
        }
        if long {
            self.lengthen(&mut input, random);
        }
        input.truncate(self.longest);
        input
    }

    fn mutate(&self, input: &mut Vec<u8>, random: &mut Rng) {
        let at = random.usize(..=input.len());
        match random.u8(..13) {
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
                let piece = piece(input, at, random.usize(1..200));
                let times = random.usize(..200).min((64 << 10) / piece.len().max(1));
                put(input, at, &piece.repeat(times));
            }
            5 => put(input, at, random.choice(self.words).copied().unwrap_or_default().as_bytes()),
            6 => put(input, at, &random.choice(&self.seeds).cloned().unwrap_or_default()),
            7 => {
                let other = random.choice(&self.seeds).map_or(&[][..], Vec::as_slice);
                let from = random.usize(..=other.len());
                put(input, at, &piece(other, from, random.usize(1..400)));
            }
            8 => put(input, at, random.choice(TEXTS).copied().unwrap_or_default()),
            9 => {
                let opener = random.choice(OPENERS).copied().unwrap_or_default();
                put(input, at, opener.repeat(1 << random.u8(..13)).as_bytes());
            }
            10 => number(input, at, random),
            _ => lines(input, random),
        }
    }

    /// Fills an input to the longest that there may be, with one piece of it, a line of it, or
    /// a word; numbers in it count on, so that names in it may differ.
    fn lengthen(&self, input: &mut Vec<u8>, random: &mut Rng) {
        let mut at = random.usize(..=input.len());
        let piece = match random.u8(..4) {
            0 => piece(input, at, 1 << random.u8(..11)),
            1 => random.choice(self.words).copied().unwrap_or_default().into(),
            _ => {
                let lines = input.split_inclusive(|byte| *byte == b'\n').collect::<Vec<_>>();
                let which = random.usize(..lines.len().max(1));
                at = lines.iter().take(which).map(|line| line.len()).sum();
                let many = random.usize(1..4);
                lines
                    .get(which..)
                    .unwrap_or_default()
                    .iter()
                    .take(many)
                    .copied()
                    .collect::<Vec<_>>()
                    .concat()
            }
        };
        let room = self.longest.saturating_sub(input.len());
        let long = match piece.iter().position(u8::is_ascii_digit) {
            Some(digits) if random.bool() => counted(&piece, digits, room),
            _ => piece.repeat(room / piece.len().max(1)),
        };
        put(input, at, &long);
    }
}

/// A piece again and again, each with another number in place of its first.
fn counted(piece: &[u8], digits: usize, room: usize) -> Vec<u8> {
    let (before, rest) = piece.split_at(digits);
    let after = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let after = rest.get(after..).unwrap_or_default();
    let mut long = Vec::with_capacity(room);
    for number in 0_u32.. {
        let number = number.to_string();
        if long.len() + piece.len() + number.len() > room {
            break;
        }
        long.extend([before, number.as_bytes(), after].concat());
    }
    long
}

fn piece(from: &[u8], at: usize, length: usize) -> Vec<u8> {
    let end = (at + length).min(from.len());
    from.get(at..end).unwrap_or_default().to_vec()
}

fn put(input: &mut Vec<u8>, at: usize, piece: &[u8]) {
    input.splice(at..at, piece.iter().copied());
}

/// Another number in place of the next one.
fn number(input: &mut Vec<u8>, at: usize, random: &mut Rng) {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let rest = input.get(at..).unwrap_or_default();
    let Some(start) = rest.iter().position(digits).map(|found| at + found) else { return };
    let length = input.get(start..).unwrap_or_default().iter().take_while(|b| digits(b)).count();
    let other = random.choice(NUMBERS).copied().unwrap_or_default();
    input.splice(start..start + length, other.bytes());
}

/// Some lines twice, gone, or in another order.
fn lines(input: &mut Vec<u8>, random: &mut Rng) {
    let mut lines: Vec<Vec<u8>> = input.split(|byte| *byte == b'\n').map(Into::into).collect();
    let (one, other) = (random.usize(..lines.len()), random.usize(..lines.len()));
    match random.u8(..3) {
        0 => lines.swap(one, other),
        1 => drop(lines.remove(one)),
        _ => lines.insert(other, lines.get(one).cloned().unwrap_or_default()),
    }
    *input = lines.join(&b'\n');
}
