//! Embedders by name: what works, and what the errors of the rest say.

use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::thread;

use legwork::embedder;
use serde_json::{Value, json};

/// A server that answers with these vectors, request by request, and gives the requests back.
fn serve(answers: Vec<Value>) -> (String, thread::JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answering = move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut requests = BufReader::new(stream.try_clone().unwrap());
        let answer = |answer: &Value| {
            let request = read(&mut requests);
            let (body, head) = (answer.to_string(), "content-type: application/json");
            let length = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\n{head}\r\ncontent-length: {length}\r\n\r\n{body}")
                .unwrap();
            request
        };
        answers.iter().map(answer).collect()
    };
    (url, thread::spawn(answering))
}

/// The body of a request.
fn read(requests: &mut impl BufRead) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        requests.read_line(&mut line).unwrap();
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    requests.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn the_example_finds_the_answer_and_says_what_it_cost() {
    let answer = |vectors: &[[f32; 2]], tokens: u64| {
        let data: Vec<_> = vectors.iter().map(|one| json!({"embedding": one})).collect();
        json!({"data": data, "usage": {"prompt_tokens": tokens}})
    };
    let stored = answer(&[[1.0, 0.0], [0.0, 1.0], [0.8, 0.6]], 1_000);
    let (url, server) = serve(vec![stored, answer(&[[1.0, 0.0]], 6)]);
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    let mut example = Command::new(target.join("examples/embeddings"));
    let output =
        example.env("OPENAI_BASE_URL", url).env("OPENAI_API_KEY", "test").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = "1.00 A cat sat on the mat.\n0.80 The mat is made of reed.\n\
                    0.00 Interest rates rose again.\ncost: $0.00002\n";
    assert_eq!(said, expected);
    let requests = server.join().unwrap();
    assert_eq!(requests[0]["model"], "text-embedding-3-small");
    assert_eq!(requests[1]["input"], json!(["What did the cat do?"]));
}

#[test]
fn an_embedder_that_cannot_be_had_says_what_to_do() {
    let table = [
        ("text-embedding-3-small", None, "provider:name"),
        ("anthropic:claude-sonnet-5", None, "take a model of openai, "),
        ("ollama:nomic-embed-text?seed=1", None, "has no options"),
        ("nobody:m", None, "OpenAI's embeddings give its base URL with `embedder::at`"),
        ("azure:m", Some("key"), "AZURE_OPENAI_BASE_URL"),
        (
            "cohere:embed-v4.0",
            None,
            "`builder_from_env` (or `from_env`) takes it from COHERE_API_KEY or CO_API_KEY",
        ),
    ];
    for (name, key, said) in table {
        let error = embedder::at(name, None, key).err().unwrap().to_string();
        assert!(error.contains(said), "{name}: {error}");
    }
    let error = embedder::at("mine:m", Some("ftp://x"), None).err().unwrap().to_string();
    assert!(error.contains("not http or https"), "{error}");
}

#[test]
fn an_embedder_is_had_by_name_and_a_local_one_is_free() {
    let names: Vec<_> = embedder::providers().collect();
    assert!(names.contains(&"google") && !names.contains(&"anthropic"), "{names:?}");
    let local = embedder::at("ollama:nomic-embed-text", None, None).unwrap();
    assert_eq!(local.name(), "ollama:nomic-embed-text");
    assert_eq!(local.profile().price.unwrap().input.0, 0);
    let mine = embedder::at("mine:bge-m3", Some("http://127.0.0.1:8080/v1"), None).unwrap();
    assert_eq!((mine.name(), mine.profile().price), ("mine:bge-m3", None));
}
