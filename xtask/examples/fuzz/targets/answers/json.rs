//! JSON as no provider writes it, though each may: fields in any order, spaces, needless escapes.

use fastrand::Rng;
use serde_json::{Map, Value};

/// What may be between two tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// Nothing at all.
    None,
    /// Blanks and tabs.
    Line,
    /// Line feeds, too.
    Lines,
}

/// A writer that varies what means nothing.
pub(crate) struct Writer<'r> {
    random: &'r mut Rng,
    space: Space,
    escapes: bool,
    shuffles: bool,
    out: String,
}

/// Writes a value.
pub(crate) fn odd(value: &Value, most: Space, random: &mut Rng) -> String {
    let space = if random.bool() { Space::None } else { most };
    let (escapes, shuffles) = (random.bool(), random.bool());
    let mut writer = Writer { random, space, escapes, shuffles, out: String::new() };
    writer.value(value);
    writer.out
}

impl Writer<'_> {
    fn value(&mut self, value: &Value) {
        self.space();
        match value {
            Value::Array(items) => {
                self.out.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.comma(at);
                    self.value(item);
                }
                self.out.push(']');
            }
            Value::Object(fields) => self.object(fields),
            Value::String(text) => self.string(text),
            other => self.out.push_str(&other.to_string()),
        }
        self.space();
    }

    fn object(&mut self, fields: &Map<String, Value>) {
        let mut fields: Vec<_> = fields.iter().collect();
        if self.shuffles {
            self.random.shuffle(&mut fields);
        }
        self.out.push('{');
        for (at, (key, value)) in fields.into_iter().enumerate() {
            self.comma(at);
            self.space();
            self.string(key);
            self.space();
            self.out.push(':');
            self.value(value);
        }
        self.space();
        self.out.push('}');
    }

    fn comma(&mut self, at: usize) {
        if at > 0 {
            self.out.push(',');
        }
    }

    fn space(&mut self) {
        if self.space == Space::None || self.random.u8(..4) > 0 {
            return;
        }
        self.out.push(match self.random.u8(..3) {
            0 if self.space == Space::Lines => '\n',
            1 => '\t',
            _ => ' ',
        });
    }

    fn string(&mut self, text: &str) {
        if !self.escapes {
            self.out.push_str(&Value::from(text).to_string());
            return;
        }
        self.out.push('"');
        for letter in text.chars() {
            match (letter, self.random.u8(..8)) {
                (_, 0) => {
                    let mut units = [0; 2];
                    for unit in letter.encode_utf16(&mut units) {
                        self.out.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                ('/', _) => self.out.push_str("\\/"),
                (letter, _) => {
                    let quoted = Value::from(letter.to_string()).to_string();
                    self.out.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
                }
            }
        }
        self.out.push('"');
    }
}

/// Letters and words that something may be confused by.
const WORDS: [&str; 24] = [
    "a", "word ", " ", "\"", "\\", "\n", "\r\n", "\t", "\u{0}", "\u{7f}", "é", "日本", "😀",
    "\u{2028}", "\u{feff}", "e\u{301}", "/", "data: ", "\n\n", "{", "}]", "[DONE]", "\\u0041",
    "</a>",
];

/// A text that is not empty.
pub(crate) fn text(random: &mut Rng, most: usize) -> String {
    let words = (0..random.usize(1..=most)).filter_map(|_| random.choice(WORDS));
    words.collect()
}

/// A name of letters and digits.
pub(crate) fn name(random: &mut Rng) -> String {
    (0..random.usize(1..12)).map(|_| random.alphanumeric()).collect()
}

/// An object with any values.
pub(crate) fn object(random: &mut Rng, depth: usize) -> Value {
    (0..random.usize(..4)).map(|_| (name(random), value(random, depth))).collect()
}

/// Any value.
pub(crate) fn value(random: &mut Rng, depth: usize) -> Value {
    match random.u8(..if depth == 0 { 7 } else { 9 }) {
        0 => Value::Null,
        1 => random.bool().into(),
        2 => random.u64(..).into(),
        3 => random.i64(..).into(),
        4 => (random.f64() * 1e9).into(),
        5 => "".into(),
        6 => text(random, 6).into(),
        7 => object(random, depth - 1),
        _ => (0..random.usize(..4)).map(|_| value(random, depth - 1)).collect(),
    }
}
