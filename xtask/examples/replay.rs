//! `cargo xtask replay FILE.jsonl [--wire W] [--split N]`: recorded answers, read as live ones
//! are.
//!
//! Each row goes through the reader that live traffic goes through, and comes out as one line of
//! JSON. The wire, of an inference or of embeddings, is that of the row's path, or W; with N the
//! bytes come in pieces of so many.
//!
//! An example, so that `cargo xtask` itself builds without the models' crates.

#![allow(clippy::print_stderr)]

use std::borrow::Cow;
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::SystemTime;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use legwork_core::inference::Incomplete;
use legwork_core::{FinishReason, Part, Response, ToolCall};
use legwork_models::answer::{ApiError, Ended, Reply, Streaming, Unreadable};
use legwork_models::{Api, embeddings, retry};
use legwork_port::Delta;
use legwork_port::embedder::Embeddings;
use serde::{Deserialize, Serialize};
use serde_json::Value;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let told = Wanted::read(&args).and_then(|wanted| run(&wanted));
    if let Err(error) = told {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// What the command line asks for.
struct Wanted {
    file: String,
    wire: Option<Wire>,
    /// Bytes of a piece; all at once if there is none.
    split: Option<NonZeroUsize>,
}

impl Wanted {
    fn read(args: &[String]) -> Result<Self, String> {
        let (mut file, mut wire, mut split) = (None, None, None);
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value"));
            match &**arg {
                "--wire" => {
                    wire = Some(Wire::named(value()?)?);
                }
                "--split" => {
                    let problem = |_| "--split needs a number of bytes, at least 1".to_owned();
                    split = Some(value()?.parse().map_err(problem)?);
                }
                flag if flag.starts_with('-') => return Err(format!("there is no flag {flag}")),
                _ if file.is_some() => return Err("give one file of recordings".to_owned()),
                name => file = Some(name.to_owned()),
            }
        }
        let file = file.ok_or("give one file of recordings, such as openai_chat.jsonl")?;
        Ok(Self { file, wire, split })
    }
}

/// What an answer is read by.
#[derive(Clone, Copy)]
enum Wire {
    Inference(Api),
    Embeddings(embeddings::Api),
}

impl Wire {
    fn named(name: &str) -> Result<Self, String> {
        match (name.parse(), name.parse()) {
            (Ok(api), _) => Ok(Self::Inference(api)),
            (_, Ok(api)) => Ok(Self::Embeddings(api)),
            (Err::<Api, _>(one), Err::<embeddings::Api, _>(other)) => {
                Err(format!("{one}; for embeddings, {other}"))
            }
        }
    }

    fn of_path(path: &str) -> Option<Self> {
        let embeddings = || embeddings::Api::of_path(path).map(Self::Embeddings);
        Api::of_path(path).map(Self::Inference).or_else(embeddings)
    }
}

/// Replays a recording and prints a line of JSON per row.
fn run(wanted: &Wanted) -> Result<(), String> {
    let file = &wanted.file;
    let opened = std::fs::File::open(file).map_err(|error| format!("opening {file}: {error}"))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, line) in BufReader::new(opened).lines().enumerate() {
        let at = |error: &dyn std::fmt::Display| format!("{file}, line {}: {error}", number + 1);
        let line = line.map_err(|error| at(&error))?;
        if line.trim().is_empty() {
            continue;
        }
        let row: Row = serde_json::from_str(&line).map_err(|error| at(&error))?;
        let told = serde_json::to_string(&replay(&row, wanted)).map_err(|error| at(&error))?;
        match writeln!(out, "{told}") {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            written => written.map_err(|error| format!("writing: {error}"))?,
        }
    }
    out.flush().map_err(|error| format!("writing: {error}"))
}

/// What is needed of a recorded interaction.
#[derive(Deserialize)]
struct Row {
    name: String,
    index: u64,
    status: u16,
    #[serde(default)]
    path: String,
    #[serde(default)]
    response_headers: Option<Value>,
    #[serde(default)]
    response_body: Option<String>,
    /// The bytes of a body that is no text.
    #[serde(default)]
    response_body_b64: Option<String>,
    #[serde(default)]
    streaming: bool,
}

impl Row {
    fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.response_headers.as_ref()?.as_object()?.iter();
        headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
    }

    /// Seconds that the server asks to wait, counted from when it answered.
    fn retry_after(&self) -> Option<f64> {
        let now = self.header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        let precise = self.header("retry-after-ms").and_then(retry::retry_after_ms);
        let wait = precise.or_else(|| {
            retry::retry_after(self.header("retry-after")?, now.unwrap_or_else(SystemTime::now))
        });
        wait.map(|wait| wait.as_secs_f64())
    }

    fn body(&self) -> Cow<'_, [u8]> {
        let encoded = self.response_body_b64.as_deref();
        match encoded.and_then(|encoded| BASE64_STANDARD.decode(encoded).ok()) {
            Some(bytes) => Cow::Owned(bytes),
            None => Cow::Borrowed(self.response_body.as_deref().unwrap_or_default().as_bytes()),
        }
    }
}

/// What a row comes to.
#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    index: u64,
    ok: bool,
    error: Option<Refused>,
    message: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<Vectors>,
}

/// The vectors of an answer, without their numbers.
#[derive(Serialize)]
struct Vectors {
    count: usize,
    /// Numbers of each vector.
    dims: usize,
    model: Option<String>,
    usage: Option<Usage>,
}

#[derive(Serialize, Default)]
struct Refused {
    status: u16,
    code: Option<String>,
    message: String,
    /// Whether the same request may succeed later.
    retryable: bool,
    /// Seconds that the server asks to wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<f64>,
}

#[derive(Serialize)]
struct Message {
    text: String,
    thinking: String,
    tool_calls: Vec<Call>,
    finish_reason: &'static str,
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
}

#[derive(Serialize)]
struct Call {
    id: String,
    name: String,
    arguments: Value,
}

#[derive(Serialize)]
struct Usage {
    input: u64,
    output: u64,
}

fn replay<'r>(row: &'r Row, wanted: &Wanted) -> Told<'r> {
    match wanted.wire.or_else(|| Wire::of_path(&row.path)) {
        None => unknown(row),
        Some(Wire::Inference(wire)) => match read(row, wire, wanted.split) {
            Ok(response) => {
                let error = ended_with(&response);
                Told { error, message: Some(message(&response)), ..told(row) }.checked()
            }
            Err(why) => Told { error: Some(refused(why, row)), ..told(row) }.checked(),
        },
        Some(Wire::Embeddings(wire)) => match read_vectors(row, wire, wanted.split) {
            Ok(answer) => Told { embeddings: Some(vectors(answer)), ..told(row) }.checked(),
            Err(why) => Told { error: Some(no_vectors(why, row)), ..told(row) }.checked(),
        },
    }
}

/// Nothing yet of a row.
fn told(row: &Row) -> Told<'_> {
    let Row { name, index, .. } = row;
    Told { name, index: *index, ok: false, error: None, message: None, embeddings: None }
}

impl Told<'_> {
    fn checked(self) -> Self {
        Self { ok: self.error.is_none(), ..self }
    }
}

fn unknown(row: &Row) -> Told<'_> {
    let error = Refused {
        status: row.status,
        code: Some("unknown_path".to_owned()),
        message: format!("no wire sends its requests to {}; name one with --wire", row.path),
        ..Refused::default()
    };
    Told { error: Some(error), ..told(row) }
}

fn read(row: &Row, wire: Api, split: Option<NonZeroUsize>) -> Result<Response, Unreadable> {
    let content_type = row.header("content-type");
    let asked = if row.streaming { Streaming::Yes } else { Streaming::No };
    let mut reply = Reply::new(wire, row.status, content_type, asked);
    let body = row.body();
    let piece = split.map_or(body.len().max(1), NonZeroUsize::get);
    for piece in body.chunks(piece) {
        reply.push(piece, &mut |_: Delta<'_>| ControlFlow::Continue(()));
    }
    reply.finish(Ended::Whole)
}

fn read_vectors(
    row: &Row,
    wire: embeddings::Api,
    split: Option<NonZeroUsize>,
) -> Result<Embeddings, embeddings::Unreadable> {
    let (mut reply, body) = (embeddings::Reply::new(wire, row.status), row.body());
    let piece = split.map_or(body.len().max(1), NonZeroUsize::get);
    body.chunks(piece).for_each(|piece| reply.push(piece));
    reply.finish(Ended::Whole)
}

fn vectors(answer: Embeddings) -> Vectors {
    Vectors {
        count: answer.vectors.len(),
        dims: answer.vectors.first().map_or(0, Vec::len),
        model: answer.model,
        usage: answer.usage.map(|usage| Usage { input: usage.input, output: usage.output }),
    }
}

fn no_vectors(why: embeddings::Unreadable, row: &Row) -> Refused {
    let code = match why {
        embeddings::Unreadable::Api(error) => return refused(Unreadable::Api(error), row),
        embeddings::Unreadable::Cut => return refused(Unreadable::Nothing, row),
        embeddings::Unreadable::OtherApi { .. } => "other_wire",
        embeddings::Unreadable::NoJson { .. } => "no_json",
        embeddings::Unreadable::Vectors(_) => "wrong_vectors",
        embeddings::Unreadable::OverBound(_) => "over_bound",
        _ => "no_answer",
    };
    let (status, code, message) = (row.status, Some(code.to_owned()), why.to_string());
    Refused { status, code, message, ..Refused::default() }
}

/// The error that an answer ended with, after some of it had come.
fn ended_with(response: &Response) -> Option<Refused> {
    let error = response.raw.get("error")?;
    let text = |key: &str| Some(error.get(key)?.as_str()?.to_owned());
    Some(Refused {
        status: error.get("status")?.as_u64()?.try_into().ok()?,
        code: text("code").or_else(|| text("type")),
        message: text("message")?,
        retryable: response.incomplete == Some(Incomplete::Cut),
        retry_after: None,
    })
}

fn refused(why: Unreadable, row: &Row) -> Refused {
    match why {
        Unreadable::Api(error) => {
            let (retryable, retry_after) = (error.is_retryable(), row.retry_after());
            let ApiError { status, code, kind, message, .. } = error;
            Refused { status, code: code.or(kind), message, retryable, retry_after }
        }
        other => {
            let (code, retryable) = match other {
                Unreadable::OtherWire { .. } => ("other_wire", false),
                Unreadable::NoJson { .. } => ("no_json", false),
                _ => ("no_answer", true),
            };
            let (status, code) = (row.status, Some(code.to_owned()));
            Refused { status, code, message: other.to_string(), retryable, retry_after: None }
        }
    }
}

fn message(response: &Response) -> Message {
    let parts = &response.message.parts;
    let thinking = parts.iter().filter_map(|part| match part {
        Part::Thinking(thinking) => Some(thinking.text.as_str()),
        _ => None,
    });
    Message {
        text: response.text(),
        thinking: thinking.collect(),
        tool_calls: response.message.tool_calls().map(|call| told_call(call)).collect(),
        finish_reason: match response.finish {
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
            FinishReason::ToolCalls => "tool_calls",
            FinishReason::ContentFilter => "content_filter",
            _ => "other",
        },
        usage: response.usage.map(|usage| Usage { input: usage.input, output: usage.output }),
        incomplete: response.incomplete.as_ref().map(ToString::to_string),
    }
}

fn told_call(call: &ToolCall) -> Call {
    Call {
        id: call.id.to_string(),
        name: call.name.to_string(),
        arguments: call.parse().unwrap_or_else(|_| Value::from(&*call.arguments)),
    }
}
