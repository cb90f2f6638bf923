//! Answers of Chat Completions: within their bounds, and the same however they are cut.

use std::ops::ControlFlow;

use fastrand::Rng;
use legwork_models::answer::{Ended, Reply, Streaming};
use legwork_models::{Api, Bounds};
use legwork_port::Delta;

use super::{MIB, Target, pieces};

pub(super) const TARGET: Target = Target {
    name: "chat",
    seeds,
    words: &[
        "data: ",
        "\n\n",
        "[DONE]",
        "{\"choices\":[{\"delta\":",
        "\"tool_calls\":[",
        "\"index\":0,",
        "\"index\":18446744073709551615,",
        "\"function\":{\"name\":\"f\",\"arguments\":\"{",
        "}}]",
        "\"usage\":{\"prompt_tokens\":18446744073709551615,\"completion_tokens\":1e308}",
        "[[[[[[[[",
        "\\ud800",
        "\\u0000",
        "null",
        "\"content\":[",
        "\"finish_reason\":\"stop\"",
        "{\"error\":",
    ],
    longest: MIB,
    memory: 4 * MIB,
    one_of: 1,
    run,
};

/// Answers by hand, and recorded ones where the shared data is.
fn seeds() -> Vec<Vec<u8>> {
    let own = [
        r#"{"id":"c","choices":[{"message":{"content":"Hi","tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#,
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
        "event: error\ndata: {\"error\":{\"message\":\"no\",\"code\":429}}\n\n",
        "data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\",\"odd\":[{\"index\":1,\"text\":\"x\"}]}}]}\n\n",
    ];
    let mut seeds: Vec<Vec<u8>> = own.map(|seed| seed.as_bytes().to_vec()).into();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/recordings");
    match std::fs::read_dir(folder) {
        Ok(files) => {
            let texts = files.filter_map(|file| std::fs::read(file.ok()?.path()).ok());
            let lines = texts.flat_map(|text| recorded(&text)).collect::<Vec<_>>();
            seeds.extend(lines);
        }
        Err(_) => println!("skipped: recorded answers are not there, made ones are mutated"),
    }
    seeds
}

/// The answers of a file of recordings, a line of JSON each, not the longest.
fn recorded(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split(|byte| *byte == b'\n').take(40);
    let strings = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let mut all = Vec::new();
    for value in strings {
        longest_text(&value, &mut all);
    }
    all.retain(|seed: &Vec<u8>| (20..20_000).contains(&seed.len()));
    all
}

/// All texts of a value that look like an answer.
fn longest_text(value: &serde_json::Value, all: &mut Vec<Vec<u8>>) {
    match value {
        serde_json::Value::String(text) if text.contains("choices") => {
            all.push(text.clone().into())
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| longest_text(item, all)),
        serde_json::Value::Object(map) => map.values().for_each(|item| longest_text(item, all)),
        _ => {}
    }
}

const BOUNDS: Bounds = Bounds {
    received_bytes: 1 << 20,
    answer_bytes: 16 << 10,
    event_bytes: 8 << 10,
    events: 1_000,
    calls: 32,
    values: 500,
    nesting: 40,
    tokens: 1_000_000,
};

fn run(input: &[u8], random: &mut Rng) -> bool {
    let kind = *random.choice(&["text/event-stream", "application/json"]).unwrap_or(&"");
    let status = if random.u8(..10) == 0 { 500 } else { 200 };
    let ended = if random.bool() { Ended::Whole } else { Ended::Cut };
    let whole = read(kind, status, ended, &[input]);
    let cut = read(kind, status, ended, &pieces(input, random));
    // A bound may be passed at another place of the same answer.
    assert!(whole == cut || whole.1 || cut.1, "cut otherwise it is {:?}, not {:?}", cut.0, whole.0);
    whole.0.starts_with('{')
}

/// What came of an answer in words, and whether it passed a bound.
fn read(kind: &str, status: u16, ended: Ended, pieces: &[&[u8]]) -> (String, bool) {
    let mut reply = Reply::within(BOUNDS, Api::ChatCompletions, status, Some(kind), Streaming::Yes);
    let mut shown = 0;
    for piece in pieces {
        reply.push(piece, &mut |delta: Delta<'_>| {
            if let Delta::Text(text) | Delta::Thinking(text) = delta {
                shown += text.len();
            }
            ControlFlow::Continue(())
        });
    }
    assert!(shown <= BOUNDS.answer_bytes, "{shown} bytes were shown");
    match reply.finish(ended) {
        Err(error) => (format!("{error:?}"), false),
        Ok(response) => {
            let json = serde_json::to_string(&response).unwrap_or_default();
            assert!(
                json.len() < 4 * BOUNDS.answer_bytes,
                "{} bytes would be journaled",
                json.len()
            );
            let ids: Vec<_> = response.message.tool_calls().map(|call| call.id.clone()).collect();
            assert!(ids.len() <= BOUNDS.calls, "{} calls", ids.len());
            (json, response.bound.is_some())
        }
    }
}
