//! `cargo xtask requests [--wire W]`: the requests of a matrix of transcripts, as JSONL.
//!
//! Each line is `{"wire", "case", "body"}`: what would be sent to a server of that wire. A case
//! that an API cannot do has `refused`, with the reason, instead of a body.
//!
//! An example, so that `cargo xtask` itself builds without the models' crates.

#![allow(clippy::print_stderr)]

use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;

use legwork_core::inference::{ModelRequest, ModelSettings, ThinkingLevel, ToolChoice};
use legwork_core::message::{
    Author, File, Image, MediaSource, Message, Part, ProviderData, ResultPart, Role, Thinking,
    ToolResult,
};
use legwork_core::tool::{ToolCall, ToolSpec, ToolSpecs};
use legwork_models::answer::{Ended, Reply, Streaming};
use legwork_models::{Api, Builder, HttpModel};
use legwork_port::Delta;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let printed = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => print(Api::ALL),
        ["--wire", wire] => match wire.parse() {
            Ok(api) => print(&[api]),
            Err(unknown) => Err(format!("{unknown}")),
        },
        _ => Err("it takes `--wire W` and nothing else".to_owned()),
    };
    if let Err(error) = printed {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn print(apis: &[Api]) -> Result<(), String> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for api in apis {
        let wire = Wire::new(*api)?;
        for (case, request) in wire.cases() {
            let line = match wire.model.body(&request, Streaming::No) {
                Ok(body) => {
                    let body: Value = serde_json::from_slice(&body)
                        .map_err(|error| format!("{api}, {case}: {error}"))?;
                    json!({"wire": api.name(), "case": case, "body": body})
                }
                Err(error) => json!({"wire": api.name(), "case": case, "refused": error.message}),
            };
            match writeln!(out, "{line}") {
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
                written => written.map_err(|error| format!("writing: {error}"))?,
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        flushed => flushed.map_err(|error| format!("writing: {error}")),
    }
}

/// A wire, and an answer of it.
struct Wire {
    model: HttpModel,
    /// An answer of this wire, with thinking and a call, as its own history holds it.
    own: Message,
}

impl Wire {
    fn new(api: Api) -> Result<Self, String> {
        let (name, answer) = sample(api.name());
        let built = Builder::new(api, "https://models.example.com/v1", name).build();
        let model = built.map_err(|error| error.to_string())?;
        let full = legwork_port::Model::name(&model).to_owned();
        let provider = full.split(':').next().unwrap_or_default().to_owned();
        let reply = Reply::new(api, 200, Some("application/json"), Streaming::No);
        let mut reply = reply.from_provider(provider);
        let body = answer.to_string();
        reply.push(body.as_bytes(), &mut |_: Delta<'_>| ControlFlow::Continue(()));
        let response = reply.finish(Ended::Whole).map_err(|error| format!("{api}: {error}"))?;
        let own = Arc::unwrap_or_clone(response.message).by(Author::Model(full.into()));
        Ok(Self { model, own })
    }

    /// The matrix.
    fn cases(&self) -> Vec<(String, ModelRequest)> {
        let mut cases = vec![
            ("text".to_owned(), conversation([])),
            ("system".to_owned(), {
                let mut request = conversation([]);
                request.instructions = "Be careful.".into();
                request
            }),
            ("images".to_owned(), conversation([images()])),
            ("files".to_owned(), conversation([files()])),
            ("tools".to_owned(), with_tools(conversation(one_call()))),
            ("parallel_calls".to_owned(), with_tools(conversation(parallel_calls()))),
            ("image_result".to_owned(), with_tools(conversation(image_result()))),
            ("broken_arguments".to_owned(), with_tools(conversation(broken_arguments()))),
            ("thinking".to_owned(), with_tools(conversation(self.thinking()))),
            ("cached".to_owned(), self.cached()),
            ("resumed".to_owned(), with_tools(resumed(self.thinking()))),
            ("handed_off".to_owned(), with_tools(conversation(foreign()))),
            ("long".to_owned(), with_tools(conversation(long()))),
        ];
        for level in ["off", "low", "high", "4096"] {
            let settings = ModelSettings {
                thinking: Some(ThinkingLevel::from(level)),
                ..ModelSettings::default()
            };
            cases.push((format!("thinking_{level}"), set(conversation([]), settings)));
        }
        for (name, choice) in [
            ("auto", ToolChoice::Auto),
            ("none", ToolChoice::None),
            ("required", ToolChoice::Required),
            ("named", ToolChoice::Named("add".to_owned())),
        ] {
            let mut request = with_tools(conversation([]));
            request.tool_choice = choice;
            cases.push((format!("tool_choice_{name}"), request));
        }
        cases.extend(settings());
        cases.extend(structured());
        cases
    }

    /// An answer of its own with thinking, and the result of its call.
    fn thinking(&self) -> Vec<Message> {
        let calls: Vec<_> = self.own.tool_calls().cloned().collect();
        let results = calls.iter().map(|call| result(call.id.as_str(), text("42")));
        std::iter::once(self.own.clone()).chain(results).collect()
    }

    /// A request whose messages were encoded before, and one more.
    fn cached(&self) -> ModelRequest {
        let request = with_tools(conversation(self.thinking()));
        let _ = self.model.body(&request, Streaming::No);
        request.with_message(Message::user("And 2 + 2?"))
    }
}

/// A model of a wire, and the body of an answer with thinking and a call.
fn sample(wire: &str) -> (&'static str, Value) {
    match wire {
        "chat" => (
            "gpt-5-mini",
            json!({
            "id": "chatcmpl-1", "model": "gpt-5-mini", "choices": [{"index": 0,
                "message": {"role": "assistant", "content": "Let me add.",
                    "reasoning_content": "Add them.", "tool_calls": [{"id": "call_1",
                        "type": "function",
                        "function": {"name": "add", "arguments": "{\"a\":17,\"b\":25}"}}]},
                "finish_reason": "tool_calls"}]}),
        ),
        "responses" => (
            "gpt-5-mini",
            json!({
            "id": "resp_1", "object": "response", "status": "completed", "model": "gpt-5-mini",
            "output": [
                {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAA",
                    "summary": [{"type": "summary_text", "text": "Add them."}]},
                {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
                    "content": [{"type": "output_text", "text": "Let me add.", "annotations": []}]},
                {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "add",
                    "arguments": "{\"a\":17,\"b\":25}", "status": "completed"}]}),
        ),
        "messages" => (
            "claude-sonnet-4-6",
            json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-6",
            "stop_reason": "tool_use", "content": [
                {"type": "thinking", "thinking": "Add them.", "signature": "c2ln"},
                {"type": "text", "text": "Let me add."},
                {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 17, "b": 25}}]}),
        ),
        "gemini" => (
            "gemini-3-pro-preview",
            json!({
            "responseId": "r1", "modelVersion": "gemini-3-pro-preview", "candidates": [{
                "finishReason": "STOP", "content": {"role": "model", "parts": [
                    {"text": "Add them.", "thought": true},
                    {"text": "Let me add."},
                    {"functionCall": {"name": "add", "args": {"a": 17, "b": 25}},
                        "thoughtSignature": "c2ln"}]}}]}),
        ),
        _ => (
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            json!({
            "stopReason": "tool_use", "usage": {"inputTokens": 1, "outputTokens": 1},
            "output": {"message": {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "Add them.", "signature": "c2ln"}}},
                {"text": "Let me add."},
                {"toolUse": {"toolUseId": "tooluse_1", "name": "add",
                    "input": {"a": 17, "b": 25}}}]}}}),
        ),
    }
}

/// A question, and what followed it.
fn conversation(messages: impl IntoIterator<Item = Message>) -> ModelRequest {
    let settings = Arc::new(ModelSettings::default());
    let request = ModelRequest::blank(settings).with_message(Message::user("What is 17 + 25?"));
    messages.into_iter().fold(request, ModelRequest::with_message)
}

/// The same read back from JSON, as a journal gives it.
fn resumed(messages: Vec<Message>) -> ModelRequest {
    let written = messages.iter().filter_map(|message| serde_json::to_string(message).ok());
    let read = written.filter_map(|message| serde_json::from_str::<Message>(&message).ok());
    conversation(read.collect::<Vec<_>>())
}

fn with_tools(mut request: ModelRequest) -> ModelRequest {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    });
    let spec = |name: &str| Arc::new(ToolSpec::new(name, "Does sums.", schema.clone()));
    request.tools = Arc::new(ToolSpecs::new(vec![spec("add"), spec("subtract")]));
    request
}

fn set(mut request: ModelRequest, settings: ModelSettings) -> ModelRequest {
    request.settings = Arc::new(settings);
    request
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(Arc::new(ToolCall::new(id, "add", arguments)))
}

fn result(id: &str, parts: Vec<ResultPart>) -> Message {
    Message::tool_result(ToolResult { parts, ..ToolResult::new(id, "add", "") })
}

fn text(text: &str) -> Vec<ResultPart> {
    vec![ResultPart::Text(text.to_owned())]
}

fn image() -> Image {
    let source = MediaSource::Base64("iVBORw0KGgo=".to_owned());
    Image { media_type: "image/png".to_owned(), source }
}

fn images() -> Message {
    let there = MediaSource::Url("https://example.com/a.png".to_owned());
    let there = Image { source: there, ..image() };
    Message::new(Role::User, vec![Part::text("See?"), Part::Image(image()), Part::Image(there)])
}

fn files() -> Message {
    let file = |name: &str, media: &str| {
        let source = MediaSource::Base64("JVBERi0=".to_owned());
        Part::File(File { name: Some(name.to_owned()), media_type: media.to_owned(), source })
    };
    let parts =
        vec![Part::text("Read."), file("a.pdf", "application/pdf"), file("a.wav", "audio/wav")];
    Message::new(Role::User, parts)
}

fn one_call() -> Vec<Message> {
    vec![Message::assistant(vec![call("c1", r#"{"a":17,"b":25}"#)]), result("c1", text("42"))]
}

fn parallel_calls() -> Vec<Message> {
    let calls = vec![Part::text("Both."), call("c1", "{\"a\":1,\"b\":2}"), call("c2", "")];
    let failed = ToolResult { is_error: true, ..ToolResult::new("c2", "add", "no numbers") };
    vec![
        Message::assistant(calls),
        result("c1", text("3")),
        Message::tool_result(failed),
        Message::assistant(vec![Part::text("3.")]),
        Message::user("Thanks."),
    ]
}

fn image_result() -> Vec<Message> {
    let parts = vec![
        ResultPart::Text("A plot:".to_owned()),
        ResultPart::Image(image()),
        ResultPart::Json(json!({"points": 3})),
    ];
    vec![Message::assistant(vec![call("c1", "{}")]), result("c1", parts)]
}

fn broken_arguments() -> Vec<Message> {
    let failed = ToolResult { is_error: true, ..ToolResult::new("c1", "add", "not JSON") };
    vec![Message::assistant(vec![call("c1", "{\"a\":")]), Message::tool_result(failed)]
}

/// What another provider answered.
fn foreign() -> Vec<Message> {
    let provider = Some(ProviderData::new("other", json!({"secret": "s"})));
    let thinking = |text: &str| {
        let (text, provider) = (text.to_owned(), provider.clone());
        Part::Thinking(Thinking { text, id: Some("th_1".to_owned()), provider })
    };
    let id = "functions.add:0|a-very-long-id-of-a-call-that-another-provider-made-0123456789";
    let by = |parts| Message::assistant(parts).by(Author::Model("other:model".into()));
    vec![
        by(vec![thinking("Hm."), Part::Other(json!({"type": "novel"})), call(id, "{}")]),
        result(id, text("42")),
        by(vec![thinking("Only a thought.")]),
        Message::user("And?"),
        by(vec![]),
        Message::user("So?"),
    ]
}

/// More than a chunk of messages.
fn long() -> Vec<Message> {
    (0..40)
        .flat_map(|number| {
            let (one, other) = (format!("a{number}"), format!("b{number}"));
            let calls = Message::assistant(vec![call(&one, "{}"), call(&other, "{}")]);
            [calls, result(&one, text("1")), result(&other, text("2"))]
        })
        .collect()
}

/// Each setting on its own.
fn settings() -> Vec<(String, ModelRequest)> {
    let of = |name: &str, settings| (name.to_owned(), set(with_tools(conversation([])), settings));
    let usual = ModelSettings::default;
    let mut bounded = with_tools(conversation([]));
    bounded.max_output = Some(512);
    vec![
        of("temperature", ModelSettings { temperature: Some(0.5), ..usual() }),
        of("top_p", ModelSettings { top_p: Some(0.9), ..usual() }),
        of("seed", ModelSettings { seed: Some(7), ..usual() }),
        of("stop", ModelSettings { stop: vec!["END".to_owned()], ..usual() }),
        of("no_parallel_calls", ModelSettings { parallel_calls: Some(false), ..usual() }),
        ("max_output".to_owned(), bounded),
    ]
}

/// An answer of a given shape, in each way to ask for one.
fn structured() -> Vec<(String, ModelRequest)> {
    let schema = json!({
        "title": "Sum", "type": "object", "additionalProperties": false,
        "properties": {"sum": {"type": "integer"}}, "required": ["sum"],
    });
    let mut native = conversation([]);
    native.response_format = Some(Arc::new(schema.clone()));
    let mut called = conversation([]);
    called.tools = Arc::new(ToolSpecs::new(vec![Arc::new(ToolSpec::new(
        "answer",
        "Gives the answer.",
        schema.clone(),
    ))]));
    called.tool_choice = ToolChoice::Named("answer".to_owned());
    let mut prompted = conversation([]);
    prompted.instructions = format!("Answer with JSON of this schema: {schema}").into();
    // The schema of any object is JSON mode.
    let mut object = prompted.clone();
    object.response_format = Some(Arc::new(json!({"type": "object"})));
    let cases = [("native", native), ("object", object), ("tool", called), ("prompted", prompted)];
    cases.map(|(mode, request)| (format!("structured_{mode}"), request)).into()
}
