//! Models behind proxies, and everything that goes wrong there.

use std::net::TcpListener;
use std::ops::ControlFlow;
use std::sync::Arc;

use legwork_models::http::Proxies;
use legwork_models::retry::Policy;
use legwork_models::{Api, Builder, openai};
use legwork_port::model::{Error, Kind};
use legwork_port::{Delta, Model};
use tokio::sync::Semaphore;

use crate::clock::Turned;
use crate::proxy::{Manner, Proxy};
use crate::server::{Act, END, Server, answer, chunk_of, stream_head};
use crate::traffic::question;
use crate::wires::Said;

/// The proxies of an environment.
fn proxies(variables: &[(&str, &str)]) -> Proxies {
    Proxies::from_variables(|name| {
        let found = variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn behind(api: Api, server: &Server, variables: &[(&str, &str)]) -> Builder {
    let model = Builder::new(api, &server.base_url, "m").api_key("sk-secret");
    model.clock(Turned::new()).proxies(proxies(variables))
}

/// The answer of a server of an API, which says `Héllo`.
fn said(api: Api) -> Act {
    let body = Said::by(api.name()).body.to_string();
    Act::Close(answer("200 OK", "application/json", "", &body))
}

/// Where a model that is called `m` is asked for a whole answer.
fn path(api: Api) -> &'static str {
    match api.name() {
        "chat" => "chat/completions",
        "responses" => "responses",
        "messages" => "messages",
        "gemini" => "models/m:generateContent",
        "bedrock" => "model/m/converse",
        other => panic!("nothing is known of {other}"),
    }
}

/// What comes of asking a server with TLS through a proxy; no server is behind it.
async fn asked_through(manner: Manner, scheme: &str) -> (Error, String) {
    let proxy = Proxy::start(manner).await;
    let url = format!("{scheme}://me:canary-d41d8cd98f@{}", proxy.address);
    let model = openai::chat("https://server.invalid/v1", "m").retry(Policy::never());
    let model = model.proxies(proxies(&[("HTTPS_PROXY", &url)])).build().unwrap();
    let error = model.infer(question("Hi?"), None).await.unwrap_err();
    assert!(!format!("{error:?} {model:?}").contains("canary"), "{error:?}");
    (error, format!("the proxy {scheme}://{} (HTTPS_PROXY) ", proxy.address))
}

#[tokio::test]
async fn a_plain_request_is_passed_on_by_the_proxy() {
    for api in Api::ALL.iter().copied() {
        let (server, proxy) = (Server::start([said(api)]).await, Proxy::start(Manner::Open).await);
        let url = format!("me:se%40cret@{}", proxy.address);
        let model = behind(api, &server, &[("http_proxy", &url)]).build().unwrap();
        assert_eq!(model.infer(question("Hi?"), None).await.unwrap().text(), "Héllo", "{api}");
        let head = proxy.heads().remove(0);
        let line = format!("POST {}/{} HTTP/1.1\r\n", server.base_url, path(api));
        assert!(head.starts_with(&line), "{head}");
        // `me:se@cret`.
        let login = "\r\nproxy-authorization: Basic bWU6c2VAY3JldA==\r\n";
        assert!(head.contains(login), "{api}: {head}");
        let line = format!("POST /v1/{} HTTP/1.1\r\n", path(api));
        assert!(server.requests()[0].starts_with(&line), "{api}");
    }
}

#[tokio::test]
async fn a_stream_is_passed_on_by_the_proxy() {
    for api in Api::ALL.iter().copied() {
        let said = Said::by(api.name());
        let head = stream_head(said.stream).into_bytes();
        let pieces = vec![head, chunk_of(&said.whole()), END.into()];
        let server = Server::start([Act::Pieces(pieces, Arc::new(Semaphore::new(3)))]).await;
        let proxy = Proxy::start(Manner::Open).await;
        let url = format!("http://{}", proxy.address);
        let model = behind(api, &server, &[("HTTP_PROXY", &url)]).build().unwrap();
        let mut show = |_: Delta<'_>| ControlFlow::Continue(());
        let came = model.infer(question("Hi?"), Some(&mut show)).await.unwrap();
        assert_eq!((came.text().as_str(), came.incomplete), ("Héllo", None), "{api}");
        assert_eq!(proxy.heads().len(), 1, "{api}");
    }
}

#[tokio::test]
async fn what_no_proxy_lists_is_asked_directly() {
    let proxy = Proxy::start(Manner::Says("nothing")).await;
    let url = format!("http://{}", proxy.address);
    for api in Api::ALL.iter().copied() {
        for listed in ["127.0.0.1", "10.0.0.0/8, 127.0.0.0/8", "*"] {
            let server = Server::start([said(api)]).await;
            let model = behind(api, &server, &[("ALL_PROXY", &url), ("NO_PROXY", listed)]);
            let response = model.build().unwrap().infer(question("Hi?"), None).await.unwrap();
            assert_eq!(response.text(), "Héllo", "{api} {listed}");
        }
    }
    assert!(proxy.heads().is_empty());
}

#[tokio::test]
async fn s11_5_a_proxy_that_is_down_is_tried_again_and_named() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://me:canary-d41d8cd98f@{closed}");
    for (server, variable) in [("http://a.invalid/v1", "HTTP_PROXY"), ("https://a/v1", "ALL_PROXY")]
    {
        let clock = Turned::new();
        let model = openai::chat(server, "m").clock(clock.clone());
        let model = model.proxies(proxies(&[(variable, &url)])).build().unwrap();
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        let expected = format!("the proxy http://{closed} ({variable}) cannot be reached: ");
        assert!(error.message.contains(&expected) && error.message.contains("refused"), "{error}");
        assert!(error.message.contains(&format!("check {variable}")), "{error}");
        assert_eq!((error.kind, error.charged_attempts), (Kind::Unreachable, 0));
        assert!(clock.waits().len() >= 10 && !error.message.contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_is_named_and_not_asked_again() {
    let says = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
    let (error, proxy) = asked_through(Manner::Says(says), "http").await;
    let expected = format!("{proxy}answered 407 Proxy Authentication Required");
    assert!(error.message.contains(&expected), "{error}");
    assert!(error.message.contains("check the name and the password in HTTPS_PROXY"), "{error}");
    assert_eq!((error.kind, error.charged_attempts), (Kind::Unauthorized, 0));

    // The same from one that would pass the request on, without a password in the variable.
    for api in Api::ALL.iter().copied() {
        let (server, proxy) = (Server::start([]).await, Proxy::start(Manner::Says(says)).await);
        let url = format!("http://{}", proxy.address);
        let model = behind(api, &server, &[("HTTP_PROXY", &url)]).build().unwrap();
        let error = model.infer(question("Hi?"), None).await.unwrap_err();
        let expected = format!("the proxy {url} (HTTP_PROXY) answered 407");
        assert!(error.message.contains(&expected), "{error}");
        assert!(error.message.contains("put a name and a password into HTTP_PROXY"), "{error}");
        assert_eq!((error.kind, proxy.heads().len()), (Kind::Unauthorized, 1), "{api}");
    }
}

#[tokio::test]
async fn a_proxy_that_opens_no_tunnel_is_named() {
    let cases = [
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "answered 502 Bad Gateway", Kind::Unreachable),
        ("HTTP/1.1 403 Forbidden\r\n\r\n", "answered 403 Forbidden", Kind::Unauthorized),
        ("HTTP/1.1 400 Bad Request\r\n\r\n", "answered 400 Bad Request", Kind::BadRequest),
        ("", "opened no tunnel: ", Kind::Unreachable),
        ("SSH-2.0-OpenSSH_9.9\r\n", "opened no tunnel: ", Kind::Unreachable),
        ("HTTP/1.1 200 OK\r\n\r\nhello", "opened no tunnel: more than", Kind::Unreachable),
    ];
    for (says, expected, kind) in cases {
        let (error, proxy) = asked_through(Manner::Says(says), "http").await;
        assert!(error.message.contains(&format!("{proxy}{expected}")), "{says:?}: {error}");
        assert_eq!((error.kind, error.charged_attempts), (kind, 0), "{says:?}");
    }
}

#[tokio::test]
async fn a_proxy_of_https_that_speaks_no_tls_is_named() {
    let (error, proxy) = asked_through(Manner::Greets("HTTP/1.1 400 No\r\n\r\n"), "https").await;
    assert!(error.message.contains(&format!("{proxy}cannot be reached: ")), "{error}");
    assert_eq!(error.kind, Kind::Untrusted);
}

#[tokio::test]
async fn a_server_is_reached_through_socks() {
    for api in Api::ALL.iter().copied() {
        for (scheme, user, wanted) in [
            ("socks5", "", None),
            ("socks5h", "", None),
            ("socks5", "me:se%40cret@", Some(("me", "se@cret"))),
        ] {
            let server = Server::start([said(api)]).await;
            let proxy = Proxy::start(Manner::Socks(wanted)).await;
            let url = format!("{scheme}://{user}{}", proxy.address);
            let base_url = server.base_url.replace("127.0.0.1", "localhost");
            let model = Builder::new(api, &base_url, "m").proxies(proxies(&[("all_proxy", &url)]));
            let response = model.build().unwrap().infer(question("Hi?"), None).await.unwrap();
            assert_eq!(response.text(), "Héllo", "{api} {url}");
            // Who resolves the name.
            let here = scheme == "socks5";
            assert!(proxy.heads()[0].starts_with(if here { "127." } else { "localhost:" }));
        }
    }
}

#[tokio::test]
async fn a_proxy_of_socks_that_refuses_is_named() {
    let (error, proxy) = asked_through(Manner::Socks(Some(("me", "other"))), "socks5h").await;
    let expected = format!("{proxy}opened no tunnel: SOCKS error: credentials not accepted");
    assert!(error.message.contains(&expected), "{error}");
    let (error, proxy) = asked_through(Manner::Greets("\u{5}\u{ff}"), "socks5h").await;
    assert!(error.message.contains(&format!("{proxy}opened no tunnel: SOCKS error: ")), "{error}");
}

#[test]
fn a_value_that_is_not_a_proxy_is_an_error_that_names_the_variable() {
    let cases = [
        ("socks4://h:1", "proxies of the kind \"socks4\" are not supported: http, https, socks5"),
        ("http://", "its host is neither a name"),
        ("http://canary@", "its host is neither a name"),
        ("http://h:canary", "the part after the colon"),
        ("http://h:0", "the part after the colon"),
        ("http://h:99999", "the part after the colon"),
        ("http://me:can@ary@h:1", "written as %XX"),
        ("http://me:can/ary@h:1", "written as %XX"),
        ("http://me:canary @h:1", "written as %XX"),
        ("http://h h:1", "its host is neither a name"),
        ("canary\u{7}", "its host is neither a name"),
        ("can-ary://h", "its kind is not known"),
    ];
    for (value, expected) in cases {
        let model = |url: &str| {
            let model = openai::chat(url, "m").proxies(proxies(&[("HTTPS_PROXY", value)]));
            model.build().map_err(|error| error.to_string())
        };
        let error = model("https://a/v1").unwrap_err();
        assert!(error.starts_with("HTTPS_PROXY names no proxy: "), "{value}: {error}");
        assert!(error.contains(expected) && !error.contains("ary"), "{value}: {error}");
        // Other requests are not affected.
        model("http://a/v1").unwrap();
    }
}

#[test]
fn the_variables_are_read_as_curl_reads_them() {
    let check = |variables: &[(&str, &str)], url: &str, shown: Option<&str>| {
        let proxy = proxies(variables).proxy_of(url).unwrap();
        assert_eq!(proxy.as_deref(), shown, "{variables:?} {url}");
    };
    let (http, https) = ("http://a.example/v1", "https://a.example/v1");
    check(&[], https, None);
    check(&[("HTTPS_PROXY", "")], https, None);
    check(&[("HTTPS_PROXY", "p")], https, Some("http://p:1080 (HTTPS_PROXY)"));
    check(&[("HTTPS_PROXY", "p")], http, None);
    check(&[("HTTPS_PROXY", "HTTPS://p/ignored")], https, Some("https://p:443 (HTTPS_PROXY)"));
    check(&[("HTTPS_PROXY", "p"), ("https_proxy", "q:1")], https, Some("http://q:1 (https_proxy)"));
    check(&[("HTTPS_PROXY", ""), ("all_proxy", "q:1")], https, Some("http://q:1 (all_proxy)"));
    check(&[("ALL_PROXY", "socks5h://[::1]:9")], http, Some("socks5h://[::1]:9 (ALL_PROXY)"));
    check(&[("HTTP_PROXY", "p:1"), ("ALL_PROXY", "q:1")], http, Some("http://p:1 (HTTP_PROXY)"));
    check(&[("HTTP_PROXY", "p:1"), ("REQUEST_METHOD", "GET")], http, None);
    check(
        &[("http_proxy", "p:1"), ("REQUEST_METHOD", "GET")],
        http,
        Some("http://p:1 (http_proxy)"),
    );
    check(
        &[("HTTPS_PROXY", "p:1"), ("REQUEST_METHOD", "GET")],
        https,
        Some("http://p:1 (HTTPS_PROXY)"),
    );
    // This machine is no exception, as for curl.
    check(&[("ALL_PROXY", "p:1")], "http://localhost:8080/v1", Some("http://p:1 (ALL_PROXY)"));
    for no in ["example", ".a.example", "a.example", "b, A.Example", "*"] {
        check(&[("ALL_PROXY", "p:1"), ("NO_PROXY", no)], https, None);
    }
    for no in ["b.example", "ample", ""] {
        check(&[("ALL_PROXY", "p:1"), ("no_proxy", no)], https, Some("http://p:1 (ALL_PROXY)"));
    }
}

#[test]
fn a_password_is_shown_nowhere() {
    let (written, meant) = ("can%40ary-d41d8cd98f", "can@ary-d41d8cd98f");
    let proxies = proxies(&[("HTTPS_PROXY", &format!("http://me:{written}@h:1"))]);
    let shown = format!("{proxies:?}");
    assert!(shown.contains("h:1") && !shown.contains("ary"), "{shown}");
    let model = openai::chat("https://a/v1", "m").proxies(proxies).build().unwrap();
    let said = format!("{written} {meant}");
    assert_eq!(model.mask().text(&said), "[redacted] [redacted]");
    // No key goes there in the clear, though there is a secret.
    assert_eq!(model.exposes_key(), None);
}
