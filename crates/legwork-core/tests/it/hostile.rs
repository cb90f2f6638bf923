//! S1.7: any value, anywhere in a journal, is read back unchanged.
//!
//! Lines are changed as text at each place of each event of the samples, which hold every
//! kind of event with every optional field; so a new event is tried without a word here.

use std::collections::BTreeSet;
use std::sync::Arc;

use legwork_core::journal::Journal;
use legwork_core::{AgentState, Entry, Event, ModelRequest};
use serde_json::{Value, json};

use crate::samples;
use crate::story::stamp;

/// Texts that are hard to keep.
fn texts() -> Vec<String> {
    let all = [
        "",
        "\u{0}\u{1}\u{8}\u{c}\u{1b}]0;title\u{7}\u{1b}[2J\u{7f}\u{85}\u{9b}",
        // What looks like halves of a pair, and the neighbours of real ones.
        r"\ud800 \udc00 \ud83e\uddf5 \u0000 \u d800 \\ud800",
        "\u{d7ff}\u{e000}\u{fffd}\u{fffe}\u{ffff}\u{10ffff}",
        "\u{202e}txet\u{202c} \u{2066}\u{200f}שלום مرحبا\u{2069}",
        "a\u{200b}b\u{200c}c\u{200d}d\u{2060}e\u{feff}f\u{ad}",
        "e\u{301}\u{301}\u{301} \u{1f469}\u{200d}\u{1f467} \u{1f1e9}\u{1f1ea}",
        "a\nb\r\nc\u{2028}d\u{2029}e\tf",
        r#""}],"seq":99,"type":"head_moved","body":{"to":1}}"#,
        "{\"v\":9,\"type\":\"other\"}\n{\"v\":1}",
        "</script><!-- ' or 1=1; -- %s %n ${x} $(x) `x`",
        "$serde_json::private::RawValue",
    ];
    all.map(str::to_owned).into_iter().chain([long(5_000)]).collect()
}

/// A text of so many bytes or a few more, of one to four bytes a character.
fn long(bytes: usize) -> String {
    "aé漢🧵\u{0}\"\\".repeat(bytes / 13 + 1)
}

/// A line for each entry of the samples, but for the event that is kept as raw text.
fn lines() -> Vec<Value> {
    let known = |entry: &Arc<Entry>| !matches!(entry.event, Event::Other(_));
    let entries = samples::entries().into_iter().filter(known);
    entries.map(|entry| serde_json::to_value(&*entry).unwrap()).collect()
}

fn child(at: &str, key: &str) -> String {
    format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn children(value: &Value, at: &str) -> Vec<String> {
    match value {
        Value::Object(map) => map.keys().map(|key| child(at, key)).collect(),
        Value::Array(items) => (0..items.len()).map(|index| format!("{at}/{index}")).collect(),
        _ => Vec::new(),
    }
}

/// All places in the body of a line, as JSON pointers, outer ones first.
fn places(line: &Value) -> Vec<String> {
    let mut places = vec!["/body".to_owned()];
    let mut next = 0;
    // Of lists in lists the outer ones stand for all.
    while let Some(at) = places.get(next).filter(|at| at.matches('/').count() < 14) {
        let more = children(line.pointer(at).unwrap(), at);
        places.extend(more);
        next += 1;
    }
    places
}

/// The places of texts.
fn text_places(line: &Value) -> Vec<String> {
    let is_text = |at: &String| line.pointer(at).is_some_and(Value::is_string);
    places(line).into_iter().filter(is_text).collect()
}

/// The outermost places that take any JSON.
fn free_places(line: &Value) -> Vec<String> {
    let mut free: Vec<String> = Vec::new();
    for at in places(line) {
        let inside = free.iter().any(|outer| at.starts_with(&format!("{outer}/")));
        // A text or a list of lists fits no field of a fixed shape.
        let gap = Gap::of(line, &at);
        let fits = |json| gap.read(json).is_some();
        if !inside && fits("[[[]]]") && fits("\"free\"") && fits("{\"free\":1}") {
            free.push(at);
        }
    }
    free
}

/// The outermost places of maps whose keys are free.
fn free_maps(line: &Value) -> Vec<String> {
    let kept = |at: &String| {
        let mut changed = line.clone();
        let Some(Value::Object(map)) = changed.pointer_mut(at) else { return false };
        map.insert("a free key".to_owned(), json!("free"));
        let entry = read(&text(&changed));
        entry.is_some_and(|entry| serde_json::to_value(&entry).unwrap() == changed)
    };
    places(line).into_iter().filter(kept).collect()
}

fn text(line: &Value) -> String {
    serde_json::to_string(line).unwrap()
}

/// A line without the value at a path.
struct Gap(String, String);

impl Gap {
    fn of(line: &Value, at: &str) -> Self {
        const MARK: &str = "a mark that stands nowhere else";
        let mut marked = line.clone();
        *marked.pointer_mut(at).unwrap() = json!(MARK);
        let text = text(&marked);
        let (before, after) = text.split_once(&format!("\"{MARK}\"")).unwrap();
        Self(before.to_owned(), after.to_owned())
    }

    /// The line with other JSON there, as it came over a wire.
    fn with(&self, json: &str) -> String {
        let Self(before, after) = self;
        format!("{before}{json}{after}")
    }

    /// The entry that the line then is, if it is one.
    fn read(&self, json: &str) -> Option<Entry> {
        read(&self.with(json))
    }
}

fn read(line: &str) -> Option<Entry> {
    Entry::decode(line.as_bytes()).ok()
}

/// An entry is one line, and reading it gives the same entry and the same line.
#[track_caller]
fn survives(entry: &Entry, place: &str) -> String {
    let line = entry.encode().unwrap();
    assert!(!line.contains(&b'\n') && !line.contains(&b'\r'), "{place}: a broken line");
    let back = Entry::decode(&line).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert_eq!(&back, entry, "{place}");
    assert_eq!(back.encode().unwrap(), line, "{place}");
    String::from_utf8(line).unwrap()
}

/// The state of a session that made these events.
fn live<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> AgentState {
    let mut state = AgentState::new("hostile".into());
    for (time, entry) in (1..).zip(entries) {
        state = state.at(stamp(time)).with(entry.event.clone());
        if let Event::HeadMoved(moved) = &entry.event {
            let path = Journal::new(state.uncommitted().to_vec()).path(moved.to);
            state = state.on_path(path);
        }
    }
    state
}

/// A state with what is uncommitted survives JSON, owes the same, and folds alike.
#[track_caller]
fn state_survives(state: &AgentState, place: &str) {
    let text = serde_json::to_string(state).unwrap();
    let back: AgentState =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert_eq!(&back, state, "{place}");
    assert_eq!(back.uncommitted(), state.uncommitted(), "{place}");
    assert_eq!(serde_json::to_string(&back).unwrap(), text, "{place}");
    assert_eq!(back.owed(), state.owed(), "{place}");
    let journal = Journal::new(state.uncommitted().to_vec());
    assert_eq!(&journal.fold(state.session()), state, "{place}");
    if let Some(settled) = state.context().transcript.settled() {
        let request = ModelRequest::new(settled, Arc::default());
        let transcript = &state.context().transcript;
        let for_models = transcript.messages().len() - transcript.app_messages();
        assert_eq!(request.messages().len(), for_models);
    }
}

#[test]
fn s1_7_hostile_text_survives_in_every_place_of_a_text() {
    let mut kept = 0;
    for line in lines() {
        for at in text_places(&line) {
            // A place takes any text, or it is one of a few words.
            let gap = Gap::of(&line, &at);
            let words = gap.read("\"any text\"").is_none();
            for hostile in texts() {
                let changed = gap.with(&json!(hostile).to_string());
                let Some(entry) = read(&changed) else {
                    assert!(words, "{at} of {line} refuses {hostile:?}");
                    continue;
                };
                let place = format!("{} {at} {:?}", entry.event.kind(), hostile.get(..20));
                let back = survives(&entry, &place);
                let [back, changed] = [back, changed].map(|t| serde_json::from_str::<Value>(&t));
                assert_eq!(back.unwrap(), changed.unwrap(), "{place}");
                kept += 1;
            }
        }
    }
    assert!(kept > 1_000, "{kept} texts were tried");
}

#[test]
fn s1_7_a_state_with_hostile_text_in_every_place_survives() {
    for hostile in texts() {
        let json = json!(hostile).to_string();
        let change = |mut line: Value| {
            let takes = |at: &String| Gap::of(&line, at).read("\"any text\"").is_some();
            let places: Vec<_> = text_places(&line).into_iter().filter(takes).collect();
            for at in places {
                *line.pointer_mut(&at).unwrap() = json!(hostile);
            }
            read(&text(&line)).unwrap_or_else(|| panic!("{line} with {json}"))
        };
        let entries: Vec<_> = lines().into_iter().map(change).collect();
        state_survives(&live(&entries), &json);
    }
}

#[test]
fn s1_7_half_a_pair_is_damage_and_a_whole_one_is_its_character() {
    for line in lines() {
        for at in text_places(&line) {
            let gap = Gap::of(&line, &at);
            for half in [r#""\ud83e""#, r#""\uddf5\ud83e""#, r#""a\udfff""#, r#""\ud800\u0041""#] {
                assert!(gap.read(half).is_none(), "{at} of {line} takes {half}");
            }
            let pair = gap.read(r#""\ud83e\uddf5""#);
            assert_eq!(pair, gap.read("\"🧵\""), "{at} of {line}");
        }
    }
}

#[test]
fn s1_7_a_megabyte_survives_in_every_kind_of_event() {
    let megabyte = long(1 << 20);
    let json = json!(megabyte).to_string();
    let mut tried = BTreeSet::new();
    for line in lines() {
        let kind = line["type"].as_str().unwrap().to_owned();
        if tried.contains(&kind) {
            continue;
        }
        let entry = text_places(&line).iter().find_map(|at| Gap::of(&line, at).read(&json));
        if let Some(entry) = entry {
            survives(&entry, &kind);
            tried.insert(kind);
        }
    }
    assert!(tried.len() > 10, "{tried:?}");
}

#[test]
fn s1_7_keys_that_look_like_fields_are_keys() {
    let keys = [
        "v",
        "seq",
        "parent",
        "at",
        "type",
        "body",
        "",
        "ok",
        "text",
        "index",
        "Ok",
        "null",
        "0",
        "~",
        "/",
        "~1",
        "__proto__",
        "$serde_json::private::Number",
        "\u{0}",
        "\u{202e}",
        "\"",
        "\\",
        "a\nb",
        "\u{d7ff}\u{10ffff}",
    ];
    let mut tried = 0;
    for line in lines() {
        for at in free_maps(&line) {
            for key in keys.map(str::to_owned).into_iter().chain([long(2_000)]) {
                let mut changed = line.clone();
                changed.pointer_mut(&at).unwrap()[&key] = json!({ "type": [key], "v": 2 });
                let place = format!("{at} of {}", line["type"]);
                let entry = read(&text(&changed)).unwrap_or_else(|| panic!("{place} and {key:?}"));
                assert_eq!(serde_json::to_value(&entry).unwrap(), changed, "{place}");
                survives(&entry, &place);
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried} keys were tried");
}

#[test]
fn s1_7_numbers_at_the_edges_survive() {
    let exact = [
        "1.7976931348623157e308",
        "-1.7976931348623157e308",
        "2.2250738585072014e-308",
        "5e-324",
        "-0.0",
        "0.30000000000000004",
        "1e-7",
        "18446744073709551615",
        "-9223372036854775808",
        "9007199254740993",
    ];
    // What no number holds is brought to the nearest, once, or is damage.
    let others = ["123456789012345678901234567890", "-18446744073709551616", "1e400", "-1e400"];
    let mut tried = 0;
    for line in lines() {
        for at in places(&line) {
            let gap = Gap::of(&line, &at);
            for number in exact.into_iter().chain(others) {
                let Some(entry) = gap.read(number) else { continue };
                let place = format!("{at} of {} as {number}", line["type"]);
                let back: Value = serde_json::from_str(&survives(&entry, &place)).unwrap();
                let Some(now) = back.pointer(&at).filter(|_| exact.contains(&number)) else {
                    continue;
                };
                let whole = number.parse::<i128>().is_ok() && now.is_f64();
                let then: Value = serde_json::from_str(number).unwrap();
                // A whole number may stand where a fraction could.
                let same = text(now) == text(&then);
                assert!(same || whole && now.as_f64() == then.as_f64(), "{place}: {now}");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried} numbers were tried");
}

/// Lists in lists, so many of them.
fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn s1_7_depth_is_kept_or_refused_and_never_exhausts_the_stack() {
    for line in lines() {
        for at in places(&line) {
            let gap = Gap::of(&line, &at);
            let deepest = if at == "/body" { 20_000 } else { 1_000 };
            for levels in [2, 100, 117, 118, 119, 120, 121, 126, 127, 128, deepest] {
                let Some(entry) = gap.read(&nested(levels)) else { continue };
                let place = format!("{at} of {}, {levels} levels", line["type"]);
                match entry.encode() {
                    Ok(_) => drop(survives(&entry, &place)),
                    Err(error) => assert!(error.to_string().contains("nested deeper"), "{place}"),
                }
            }
        }
    }
}

#[test]
fn s1_7_a_state_with_the_deepest_json_that_a_line_takes_survives() {
    let mut tried = 0;
    let lines = lines();
    for (index, line) in lines.iter().enumerate() {
        for at in free_places(line) {
            let gap = Gap::of(line, &at);
            let fits = |levels: &usize| {
                let entry = gap.read(&nested(*levels));
                entry.filter(|entry| entry.encode().is_ok())
            };
            let deepest = (90..130).rev().find_map(|levels| fits(&levels)).unwrap();
            let mut entries: Vec<_> = lines.iter().map(|line| read(&text(line)).unwrap()).collect();
            entries[index] = deepest;
            // While the step is under way, when it ended, and at the end of all.
            for end in [index + 1, index + 3, lines.len()] {
                let place = format!("{at} of {}, up to {end}", line["type"]);
                state_survives(&live(&entries[..end.min(lines.len())]), &place);
                tried += 1;
            }
        }
    }
    assert!(tried > 20, "{tried} states were tried");
}
