use legwork_port::Model as _;
use legwork_port::model::Kind;

use super::proxy::{Manner, Proxy};
use super::tls::{Act, Server};
use super::{body, model_at, question};
use crate::http::Proxies;
use crate::retry::Policy;

/// The proxies of an environment in which all requests go through one.
fn through(url: &str) -> Proxies {
    Proxies::from_variables(|name| (name == "HTTPS_PROXY").then(|| url.to_owned()))
}

#[tokio::test]
async fn a_server_with_tls_is_reached_through_a_tunnel() {
    for offers in [&["h2"][..], &["http/1.1"]] {
        let server = Server::start(offers, [Act::Answer(body("Hi."))]).await;
        let proxy = Proxy::start(Manner::Open).await;
        let url = format!("http://me:secret@{}", proxy.address);
        let model = model_at(&server, |model| model.proxies(through(&url)));
        assert_eq!(model.infer(question(), None).await.unwrap().text(), "Hi.");
        let head = proxy.heads().remove(0);
        let place = server.base_url.trim_start_matches("https://").trim_end_matches("/v1");
        assert!(head.starts_with(&format!("CONNECT {place} HTTP/1.1\r\n")), "{head}");
        assert!(head.contains("\r\nproxy-authorization: Basic bWU6c2VjcmV0\r\n"), "{head}");
        assert!(!head.contains("sk-secret"), "{head}");
        let request = server.requests().remove(0);
        assert!(!request.contains("proxy-authorization"), "{request}");
    }
}

#[tokio::test]
async fn a_server_with_tls_is_reached_through_socks() {
    let server = Server::start(&["http/1.1"], [Act::Answer(body("Hi."))]).await;
    let proxy = Proxy::start(Manner::Socks(None)).await;
    let url = format!("socks5h://{}", proxy.address);
    let model = model_at(&server, |model| model.proxies(through(&url)));
    assert_eq!(model.infer(question(), None).await.unwrap().text(), "Hi.");
    assert!(proxy.heads()[0].starts_with("localhost:"));
}

#[tokio::test]
async fn nothing_is_sent_to_an_untrusted_server_through_a_proxy_either() {
    let server = Server::start(&["h2"], []).await;
    let other = Server::start(&["h2"], []).await;
    let proxy = Proxy::start(Manner::Open).await;
    let url = format!("http://{}", proxy.address);
    let model = model_at(&server, |model| model.proxies(through(&url)).retry(Policy::never()));
    let model = super::HttpModel { client: model.client.trusting(other.roots.clone()), ..model };
    let error = model.infer(question(), None).await.unwrap_err();
    assert_eq!((error.kind, error.charged_attempts), (Kind::Untrusted, 0), "{error}");
    assert!(server.requests().is_empty());
}
