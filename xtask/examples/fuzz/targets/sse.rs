//! Event streams: however they are cut, the same events come out.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use fastrand::Rng;
use legwork_models::sse::{Item, Parser};

use super::{MIB, Target, pieces, texts};

pub(super) const TARGET: Target = Target {
    name: "sse",
    seeds,
    grammar: None,
    words: &[
        "data:",
        "data: x\n\n",
        "event: error\n",
        "id: 7\n",
        "retry: 9\n",
        "\r\n",
        "\r",
        ": c\n",
        "\u{feff}",
    ],
    longest: MIB,
    memory: 16 * MIB,
    one_of: 1,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "data: 1\n\ndata: 2\n\n",
        "\u{feff}event: a\r\ndata: b\r\ndata: c\r\n\r\n",
        ": c\rid: 1\rdata\r\r",
    ])
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let (whole, cut) = (read(&[input]), read(&pieces(input, random)));
    assert!(whole == cut, "cut otherwise it reads {cut:?} instead of {whole:?}");
    whole.items > 0
}

/// What was read, reduced to what distinguishes two events, to save memory.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    items: usize,
    hash: u64,
    /// What was not ended.
    held: usize,
}

fn read(pieces: &[&[u8]]) -> Read {
    let (mut parser, mut hasher, mut items) = (Parser::default(), DefaultHasher::new(), 0);
    for piece in pieces {
        let mut piece = *piece;
        while let Some(item) = parser.next(&mut piece) {
            items += 1;
            match item {
                Item::Event(event) => {
                    (event.name(), event.id(), event.data()).hash(&mut hasher);
                }
                other => format!("{other:?}").hash(&mut hasher),
            }
        }
    }
    Read { items, hash: hasher.finish(), held: parser.held() }
}
