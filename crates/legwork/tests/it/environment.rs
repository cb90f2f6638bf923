//! Models by name with what the environment says of them, asked over real HTTP.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Command, Output};
use std::thread;

use legwork_testkit::server::Server;
use legwork_testkit::{Script, Turn};

/// The example that asks a model of a name, with these variables and no others.
fn asked(name: &str, variables: &[(&str, &str)]) -> Output {
    let test = std::env::current_exe().unwrap();
    let target = test.parent().and_then(|deps| deps.parent()).unwrap();
    let mut example = Command::new(target.join("examples/own_settings"));
    example.arg(name).env_clear().envs(variables.iter().copied()).output().unwrap()
}

fn said(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

#[test]
fn a_builder_has_the_key_and_the_address_and_is_set_up_further() {
    let server =
        Server::start(Script::new([Turn::text("Paris.").after([Turn::status(503)])])).unwrap();
    let url = server.base_url();
    let variables = [("OPENAI_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "key-of-the-test")];
    let output = asked("openai:gpt-5-mini", &variables);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(said(&output), "Paris.\n");
    let requests = server.requests();
    assert_eq!(requests.len(), 2, "the one retry that the program set");
    assert_eq!(requests[1].headers["authorization"], "Bearer key-of-the-test");
}

#[test]
fn options_of_a_name_are_settings_of_its_requests() {
    let server = Server::start(Script::new([Turn::text("Paris.")])).unwrap();
    let url = server.base_url();
    let name = "openai:gpt-5-mini?thinking=low&temperature=0.2&stop=END&max_output=64";
    let output = asked(name, &[("OPENAI_BASE_URL", url.as_str())]);
    assert!(output.status.success(), "{}", said(&output));
    let body = &server.requests()[0].body;
    assert_eq!((&body["model"], &body["reasoning_effort"]), (&"gpt-5-mini".into(), &"low".into()));
    assert_eq!((&body["temperature"], &body["stop"][0]), (&0.2.into(), &"END".into()));
    assert_eq!(body["max_tokens"], 64);
}

#[test]
fn the_settings_of_the_program_count_over_those_by_default() {
    let failed = [Turn::status(503), Turn::status(503)];
    let server = Server::start(Script::new([Turn::text("Paris.").after(failed)])).unwrap();
    let url = server.base_url();
    let output = asked("openai:gpt-5-mini", &[("OPENAI_BASE_URL", url.as_str())]);
    assert!(!output.status.success(), "{}", said(&output));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn what_is_missing_in_the_environment_is_named() {
    let (region, project) = (("AWS_REGION", "eu-central-1"), ("GOOGLE_CLOUD_PROJECT", "p"));
    let (id, secret) = (("AWS_ACCESS_KEY_ID", "AKID"), ("AWS_SECRET_ACCESS_KEY", "secret"));
    let (bedrock, vertex) = ("bedrock:anthropic.claude-haiku-4-5", "vertex:gemini-2.5-flash");
    let token = ("AWS_BEARER_TOKEN_BEDROCK", "key");
    let either = "AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY";
    let table: [(_, &[_], _); 9] = [
        ("anthropic:claude-sonnet-4-6", &[], "account: set ANTHROPIC_API_KEY\n".to_owned()),
        (bedrock, &[], format!("set AWS_REGION or AWS_DEFAULT_REGION, and {either}\n")),
        (bedrock, &[region], format!("set {either}\n")),
        (bedrock, &[token], "set AWS_REGION or AWS_DEFAULT_REGION\n".to_owned()),
        (bedrock, &[region, id], "set AWS_SECRET_ACCESS_KEY\n".to_owned()),
        (bedrock, &[region, secret], "set AWS_ACCESS_KEY_ID\n".to_owned()),
        (
            vertex,
            &[project],
            "set GOOGLE_CLOUD_LOCATION, and GOOGLE_OAUTH_ACCESS_TOKEN or \
             CLOUDSDK_AUTH_ACCESS_TOKEN\n"
                .to_owned(),
        ),
        (vertex, &[], "set GOOGLE_CLOUD_PROJECT, and GOOGLE_CLOUD_LOCATION, and ".to_owned()),
        ("azure:gpt-5-mini", &[], "set AZURE_OPENAI_API_KEY\n".to_owned()),
    ];
    for (name, variables, words) in table {
        let said = said(&asked(name, variables));
        assert!(said.contains(&words), "{name} with {variables:?}: {said}");
    }
}

/// The first request that a listener gets, answered with a refusal.
fn first_request(listener: &TcpListener) -> String {
    let (mut stream, _) = listener.accept().unwrap();
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
        request.extend(byte);
    }
    let refusal = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(refusal.as_bytes()).unwrap();
    String::from_utf8(request).unwrap().to_ascii_lowercase()
}

#[test]
fn bedrock_is_asked_with_access_keys_or_a_key_and_vertex_with_a_token() {
    let table: [(_, _, &[_], _); 3] = [
        (
            "bedrock:anthropic.claude-haiku-4-5",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
            &[
                ("AWS_DEFAULT_REGION", "eu-central-1"),
                ("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE"),
                ("AWS_SECRET_ACCESS_KEY", "secret"),
                ("AWS_SESSION_TOKEN", "token-of-a-session"),
            ],
            ["/eu-central-1/bedrock/aws4_request", "x-amz-security-token: token-of-a-session"],
        ),
        (
            "bedrock:anthropic.claude-haiku-4-5",
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
            &[("AWS_BEARER_TOKEN_BEDROCK", "key-of-bedrock")],
            ["authorization: bearer key-of-bedrock", "post /v1/model/anthropic.claude-haiku-4-5/"],
        ),
        (
            "vertex:gemini-2.5-flash",
            "GOOGLE_VERTEX_BASE_URL",
            &[("GOOGLE_OAUTH_ACCESS_TOKEN", "token-of-vertex")],
            ["authorization: bearer token-of-vertex", "post /v1/models/gemini-2.5-flash:"],
        ),
    ];
    for (name, address, variables, words) in table {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = thread::spawn(move || first_request(&listener));
        let said = said(&asked(name, &[variables, &[(address, &*url)]].concat()));
        let request = server.join().unwrap();
        assert!(words.iter().all(|words| request.contains(words)), "{request}\n{said}");
        assert!(said.contains("refused with 400"), "{said}");
    }
}
