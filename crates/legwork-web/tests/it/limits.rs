//! Servers that are slow, endless, or send much in little.

use std::io::Write as _;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use legwork_web::{Fetch, Limits};
use serde_json::json;

use crate::site::{Site, answer, call, failed, ok, read};

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn within(site: &Site, change: impl FnOnce(&mut Limits)) -> Fetch {
    let mut limits = Limits::default();
    change(&mut limits);
    Fetch::new(site.client().with_limits(limits))
}

#[tokio::test]
async fn s13_14_a_server_that_never_ends_its_answer_is_left() {
    for head in ["", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"] {
        let (gone, ended) = channel();
        let gone = Mutex::new(gone);
        let site = Site::start(move |_, stream| {
            stream.write_all(head.as_bytes())?;
            // Until the other side has closed.
            let closed = std::io::Read::read(stream, &mut [0]);
            gone.lock().unwrap().send(closed.unwrap_or(0)).unwrap();
            Ok(())
        });
        let fetch = within(&site, |limits| limits.time = Duration::from_millis(200));
        let told = failed(call(&fetch, &json!({"url": site.url("/")})).await);
        assert!(told.contains("no whole answer came within 200ms"), "{told}");
        assert_eq!(ended.recv(), Ok(0), "the connection is closed");
    }
}

#[tokio::test]
async fn s13_14_an_endless_answer_is_read_up_to_the_limit() {
    let site = Site::start(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")?;
        loop {
            stream.write_all(&[b'x'; 4_096])?;
        }
    });
    let fetch = within(&site, |limits| limits.bytes = 50_000);
    let told = read(call(&fetch, &json!({"url": site.url("/"), "max_length": 100_000})).await);
    assert!(told.contains("Type: text/plain, 50000 characters"), "{}", &told[..200]);
    assert!(told.ends_with("its rest is missing]"), "{}", &told[told.len() - 200..]);
}

#[tokio::test]
async fn s13_14_compressed_answers_are_read_and_bombs_only_up_to_the_limit() {
    let small = gzipped(b"hello");
    let bomb = gzipped(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < 100_000);
    let site = Site::start(move |path, stream| {
        let headers = |coding| [("content-type", "text/plain"), ("content-encoding", coding)];
        stream.write_all(&match path {
            "/small" => answer("200 OK", &headers("gzip"), &small),
            "/two" => answer("200 OK", &headers("x-gzip"), &[&*small, &small].concat()),
            "/bomb" => answer("200 OK", &headers("gzip"), &bomb),
            "/broken" => answer("200 OK", &headers("gzip"), &small[..small.len() - 9]),
            "/none" => answer("200 OK", &headers("gzip"), b"hello"),
            "/identity" => answer("200 OK", &headers("identity"), b"hello"),
            _ => answer("200 OK", &headers("br"), b"hello"),
        })
    });
    let fetch = site.fetch();
    let get = async |path: &str| call(&fetch, &json!({"url": site.url(path)})).await;
    assert!(read(get("/small").await).ends_with("\n\nhello"));
    assert!(read(get("/two").await).ends_with("\n\nhellohello"));
    assert!(read(get("/identity").await).ends_with("\n\nhello"));
    let told = read(get("/bomb").await);
    assert!(told.contains(&format!("Type: text/plain, {} characters", 5 << 20)), "{}", told.len());
    for (path, words) in [("/broken", "gzip"), ("/none", "gzip"), ("/br", "it was not asked for")] {
        let told = failed(get(path).await);
        assert!(told.contains("cannot be decompressed") && told.contains(words), "{told}");
    }
}

#[tokio::test]
async fn s13_14_a_head_without_end_is_refused() {
    let site = Site::start(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        loop {
            stream.write_all(b"x-more: and more and more and more\r\n")?;
        }
    });
    let told = failed(call(&site.fetch(), &json!({"url": site.url("/")})).await);
    assert!(told.contains("broke off or sent no HTTP"), "{told}");
}

#[tokio::test]
async fn s6_6_a_call_that_is_dropped_closes_its_connection() {
    let (gone, ended) = channel();
    let gone = Mutex::new(gone);
    let site = Site::start(move |_, stream| {
        stream.write_all(&ok("text/plain", b"")[..20])?;
        gone.lock().unwrap().send(None).unwrap();
        let closed = std::io::Read::read(stream, &mut [0]).unwrap_or(0);
        gone.lock().unwrap().send(Some(closed)).unwrap();
        Ok(())
    });
    let (fetch, url) = (site.fetch(), site.url("/"));
    let running = tokio::spawn(async move { call(&fetch, &json!({ "url": url })).await });
    let waiting = tokio::task::spawn_blocking(move || (ended.recv(), ended));
    let (first, ended) = waiting.await.unwrap();
    assert_eq!(first, Ok(None));
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    let last = tokio::task::spawn_blocking(move || ended.recv()).await.unwrap();
    assert_eq!(last, Ok(Some(0)));
}
