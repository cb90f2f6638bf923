use http::{Method, Request};

use super::{of_cancel, of_response};

fn create(uri: &str) -> Request<()> {
    Request::builder().method(Method::POST).uri(uri).body(()).unwrap()
}

#[test]
fn a_response_is_found_below_where_it_was_created() {
    let found = |uri: &str, id: &str, query: &[(&str, &str)]| {
        let request = of_response(&create(uri), id, query).unwrap();
        assert_eq!(request.method(), Method::GET);
        request.uri().to_string()
    };
    assert_eq!(found("/v1/responses", "resp_1-a", &[]), "/v1/responses/resp_1-a");
    let query = [("stream", "true"), ("include[]", "reasoning.encrypted_content")];
    assert_eq!(
        found("/openai/v1/responses?api-version=preview", "r", &query),
        "/openai/v1/responses/r?api-version=preview&stream=true\
         &include%5B%5D=reasoning.encrypted_content"
    );
    // One that a proxy passes on has the whole address; an id stays one part of the path.
    assert_eq!(
        found("http://x:1/v1/responses", "../a?b", &[]),
        "http://x:1/v1/responses/%2E%2E%2Fa%3Fb"
    );
    let cancel = of_cancel(&create("/v1/responses"), "resp_1").unwrap();
    assert_eq!(
        (cancel.method(), cancel.uri().path()),
        (&Method::POST, "/v1/responses/resp_1/cancel")
    );
}
