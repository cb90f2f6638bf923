//! The index of a repository, as commands may write it.

use fastrand::Rng;
use legwork_tools::fuzzing::submodules_in;

use super::{MIB, Target};

pub(super) const TARGET: Target = Target {
    name: "index",
    seeds,
    grammar: None,
    words: &["DIRC", "TREE", "link", "sdir", "\0\0\0\x02", "\0\0\0\x04", "\0\0\u{e0}\0"],
    longest: 64 << 10,
    // The names of submodules are bounded by 4 MiB.
    memory: 6 * MIB,
    one_of: 1,
    run,
};

/// Of each version, with a file and a submodule; and one that is split.
fn seeds() -> Vec<Vec<u8>> {
    let of = |version: u8, hash: usize, tail: &[u8]| {
        let mut bytes = b"DIRC\0\0\0".to_vec();
        bytes.extend([version, 0, 0, 0, 2]);
        for (mode, name) in [([0_u8, 0, 0x81, 0xa4], "file"), ([0, 0, 0xe0, 0], "modules/x")] {
            let start = bytes.len();
            bytes.extend([0; 24]);
            bytes.extend(mode);
            bytes.extend(std::iter::repeat_n(7, 12 + hash));
            bytes.extend([0, u8::try_from(name.len()).unwrap_or(0)]);
            if version == 4 {
                bytes.push(0);
            }
            bytes.extend(name.bytes());
            let padding = if version == 4 { 1 } else { 8 - (bytes.len() - start) % 8 };
            bytes.extend(std::iter::repeat_n(0, padding));
        }
        bytes.extend(tail);
        bytes.extend(std::iter::repeat_n(9, hash));
        bytes
    };
    let link = [&b"link\0\0\0\x14"[..], &[5; 20]].concat();
    vec![
        of(2, 20, b""),
        of(2, 32, b""),
        of(3, 20, b"TREE\0\0\0\0"),
        of(4, 20, b""),
        of(2, 20, &link),
        prefixed(4_000, 900),
    ]
}

/// Of version 4, with submodules that all share one long name.
fn prefixed(name: usize, count: u16) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x04\0\0".to_vec();
    bytes.extend(count.to_be_bytes());
    for number in 0..count {
        bytes.extend([0; 24]);
        bytes.extend([0, 0, 0xe0, 0]);
        bytes.extend([0; 12 + 20 + 2 + 1]);
        bytes.extend(std::iter::repeat_n(b'a', if number == 0 { name } else { 0 }));
        bytes.push(0);
    }
    bytes.extend([0; 20]);
    bytes
}

fn run(input: &[u8], _: &mut Rng) -> bool {
    let Some(submodules) = submodules_in(input) else { return false };
    assert!(submodules <= input.len() / 62, "{submodules} in {} bytes", input.len());
    true
}
