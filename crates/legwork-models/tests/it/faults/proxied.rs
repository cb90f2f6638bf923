//! Faults of servers that are behind a proxy, and of the proxy between.

use legwork_core::inference::Incomplete;
use legwork_models::HttpModel;
use legwork_models::answer::Streaming;
use legwork_models::http::Proxies;
use legwork_models::retry::Policy;
use legwork_port::model::Kind;

use super::{Asked, BOTH, MUCH, deltas, ignore, sent, wires};
use crate::clock::Turned;
use crate::proxy::{Manner, Proxy};
use crate::server::{Act, Server, answer, chunk_of};

/// How a proxy is asked for a server that has no TLS.
const WAYS: [(Manner, &str); 2] = [(Manner::Open, "http"), (Manner::Socks(None), "socks5")];

/// A model behind a proxy, and what that was asked.
async fn behind(asked: &Asked, way: (Manner, &str), act: Act) -> (HttpModel, Proxy) {
    let (manner, scheme) = way;
    let (server, proxy) = (Server::start([act]).await, Proxy::start(manner).await);
    let url = format!("{scheme}://{}", proxy.address);
    let proxies = Proxies::from_variables(|name| (name == "ALL_PROXY").then(|| url.clone()));
    let model = asked.at(&server, &Turned::new()).proxies(proxies).retry(Policy::never());
    (model.build().unwrap(), proxy)
}

#[tokio::test]
async fn an_answer_comes_through_a_proxy() {
    for asked in wires() {
        for (way, streaming) in WAYS.into_iter().flat_map(|way| BOTH.map(|how| (way, how))) {
            let act = match streaming {
                Streaming::Yes => asked.stream(&asked.said.whole()),
                Streaming::No => asked.body(),
            };
            let (model, proxy) = behind(&asked, way, act).await;
            let came = asked.ask(&model, deltas(streaming, &mut ignore)).await.unwrap();
            assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{asked}");
            assert_eq!(proxy.heads().len(), 1, "{asked}");
        }
    }
}

#[tokio::test]
async fn s11_3_a_stream_that_breaks_off_behind_a_proxy_is_kept_as_far_as_it_came() {
    for asked in wires() {
        for way in WAYS {
            let act = sent([asked.open(&asked.said.begun())]);
            let (model, _proxy) = behind(&asked, way, act).await;
            let came = asked.ask(&model, Some(&mut ignore)).await.unwrap();
            let said = (came.text(), came.incomplete);
            assert_eq!(said, ("Hé".to_owned(), Some(Incomplete::Cut)), "{asked}");
        }
    }
}

#[tokio::test]
async fn s13_10_a_flood_through_a_proxy_takes_no_more_of_the_memory() {
    for asked in wires() {
        for way in WAYS {
            let begun = [asked.said.begun(), asked.said.endless.clone()].concat();
            let act = Act::flood(asked.open(&begun), chunk_of(&[b'x'; 1_000]));
            let (model, _proxy) = behind(&asked, way, act).await;
            let came = asked.ask_within(MUCH, &model, Some(&mut ignore)).await.unwrap();
            assert_eq!(came.incomplete, Some(Incomplete::OverBound), "{asked}");
        }
    }
}

#[tokio::test]
async fn an_error_of_a_server_behind_a_proxy_is_its_own() {
    for asked in wires() {
        for way in WAYS {
            let body = asked.said.error_body.to_string();
            let act = Act::Close(answer("529 Oh", "application/json", "", &body));
            let (model, _proxy) = behind(&asked, way, act).await;
            let error = asked.ask(&model, None).await.unwrap_err();
            assert_eq!((error.kind, error.status), (Kind::Server, Some(529)), "{asked}: {error}");
        }
    }
}
