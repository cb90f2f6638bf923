//! What holds between answers, and between an answer and what was shown of it.

use legwork_core::inference::Incomplete;
use legwork_core::{Part, Response, ToolCall};
use legwork_models::Api;

use super::read::{Answer, Way};

/// However an answer is cut, the same is shown of it and comes of it.
pub(super) fn same_however_cut(whole: &Answer, cut: &Answer) {
    // A bound may be passed at another place of the same answer.
    let over = whole.is_over_bound() || cut.is_over_bound();
    assert!(over || whole == cut, "cut otherwise it is {cut:?}, not {whole:?}");
}

/// What is shown is what the message says, in the same order but for what was interleaved.
pub(super) fn adds_up(way: &Way, answer: &Answer) {
    let shown = &answer.shown;
    let Ok(response) = &answer.result else {
        assert!(shown.deltas == 0, "{shown:?} is shown of no answer");
        return;
    };
    if !way.is_stream() {
        assert!(shown.deltas == 0, "{shown:?} is shown of a body");
        return;
    }
    let clipped = response.incomplete == Some(Incomplete::OverBound);
    let (words, thoughts) = (words(response), thoughts(response));
    for (shown, kept) in [(&shown.text, &words), (&shown.thinking, &thoughts)] {
        let length: usize = kept.iter().map(|text| text.len()).sum();
        assert!(
            length == shown.len() || (clipped && length < shown.len()),
            "{shown:?} is shown, {kept:?} is kept"
        );
        let holds = kept.concat() == **shown || kept.iter().all(|text| is_within(text, shown));
        assert!(holds, "{shown:?} is shown, and other words are kept: {kept:?}");
    }
    if !clipped {
        calls(way, response, &shown.calls);
    }
}

/// The calls that were shown are those of the message.
fn calls(way: &Way, response: &Response, shown: &[(String, String)]) {
    let mut kept: Vec<_> = response.message.tool_calls().collect();
    // What a receiver stopped at is kept, and no more of it is shown.
    let stopped = response.incomplete == Some(Incomplete::OverReserve);
    for (at, (name, arguments)) in shown.iter().enumerate() {
        let is = |call: &ToolCall| call.name.starts_with(&**name) && *call.arguments == **arguments;
        let begins = |call: &ToolCall| {
            let begun = call.arguments.starts_with(&**arguments);
            stopped && begun && call.name.starts_with(&**name)
        };
        // Responses have an order of their own, in which they may not have come.
        let found = match way.api {
            Api::Responses => kept
                .iter()
                .position(|call| is(call))
                .or_else(|| kept.iter().position(|call| begins(call))),
            _ => kept.first().filter(|call| is(call) || begins(call)).map(|_| 0),
        };
        let Some(found) = found else { panic!("call {at} is shown as {name} {arguments}") };
        kept.remove(found);
    }
    let quiet = kept.iter().all(|call| call.arguments.is_empty() && call.name.is_empty());
    assert!(quiet, "calls are not shown: {kept:?}");
}

/// Whether the characters of a text are in another one, in the same order.
fn is_within(text: &str, other: &str) -> bool {
    let mut rest = other.chars();
    text.chars().all(|wanted| rest.any(|found| found == wanted))
}

/// The beginning of an answer: each of its parts begins one of the whole.
pub(super) fn begins(way: &Way, whole: &Answer, part: &Answer) {
    // A bound may be passed at another place of it.
    if whole.is_over_bound() || part.is_over_bound() {
        return;
    }
    assert!(whole.shown.text.starts_with(&part.shown.text), "other words are shown");
    assert!(whole.shown.thinking.starts_with(&part.shown.thinking), "other thoughts are shown");
    let Ok(begun) = part.result.as_ref().map(|response| &response.message.parts) else { return };
    let all = whole.result.as_ref().map(|response| &*response.message.parts).unwrap_or_default();
    let (mut begun, mut all): (Vec<_>, Vec<_>) = (begun.iter().collect(), all.iter().collect());
    if way.api == Api::Responses {
        // They are put into an order at the end; what is longest fits the fewest.
        begun.sort_by_key(|part| std::cmp::Reverse(length(part)));
    }
    for part in begun {
        let found = match way.api {
            Api::Responses => all.iter().position(|whole| goes_on(part, whole)),
            _ => all.first().filter(|whole| goes_on(part, whole)).map(|_| 0),
        };
        let Some(found) = found else { panic!("{part:?} begins none of {all:?}") };
        all.remove(found);
    }
}

/// Bytes of what a part says.
fn length(part: &Part) -> usize {
    match part {
        Part::Text(text) | Part::Refusal(text) => text.text.len(),
        Part::Thinking(thinking) => thinking.text.len(),
        Part::ToolCall(call) => call.arguments.len(),
        _ => 0,
    }
}

/// Whether a part of a whole answer goes on with one of its beginning.
fn goes_on(begun: &Part, whole: &Part) -> bool {
    match (begun, whole) {
        (Part::Text(begun), Part::Text(whole)) | (Part::Refusal(begun), Part::Refusal(whole)) => {
            whole.text.starts_with(&begun.text)
        }
        (Part::Thinking(begun), Part::Thinking(whole)) => whole.text.starts_with(&begun.text),
        (Part::ToolCall(begun), Part::ToolCall(whole)) => {
            whole.arguments.starts_with(&*begun.arguments)
        }
        (Part::Other(_), Part::Other(_)) => true,
        _ => false,
    }
}

/// The words that are shown as text.
fn words(response: &Response) -> Vec<&str> {
    let words = response.message.parts.iter().filter_map(|part| match part {
        Part::Text(text) | Part::Refusal(text) => Some(text.text.as_str()),
        _ => None,
    });
    words.collect()
}

fn thoughts(response: &Response) -> Vec<&str> {
    let thoughts = response.message.parts.iter().filter_map(|part| match part {
        Part::Thinking(thinking) => Some(thinking.text.as_str()),
        _ => None,
    });
    thoughts.collect()
}
