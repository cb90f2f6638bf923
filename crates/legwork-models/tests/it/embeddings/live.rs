//! A server of embeddings that computes: it speaks each API, and refuses what is too much.

use std::sync::{Arc, Mutex};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use crate::server::{answer, read};

/// Numbers of a vector.
const DIMENSIONS: usize = 8;

/// The server; it ends with the test.
pub(super) struct Live {
    pub(super) base_url: String,
    requests: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Live {
    /// A server that takes so many texts at once.
    pub(super) async fn start(most: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, most, Arc::clone(&seen)));
            }
        });
        Self { base_url, requests }
    }

    /// The texts of each request so far.
    pub(super) fn requests(&self) -> Vec<Vec<String>> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, most: usize, seen: Arc<Mutex<Vec<Vec<String>>>>) {
    while let Some(request) = read(&mut stream).await {
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let texts = texts(&body);
        let (status, said) = match texts.len() {
            count if count > most => ("400 Bad Request", json!({"error": {"message": "too many"}})),
            _ => ("200 OK", said(head, &body, &texts)),
        };
        seen.lock().unwrap().push(texts);
        let answer = answer(status, "application/json", "", &said.to_string());
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

fn texts(body: &Value) -> Vec<String> {
    let lists = [&body["input"], &body["texts"], &body["requests"]];
    let list = lists.iter().find_map(|list| list.as_array()).unwrap();
    let text = |one: &Value| {
        one.as_str().or(one["content"]["parts"][0]["text"].as_str()).map(str::to_owned)
    };
    list.iter().map(|one| text(one).unwrap()).collect()
}

/// The answer of the API whose path it is; a token per byte.
fn said(head: &str, body: &Value, texts: &[String]) -> Value {
    let fields = [
        &body["dimensions"],
        &body["output_dimension"],
        &body["requests"][0]["outputDimensionality"],
    ];
    let asked =
        fields.iter().find_map(|field| field.as_u64()).map_or(DIMENSIONS, |asked| asked as usize);
    let vectors: Vec<_> = texts.iter().map(|text| vector(text, asked)).collect();
    let tokens: usize = texts.iter().map(String::len).sum();
    match head.split(' ').nth(1).unwrap() {
        "/v1/embeddings" => {
            let is_text = body["encoding_format"] == "base64";
            let written = |vector: &Vec<f32>| match is_text {
                true => {
                    let bytes: Vec<u8> = vector.iter().flat_map(|one| one.to_le_bytes()).collect();
                    json!(BASE64_STANDARD.encode(bytes))
                }
                false => json!(vector),
            };
            let item = |(at, one)| json!({"index": at, "embedding": written(one)});
            let data: Vec<_> = vectors.iter().enumerate().map(item).rev().collect();
            json!({"data": data, "model": body["model"], "usage": {"prompt_tokens": tokens}})
        }
        "/v2/embed" => json!({"embeddings": {"float": vectors},
            "meta": {"billed_units": {"input_tokens": tokens}}}),
        "/api/embed" => json!({"model": body["model"], "embeddings": vectors,
            "prompt_eval_count": tokens}),
        _ => {
            let values: Vec<_> = vectors.iter().map(|one| json!({"values": one})).collect();
            json!({"embeddings": values, "usageMetadata": {"promptTokenCount": tokens}})
        }
    }
}

/// How often a text has bytes of each rest, and how long it is: other texts have other vectors.
fn vector(text: &str, dimensions: usize) -> Vec<f32> {
    let mut counts = vec![0.125_f32; dimensions.max(1)];
    for (place, byte) in text.bytes().enumerate() {
        let length = counts.len();
        counts[usize::from(byte) % length] += 1.0 + place as f32 / 16.0;
    }
    counts
}
