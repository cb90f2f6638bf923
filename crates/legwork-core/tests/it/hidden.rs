//! Which characters a person does not see, and which ids are therefore none.

use std::ops::RangeInclusive;

use legwork_core::SessionId;
use legwork_core::hidden::is_hidden;
use legwork_core::id::Unfit;

/// What must never be shown as it is (UAX 44: Cc, Cf, Zl, Zp, Co, default ignorable).
const HIDDEN: [RangeInclusive<u32>; 31] = [
    0x00..=0x1f,
    0x7f..=0x9f,
    0xad..=0xad,
    0x34f..=0x34f,
    0x61c..=0x61c,
    0x115f..=0x1160,
    0x17b4..=0x17b5,
    0x180b..=0x180f,
    0x200b..=0x200f,
    0x2028..=0x202e,
    0x2060..=0x206f,
    0x3164..=0x3164,
    0xe000..=0xf8ff,
    0xfdd0..=0xfdef,
    0xfe00..=0xfe0f,
    0xfeff..=0xfeff,
    0xffa0..=0xffa0,
    0xfff0..=0xfffb,
    0xfffe..=0xffff,
    0x13430..=0x13438,
    0x1bca0..=0x1bca3,
    0x1d173..=0x1d17a,
    0x1fffe..=0x1ffff,
    0xe0000..=0xe0fff,
    0xf0000..=0xffffd,
    0x100000..=0x10ffff,
    // Unassigned.
    0x378..=0x379,
    0x530..=0x530,
    0x1c8b..=0x1c8f,
    0x2fffe..=0x2ffff,
    0x40000..=0x40100,
];

const SEEN: [RangeInclusive<u32>; 17] = [
    0x20..=0x7e,
    0xa0..=0xac,
    0xae..=0x34e,
    0x391..=0x3a1,
    0x400..=0x481,
    0x591..=0x5c7,
    0x600..=0x605,
    0x610..=0x61b,
    0x621..=0x64a,
    0x905..=0x939,
    0xe01..=0xe3a,
    0x1100..=0x115e,
    0x2000..=0x200a,
    0x2190..=0x23ff,
    0x3041..=0x3096,
    0x4e00..=0x9fff,
    0x1f300..=0x1f64f,
];

#[test]
fn s13_12_invisible_characters_are_hidden() {
    let all = |ranges: &[RangeInclusive<u32>]| -> Vec<char> {
        ranges.iter().cloned().flatten().filter_map(char::from_u32).collect()
    };
    let wrong: Vec<_> = all(&HIDDEN).into_iter().filter(|c| !is_hidden(*c)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let wrong: Vec<_> = all(&SEEN).into_iter().filter(|c| is_hidden(*c)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn s13_9_an_id_has_only_visible_characters() {
    for (id, unfit) in [
        ("", Some(Unfit::Empty)),
        ("-x", Some(Unfit::Dash)),
        ("a\nb", Some(Unfit::Hidden('\n'))),
        ("a\u{a0}b", Some(Unfit::Hidden('\u{a0}'))),
        ("a\u{202e}b", Some(Unfit::Hidden('\u{202e}'))),
        ("x-1 a/b: \"c\" über", None),
    ] {
        assert_eq!(SessionId::new(id).unfit(), unfit, "{id:?}");
    }
    assert_eq!(SessionId::new("a".repeat(1_024)).unfit(), None);
    assert_eq!(SessionId::new("a".repeat(1_025)).unfit(), Some(Unfit::Long(1_025)));
    // An id of a subagent, deep in a tree, is one still.
    let mut id = SessionId::new("01a2021e-c7ca-7751-943e-42903731a499");
    for _ in 0..16 {
        let key =
            legwork_core::EffectKey { session: id, entry: legwork_core::Seq(u64::MAX), index: 7 };
        id = key.child();
    }
    assert_eq!(id.unfit(), None);
    let told = SessionId::new("a\u{202e}b").unfit().unwrap().to_string();
    assert_eq!(told, "it contains the invisible character U+202E");
}
