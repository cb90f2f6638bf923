use proptest::prelude::*;

use super::*;

/// Everything that a stream said, owned.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Said {
    events: Vec<(Option<String>, Option<String>, String)>,
    comments: Vec<String>,
    retries: Vec<u64>,
    errors: Vec<&'static str>,
}

fn parse<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Said {
    let (mut parser, mut said) = (Parser::default(), Said::default());
    for mut piece in pieces {
        while let Some(item) = parser.next(&mut piece) {
            said.take(item);
        }
        assert!(piece.is_empty());
    }
    said
}

impl Said {
    fn take(&mut self, item: Item<'_>) {
        match item {
            Item::Event(e) => self.events.push((
                e.id().map(Cow::into_owned),
                e.name().map(Cow::into_owned),
                e.data().into_owned(),
            )),
            Item::Comment(text) => self.comments.push(text.text().into_owned()),
            Item::Retry(after) => self.retries.push(after.as_millis() as u64),
            Item::BadRetry(_) => self.errors.push("invalid-retry"),
            Item::UnknownField(_) => self.errors.push("unknown-field"),
        }
    }
}

fn data(said: &Said) -> Vec<&str> {
    said.events.iter().map(|e| e.2.as_str()).collect()
}

struct Vector {
    name: String,
    bytes: Vec<u8>,
    chunks: Vec<Vec<u8>>,
    said: Said,
}

fn strings(value: &serde_json::Value) -> Vec<String> {
    let list = value.as_array().unwrap();
    list.iter().map(|s| s.as_str().unwrap().to_owned()).collect()
}

/// The vectors write a byte order mark as three Latin-1 characters.
fn bytes(chunk: &str) -> Vec<u8> {
    let mark = "\u{ef}\u{bb}\u{bf}";
    chunk.replace(mark, "\u{feff}").into_bytes()
}

fn vectors() -> Option<Vec<Vector>> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/sse/vectors.json");
    let Ok(text) = std::fs::read(file) else {
        println!("skipped: no {file}");
        return None;
    };
    let all: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
    Some(all.iter().map(vector).collect())
}

fn vector(v: &serde_json::Value) -> Vector {
    let chunks: Vec<Vec<u8>> = strings(&v["chunks"]).iter().map(|c| bytes(c)).collect();
    let own = |e: &serde_json::Value, k: &str| e[k].as_str().map(str::to_owned);
    let known = ["invalid-retry", "unknown-field"];
    let error = |e: &String| *known.iter().find(|k| *k == e).unwrap();
    let events = v["events"].as_array().unwrap();
    let said = Said {
        events: events
            .iter()
            .map(|e| (own(e, "id"), own(e, "event"), own(e, "data").unwrap()))
            .collect(),
        comments: strings(&v["comments"]),
        retries: v["retries"].as_array().unwrap().iter().map(|r| r.as_u64().unwrap()).collect(),
        errors: strings(&v["errors"]).iter().map(error).collect(),
    };
    let name = v["name"].as_str().unwrap().to_owned();
    Vector { name, bytes: chunks.concat(), chunks, said }
}

#[test]
fn vectors_hold_as_they_are_cut() {
    for v in vectors().unwrap_or_default() {
        assert_eq!(parse(v.chunks.iter().map(Vec::as_slice)), v.said, "{}", v.name);
        assert_eq!(parse([v.bytes.as_slice()]), v.said, "{} in one", v.name);
    }
}

#[test]
fn vectors_hold_at_every_split_point() {
    for v in vectors().unwrap_or_default() {
        for at in 0..=v.bytes.len() {
            let (a, b) = v.bytes.split_at(at);
            assert_eq!(parse([a, b]), v.said, "{} cut at {at}", v.name);
        }
    }
}

#[test]
fn vectors_hold_byte_by_byte_and_with_empty_chunks() {
    for v in vectors().unwrap_or_default() {
        assert_eq!(parse(v.bytes.chunks(1)), v.said, "{} bytewise", v.name);
        let holes = v.bytes.chunks(1).flat_map(|b| [b, &[][..]]);
        assert_eq!(parse(holes), v.said, "{} with empty chunks", v.name);
    }
}

#[test]
fn each_line_end_and_their_mixes_end_an_event() {
    for stream in ["data: a\n\n", "data: a\r\r", "data: a\r\n\r\n", "data: a\n\r", "data: a\r\n\n"]
    {
        assert_eq!(data(&parse([stream.as_bytes()])), ["a"], "{stream:?}");
        assert_eq!(data(&parse(stream.as_bytes().chunks(1))), ["a"], "{stream:?} bytewise");
    }
}

#[test]
fn an_event_comes_with_the_cr_that_ends_it() {
    let mut parser = Parser::default();
    let mut chunk: &[u8] = b"data: a\r\n\r";
    assert!(matches!(parser.next(&mut chunk), Some(Item::Event(_))));
    let mut rest: &[u8] = b"\ndata: b\r\n\r\n";
    let Some(Item::Event(event)) = parser.next(&mut rest) else { panic!() };
    assert_eq!(event.data(), "b");
}

#[test]
fn an_event_in_one_chunk_is_lent_from_it() {
    let stream = b"data: {\"a\":1}\n\n".as_slice();
    let (mut parser, mut rest) = (Parser::default(), stream);
    let Some(Item::Event(event)) = parser.next(&mut rest) else { panic!() };
    assert!(stream.as_ptr_range().contains(&event.bytes().as_ptr()));
}

#[test]
fn invalid_utf8_is_replaced_also_when_cut() {
    let stream = b"data: a\xff\xe2\x9c b \xe2\x9c\x94\n\n";
    let whole = parse([stream.as_slice()]);
    assert_eq!(data(&whole), ["a\u{fffd}\u{fffd} b \u{2714}"]);
    assert_eq!(parse(stream.chunks(1)), whole);
}

#[test]
fn an_id_with_nul_is_ignored_and_the_last_one_is_kept() {
    let mut parser = Parser::default();
    let mut stream: &[u8] = b"id: 7\ndata: a\n\nid: 8\0\ndata: b\n\n";
    let mut ids = Vec::new();
    while let Some(Item::Event(event)) = parser.next(&mut stream) {
        ids.push(event.id().map(Cow::into_owned));
    }
    assert_eq!(ids, [Some("7".to_owned()), None]);
    assert_eq!(parser.last_event_id(), "7");
}

#[test]
fn an_event_without_its_blank_line_does_not_come() {
    assert_eq!(parse([b"data: a\n".as_slice()]), Said::default());
}

proptest! {
    #[test]
    fn any_cut_says_the_same(
        stream in "(data|event|id|retry|x|)(:|: |)[a\u{fffd}\u{2714}0-9]{0,4}(\n|\r|\r\n|\n\n|\r\r){1,2}{0,12}",
        more in proptest::collection::vec(prop_oneof![
            Just("data: x"), Just("data"), Just(":c"), Just("\n"), Just("\r"), Just("\r\n"),
            Just("event: e"), Just("id: 1"), Just("retry: 5"), Just("\u{feff}"), Just("z")
        ], 0..40),
        cuts in proptest::collection::vec(1usize..7, 1..60),
    ) {
        let stream = stream + &more.concat();
        let whole = parse([stream.as_bytes()]);
        let (mut rest, mut pieces) = (stream.as_bytes(), Vec::new());
        for cut in cuts.iter().cycle().take(stream.len() + 1) {
            let (a, b) = rest.split_at((*cut).min(rest.len()));
            pieces.push(a);
            rest = b;
        }
        prop_assert_eq!(parse(pieces), whole);
    }

    #[test]
    fn arbitrary_bytes_never_panic(stream in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert_eq!(parse([stream.as_slice()]), parse(stream.chunks(1)));
    }
}
