use serde_json::{Value, json};

use super::{Cut, ResultLimit};
use crate::message::{File, Image, MediaSource, ResultPart};
use crate::tool::{FailureKind, ToolOutcome, ToolSpec};

fn spec() -> ToolSpec {
    ToolSpec::new("look", "Looks.", json!({"type": "object"}))
}

fn limit(text: u64) -> ResultLimit {
    ResultLimit { text, media: 8 }
}

fn cut(text: u64, outcome: ToolOutcome) -> (String, Option<Cut>) {
    let (outcome, cut) = limit(text).cut(&spec(), outcome);
    (outcome.to_text(), cut)
}

const REST: &str = "The rest is not kept: to read it, ask for less at a time.]";

#[test]
fn s6_9_a_text_at_the_limit_stays_and_one_byte_more_is_cut() {
    assert_eq!(cut(3, ToolOutcome::text("abc")), ("abc".to_owned(), None));
    let (text, what) = cut(3, ToolOutcome::text("abcd"));
    assert_eq!(text, format!("abc\n[Cut: the first 3 of 4 bytes are shown. {REST}"));
    assert_eq!(what, Some(Cut { shown: 3, of: 4, media: 0 }));
}

#[test]
fn s6_9_a_cut_goes_through_no_character_and_where_it_can_through_no_line() {
    assert!(cut(4, ToolOutcome::text("aé😀")).0.starts_with("aé\n[Cut: the first 3 of 7"));
    assert!(cut(1, ToolOutcome::text("é")).0.starts_with("[Cut: the first 0 of 2"));
    assert!(
        cut(8, ToolOutcome::text("one\ntwo\nx")).0.starts_with("one\ntwo\n\n[Cut: the first 8")
    );
    assert!(cut(7, ToolOutcome::text("one\ntwo\nx")).0.starts_with("one\ntwo\n[Cut: the first 7"));
    assert!(cut(7, ToolOutcome::text("12345\n789")).0.starts_with("12345\n\n[Cut: the first 6"));
}

#[test]
fn s6_9_parts_share_the_limit_and_json_is_cut_as_its_text() {
    let text = |text: &str| ResultPart::Text(text.to_owned());
    let parts = [text("ab"), ResultPart::Json(json!({"a": [1, 2]})), text("z")];
    let all = ToolOutcome::parts(parts);
    assert_eq!(limit(14).cut(&spec(), all.clone()), (all.clone(), None), "2, 11 and 1 bytes");
    let (kept, what) = limit(8).cut(&spec(), all);
    let left = &kept.output().unwrap().0;
    assert_eq!((left.len(), &left[0], &left[1]), (3, &text("ab"), &text("{\"a\":[")));
    assert_eq!(what, Some(Cut { shown: 8, of: 14, media: 0 }));
}

#[test]
fn s6_9_json_is_measured_as_it_is_written() {
    for value in [
        json!(null),
        json!(-1.5e-300),
        json!(u64::MAX),
        json!("a\n\"\u{1}é"),
        json!([]),
        json!([[1, false], {}]),
        json!({"a\t": {"b": "c"}, "d": [null]}),
    ] {
        let length = value.to_string().len() as u64;
        let outcome = || match &value {
            Value::String(_) => ToolOutcome::parts([ResultPart::Json(value.clone())]),
            value => ToolOutcome::value(value.clone()),
        };
        assert_eq!(limit(length).cut(&spec(), outcome()), (outcome(), None));
        assert_eq!(limit(length - 1).cut(&spec(), outcome()).1.map(|cut| cut.of), Some(length));
    }
}

#[test]
fn s6_9_an_image_or_a_file_that_is_too_large_is_named_in_its_place() {
    let source = |length: usize| MediaSource::Base64("a".repeat(length));
    let image = |length| {
        ResultPart::Image(Image { media_type: "image/png".to_owned(), source: source(length) })
    };
    let file = File { name: None, media_type: "audio/wav".to_owned(), source: source(8) };
    let by_url = MediaSource::Url("https://example.com/a-long-name.png".to_owned());
    let remote = ResultPart::Image(Image { media_type: "image/png".to_owned(), source: by_url });
    let fits = ToolOutcome::parts([image(8), ResultPart::File(file), remote]);
    assert_eq!(
        limit(0).cut(&spec(), fits.clone()),
        (fits, None),
        "text and media are counted apart"
    );
    let (text, what) = cut(9, ToolOutcome::parts([image(9), image(8)]));
    let named =
        "[picture: image/png] [Left out: it has 9 bytes as base64, and at most 8 are sent.]";
    assert_eq!(text, format!("{named}\n[picture: image/png]"));
    assert_eq!(what, Some(Cut { shown: 0, of: 0, media: 1 }));
}

#[test]
fn s6_9_what_a_tool_says_counts_before_the_limit_of_the_agent() {
    let long = || ToolOutcome::text("a".repeat(10));
    let tool = spec().max_result(10);
    assert_eq!(limit(1).cut(&tool, long()).1, None);
    let tool = spec().max_result(4).rest("Call it again with `from`.");
    let (outcome, what) = limit(100).cut(&tool, long());
    let note = "[Cut: the first 4 of 10 bytes are shown. Call it again with `from`.]";
    assert_eq!(outcome.to_text(), format!("aaaa\n{note}"));
    assert_eq!(what.unwrap().to_value(), json!({"shown": 4, "of": 10, "media": 0}));
}

#[test]
fn s6_9_messages_are_cut_and_outputs_are_not() {
    let long = "a".repeat(10);
    for outcome in [
        ToolOutcome::failed(long.clone()),
        ToolOutcome::retry(long.clone()),
        ToolOutcome::Failed(FailureKind::Hard, long.clone()),
    ] {
        let (text, what) = cut(4, outcome);
        assert_eq!(text, format!("aaaa\n[Cut: the first 4 of 10 bytes are shown. {REST}"));
        assert_eq!(what.map(|cut| (cut.shown, cut.of)), Some((4, 10)));
    }
    assert_eq!(cut(4, ToolOutcome::finished(json!(long))).1, None);
    let output = ToolSpec { is_output: true, ..spec() };
    assert_eq!(limit(4).cut(&output, ToolOutcome::text(long)).1, None);
}
