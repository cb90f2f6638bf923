//! What is reached, and what is not, whatever a name resolves to and a server redirects to.

use std::io::{self, Write as _};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use legwork_port::BoxFuture;
use legwork_port::network::Network;
use legwork_web::{Client, Fetch, Policy, Resolver};
use serde_json::json;

use crate::site::{Site, call, failed, ok, read, redirect};

/// Gives the addresses of each question in turn, the last for all that follow.
#[derive(Clone)]
struct Names {
    answers: Arc<Mutex<Vec<Vec<IpAddr>>>>,
    asked: Arc<AtomicUsize>,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Self {
        let parsed = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        let answers = answers.iter().rev().map(parsed).collect();
        Self { answers: Arc::new(Mutex::new(answers)), asked: Arc::default() }
    }
}

impl Resolver for Names {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop() } else { answers.last().cloned() };
        Box::pin(std::future::ready(Ok(answer.unwrap_or_default())))
    }
}

fn everything() -> Fetch {
    Fetch::new(Client::new(Policy::new(Network::All)).unwrap())
}

#[tokio::test]
async fn s13_14_addresses_that_are_not_public_are_refused_by_default() {
    let site = Site::always("text/plain", "secret");
    let port = site.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "[ff02::1]",
        "[::]",
    ] {
        let url = format!("http://{host}:{port}/");
        let told = failed(call(&everything(), &json!({ "url": url })).await);
        assert!(told.contains("its address belongs to this machine, a private network"), "{told}");
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn s13_14_without_network_nothing_is_reached_and_the_tool_says_so() {
    let fetch = Fetch::new(Client::new(Policy::default()).unwrap());
    let told = failed(call(&fetch, &json!({"url": "https://example.com/"})).await);
    assert!(told.contains("the network is off: example.com:443 is not reached"), "{told}");
}

#[tokio::test]
async fn s13_14_only_listed_hosts_are_reached_and_a_listed_address_may_be_private() {
    let site = Site::always("text/plain", "hello");
    let network = Network::Hosts(vec!["docs.rs".parse().unwrap(), site.host()]);
    let fetch = Fetch::new(Client::new(Policy::new(network)).unwrap());
    assert!(read(call(&fetch, &json!({"url": site.url("/")})).await).contains("hello"));
    for url in ["https://example.com/", "http://evil.docs.rs/", "https://docs.rs:444/"] {
        let told = failed(call(&fetch, &json!({ "url": url })).await);
        assert!(told.contains("only these hosts may be: docs.rs, 127.0.0.1:"), "{told}");
    }
}

#[tokio::test]
async fn s13_14_settings_narrow_the_network_and_never_widen_it() {
    let (site, other) = (Site::always("text/plain", "hello"), Site::always("text/plain", "no"));
    let all = Policy::new(Network::All).only([site.host()]);
    let hosts = Policy::new(Network::Hosts(vec![site.host()])).only([site.host(), other.host()]);
    for policy in [all, hosts] {
        let fetch = Fetch::new(Client::new(policy).unwrap());
        assert!(read(call(&fetch, &json!({"url": site.url("/")})).await).contains("hello"));
        let told = failed(call(&fetch, &json!({"url": other.url("/")})).await);
        assert!(told.contains("only these hosts may be"), "{told}");
    }
    let off = Fetch::new(Client::new(Policy::default().only([site.host()])).unwrap());
    let told = failed(call(&off, &json!({"url": site.url("/")})).await);
    assert!(told.contains("the network is off"), "{told}");
    assert!(other.asked().is_empty());
}

#[tokio::test]
async fn s13_14_denied_hosts_are_not_reached_whatever_allows_them() {
    let site = Site::always("text/plain", "hello");
    let allowed = [site.host(), "a.example.com".parse().unwrap()];
    let policy = Policy::new(Network::All).allowing(allowed);
    let policy = policy.denying([site.host(), "*.example.com".parse().unwrap()]);
    let client = Client::new(policy).unwrap().with_resolver(Names::new(&[&["127.0.0.1"]]));
    let fetch = Fetch::new(client);
    let others = ["https://a.example.com/", "http://b.example.com:8080/"].map(str::to_owned);
    for url in others.into_iter().chain([site.url("/")]) {
        let told = failed(call(&fetch, &json!({ "url": url })).await);
        assert!(told.contains("the settings deny it"), "{told}");
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn s13_14_a_redirect_is_checked_like_a_first_address() {
    let secret = Site::always("text/plain", "secret");
    for to in [
        secret.url("/"),
        format!("http://localhost:{}/", secret.address.port()),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "//10.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://user:pw@example.com/".to_owned(),
        "https://2130706433/".to_owned(),
    ] {
        let answer = redirect(&to);
        let site = Site::start(move |_, stream| stream.write_all(&answer));
        let told = failed(call(&site.fetch(), &json!({"url": site.url("/")})).await);
        assert!(told.contains("was not read"), "{to}: {told}");
        assert_eq!(site.asked().len(), 1);
    }
    assert!(secret.asked().is_empty());
}

#[tokio::test]
async fn s13_14_redirects_are_followed_so_far_and_told() {
    let site = Site::start(|path, stream| match path {
        "/a/b?c" => stream.write_all(&redirect("../end")),
        "/end" => stream.write_all(&ok("text/plain", b"there")),
        _ => stream.write_all(&redirect("/again")),
    });
    let told = read(call(&site.fetch(), &json!({"url": site.url("/a/b?c")})).await);
    assert!(told.starts_with(&format!("URL: {} (redirected from ", site.url("/end"))), "{told}");
    let told = failed(call(&site.fetch(), &json!({"url": site.url("/loop")})).await);
    assert!(told.contains("more than 5 redirects"), "{told}");
    assert_eq!(site.asked().len(), 2 + 6);
}

#[tokio::test]
async fn s13_14_a_name_is_resolved_once_and_all_its_addresses_are_checked() {
    let site = Site::always("text/plain", "hello");
    let url = format!("http://rebound.example.com:{}/", site.address.port());
    // Only the listed one of the addresses is connected to; later ones are not asked for.
    let names = Names::new(&[&["10.0.0.1", "127.0.0.2", "127.0.0.1"], &["10.0.0.1"]]);
    let fetch = Fetch::new(site.client().with_resolver(names.clone()));
    assert!(read(call(&fetch, &json!({ "url": url })).await).contains("hello"));
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    // The next call resolves anew, and finds what it may not reach.
    let told = failed(call(&fetch, &json!({ "url": url })).await);
    assert!(told.contains("its address belongs to"), "{told}");
    assert_eq!(site.asked().len(), 1);
}

#[tokio::test]
async fn s13_14_a_public_name_with_private_addresses_is_refused() {
    let site = Site::always("text/plain", "secret");
    let port = site.address.port();
    for address in [
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "169.254.169.254",
        "fd00::1",
        "100.100.100.200",
    ] {
        let client = Client::new(Policy::new(Network::All)).unwrap();
        let fetch = Fetch::new(client.with_resolver(Names::new(&[&[address]])));
        let url = format!("http://public.example.com:{port}/");
        let told = failed(call(&fetch, &json!({ "url": url })).await);
        assert!(told.contains("public.example.com:"), "{told}");
        assert!(told.contains("its address belongs to"), "{address}: {told}");
    }
    assert!(site.asked().is_empty());
}

#[tokio::test]
async fn s13_14_a_redirect_to_a_name_is_resolved_and_checked() {
    let secret = Site::always("text/plain", "secret");
    let to = redirect(&format!("http://rebound.example.com:{}/", secret.address.port()));
    let site = Site::start(move |_, stream| stream.write_all(&to));
    let client = site.client().with_resolver(Names::new(&[&["127.0.0.1"]]));
    let told = failed(call(&Fetch::new(client), &json!({"url": site.url("/")})).await);
    assert!(told.contains("its address belongs to"), "{told}");
    assert!(secret.asked().is_empty());
}

#[tokio::test]
async fn what_cannot_be_reached_says_why() {
    let client = Client::new(Policy::new(Network::All)).unwrap();
    let nobody = Fetch::new(client.with_resolver(Names::new(&[&[]])));
    let told = failed(call(&nobody, &json!({"url": "https://example.com/"})).await);
    assert!(told.contains("example.com cannot be resolved") && told.ends_with("later."), "{told}");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let policy = Policy::new(Network::All).allowing([address.to_string().parse().unwrap()]);
    let fetch = Fetch::new(Client::new(policy).unwrap());
    let told = failed(call(&fetch, &json!({"url": format!("http://{address}/")})).await);
    assert!(told.contains("cannot be reached"), "{told}");
}
