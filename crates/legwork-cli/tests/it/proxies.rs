//! Models behind the proxies that the environment names.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::thread;

use legwork_testkit::{Server, Turn};

use crate::home::{Home, ran};

/// A proxy that answers one request, whatever it is; where it is, and the request's first line.
fn proxy(answer: &'static str) -> (String, thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answering = thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        lines.find(|line| line.as_ref().unwrap().is_empty());
        client.write_all(answer.as_bytes()).unwrap();
        first
    });
    (address, answering)
}

#[test]
fn a_request_goes_through_the_proxy_of_the_environment() {
    let (address, asked) = proxy("HTTP/1.1 407 Who?\r\nconnection: close\r\n\r\n");
    let home = Home::new();
    let mut command =
        home.legwork(&["run", "--model", "my:m", "--base-url", "https://a.invalid/v1", "Work"]);
    command.env("HTTPS_PROXY", format!("http://me:canary-d41d8cd98f@{address}"));
    let told = format!("the proxy http://{address} (HTTPS_PROXY) answered 407");
    let ran = ran(command).ends(1).says(&told).says("the password in HTTPS_PROXY");
    let ran = ran.says("hint: set HTTPS_PROXY=http://user:password@host:port").says("in NO_PROXY");
    assert!(!ran.err.contains("canary") && !ran.out.contains("canary"), "{}", ran.err);
    assert_eq!(asked.join().unwrap(), "CONNECT a.invalid:443 HTTP/1.1");
}

#[test]
fn a_proxy_that_forwards_a_request_and_refuses_it_is_named_with_its_variable() {
    let answer = "HTTP/1.1 407 Who?\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let hint = "hint: set all_proxy=http://user:password@host:port";
    let run = ["run", "--model", "my:m", "Work"];
    for args in [&run[..], &["models", "ping", "my:m"], &["models", "list", "my"]] {
        let (address, asked) = proxy(answer);
        let home = Home::new();
        let url = ["--base-url", "http://a.invalid/v1"];
        let mut command = home.legwork(&[args, &url].concat());
        command.env("all_proxy", format!("http://{address}"));
        ran(command).ends(1).says(&format!("the proxy http://{address} (all_proxy)")).says(hint);
        asked.join().unwrap();
    }
}

#[test]
fn a_proxy_that_cannot_be_reached_is_named_with_its_variable() {
    let home = Home::new();
    let args = ["models", "ping", "my:m", "--base-url", "https://a.invalid/v1"];
    let mut command = home.legwork(&args);
    command.env("https_proxy", "http://127.0.0.1:9");
    ran(command).ends(1).says("hint: set https_proxy=http://user:password@host:port");
}

#[test]
fn what_no_proxy_lists_is_asked_directly() {
    let server = Server::start([Turn::text("Direct.")]).unwrap();
    let home = Home::new();
    let mut command = home.with(&server, &["run", "--sandbox", "off", "Work"]);
    // Nobody looks at a proxy that is not used.
    command.env("http_proxy", "socks4://x").env("no_proxy", "example.com,127.0.0.0/8");
    let ran = ran(command).ends(0);
    assert!(ran.out.contains("Direct."), "{}", ran.out);
}

#[test]
fn a_value_that_is_no_proxy_is_wrong_use() {
    let server = Server::start([]).unwrap();
    for args in [&["run", "Work"][..], &["models", "ping"]] {
        let home = Home::new();
        let mut command = home.with(&server, args);
        command.env("ALL_PROXY", "socks4://me:canary-d41d8cd98f@h");
        let ran = ran(command).ends(2).says("ALL_PROXY names no proxy").says("socks5h work");
        let ran =
            ran.says("hint: set ALL_PROXY=http://user:password@host:port").says("in NO_PROXY");
        assert!(!ran.err.contains("canary"), "{}", ran.err);
    }
    assert!(server.requests().is_empty());
}

#[test]
fn doctor_names_the_proxy() {
    for (url, found) in [
        ("http://me:canary-d41d8cd98f@h:1", "through the proxy http://h:1 (https_proxy)"),
        ("ftp://h", "https_proxy names no proxy"),
    ] {
        let home = Home::new();
        let mut command = home.legwork(&["doctor", "--offline"]);
        command.env("https_proxy", url).env("OPENAI_API_KEY", "sk-0123456789");
        let ran = ran(command);
        let out = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(out.contains(found) && !out.contains("canary"), "{out}");
    }
}
