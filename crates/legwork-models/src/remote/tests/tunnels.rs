use legwork_core::inference::Incomplete;
use legwork_port::Model as _;
use legwork_port::model::Kind;

use super::faults::{LITTLE, MUCH, ignore};
use super::proxy::{Manner, Proxy};
use super::tls::sent::End;
use super::tls::{Act, Server};
use super::{HttpModel, all_wires, question, trusting};
use crate::http::Proxies;
use crate::retry::Policy;

/// The proxies of an environment in which all requests go through one.
fn through(url: &str) -> Proxies {
    Proxies::from_variables(|name| (name == "HTTPS_PROXY").then(|| url.to_owned()))
}

#[tokio::test]
async fn a_server_with_tls_is_reached_through_a_tunnel() {
    for wire in all_wires() {
        for offers in [&["h2"][..], &["http/1.1"]] {
            let server = Server::start(offers, [Act::Answer(wire.body("Hi."))]).await;
            let proxy = Proxy::start(Manner::Open).await;
            let url = format!("http://me:secret@{}", proxy.address);
            let model = wire.at(&server, |model| model.proxies(through(&url)));
            assert_eq!(wire.ask(LITTLE, &model, None).await.unwrap().text(), "Hi.", "{wire}");
            let head = proxy.heads().remove(0);
            let place = server.base_url.trim_start_matches("https://").trim_end_matches("/v1");
            assert!(head.starts_with(&format!("CONNECT {place} HTTP/1.1\r\n")), "{head}");
            assert!(head.contains("\r\nproxy-authorization: Basic bWU6c2VjcmV0\r\n"), "{head}");
            assert!(!head.contains("sk-secret"), "{wire}: {head}");
            let request = server.requests().remove(0);
            assert!(!request.contains("proxy-authorization"), "{wire}: {request}");
        }
    }
}

#[tokio::test]
async fn a_stream_comes_through_a_tunnel() {
    for wire in all_wires() {
        for offers in [&["h2"][..], &["http/1.1"]] {
            let stream = Act::Stream(wire.events(wire.said.whole()));
            let server = Server::start(offers, [stream]).await;
            let proxy = Proxy::start(Manner::Open).await;
            let url = format!("http://{}", proxy.address);
            let model = wire.at(&server, |model| model.proxies(through(&url)));
            let came = wire.ask(LITTLE, &model, Some(&mut ignore)).await.unwrap();
            assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{wire}");
        }
    }
}

#[tokio::test]
async fn s13_10_a_flood_through_a_tunnel_takes_no_more_of_the_memory() {
    for wire in all_wires() {
        for manner in [Manner::Open, Manner::Socks(None)] {
            let begun = [wire.said.begun(), wire.said.endless.clone()];
            let line = wire.frames(begun, End::Endless(vec![b'x'; 16 << 10].into()));
            let server = Server::start(&["h2"], [Act::Send(line)]).await;
            let proxy = Proxy::start(manner).await;
            let scheme = if matches!(manner, Manner::Open) { "http" } else { "socks5h" };
            let url = format!("{scheme}://{}", proxy.address);
            let model = wire.at(&server, |model| model.proxies(through(&url)));
            let came = wire.ask(MUCH, &model, Some(&mut ignore)).await.unwrap();
            assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{wire}");
            assert_eq!(came.text(), "Hé", "{wire}");
        }
    }
}

#[tokio::test]
async fn a_server_with_tls_is_reached_through_socks() {
    for wire in all_wires() {
        let server = Server::start(&["http/1.1"], [Act::Answer(wire.body("Hi."))]).await;
        let proxy = Proxy::start(Manner::Socks(None)).await;
        let url = format!("socks5h://{}", proxy.address);
        let model = wire.at(&server, |model| model.proxies(through(&url)));
        assert_eq!(model.infer(question(), None).await.unwrap().text(), "Hi.", "{wire}");
        assert!(proxy.heads()[0].starts_with("localhost:"), "{wire}");
    }
}

#[tokio::test]
async fn nothing_is_sent_to_an_untrusted_server_through_a_proxy_either() {
    for wire in all_wires() {
        let server = Server::start(&["h2"], []).await;
        let other = Server::start(&["h2"], []).await;
        let proxy = Proxy::start(Manner::Open).await;
        let url = format!("http://{}", proxy.address);
        let model = wire.at(&server, |model| model.proxies(through(&url)).retry(Policy::never()));
        let model = HttpModel { client: trusting(model.client, other.roots.clone()), ..model };
        let error = model.infer(question(), None).await.unwrap_err();
        assert_eq!((error.kind, error.charged_attempts), (Kind::Untrusted, 0), "{wire}: {error}");
        assert!(server.requests().is_empty(), "{wire}");
    }
}
