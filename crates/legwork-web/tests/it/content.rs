//! What of an answer the model reads.

use std::io::Write as _;

use legwork_port::core::message::{MediaSource, ResultPart};
use legwork_port::core::{EffectClass, ToolOutcome};
use legwork_port::{Tool as _, network::Network};
use legwork_web::{Client, Fetch, Policy};
use serde_json::json;

use crate::site::{Site, answer, call, failed, ok, read};

#[tokio::test]
async fn a_page_is_read_as_markdown_with_its_title() {
    let page = "<title>Doors</title><nav>x</nav><h1>Doors</h1><p>See <a href=paint>paint</a>.";
    let site = Site::always("text/html; charset=utf-8", page);
    let told = read(call(&site.fetch(), &json!({"url": site.url("/a/b")})).await);
    let text = "x\n\n# Doors\n\nSee [paint](http://HOST/a/paint).";
    let text = text.replace("HOST", &site.address.to_string());
    let length = text.chars().count();
    let head = format!(
        "URL: {}\nTitle: Doors\nType: text/html, {length} characters\n\n",
        site.url("/a/b")
    );
    assert_eq!(told, head + &text);
    let source = json!({"url": site.url("/a/b"), "format": "source"});
    assert!(read(call(&site.fetch(), &source).await).ends_with(page));
    let request = &site.asked()[0];
    for header in ["accept-encoding: gzip\r\n", "user-agent: legwork/", "host: 127.0.0.1:"] {
        assert!(request.contains(header), "{request}");
    }
    assert!(!request.contains("cookie") && !request.contains("referer"), "{request}");
}

#[tokio::test]
async fn s6_9_a_long_page_is_read_in_parts() {
    let all: String = (0..50_000).map(|number| char::from(b'a' + (number % 26) as u8)).collect();
    let site = Site::always("text/plain", all.clone());
    let (mut text, mut start) = (String::new(), 0);
    loop {
        let part = read(call(&site.fetch(), &json!({"url": site.url("/"), "start": start})).await);
        let (_, part) = part.split_once("\n\n").unwrap();
        let (part, note) = part.split_once("\n[").unwrap();
        text.push_str(part);
        let Some((_, next)) = note.split_once("start=") else { break };
        start = next.split(' ').next().unwrap().parse().unwrap();
    }
    assert_eq!(text, all);
    assert_eq!(site.asked().len(), 3);
    let short = json!({"url": site.url("/"), "max_length": 3, "start": 1});
    assert!(
        read(call(&site.fetch(), &short).await).contains("\n\nbcd\n[characters 1 to 4 of 50000;")
    );
}

#[tokio::test]
async fn json_and_xml_are_read_as_they_are_and_other_content_is_refused_by_its_kind() {
    let site = Site::start(|path, stream| {
        stream.write_all(&match path {
            "/json" => ok("application/json", b"{\"a\": 1}"),
            "/xml" => ok("application/atom+xml", b"<feed/>"),
            "/pdf" => ok("application/pdf", b"%PDF-1.7"),
            "/lie" => ok("text/plain", b"MZ\0\0"),
            "/none" => ok("", b"words"),
            _ => ok("text/plain; charset=iso-8859-1", b"caf\xe9"),
        })
    });
    let fetch = site.fetch();
    let get = async |path: &str| call(&fetch, &json!({"url": site.url(path)})).await;
    assert!(read(get("/json").await).ends_with("\n\n{\"a\": 1}"));
    assert!(read(get("/xml").await).ends_with("\n\n<feed/>"));
    assert!(read(get("/none").await).ends_with("\n\nwords"));
    assert!(read(get("/latin").await).ends_with("\n\ncafé"));
    let told = failed(get("/pdf").await);
    assert!(told.contains("it is application/pdf (8 bytes), which is neither text"), "{told}");
    assert!(failed(get("/lie").await).contains("it is text/plain (4 bytes)"));
}

#[tokio::test]
async fn a_picture_is_given_as_a_picture() {
    let site = Site::start(|path, stream| {
        stream.write_all(&match path {
            "/small" => ok("image/png", b"\x89PNG"),
            _ => ok("image/png", &vec![0; 4 << 20]),
        })
    });
    let outcome = call(&site.fetch(), &json!({"url": site.url("/small")})).await;
    let ToolOutcome::Ok(output) = outcome else { panic!("{outcome:?}") };
    let [_, ResultPart::Image(image)] = &output.0[..] else { panic!("{output:?}") };
    assert_eq!(image.media_type, "image/png");
    assert_eq!(image.source, MediaSource::Base64("iVBORw==".to_owned()));
    let told = failed(call(&site.fetch(), &json!({"url": site.url("/large")})).await);
    assert!(told.contains("larger than 3 MiB"), "{told}");
}

#[tokio::test]
async fn an_error_of_the_server_says_what_the_server_says() {
    let site = Site::start(|_, stream| {
        let page = b"<title>No</title><h1>Not here</h1>";
        stream.write_all(&answer("404 Not Found", &[("content-type", "text/html")], page))
    });
    let told = failed(call(&site.fetch(), &json!({"url": site.url("/x")})).await);
    assert!(told.ends_with("answered 404 Not Found. It says:\n# Not here"), "{told}");
}

#[tokio::test]
async fn what_is_no_url_is_told_to_the_model() {
    let fetch = Fetch::new(Client::new(Policy::new(Network::All)).unwrap());
    assert_eq!(fetch.spec().effect, EffectClass::ReadOnly);
    for (url, words) in [
        ("ftp://example.com", "only http and https"),
        ("example.com", "is not a URL"),
        ("http://me:pw@example.com", "name or a password"),
    ] {
        let told = failed(call(&fetch, &json!({ "url": url })).await);
        assert!(told.contains(words) && !told.contains("pw"), "{told}");
    }
}
