use std::time::{Duration, SystemTime};

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{Method, Request, Uri};

use super::{Keys, Scope, region_of, sign};

const KEYS: Keys<'_> = Keys {
    access_key: "AKIDEXAMPLE",
    secret_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    session_token: None,
};

/// 2015-08-30T12:36:00Z, the time of the published vectors.
fn scope(service: &str) -> Scope<'_> {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_440_938_160);
    Scope { service, region: "us-east-1", time }
}

fn request(host: &str, path: &str) -> (Request<()>, Uri) {
    let request = Request::builder().method(Method::POST).uri(path).header(HOST, host);
    (request.body(()).unwrap(), format!("https://{host}").parse().unwrap())
}

fn authorization(request: &Request<()>) -> &str {
    request.headers()[AUTHORIZATION].to_str().unwrap()
}

#[test]
fn a_published_vector_is_met() {
    let check = |path: &str, signature: &str| {
        let (mut request, server) = request("example.amazonaws.com", path);
        sign(&mut request, &server, b"", KEYS, scope("service")).unwrap();
        let signed = format!(
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=host;x-amz-date, Signature={signature}"
        );
        assert_eq!(authorization(&request), signed);
    };
    // `post-vanilla` and `post-vanilla-query` of the AWS signing test suite.
    check("/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
    check("/?Param1=value1", "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11");
}

#[test]
fn the_path_the_body_and_the_session_token_are_signed() {
    let path = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse";
    let signed = |keys, path, body: &[u8]| {
        let (mut request, server) = request("bedrock-runtime.us-east-1.amazonaws.com", path);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, "application/json".parse().unwrap());
        headers.insert("x-forwarded", "not signed".parse().unwrap());
        sign(&mut request, &server, body, keys, scope("bedrock")).unwrap();
        request
    };
    let keys = Keys { session_token: Some("token"), ..KEYS };
    let request = signed(keys, path, b"{\"messages\":[]}");
    let said = authorization(&request);
    assert!(said.contains("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token"));
    // Worked out by the rules of the documentation, without the library.
    let signature = "68e5af6c878bc110a1b65b6ff1d6046c7af77fec402c9270f91c0f1eea1be05b";
    assert!(said.ends_with(signature), "{said}");
    assert_eq!(request.headers()["x-amz-security-token"], "token");
    assert_eq!(request.headers()["x-amz-date"], "20150830T123600Z");
    for other in [
        signed(keys, path, b"{}"),
        signed(keys, "/model/m/converse", b"{\"messages\":[]}"),
        signed(KEYS, path, b"{\"messages\":[]}"),
    ] {
        assert_ne!(authorization(&other), said);
    }
}

#[test]
fn hosts_name_their_region() {
    let check = |host: &str, region: Option<&str>| assert_eq!(region_of(host), region, "{host}");
    check("bedrock-runtime.eu-central-1.amazonaws.com", Some("eu-central-1"));
    check("bedrock-runtime-fips.us-gov-west-1.amazonaws.com", Some("us-gov-west-1"));
    check("vpce-0a-b.bedrock-runtime.us-east-1.vpce.amazonaws.com", Some("us-east-1"));
    check("bedrock-runtime.amazonaws.com", None);
    check("127.0.0.1", None);
}
