//! Event streams: however they are cut, the same events come out.

use fastrand::Rng;
use legwork_models::sse::{Item, Parser};

use super::{MIB, Target, pieces, texts};

pub(super) const TARGET: Target = Target {
    name: "sse",
    seeds,
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
    memory: 64 * MIB,
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
    !whole.0.is_empty()
}

/// The events in words, and what was not ended.
fn read(pieces: &[&[u8]]) -> (Vec<String>, usize) {
    let (mut parser, mut all) = (Parser::default(), Vec::new());
    for piece in pieces {
        let mut piece = *piece;
        while let Some(item) = parser.next(&mut piece) {
            match item {
                Item::Event(event) => {
                    all.push(format!("{:?} {:?} {:?}", event.name(), event.id(), event.data()))
                }
                other => all.push(format!("{other:?}")),
            }
        }
    }
    (all, parser.held())
}
