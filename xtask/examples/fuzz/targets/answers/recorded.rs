//! Recorded answers of providers, where the shared data is.

use legwork_models::Api;
use serde_json::Value;

/// Recordings of an API that are read of a file, and the longest of them.
const ROWS: usize = 40;
const LONGEST: usize = 20_000;

/// The answers of an API: bodies, streams, and of Bedrock's streams a line for each frame.
pub(crate) fn answers(api: Api) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/recordings");
    let Ok(files) = std::fs::read_dir(folder) else {
        println!("skipped: recorded answers are not there, made ones are mutated");
        return Vec::new();
    };
    let mut paths: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    // The number of a seed shall mean the same input each time.
    paths.sort();
    let texts = paths.into_iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.flat_map(|text| of_file(api, &text)).collect()
}

fn of_file(api: Api, text: &str) -> Vec<Vec<u8>> {
    let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rows =
        rows.filter(|row| Api::of_path(row["path"].as_str().unwrap_or_default()) == Some(api));
    let answers = rows.filter_map(|row| match &row["response_events"] {
        Value::Array(events) => Some(lines(events)),
        _ => row["response_body"].as_str().map(|body| body.as_bytes().to_vec()),
    });
    answers.filter(|answer| (20..LONGEST).contains(&answer.len())).take(ROWS).collect()
}

fn lines(events: &[Value]) -> Vec<u8> {
    let lines = events.iter().map(|event| format!("{}\n", event["payload"]));
    lines.collect::<String>().into_bytes()
}
