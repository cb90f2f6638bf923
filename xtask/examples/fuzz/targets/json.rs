//! Partial JSON: strict reads as `serde_json` does, each prefix is extended, lenient agrees.

use fastrand::Rng;
use legwork_output::partial::{Error, Parser, Value};

use super::{MIB, Target, pieces, texts};

pub(super) const TARGET: Target = Target {
    name: "json",
    seeds,
    grammar: None,
    words: &[
        "{\"k\":", "\"", "\\", "\\u", "\\ud83d", "\\ude00", "[1,", "]", "}", ",", ":", "null",
        "tru", "True", "'a'", "// c\n", "/* c */", "\" \"", "-", "1e",
    ],
    longest: MIB / 4,
    memory: 48 * MIB,
    one_of: 1,
    run,
};

/// Texts by hand, and the test vectors where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = texts([
        r#"{"items":[{"name":"Ann \"A\" \u00e9","age":41,"tags":["a",null,true]},{}],"next":-1.5e3}"#,
        "[\n  1,\n  [2, [3, []]],\n  \"\\ud83d\\ude00\"\n]\n",
        "{name: 'Ann', \"says\": \"a \"b\" c\", // note\n ok: True,}",
        "42",
        "\"text\"",
    ]);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/json/test_parsing");
    match std::fs::read_dir(folder) {
        Ok(files) => {
            let texts = files.filter_map(|file| std::fs::read(file.ok()?.path()).ok());
            seeds.extend(texts.filter(|text| text.len() < 10_000));
        }
        Err(_) => println!("skipped: the test vectors of JSON are not there"),
    }
    seeds
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let pieces = pieces(input, random);
    let shown = random.usize(..pieces.len().max(1));
    let (before, read) = read(Parser::strict(), &pieces, shown);
    let wanted = serde_json::from_slice::<serde_json::Value>(input).ok();
    let json = read.as_ref().ok().map(Value::to_json);
    assert!(json == wanted, "it is read as {json:?}, not as {wanted:?}");
    let (_, lenient) = self::read(Parser::lenient(), &pieces, shown);
    let (_, whole) = self::read(Parser::lenient(), &[input], 0);
    assert!(lenient == whole, "cut otherwise it is {lenient:?}, not {whole:?}");
    let Ok(value) = read else { return false };
    assert!(lenient.as_ref() == Ok(&value), "lenient reads {lenient:?}, not {value:?}");
    if let Some(before) = before {
        assert!(extends(&value, &before), "{before:?} is not extended by {value:?}");
    }
    true
}

/// The value after some of the pieces, and the value of all.
fn read(
    mut parser: Parser,
    pieces: &[&[u8]],
    shown: usize,
) -> (Option<Value>, Result<Value, Error>) {
    let mut before = None;
    for (at, piece) in pieces.iter().enumerate() {
        if let Err(error) = parser.push(piece) {
            return (before, Err(error));
        }
        let value = parser.value();
        if at == shown {
            before = value;
        }
    }
    (before, parser.finish())
}

/// Whether a value is a part of another, which may have more at its end.
fn extends(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Text(whole), Value::Text(part)) => whole.as_str().starts_with(&*part.as_str()),
        (Value::Array(whole), Value::Array(part)) => {
            whole.len() >= part.len() && whole.iter().zip(part.iter()).all(|(a, b)| extends(a, b))
        }
        // Equal keys are compared in the order in which they came.
        (Value::Object(whole), Value::Object(part)) => {
            let mut both = whole.iter().zip(part.iter());
            whole.len() >= part.len() && both.all(|((a, x), (b, y))| a == b && extends(x, y))
        }
        (whole, part) => whole == part,
    }
}
