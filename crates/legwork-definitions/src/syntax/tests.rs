use serde_json::{Value, json};

use super::front_matter::{Parts, join, split};
use super::{MAX_BYTES, MAX_DEPTH, read};
use crate::format::Format;

fn fields(text: &str, format: Format) -> Result<Value, String> {
    let text = read(text, format).map_err(|problem| problem.to_string())?;
    Ok(text.fields.into_iter().map(|field| (field.key, field.node.into_value())).collect())
}

#[track_caller]
fn refused(text: &str, format: Format, what: &str) {
    let told = fields(text, format).expect_err(text);
    assert!(told.contains(what), "{told}");
}

#[test]
fn every_value_knows_its_line() {
    for (format, text) in [
        (Format::Yaml, "a: 1\nb:\n  - x\n  - y: 2\nc: |\n  t\n"),
        (Format::Json, "{\"a\": 1,\n\"b\":\n[\"x\"\n, {\"y\": 2\n}], \"c\": \"t\"\n}\n"),
        (Format::Markdown, "---\na: 1\nb:\n  - x\n  - y: 2\nc: t\n---\n"),
        (Format::Markdown, "\u{feff}---\r\na: 1\r\nb:\r\n  - x\r\n  - y: 2\r\nc: t\r\n---\r\n"),
    ] {
        let down = u64::from(format == Format::Markdown);
        let read = read(text, format).unwrap();
        let lines: Vec<_> = read.fields.iter().map(|field| field.line.unwrap() - down).collect();
        assert_eq!(lines, [1, 2, 5], "{text}");
        let super::node::Data::List(items) = &read.fields[1].node.data else { panic!("{text}") };
        let lines: Vec<_> = items.iter().map(|item| item.line.unwrap() - down).collect();
        assert_eq!(lines, [3, 4], "{text}");
    }
}

#[test]
fn yaml_has_the_words_of_version_1_2() {
    let text = "a: yes\nb: null\nc: ~\nd:\ne: 1e3\nf: 0x10\ng: 0o7\nh: 012\ni: true\nj: On\nk: 1_000\n\
                l: 12:30\nm: 2026-11-22\nn: 'x'\no: -0\n";
    assert_eq!(
        fields(text, Format::Yaml).unwrap(),
        json!({"a": "yes", "b": null, "c": null, "d": null, "e": 1000.0, "f": 16, "g": 7, "h": "012",
            "i": true, "j": "On", "k": "1_000", "l": "12:30", "m": "2026-11-22", "n": "x", "o": 0})
    );
}

#[test]
fn what_is_no_such_text_is_refused_with_its_line() {
    for (text, format, what) in [
        ("a: 1\nb: [", Format::Yaml, "line 2"),
        (
            "a: 1\na: 2",
            Format::Yaml,
            "line 2: cannot be read as YAML: the field `a` is there twice; keep one of the two",
        ),
        (
            "---\na: 1\na: 2\n---",
            Format::Markdown,
            "line 3: cannot be read as YAML: the field `a` is there twice;",
        ),
        ("a: 1\n---\nb: 2", Format::Yaml, "one document"),
        ("a: &x {b: 1}\nc:\n  <<: *x", Format::Yaml, "instead of `<<`"),
        ("a: .nan", Format::Yaml, "line 1"),
        ("a: !!python/object x", Format::Yaml, "line 1"),
        ("1: x", Format::Yaml, "quote it"),
        ("- a", Format::Yaml, "found a list, expected fields"),
        ("text", Format::Yaml, "found the text `text`, expected fields"),
        ("{\"a\": 1,\n}", Format::Json, "line 2"),
        ("{\"a\": 1}\n{}", Format::Json, "line 2"),
        ("{\"a\": {\"b\": 1,\n\"b\": 2}}", Format::Json, "the field `b` is there twice"),
        ("", Format::Json, "cannot be read as JSON"),
        ("[]", Format::Json, "expected fields"),
        ("{\"a\": 1e999}", Format::Json, "line 1"),
        ("", Format::Markdown, "no front matter"),
        ("# Title\n---\na: 1\n---\n", Format::Markdown, "no front matter"),
        ("---\na: 1\n", Format::Markdown, "does not end"),
        ("---\na: [\n---\n", Format::Markdown, "YAML"),
        ("----\na: 1\n---\n", Format::Markdown, "no front matter"),
    ] {
        refused(text, format, what);
    }
}

#[test]
fn nothing_is_read_that_is_too_large_or_too_deep() {
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_BYTES));
    refused(&long, Format::Json, "larger than 1 MiB");
    let just = format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_BYTES - 9));
    fields(&just, Format::Json).unwrap();
    fields(&just, Format::Yaml).unwrap();
    for levels in [MAX_DEPTH, 100, 10_000, 500_000] {
        let flow = format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
        refused(&flow, Format::Yaml, "make it flatter");
        refused(&flow, Format::Json, "make it flatter");
        let indented = |at| format!("{}a:\n", " ".repeat(at));
        let block: String = (0..=levels.min(1000)).map(indented).collect();
        refused(&block, Format::Yaml, "make it flatter");
    }
}

#[test]
fn neither_what_is_read_nor_what_is_refused_needs_much_stack() {
    let levels = MAX_DEPTH - 1;
    let flow = format!("{{\"a\": {}{}}}", "[".repeat(levels), "]".repeat(levels));
    let block: String = (0..=levels).map(|at| format!("{}a:\n", " ".repeat(at))).collect();
    for (text, format) in [(&flow, Format::Json), (&flow, Format::Yaml), (&block, Format::Yaml)] {
        let text = text.clone();
        let small = std::thread::Builder::new().stack_size(1 << 20);
        let read = small.spawn(move || fields(&text, format).map(drop)).unwrap();
        read.join().unwrap().unwrap();
    }
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(126), "]".repeat(126));
    for format in [Format::Json, Format::Yaml] {
        let text = deep.clone();
        let small = std::thread::Builder::new().stack_size(1 << 20);
        small.spawn(move || refused(&text, format, "make it flatter")).unwrap().join().unwrap();
    }
}

#[test]
fn aliases_are_no_bombs() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..10 {
        let list = format!("*a{}, ", at - 1).repeat(10);
        bomb.push_str(&format!("a{at}: &a{at} [{list}]\n"));
    }
    refused(&bomb, Format::Yaml, "make the text smaller");
    // 202 events an alias, of 10,000 that are read.
    let aliases =
        |count: usize| format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(200), "*a, ".repeat(count));
    fields(&aliases(49), Format::Yaml).unwrap();
    refused(&aliases(50), Format::Yaml, "make the text smaller");
    let fine = "a: &a [x, y]\nb: *a\n";
    assert_eq!(fields(fine, Format::Yaml).unwrap(), json!({"a": ["x", "y"], "b": ["x", "y"]}));
    refused("a: &a [*a]\n", Format::Yaml, "YAML");
    refused("a: *b\n", Format::Yaml, "YAML");
}

#[test]
fn empty_front_matter_has_no_fields() {
    for text in ["---\n---\n", "---\n# nothing\n\n---\nx\n", "---\r\n---", "\u{feff}---  \n---\t\n"]
    {
        assert_eq!(fields(text, Format::Markdown).unwrap(), json!({}), "{text:?}");
    }
    assert_eq!(fields("", Format::Yaml).unwrap(), json!({}));
    assert_eq!(fields("# nothing\n", Format::Yaml).unwrap(), json!({}));
}

#[test]
fn a_body_is_what_stands_below() {
    for (text, body) in [
        ("---\n---", ""),
        ("---\n---\n", ""),
        ("---\n---\n\n", ""),
        ("---\n---\nx", "x"),
        ("---\n---\n\nx\n", "x"),
        ("---\n---\n\n\n x \n\n", "\n x \n"),
        ("---\n---\nx\n---\ny\n", "x\n---\ny"),
        ("---\r\n---\r\n\r\nx\r\ny\r\n", "x\ny"),
        ("---\n---\nx\r\ny\r\n", "x\r\ny\r"),
    ] {
        assert_eq!(split(text).unwrap().body, body, "{text:?}");
    }
    for body in ["", "\n", "\n\n", "x", " x\n", "---\nx\n---\n", "\r\n", "\u{feff}x"] {
        let joined = join("a: 1\n", body);
        assert_eq!(split(&joined), Ok(Parts { front: "a: 1\n".into(), body: body.into() }));
    }
}
