use http::header::{HOST, HeaderMap};
use http::{Method, Uri};

use super::template;

fn check(address: &str, target: &str, host: &str) {
    let uri = Uri::try_from(address).unwrap();
    let request = template(Method::POST, &uri, HeaderMap::new(), None).unwrap();
    assert_eq!(request.uri(), target, "{address}");
    assert_eq!(request.headers()[HOST], host, "{address}");
}

#[test]
fn a_request_names_its_path_and_host() {
    check("http://127.0.0.1:8080/v1/models", "/v1/models", "127.0.0.1:8080");
    check("https://me:secret@host/v1?api-version=1", "/v1?api-version=1", "host");
    check("https://host:443/v1", "/v1", "host");
    check("http://host:443/v1", "/v1", "host:443");
    check("http://[::1]:80", "/", "[::1]");
}

#[test]
fn a_host_among_the_headers_stays() {
    let headers = HeaderMap::from_iter([(HOST, "front".parse().unwrap())]);
    let uri = Uri::from_static("http://127.0.0.1/v1");
    let request = template(Method::POST, &uri, headers, None).unwrap();
    assert_eq!(request.headers()[HOST], "front");
}
