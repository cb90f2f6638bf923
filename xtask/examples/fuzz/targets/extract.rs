//! Texts of models: a value is found or not, the same however the text arrives.

use fastrand::Rng;
use legwork_output::Output;
use legwork_output::extract::{Direct, Extractors};

use super::{MIB, Target, pieces, texts};

pub(super) const TARGET: Target = Target {
    name: "extract",
    seeds,
    grammar: None,
    words: &[
        "```json\n",
        "\n```\n",
        "~~~",
        "{\"a\":",
        "[",
        "]",
        "}",
        "\"",
        "\\",
        "// c\n",
        " I think ",
        "'",
    ],
    longest: MIB / 4,
    memory: 48 * MIB,
    one_of: 4,
    run,
};

fn seeds() -> Vec<Vec<u8>> {
    texts([
        "Here it is:\n```json\n{\"a\": [1, {\"b\": \"c\"}]}\n```\nAnything else?",
        "It is {'a': 1, b: True,} // so\n and [not] this",
        "{\"a\": [1, 2, 3], \"text\": \"it breaks of",
        "[1, 2] or {\"a\": {\"a\": {\"a\": null}}}",
        "{\"a\": \"He said \"hi\" to me\"}",
    ])
}

fn run(input: &[u8], random: &mut Rng) -> bool {
    let text = String::from_utf8_lossy(input);
    let found = Extractors::default().extract(&text);
    let value = serde_json::from_str::<serde_json::Value>(text.trim()).ok();
    if let Ok(found) = &found {
        assert!((found.by == Direct::NAME) == value.is_some(), "found by {}", found.by);
    }
    let schema = serde_json::json!({"type": "object"});
    let output = Output::dynamic(schema).unwrap_or_else(|error| panic!("{error}"));
    let (mut whole, mut cut) = (output.arriving(), output.arriving());
    whole.push(&text);
    for piece in pieces(text.as_bytes(), random) {
        // A piece of text begins and ends with a whole character.
        if let Ok(piece) = std::str::from_utf8(piece) {
            cut.push(piece);
            cut.value();
        } else {
            return found.is_ok();
        }
    }
    let (whole, cut) = (whole.value(), cut.value());
    assert!(whole == cut, "cut otherwise {cut:?} arrives, not {whole:?}");
    found.is_ok()
}
